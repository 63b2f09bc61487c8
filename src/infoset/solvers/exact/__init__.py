"""The exact solver: a linear program on the sequence form."""
