"""Find, measure and play equilibria of two-player zero-sum games of imperfect information."""
