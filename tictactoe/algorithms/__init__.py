"""Solving two-player zero-sum games on a public tree with private types. Knows no game."""
