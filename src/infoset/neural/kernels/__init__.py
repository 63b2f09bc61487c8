"""Compiled loops of neural solvers."""
