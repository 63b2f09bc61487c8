"""Compiled loops of the vector form; the only place in `infoset.vector` that uses numba."""
