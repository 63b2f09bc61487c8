"""Algorithms that find equilibria: recipes, presets, the loop around them, and exact ones."""
