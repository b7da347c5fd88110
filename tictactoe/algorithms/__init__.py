"""Solvers of two-player zero-sum games on a public tree with private types. They know no particular game."""
