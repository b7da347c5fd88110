"""Runs that solve into a directory and can be stopped and continued."""
