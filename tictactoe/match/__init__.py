"""Scores, what follows a round, solving and judging a whole match. No files."""
