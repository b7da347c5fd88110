"""A round that was solved, as text."""

from __future__ import annotations

from pathlib import Path

import tictactoe
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.match.percentages import exploitability_text
from tictactoe.number_text import counted, signed_text
from tictactoe.solving.results_as_data import current_exploitability

from ..program import say, shown_path


def print_solved(snapshot: tictactoe.Snapshot, output: Path, iterations: int) -> None:
    current = current_exploitability(snapshot)
    if snapshot.iteration > iterations:
        later = f"{shown_path(output)} holds a later state already"
        print(f"{later}: nothing was done; --max-iterations above {snapshot.iteration} goes on from there")
    both, first, second, neither = snapshot.round_values
    if snapshot.rules != DEFAULT_RULES:
        print(f"rules: {snapshot.rules}")
    print(
        f"outcome values to the first mover: both score {both:g}, first {first:g}, second {second:g}, "
        f"neither {neither:g}"
    )
    print(
        f"value to the first mover after {counted(snapshot.iteration, 'iteration')}: {signed_text(snapshot.value, 9)}"
    )
    if snapshot.score is None:
        print(f"exploitability: {snapshot.exploitability:.2e} in payoff")
        print(f"of the current strategy: {current:.2e}")
    else:
        print(f"exploitability: {exploitability_text(snapshot.exploitability)}")
        print(f"of the current strategy: {exploitability_text(current, 'points')}")
    say(f"saved in {shown_path(output)}")
