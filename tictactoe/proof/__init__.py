"""Bounds proved in exact arithmetic. checker.py and checker_tree.py use only the standard library."""
