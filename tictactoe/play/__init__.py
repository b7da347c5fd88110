"""Play of rounds and matches, and views of positions."""
