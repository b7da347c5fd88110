"""Runs of several algorithms, measured and summarized."""
