"""The commands, one module each: arguments, progress and printing. They import what they need when they run."""
