"""Screens for play, explore and review in a terminal, and reading what a person types."""
