"""Solvers on the sequence form: regret minimisers and fictitious play."""
