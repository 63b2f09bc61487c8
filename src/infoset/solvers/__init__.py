"""Algorithms that find equilibria: recipes and presets, the loop, and the exact ones beside them."""
