"""A row of four squares: a small game in the spirit of imperfect-information tic-tac-toe, whose players must bluff.

X and O mark free squares of a row of four in turn, X first. Two neighbouring marks of one player are a pair, and end
the round; so does a full row. Before, each player secretly draws a goal, "win" or "lose", a half each: that there is a
pair of one's own, or one of the opponent's. Who alone reaches the goal gets a point from the other. If both do, the
second player gets half a point, as compensation for moving second.

The value is 5/56 to the first player, and the equilibrium is in sevenths: a first player who wants to lose starts at
the edge, and one who wants to win does so, too, two times in seven. tests/games/test_example_games.py checks both in
exact fractions. Run it, with highspy installed: python examples/games/row_of_four.py
"""

from __future__ import annotations

from fractions import Fraction

from tictactoe import CFRSolver, build_game, equilibrium, exploitability, update_rule

GOALS = ("win", "lose")


class RowOfFour:
    """A row of four.

    X, which is player 0, and O mark a free square of the row, 1 to 4, in turn. Two
    neighbouring marks of one player are a pair, and end the round. Each has a secret
    goal: win, a pair of its own, or lose, a pair of the other's. Who alone reaches it
    gets 1 from the other. If both do, O gets 0.5, as X moves first.
    """

    # a state is the row as text, such as "X..O"
    types = (GOALS, GOALS)

    def prior(self, first: str, second: str) -> float:
        return 1 / 4

    def root(self) -> str:
        return "...."

    def owner(self, row: str) -> int | None:
        if "XX" in row or "OO" in row or "." not in row:
            return None
        return (4 - row.count(".")) % 2

    def moves(self, row: str) -> list[tuple[int, str]]:
        """By square, 1 to 4. The empty row has no moves 3 and 4: they mirror 2 and 1."""
        squares = [square for square in (1, 2, 3, 4) if row[square - 1] == "."]
        mark = "XO"[len(squares) % 2]
        return [(square, row[: square - 1] + mark + row[square:]) for square in squares if row != "...." or square < 3]

    def show(self, row: str) -> str:
        return f"The row: {row}"

    def payoff(self, row: str, first: str, second: str) -> float:
        reached = {"win": "XX" in row, "lose": "OO" in row}[first], {"win": "OO" in row, "lose": "XX" in row}[second]
        return {(True, True): -0.5, (True, False): 1.0, (False, True): -1.0, (False, False): 0.0}[reached]


def main() -> None:
    game = build_game(RowOfFour())
    solver = CFRSolver(game, update_rule("pdcfr+"))
    solver.run(2000)
    strategy = solver.average_strategy()
    found = exploitability(game, strategy)
    print(
        f"A row of four, {game.tree.num_nodes} nodes, value to X: {found.value:.9f}, exploitability: {found.total:.1e}"
    )
    exact = equilibrium(game)
    print(f"by a linear program: {exact.value:.9f}, which is {Fraction(exact.value).limit_denominator(1000)}\n")
    print(game.describe(exact.strategy))


if __name__ == "__main__":
    main()
