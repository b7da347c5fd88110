"""The command `python -m tictactoe`."""

import sys

from .tools.commands.tictactoe import command  # type: ignore[import-not-found]  # what is in tools/ is installed there

if __name__ == "__main__":
    sys.argv[0] = "tictactoe"
    command()
