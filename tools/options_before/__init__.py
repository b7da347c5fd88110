"""Options that several commands share: their types, groups of them, and the solutions that they name."""
