"""The tables and figures of the paper, from the project's own data: python docs/paper/make_tables.py

Writes generated/*.tex beside this file, which paper.tex reads, and ancillary.txt, the tables that a referee needs and
that are too long to print. ./build runs this program first.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "research" / "closed_forms"))

import limit_law
import numpy as np
import order_and_limit

from tictactoe import RESULTS, AnswerTable, GameTree, Goal, Outcome, Rules, answer_table, values_by_formula

FOLDER = Path(__file__).parent
TABLES = FOLDER.parents[1] / "tictactoe" / "formulas" / "tables"
COLUMN = 66
"""Characters in a column of the appendix."""
CORNERS = ((-1, -1), (-1, 1), (1, 1))
REGIONS = {
    "three-in-a-row": "(-1, -1), (-1, 1), (1, 1)",
    "three-in-a-row-three-plans": "all of -1 <= nu <= beta <= 1 (C2)",
    "filled": "(-1, -1), (1, 0), (1, 1), (-1, 1)",
    "filled-none-1": "(-1, -1/3), (-1/3, -1/3), (1, 1), (-1, 1)",
    "filled-none-2": "(-1/3, -1/3), (1, 1/3), (1, 1)",
    "filled-none-3": "(-1, -1), (-1/3, -1/3), (-1, -1/3)",
    "filled-tie": "all outcome values",
}
"""Of each table that ships, where it is optimal: the corners (beta, nu) at which C1 or C4 has best responses."""
Form = tuple[int, int, int]
"""Constant, coefficient of b, coefficient of n."""
TO_SECOND: Mapping[str, Form] = {"both": (0, -1, 0), "first": (-1, 0, 0), "second": (1, 0, 0), "neither": (0, 0, -1)}
GOAL_LETTERS = "WLT"  # win, lose, tie
RESULT_NAMES = ("both", "first", "second", "neither")
ENDINGS: Mapping[Outcome | None, str] = {Outcome.WIN: "X has three", Outcome.LOSE: "O has three", Outcome.TIE: "tie"}


def shown(form: Form) -> str:
    text = ""
    for coefficient, letter in zip(form, ("", r"\beta", r"\nu"), strict=True):
        if coefficient:
            size = "" if letter and abs(coefficient) == 1 else str(abs(coefficient))
            text += ("-" if coefficient < 0 else "+" if text else "") + size + letter
    return f"${text or '0'}$"


def added(forms: Iterable[Form]) -> Form:
    one, b, n = (sum(column) for column in zip((0, 0, 0), *forms, strict=True))
    return one, b, n


def at(form: Form, corner: tuple[int, int]) -> int:
    return form[0] + form[1] * corner[0] + form[2] * corner[1]


class Departures:
    """What the second mover's departures bring, against the first mover's table without chance."""

    def __init__(self) -> None:
        self.tree = GameTree.build()
        table: AnswerTable = answer_table("three-in-a-row", self.tree)
        self.answer = {key: next(iter(moves)) for key, moves in table.first.items()}
        self.lines: list[str] = []

    def leaf(self, node: int, goals: tuple[Goal, ...], other: Goal) -> Form:
        outcome = self.tree.outcome(node)
        assert outcome is not None
        rules = Rules("three-in-a-row")
        return added(TO_SECOND[RESULT_NAMES[RESULTS.index(rules.scores(outcome, goal, other))]] for goal in goals)

    def best(self, node: int, goals: tuple[Goal, ...]) -> list[Form]:
        """For each goal of the second mover, who is to move: what it gets at most, summed over the first mover's."""
        rows, below = [], []
        for reply in self.tree.children(node):
            if self.tree.leaf_class[reply] >= 0:
                rows.append((reply, "", [self.leaf(reply, goals, other) for other in Goal]))
                continue
            answers: dict[int, list[Goal]] = {}
            for goal in goals:
                answers.setdefault(self.answer[reply, goal], []).append(goal)
            below.append((reply, {child: tuple(who) for child, who in answers.items()}))
        place = len(self.lines)
        for reply, answers_to in below:
            parts, texts = [], []
            for child, who in sorted(answers_to.items()):
                ended = self.tree.leaf_class[child] >= 0
                parts.append([self.leaf(child, who, other) for other in Goal] if ended else self.best(child, who))
                names = "" if len(answers_to) == 1 else " " + "".join(GOAL_LETTERS[goal] for goal in who)
                end = f" ({ENDINGS[self.tree.outcome(child)]})" if ended else ""
                texts.append(f"{self.tree.move(child)}{names}{end}")
            rows.append((reply, ", ".join(texts), [added(forms) for forms in zip(*parts, strict=True)]))
        most = [self.largest([row[2][other] for row in rows]) for other in Goal]
        name = "".join(map(str, self.tree.history(node)))
        lines = []
        for number, (reply, text, forms) in enumerate(sorted(rows)):
            head = f"{name} & {''.join(GOAL_LETTERS[goal] for goal in goals)}" if number == 0 else " & "
            cells = [
                rf"\best{{{shown(form)}}}" if form == top else shown(form)
                for form, top in zip(forms, most, strict=True)
            ]
            end_of_round = self.tree.outcome(reply)
            lines.append(
                f"{head} & {self.tree.move(reply)} & {text or ENDINGS[end_of_round]} & {' & '.join(cells)} \\\\"
            )
        self.lines[place:place] = [*lines, r"\midrule"]
        return most

    def largest(self, forms: list[Form]) -> Form:
        """The one that is largest at the three corners of the triangle, and so in all of it."""
        (top,) = {form for form in forms if all(at(form, c) >= at(other, c) for other in forms for c in CORNERS)}
        return top

    def write(self) -> None:
        start = self.tree.find([5])
        goals = tuple(Goal)
        total = added(self.best(start, goals))
        assert total == (1, -3, -1)
        (FOLDER / "generated" / "departures.tex").write_text("\n".join(self.lines[:-1]) + "\n", "ascii")


