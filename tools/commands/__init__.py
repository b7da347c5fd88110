"""The commands, one module each: arguments, progress and printing."""
