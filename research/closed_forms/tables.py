"""The strategies as tables of text, printed, and written as the package reads them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from plans import GOALS, Plan, Round
from stories import Table

from tictactoe.formulas.answer_tables import ENDING_MARKS, Choices, answer_table, table_lines
from tictactoe.games.rules import Goal, Seat


def choices_of(game: Round, seat: int, plan: Plan) -> Choices:
    """What a seat does in its plans."""
    choices: Choices = {}
    for (node, goal, one), child in plan.items():
        if game.owner[node] == seat:
            answers = choices.setdefault((node, goal), {})
            share = answers.get(child, frozenset())
            assert isinstance(share, frozenset)
            answers[child] = share | {one}
    return choices


def shipped_plan(game: Round, name: str) -> Plan:
    """Both seats' plans, from the table that ships under this name; none of its shares may be a probability."""
    plan: Plan = {}
    for choices in answer_table(name, game.tree):
        for (node, goal), answers in choices.items():
            for child, share in answers.items():
                assert isinstance(share, frozenset)
                plan.update({(node, goal, one): child for one in share})
    return plan


def both_seats(game: Round, name: str, first: Choices, second: Choices) -> Iterator[str]:
    """The lines of a file of tables."""
    yield f"# {name}: how both seats play; docs/closed-forms.md explains the notation"
    for seat, choices in zip(Seat, (first, second), strict=True):
        yield f"{seat.name.lower()} mover"
        yield from table_lines(game.tree, seat, choices)


def write_tables(game: Round, path: Path, first: Choices, second: Choices) -> None:
    """A file as the package has them in tictactoe/formulas/tables."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(both_seats(game, path.stem, first, second)) + "\n", "ascii")


def print_tables(game: Round, name: str, plan: Plan) -> None:
    """Both seats' tables, with how many moves they have."""
    for seat in Seat:
        decisions = [key for key in plan if game.owner[key[0]] == seat]
        moves = {(node, child) for (node, _, _), child in plan.items() if game.owner[node] == seat}
        positions = len({key[0] for key in decisions})
        print(f"\n{name}, {seat.name.lower()} mover: {len(moves)} moves at {positions} positions")
        print("\n".join(table_lines(game.tree, seat, choices_of(game, seat, plan))))


def print_results(table: Table) -> None:
    """How the nine rounds end, and who scores: a line for every goal of the first mover."""
    names = ("both", "first", "second", "neither")
    for goal in Goal:
        cells = (
            f"{ENDING_MARKS[end]} {names[index]}"
            for end, index in zip(table.outcomes[goal], table.results[goal], strict=True)
        )
        print(f"{GOALS[goal]}   " + "".join(f"{cell:14}" for cell in cells).rstrip())
    counts = zip(names, table.counts, strict=True)
    print("9 V = " + " + ".join(f"{count} {name}" for name, count in counts if count))