def write_values() -> None:
    table = values_by_formula(5, digits=40)
    rows = [
        f"\\textbf{{{i}}} & " + " & ".join(f"${float(value):.6f}$" for value in row) + r" \\"
        for i, row in enumerate(table)
    ]
    (FOLDER / "generated" / "values.tex").write_text("\n".join(rows) + "\n", "ascii")


def wrapped(line: str) -> str:
    """A line of a table in lines that fit a column of the paper, cut after semicolons."""
    lines = [line]
    while len(lines[-1]) > COLUMN:
        cut = lines[-1].rindex("; ", 0, COLUMN) + 1
        lines[-1:] = [lines[-1][:cut], " " * 15 + lines[-1][cut + 1 :]]
    return "\n".join(lines)


def write_tables() -> None:
    """The tables of both seats, as they ship."""
    for name in ("three-in-a-row", "three-in-a-row-three-plans", "filled"):
        lines = (TABLES / f"{name}.txt").read_text("ascii").splitlines()[1:]
        middle = lines.index("second mover")
        for seat, part in (("first", lines[1:middle]), ("second", lines[middle + 1 :])):
            text = "\n".join([r"\begin{verbatim}", *map(wrapped, part), r"\end{verbatim}"])
            (FOLDER / "generated" / f"{name}-{seat}.tex").write_text(text + "\n", "ascii")


diagonal = cache(limit_law.diagonal)


def write_limit() -> None:
    longest = 10_000
    values = diagonal(longest, "three-in-a-row")
    points = np.unique(np.geomspace(1, longest, 41).round().astype(int))
    pairs = [(math.log10(n), math.sqrt(n) * values[n]) for n in points.tolist()]
    (FOLDER / "generated" / "limit.tex").write_text(coordinates("limitpoints", pairs, 5), "ascii")
    rows = []
    for n in (1, 10, 100, 1000, 10_000):
        scaled = math.sqrt(n) * values[n]
        rows.append(f"${n}$ & ${scaled:.10f}$ & ${(scaled - limit_law.LIMIT) * math.sqrt(n):.4f}$ \\\\")
    (FOLDER / "generated" / "limit-table.tex").write_text("\n".join(rows) + "\n", "ascii")


