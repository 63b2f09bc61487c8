"""Compiled loops over cards, hands and boards; the only place here that uses numba."""
