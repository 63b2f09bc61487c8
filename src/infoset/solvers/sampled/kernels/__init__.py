"""Compiled loops of the solvers; the only place in `infoset.solvers` that uses numba."""
