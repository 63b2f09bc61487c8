"""Compiled iterations on the sequence form."""
