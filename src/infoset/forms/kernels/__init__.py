"""Compiled loops over the flat arrays of `infoset.forms`; the only place here that uses numba."""
