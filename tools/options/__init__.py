"""What several commands take: types of options, groups of options, and the solutions that they name."""
