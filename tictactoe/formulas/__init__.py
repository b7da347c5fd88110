"""Closed forms: what rounds and matches are worth, and how to play them, without any solving. No files but its own."""
