"""Compiled loops of the vector form; the only place in `infoset.solvers.vector` that uses numba."""
