"""Compiled loops over the flat arrays of `infoset.trees`; the only place here that uses numba."""
