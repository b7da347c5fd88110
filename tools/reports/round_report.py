"""A round that was solved or learnt, as text and JSON."""

from __future__ import annotations

from pathlib import Path

import tictactoe
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.match.percentages import exploitability_text
from tictactoe.number_text import counted, decimal_text, signed_text
from tictactoe.solving.results_as_data import current_exploitability

from ..program import say, shown_path


def print_solved(snapshot: tictactoe.Snapshot, output: Path, iterations: int) -> None:
    current = current_exploitability(snapshot)
    if snapshot.iteration > iterations:
        later = f"{shown_path(output)} holds a later state already"
        print(f"{later}: nothing was done; --max-iterations above {snapshot.iteration} goes on from there")
    both, first, second, neither = snapshot.outcome_values
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


def print_learnt(
    table: tictactoe.LearntTable,
    figures: tictactoe.LearningFigures,
    best: tuple[float, float] | None,
    output: Path,
    episodes: int,
) -> None:
    if table.rounds > episodes:
        print(f"{shown_path(output)} holds a later state already: nothing was learnt")
    if table.rules != DEFAULT_RULES:
        print(f"rules: {table.rules}")
    method, state = table.method.method, table.state
    print(f"{method}, state {state}, {counted(table.rounds, 'round')}, {counted(table.nodes, 'node')} touched")
    if best is None:
        print(f"its best moves against themselves: {signed_text(figures.as_first, 6)} to the first mover")
    else:
        average, first, second = (
            signed_text(value, 6) for value in (figures.value, figures.as_first, figures.as_second)
        )
        where = f"{average} on average, {first} moving first, {second} moving second"
        print(f"its best moves against {table.opponent}: {where}")
        most = ", ".join(signed_text(value, 6) for value in (sum(best) / 2, *best))
        print(f"the most that anybody gets: {most}")
    if table.score is None:
        print(f"exploitability: {decimal_text(figures.exploitability, 6)} in payoff")
    else:
        print(f"exploitability: {exploitability_text(figures.exploitability)}")
    say(f"saved in {shown_path(output)}")
