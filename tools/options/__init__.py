"""Options that several verbs share: their types, groups of them, and the solutions that they name."""
