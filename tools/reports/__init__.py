"""Results as tables, sentences, JSON and files."""
