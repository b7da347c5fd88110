"""Closed forms: the values of rounds and matches, and how to play them, without any solving. They read only their own
files."""
