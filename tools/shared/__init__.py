"""What several commands share: running as a program, options, progress, tables and screens."""
