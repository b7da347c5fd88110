"""Bounds that are proved in exact arithmetic. checker.py and checker_tree.py use the standard library alone."""
