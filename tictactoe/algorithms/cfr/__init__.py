"""Counterfactual regret minimization: the solver, its state, and its update rules."""
