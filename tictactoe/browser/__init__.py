"""The game as a page for a web browser: its data files, a folder for a server, and a single file."""
