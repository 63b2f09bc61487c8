"""Compiled iterations on the public form."""
