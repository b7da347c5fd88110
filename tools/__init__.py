"""The command line: commands, options, reports and screens."""
