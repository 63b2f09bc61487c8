"""Compiled loops of the evaluators; the only place in `infoset.evaluation` that uses numba."""
