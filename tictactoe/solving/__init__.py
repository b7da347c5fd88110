"""Runs that solve into a directory and go on where they were stopped."""
