"""The plans as tables of text, which docs/closed-forms.md explains."""

from __future__ import annotations

from collections.abc import Iterator

from plans import ALL, EVERYBODY, GOALS, Plan, Reach, Round
from stories import Table

from tictactoe.games.goals import Goal
from tictactoe.games.rules import Outcome

ENDINGS = {-1: "", Outcome.WIN: "x", Outcome.LOSE: "o", Outcome.TIE: "=", Outcome.BOTH_LINES: "xo"}
"""Who has three in a row at the end of a round; -1: it goes on."""


def table(game: Round, seat: int, plan: Plan) -> Iterator[str]:
    """A line for every position after a move of `seat` in which the adversary can go on: the answers."""

    def answers(node: int, reach: Reach) -> list[tuple[int, Reach]]:
        children = {plan[node, goal, one] for goal in Goal for one in reach[goal]}
        return [
            (child, tuple(frozenset(one for one in reach[goal] if plan[node, goal, one] == child) for goal in Goal))
            for child in sorted(children)
        ]

    def shown(who: Reach, among: Reach) -> str:
        """The goals, each with the plans if not all that are possible."""
        if who == among:
            return ""
        parts = [
            GOALS[goal] + ("" if who[goal] == among[goal] else "".join(sorted(who[goal])).lower())
            for goal in Goal
            if who[goal]
        ]
        return " " + "".join(parts)

    def lines(node: int, reach: Reach) -> Iterator[str]:
        cells, below = [], []
        for reply in game.children[node]:
            if game.outcome[reply] >= 0:
                continue
            found = answers(reply, reach)
            cells.append(
                f"{game.square[reply]}-"
                + ", ".join(
                    f"{game.square[child]}{ENDINGS[game.outcome[child]]}{shown(who, reach)}" for child, who in found
                )
            )
            below += [(child, who) for child, who in found if game.outcome[child] < 0]
        if cells:
            yield f"{game.name(node) or 'start':8} {label(reach):5} {'; '.join(cells)}"
        for child, who in below:
            yield from lines(child, who)

    def label(reach: Reach) -> str:
        return "".join(
            GOALS[goal] + ("" if reach[goal] == ALL else "".join(sorted(reach[goal])).lower())
            for goal in Goal
            if reach[goal]
        )

    if seat == 0:
        for child, reach in answers(0, EVERYBODY):
            yield from lines(child, reach)
    else:
        yield from lines(0, EVERYBODY)


def print_tables(game: Round, name: str, plan: Plan) -> None:
    for seat, who in enumerate(("first", "second")):
        decisions = [key for key in plan if game.owner[key[0]] == seat]
        moves = {(node, child) for (node, _, _), child in plan.items() if game.owner[node] == seat}
        print(f"\n{name}, {who} mover: {len(moves)} moves at {len({key[0] for key in decisions})} positions")
        print("\n".join(table(game, seat, plan)))


def print_results(table: Table) -> None:
    """How the nine rounds end, and who scores: a line for every goal of the first mover."""
    names = ("both", "first", "second", "neither")
    for goal in Goal:
        cells = (
            f"{ENDINGS[end]} {names[index]}"
            for end, index in zip(table.outcomes[goal], table.results[goal], strict=True)
        )
        print(f"{GOALS[goal]}   " + "".join(f"{cell:14}" for cell in cells).rstrip())
    counts = zip(names, table.counts, strict=True)
    print("9 V = " + " + ".join(f"{count} {name}" for name, count in counts if count))
