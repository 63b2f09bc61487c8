"""Monte Carlo counterfactual regret minimisation: solvers that walk samples of a game."""
