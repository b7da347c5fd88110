"""Results shown as tables, sentences, JSON and files."""
