"""Solver for SMBC's imperfect-information tic-tac-toe.

The public names are listed in `__init__.pyi`; each is imported when it is first used, so that `import tictactoe` costs
nothing.
"""

import os

import lazy_loader

if not os.path.isdir(os.path.dirname(__file__)):
    raise ImportError("tictactoe does not run from within a zip file: unpack it, or install it with pip")

__version__ = "1.0.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
