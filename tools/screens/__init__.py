"""Screens for play, explore and review in a terminal."""
