"""Compute again what docs/paper/paper.pdf claims: python research/from_the_paper.py

The program follows the paper's definitions and uses nothing of the library. It reads the tables of the appendix and of
the values from the paper's sources, and takes seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "docs" / "paper" / "generated"
LINES = ["123", "456", "789", "147", "258", "369", "159", "357"]
TURNS = ["123456789", "369258147", "987654321", "741852963", "321654987", "963852741", "789456123", "147258369"]
GOALS, PLANS = "WLT", "abc"
Board = str  # nine characters of "XO."
RESULTS = {(True, True): "both", (True, False): "first", (False, True): "second", (False, False): "neither"}
Payoffs = dict[str, int]
Table = dict[tuple[str, str, str], str]  # history before the own move, goal, plan -> square


def has_line(board: Board, mark: str) -> bool:
    return any(all(board[int(square) - 1] == mark for square in line) for line in LINES)


@cache
def endings(board: Board, filled: bool) -> frozenset[tuple[bool, bool]]:
    """Which endings can still come: whether X and whether O has three in a row."""
    lines = (has_line(board, "X"), has_line(board, "O"))
    if "." not in board or (any(lines) and not filled):
        return frozenset([lines])
    return frozenset().union(*(endings(after(board, square), filled) for square in free(board)))


def free(board: Board) -> list[str]:
    return [str(place + 1) for place in range(9) if board[place] == "."]


def after(board: Board, square: str) -> Board:
    place = int(square) - 1
    return board[:place] + "XO"[board.count(".") % 2 == 0] + board[place + 1 :]


@cache
def image(board: Board) -> Board:
    return min("".join(board[int(square) - 1] for square in turn) for turn in TURNS)


@cache
def moves(board: Board) -> list[str]:
    lowest: dict[Board, str] = {}
    for square in free(board):
        lowest.setdefault(image(after(board, square)), square)
    return list(lowest.values())


def count(board: Board, filled: bool) -> tuple[int, int]:
    """Nodes and positions."""
    if len(endings(board, filled)) == 1:
        return 1, 0
    below = [count(after(board, square), filled) for square in moves(board)]
    return 1 + sum(nodes for nodes, _ in below), 1 + sum(positions for _, positions in below)


def scores(goal: str, own: bool, other: bool) -> bool:
    return {"W": own, "L": other and not own, "T": not own and not other}[goal]


def who(text: str, among: dict[str, str]) -> dict[str, str]:
    return {goal: plans or among[goal] for goal, plans in re.findall(r"([WLT])([abc]*)", text)}


def read(name: str) -> tuple[Table, int, int]:
    """A table of the appendix, the number of its moves, and the number of positions at which it has a move."""
    text = (SOURCES / f"{name}.tex").read_text().split("\n", 1)[1].replace("\n  ", " ")
    table: Table = {}
    for line in filter(lambda line: line[:1].isdigit() or line.startswith("start"), text.splitlines()):
        played, label, cells = line.split(maxsplit=2)
        history = played.replace("start", "")
        among = who(label, dict.fromkeys(GOALS, PLANS))
        if len(history) == 1:  # X's opening
            table.update({("", goal, plan): history for goal, plans in among.items() for plan in plans})
        for cell in cells.split("; "):
            reply, answers = cell.strip().split("-", 1)
            for answer in answers.split(", "):
                square, *goals = re.sub(r"^(\d)(xo|x|o|=)", r"\1", " ".join(answer.split())).split(" ")
                for goal, plans in (who(goals[0], among) if goals else among).items():
                    table.update({(history + reply, goal, plan): square for plan in plans})
    return table, len({(key[0], square) for key, square in table.items()}), len({key[0] for key in table})


def best(table: Table, seat: int, payoffs: Payoffs, weights: dict[str, int], filled: bool) -> int:
    """What the opponent of the table gets at most: summed over all pairs of goals, with the weights of plans."""
    sign = -1 if seat == 0 else 1

    def leaf(lines: tuple[bool, bool], goal: str, other: str) -> int:
        x, o = (goal, other) if seat == 0 else (other, goal)
        points = scores(x, *lines), scores(o, *lines[::-1])
        return sign * payoffs[RESULTS[points]]

    def value(board: Board, history: str, reach: frozenset[tuple[str, str]]) -> list[int]:
        possible = endings(board, filled)
        if len(possible) == 1:
            (lines,) = possible
            return [sum(weights[plan] * leaf(lines, goal, other) for goal, plan in reach) for other in GOALS]
        if len(history) % 2 != seat:
            found = [value(after(board, square), history + square, reach) for square in moves(board)]
            return [max(column) for column in zip(*found, strict=True)]
        total = [0, 0, 0]
        for square in moves(board):
            kept = frozenset(key for key in reach if table[history, *key] == square)
            if kept:
                part = value(after(board, square), history + square, kept)
                total = [one + more for one, more in zip(total, part, strict=True)]
        return total

    return sum(value("." * 9, "", frozenset((goal, plan) for goal in GOALS for plan in weights)))


def triangle(parts: int) -> Iterator[tuple[int, int]]:
    """Points (beta, nu), times `parts`, with nu <= beta."""
    for beta in range(-parts, parts + 1):
        yield from ((beta, nu) for nu in range(-parts, beta + 1))


def check_round() -> None:
    empty = "." * 9
    assert count(empty, False) == (37_538, 14_409)
    assert count(empty, True)[0] == 47_202
    tables = {}
    for name, numbers in (
        ("three-in-a-row", ((45, 41), (234, 196))),
        ("three-in-a-row-three-plans", ((53, 48), (330, 280))),
        ("filled", ((46, 39), (242, 202))),
    ):
        read_both = [read(f"{name}-{seat}") for seat in ("first", "second")]
        assert tuple(one[1:] for one in read_both) == numbers, [one[1:] for one in read_both]
        tables[name] = [one[0] for one in read_both]
    for name, corners, value in (
        ("three-in-a-row", [(-1, -1), (-1, 1), (1, 1)], (-1, 3, 1)),
        ("filled", [(-1, -1), (1, 0), (1, 1), (-1, 1)], (-2, 3, 2)),
    ):
        for beta, nu in corners:
            payoffs = {"both": beta, "first": 1, "second": -1, "neither": nu}
            expected = value[0] + value[1] * beta + value[2] * nu
            for seat, table in enumerate(tables[name]):
                found = best(table, seat, payoffs, {"a": 1}, name == "filled")
                assert found == (-expected if seat == 0 else expected), (name, seat, beta, nu)
    parts = 5
    for beta, nu in triangle(parts):
        payoffs = {"both": beta, "first": parts, "second": -parts, "neither": nu}
        weights = {"a": parts - nu, "b": beta - nu, "c": parts + nu}
        whole = 2 * parts + beta - nu  # D, times `parts`
        value_times = Fraction((-parts + 3 * beta + nu) * whole - (beta - nu) * (parts - nu))
        for seat, table in enumerate(tables["three-in-a-row-three-plans"]):
            found = best(table, seat, payoffs, weights, False)
            assert found == (-value_times if seat == 0 else value_times), (seat, beta, nu)


def match_values(longest: int) -> dict[tuple[int, int], float]:
    """V(i, j), by iteration of the pair's equations."""
    known: dict[tuple[int, int], float] = {(1, 1): -1 / 13}
    for k in range(1, longest + 1):
        known[0, k], known[k, 0] = 1.0, -1.0

    def round_value(i: int, j: int) -> float:
        both, first, second, neither = (-known[state] for state in ((j - 1, i - 1), (j, i - 1), (j - 1, i), (j, i)))
        share = (first - neither) / (first - second + both - neither) if both > neither else 0.0
        return ((3 - share) * both + 2 * first + 3 * second + (1 + share) * neither) / 9

    for total in range(3, 2 * longest + 1):
        for i in range(max(1, total - longest), total // 2 + 1):
            j = total - i
            known[i, j] = known[j, i] = 0.0
            for _ in range(40):
                known[i, j], known[j, i] = round_value(i, j), round_value(j, i)
    return known


def check_values() -> None:
    known = match_values(100)
    rows = re.findall(r"textbf\{(\d)\}(.*)", (SOURCES / "values.tex").read_text())
    for row, cells in rows:
        for column, cell in enumerate(re.findall(r"-?\d\.\d+", cells)):
            assert abs(known[5 - int(row), 5 - column] - float(cell)) < 6e-7, (row, column)
    limits = dict(re.findall(r"\$(\d+)\$ & \$(-[\d.]+)\$", (SOURCES / "limit-table.tex").read_text()))
    assert len(rows) == 5
    for n in (1, 10, 100):
        assert abs(n**0.5 * known[n, n] - float(limits[str(n)])) < 1e-10, n
    assert all(known[i, j] + known[j, i] < 0 for i in range(1, 31) for j in range(1, 31))


def main() -> None:
    check_round()
    print("the reduced tree, the tables and the strategies are as the paper says")
    check_values()
    print("the values are as the paper says")


if __name__ == "__main__":
    main()
