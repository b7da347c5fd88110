"""Solutions of the exercises of docs/tutorial.md, one test each. They use what the page defines, hardly more.

Try them yourself first. To run one: .venv/bin/python -m pytest -n 0 tests/test_tutorial_exercises.py -k exercise_3
"""

import ast
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from support.pages import blocks
from support.tutorial import PAGE, SECTIONS

from tictactoe import Goal, build_game, uniform_strategy

DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
CONSTANTS = ("tree = ", "O_HAS = ")


def definitions() -> dict[str, Any]:
    """The imports, functions and classes of the page, without its computations."""
    names: dict[str, Any] = {"__name__": "tutorial"}
    for block in blocks(PAGE):
        parts = ast.parse(block.code).body if block.language == "python" else []
        for part in parts:
            code = ast.unparse(part)
            if isinstance(part, DEFINING) or code.startswith(CONSTANTS):
                exec(code, names)
    return names


page = definitions()
points, shares, states, cfr = page["points"], page["shares"], page["states"], page["cfr"]
Endgame, Solver, best_responses = page["Endgame"], page["Solver"], page["best_responses"]
WIN, LOSE, TIE = Goal


def asked(number: int, *parts: str) -> None:
    """The text of an exercise has these parts, so that its solution solves this exercise."""
    text = next(
        part for part in SECTIONS[11].split("\n\n")[-1].replace("\n   ", " ").splitlines() if part[0] == str(number)
    )
    assert [part for part in parts if part not in text] == []


def exploitability_of(solver: Any) -> float:
    return float(sum(best_responses(solver, solver.average())))


def test_every_exercise_has_a_solution_but_the_last() -> None:
    numbers = [int(line.split(".")[0]) for line in SECTIONS[11].splitlines() if line[:1].isdigit() and line[1] == "."]
    solved = sorted(int(name.rpartition("_")[2]) for name in globals() if name.startswith("test_exercise_"))
    assert numbers == [*solved, solved[-1] + 1] == list(range(1, 10))


def test_exercise_1() -> None:
    """1/27 for each of X's goals: 1/9 for both goals, and 1/3 for X's one move among three, 7. O's 8 is left out."""
    asked(1, "of 5-1-9-3-6-8-7 for O")
    game = build_game(Endgame())
    reach_of_x = game.tree.own_reach(uniform_strategy(game.tree))[0, game.tree.find((8, 7))]
    assert (reach_of_x / 9).tolist() == pytest.approx([1 / 27] * 3)


def test_exercise_2() -> None:
    """Values -1, -1, 1/2 in 36ths, mean -1/2, regrets -1/72, -1/72, +1/36: the next strategy is all on 7."""
    asked(2, "In section 5", "the values of 2, 4 and 7")
    half = Fraction(1, 2)  # O answers either move with the same probability
    values = [
        sum(half * (points(TIE, LOSE, o) + points(WIN, LOSE, o)) for o in Goal),  # 2, then 4 or 7
        Fraction(sum(points(WIN, LOSE, o) for o in Goal)),  # 4
        sum(half * (points(LOSE, LOSE, o) + points(TIE, LOSE, o)) for o in Goal),  # 7, then 2 or 4
    ]
    mean = sum(values) / 3
    regrets = [(value - mean) / 36 for value in values]
    assert (values, mean) == ([-1, -1, half], -half)
    assert regrets == [Fraction(-1, 72), Fraction(-1, 72), Fraction(1, 36)]
    solver = Solver(Endgame(), cfr)
    solver.run(1)
    after_8 = page["tree"].find((5, 1, 9, 3, 6, 8))
    assert solver.R[after_8][:, LOSE].tolist() == pytest.approx([float(regret) for regret in regrets])
    assert solver.strategy[after_8][:, LOSE].tolist() == [0, 0, 1]


def regret_matching(wins: Any, iterations: int, late: int = 0) -> Any:
    """The average strategies of both players after `late` iterations, as in section 2."""
    plays = [np.array([1.0, 0, 0]), np.full(3, 1 / 3)]
    regrets, sums = np.zeros((2, 3)), np.zeros((2, 3))
    for t in range(1, iterations + 1):
        values = [wins @ plays[1], -(plays[0] @ wins)]
        for player in (0, 1):
            sums[player] += (t > late) * plays[player]
            regrets[player] += values[player] - plays[player] @ values[player]
        plays = [shares(regret) for regret in regrets]
    return sums / (iterations - late)


def test_exercise_3() -> None:
    """To 1/4 rock, 1/2 paper, 1/4 scissors: against that every move wins 0 on average, so nobody gains by a change."""
    asked(3, "rock win 2 against scissors", "section 2")
    wins = np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0]])
    equilibrium = np.array([1, 2, 1]) / 4
    assert (wins @ equilibrium).tolist() == [0, 0, 0]
    assert np.abs(regret_matching(wins, 10_000) - equilibrium).max() < 0.02


