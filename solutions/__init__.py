"""The solution that is installed with the program, as data; see the README beside this file."""
