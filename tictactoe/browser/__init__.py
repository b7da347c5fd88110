"""The game as a page for a web browser."""
