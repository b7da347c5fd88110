"""A game that was solved, as text and JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tictactoe
from tictactoe.errors import printable
from tictactoe.games.named_games import NamedGame
from tictactoe.number_text import counted, signed_text
from tictactoe.solving.game_run import SolvedGame
from tictactoe.storage.records import picked

from ..program import print_json, say, shown_path


def size_text(size: tictactoe.GameSize) -> str:
    """What a game takes, on one line."""
    return (
        f"{counted(size.histories, 'history', 'histories')}, {counted(size.leaves, 'leaf', 'leaves')}, "
        f"{counted(size.payoffs, 'payoff')} to ask for, about {size.megabytes:,.0f} MB and {size.seconds:,.0f} s"
    )


class GameReport:
    """Prints how a game was solved, as the options want it."""

    def __init__(self, named: NamedGame, output: Path | None, *, quiet: bool, as_json: bool) -> None:
        self._named, self._output, self._quiet, self._as_json = named, output, quiet, as_json

    def one_player(self, best: tictactoe.BestMoves, seconds: float) -> None:
        about = {"value": float(best.value), "exploitability": 0.0, "algorithm": "dynamic-programming", "iterations": 0}
        about |= {"states": len(best.values), "information_sets": len(best.moves), "seconds": seconds}
        how = f"{counted(len(best.values), 'state')}, by dynamic programming"
        self._print(about, how, "exact but for rounding")

    def solved(self, solved: SolvedGame) -> None:
        about = picked(solved, "value", "exploitability", "algorithm", "iterations")
        about |= {"nodes": solved.game.tree.num_nodes, "information_sets": solved.num_information_sets}
        about |= {"types": list(map(len, solved.game.types)), "seconds": solved.seconds}
        how = (
            "linear programs"
            if not solved.iterations
            else counted(solved.iterations, f"iteration of {solved.algorithm}", f"iterations of {solved.algorithm}")
        )
        nodes = counted(solved.game.tree.num_nodes, "node")
        sets = counted(solved.num_information_sets, "information set")
        self._print(about, f"{nodes}, {sets}; {how}", f"exploitability: {solved.exploitability:.2e}")

    def _print(self, about: dict[str, Any], how: str, quality: str) -> None:
        if self._as_json:
            saved = {} if self._output is None else {"output": str(self._output)}
            print_json({"game": self._named.name, **about, **saved})
        elif not self._quiet:
            say(f"{printable(self._named.title)}: {how}")
            print(f"value to player 0: {signed_text(about['value'], 9)}")
            print(quality)
            if self._output is not None:
                say(f"saved in {shown_path(self._output)}")
