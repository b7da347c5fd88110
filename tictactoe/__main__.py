"""The command `python -m tictactoe`."""

import sys

from .tools.commands.tictactoe import command  # type: ignore[import-not-found]  # installed there from tools/

if __name__ == "__main__":
    sys.argv[0] = "tictactoe"
    command()
