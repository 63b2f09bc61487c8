"""Kernels of neural solvers: trajectories through the history tree."""