def test_exercise_4() -> None:
    """All of it, in the endgame: plain regrets with these weights do as well or better."""
    asked(4, "the weights t and t²")
    for weighted, power in (("cfr_plus", 1), ("pcfr_plus", 2)):
        plain = Solver(Endgame(), lambda R, r, t, power=power: (R + r, R + r, t**power))
        other = Solver(Endgame(), page[weighted])
        plain.run(300)
        other.run(300)
        assert exploitability_of(plain) < 1.01 * exploitability_of(other)


def test_exercise_5() -> None:
    """From iteration 5 on all current strategies are equilibria, and so is their average. In section 2 none is."""
    asked(5, "after the tenth iteration", "exploitability 0")
    late = Solver(Endgame(), lambda R, r, t: (R + r, R + r, t > 10))
    late.run(100)
    assert exploitability_of(late) == pytest.approx(0, abs=1e-12)
    wins = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    first, second = regret_matching(wins, 1_000, late=10)
    assert (wins @ second).max() + (wins @ first).max() > 0.01


class AtTheSameTime(Solver):  # type: ignore[misc, valid-type]
    """Both players answer the other one's old strategy."""

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.t += 1
            old = dict(self.strategy)
            for player in (0, 1):
                new = dict(self.strategy)
                self.strategy = dict(old)
                self.walk(self.game.root(), player, *(np.ones(self.sizes[i]) for i in (player, 1 - player)))
                for state in self.strategy:
                    if self.game.owner(state) != player:
                        self.strategy[state] = new[state]


def test_exercise_6() -> None:
    """Regrets of the whole game are at most the sum of those of the information sets (Zinkevich and others 2007)."""
    solver = AtTheSameTime(Endgame(), cfr)
    for t in (1, 10, 100):
        solver.run(t - solver.t)
        bound = sum(np.maximum(R, 0).max(axis=0).sum() for R in solver.R.values()) / t
        assert 0 < exploitability_of(solver) <= bound + 1e-12
    alternating = Solver(Endgame(), cfr)
    alternating.run(100)
    assert exploitability_of(alternating) != pytest.approx(exploitability_of(solver)), "another algorithm"


def test_exercise_7() -> None:
    """-1/4: the best responses get hardly more on either side."""

    class TwoOneOne(Endgame):  # type: ignore[misc, valid-type]
        def prior(self, goal_of_x: Goal, goal_of_o: Goal) -> float:
            odds = (2, 1, 1)
            return odds[goal_of_x] * odds[goal_of_o] / 16

    solver = Solver(TwoOneOne(), page["pcfr_plus"])
    solver.run(500)
    best_of_x, best_of_o = best_responses(solver, solver.average())
    assert -best_of_o <= -1 / 4 + 1e-12
    assert best_of_x >= -1 / 4 - 1e-12
    assert best_of_x + best_of_o < 1e-6


class Sampled(Solver):  # type: ignore[misc, valid-type]
    """External sampling (Lanctot and others 2009): goals and the other player's moves are drawn, all own moves tried.
    Draws come as often as their probability says. So the values need no weights."""

    def __init__(self, game: Any, seed: int) -> None:
        super().__init__(game, cfr)
        self.random = np.random.default_rng(seed)

    def run(self, walks: int) -> None:
        pairs = [(x, o) for x in range(self.sizes[0]) for o in range(self.sizes[1])]
        likely = [self.game.prior(self.game.types[0][x], self.game.types[1][o]) for x, o in pairs]
        for walk in range(walks):
            types = pairs[self.random.choice(len(pairs), p=likely)]
            self.sample(self.game.root(), walk % 2, types)

    def sample(self, state: Any, player: int, types: tuple[int, int]) -> float:
        owner = self.game.owner(state)
        if owner is None:
            worth = self.game.payoff(state, *(names[i] for names, i in zip(self.game.types, types, strict=True)))
            return float(worth if player == 0 else -worth)
        sigma = self.strategy[state][:, types[owner]]
        if owner != player:
            self.S[state][:, types[owner]] += sigma  # visited as often as its own reach says
            move = self.random.choice(len(sigma), p=sigma)
            return self.sample(self.after[state][move], player, types)
        values = np.array([self.sample(following, player, types) for following in self.after[state]])
        mean = float(sigma @ values)
        self.R[state][:, types[owner]] += values - mean
        self.strategy[state][:, types[owner]] = shares(self.R[state][:, types[owner]])
        return mean


@pytest.mark.parametrize("seed", [1, 2])
def test_exercise_8(seed: int) -> None:
    """Some 1,000 walks of a few nodes each: 300 to 1,600, as luck has it. Full walks: 38, in 19 iterations."""
    asked(8, "an exploitability of 0.05")
    solver = Sampled(Endgame(), seed)
    solver.run(300)
    assert exploitability_of(solver) > 0.05
    solver.run(1_300)
    assert exploitability_of(solver) < 0.05
    full = Solver(Endgame(), cfr)
    full.run(18)
    assert exploitability_of(full) > 0.05
    full.run(1)
    assert exploitability_of(full) < 0.05
