"""The game as a page for a web browser: what its data files hold, and how page and data become a folder or one file."""
