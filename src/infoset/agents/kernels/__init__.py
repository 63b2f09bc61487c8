"""Compiled loops over the hands of a match."""
