"""Playing rounds and matches, and looking at positions."""
