"""Scores, continuations of a round, and the solving and judging of a whole match. Nothing here uses files."""
