"""The commands, one module each: options, progress and printing."""
