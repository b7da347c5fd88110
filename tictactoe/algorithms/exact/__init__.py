"""Equilibria to the last digit: linear programs in sequence form, and the double oracle."""