def coordinates(name: str, pairs: Iterable[tuple[float, float]], digits: int) -> str:
    text = "\n".join(f"({x:.{digits}f},{y:.{digits}f})" for x, y in pairs)
    return f"\\newcommand{{\\{name}}}{{{text}}}\n"


def write_scores() -> None:
    """The points (b, n) of the scores of a match to 12."""
    longest = 12
    table = values_by_formula(longest, digits=60)

    def value(i: int, j: int) -> Fraction:
        if i == j == 0:
            return Fraction(table[longest - 1, longest - 1])
        return Fraction(1) if i == 0 else Fraction(-1) if j == 0 else Fraction(table[longest - i, longest - j])

    pairs = []
    for i in range(1, longest + 1):
        for j in range(1, longest + 1):
            both, first, second, neither = (-value(*at) for at in ((j - 1, i - 1), (j, i - 1), (j - 1, i), (j, i)))
            half = (first - second) / 2
            middle = (first + second) / 2
            pairs.append((float((both - middle) / half), float((neither - middle) / half)))
    (FOLDER / "generated" / "scores.tex").write_text(coordinates("scorepoints", sorted(pairs), 4), "ascii")


def write_ancillary() -> None:
    lines = [
        "Tables to 'Tic-tac-toe with secret goals: exact strategies and the value of long matches', paper.pdf beside",
        "this file, in its notation. make_tables.py writes this file. Digits are cut after 30, not rounded. In",
        "tables of strategies a goal with a fraction behind it makes the move with this probability.",
        "",
        "1. V(i, j), the players having made the points a-b, in a match to 5. In order: three in a row, filled,",
        "filled-none, filled-tie.",
    ]
    small = [values_by_formula(5, rules, digits=40) for rules in limit_law.WEIGHTS]
    lines += [f"{i}-{j} " + " ".join(cut(table[i, j]) for table in small) for i, j in np.ndindex(5, 5)]
    longest = 50
    lines += ["", "2. V(n, n) and v_n = V(n - 1, n), n = 2, ...; rules in the same order. (v_1 is 1.)"]
    tables = [values_by_formula(longest, rules, digits=40) for rules in limit_law.WEIGHTS]
    for n in (*range(2, 11), 15, 20, 30, 40, 50):
        at = longest - n
        lines += [f"{n} V " + " ".join(cut(table[at, at]) for table in tables)]
        lines += [f"{n} v " + " ".join(cut(table[at + 1, at]) for table in tables)]
    lines += ["", "3. V(n, n) in floating point (measured): three in a row, filled, filled-none."]
    values = [diagonal(size, rules) for size, rules in zip((10_000, 600, 600), limit_law.WEIGHTS, strict=False)]
    for n in (100, 200, 400, 600, 1000, 2000, 4000, 10_000):
        lines.append(f"{n} " + " ".join(f"{column[n]:.13f}" for column in values if n < len(column)))
    lines += ["", "4. The edges (a, G, g, L, l) in the proof of Proposition 3, with G + L = 1, after whether kappa and"]
    lines += ["kappa' are 0 or not (+)."]
    lines += [f"{case} " + " ".join(map(str, edge)) for case, edge in order_and_limit.check_filled_none()]
    for number, (name, region) in enumerate(REGIONS.items(), 5):
        text = (TABLES / f"{name}.txt").read_text("ascii").split("\n", 1)[1].strip()
        lines += ["", f"{number}. Table {name}. Optimal, by its corners (beta, nu), on: {region}", "", text]
    (FOLDER / "ancillary.txt").write_text("\n".join(lines) + "\n", "ascii")


def cut(value: object) -> str:
    """The first 30 digits after the point."""
    text = f"{value:.40f}"
    return text[: text.index(".") + 31]


def main() -> None:
    (FOLDER / "generated").mkdir(exist_ok=True)
    Departures().write()
    write_values()
    write_tables()
    write_limit()
    write_scores()
    write_ancillary()


if __name__ == "__main__":
    main()
