"""Pairs of scores of short rounds, exactly: proofs by best responses, and Newton steps that lead away."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import payoffs_of
from oracle.matches import SHORT_RULE, RoundOracle, Turn, worth
from support.slowness import by_default, slow

from tictactoe import CFRSolver, GameTree, OutcomeValues, Score, tic_tac_toe_round, uniform_strategy, update_rule
from tictactoe.algorithms import punishing_double_oracle
from tictactoe.errors import ProgramError
from tictactoe.match import pair_exact as newton
from tictactoe.match.pair_exact import PairEquilibrium, PairPolisher
from tictactoe.match.scores import Pair, following_scores, outcome_values, pair_of, pairs_in_solve_order

SHORT_LAST = -1 / 7
"""At the last score of a match of short rounds."""
LAST, AHEAD = pair_of(Score(0, 0)), pair_of(Score(1, 0))
AFTER_AHEAD = {Score(1, 1): SHORT_LAST}


def polisher(tree: GameTree, pair: Pair, following: Mapping[Score, float], points: int, **given: Any) -> PairPolisher:
    start = {"references": dict.fromkeys(pair, uniform_strategy(tree)), "values": dict.fromkeys(pair, 0.0)}
    return PairPolisher(tree, pair, following, winning_score=points, **{"finish": np.copy, **start, **given})


def solved(tree: GameTree, pair: Pair, following: Mapping[Score, float], points: int, **given: Any) -> PairEquilibrium:
    work, results = polisher(tree, pair, following, points, **given).solve(), None
    while True:
        try:
            programs = work.send(results)
        except StopIteration as end:
            return end.value
        results = [program() for program in programs]


def assert_fixed_point(tree: GameTree, exact: PairEquilibrium, following: Mapping[Score, float], points: int) -> None:
    """V = T(V): with these values in the rounds, best responses hold both players to these values."""
    every = {**following, **exact.values}
    values = {Turn(*score, True): value for score, value in every.items()}
    values |= {Turn(*score.twin, False): -value for score, value in every.items()}
    for score in exact.pair:
        oracle = RoundOracle(exact.strategies[score], tree)
        for seat, turn in enumerate((Turn(*score, True), Turn(*score.twin, False))):
            payoffs = payoffs_of(tree, worth(turn, values, points))
            assert oracle.best_response_value(payoffs, seat) == pytest.approx(values[turn], abs=1e-13)


@pytest.mark.parametrize(
    ("winning_score", "rules"),
    [
        *((1, SHORT_RULE), (3, SHORT_RULE), *((2, f"{SHORT_RULE} {odds}") for odds in ("2:1:1", "1:0:2", "0:1:1"))),
        *slow((1, "filled"), (1, "filled-none"), (1, "filled-tie")),
    ],
)
@pytest.mark.usefixtures("short_tree")
def test_whole_matches(winning_score: int, rules: str) -> None:
    tree, values = GameTree.build(rules), dict[Score, float]()
    for pair in pairs_in_solve_order(winning_score):
        following = {score: values[score] for score in following_scores(pair, winning_score)}
        exact = solved(tree, pair, following, winning_score)
        values |= exact.values
        assert_fixed_point(tree, exact, following, winning_score)
        for score in pair:
            assert exact.outcome_values[score] == outcome_values(score, values, winning_score)
            assert exact.exploitabilities[score] < 1e-12
    last = Score(winning_score - 1, winning_score - 1)
    assert rules != SHORT_RULE or values[last] == pytest.approx(SHORT_LAST, abs=1e-14)


@pytest.mark.parametrize("start", [-1.0, 17.0])
@pytest.mark.parametrize("seed", [3, *slow(None)])
def test_where_it_starts_does_not_matter(start: float, seed: int | None, short_tree: GameTree) -> None:
    reference = uniform_strategy(short_tree) if seed is None else small_games.random_strategy(short_tree, seed, 0.6)
    expected = solved(short_tree, AHEAD, AFTER_AHEAD, 2).values
    for pair, values, following, points in (
        (LAST, {Score(0, 0): SHORT_LAST}, {}, 1),
        (AHEAD, expected, AFTER_AHEAD, 2),
    ):
        far = {score: sign * start for score, sign in zip(pair, (1.0, -0.7), strict=False)}
        references = dict.fromkeys(pair, reference)
        exact = solved(short_tree, pair, following, points, values=far, references=references)
        assert exact.values == pytest.approx(values, abs=1e-13)
    exact = solved(short_tree, LAST, {}, 1, values={Score(0, 0): 0.25, Score(1, 1): 9.0, Score(0, 1): np.nan})
    assert exact.values == pytest.approx({Score(0, 0): SHORT_LAST}, abs=1e-14)


def test_finished_strategies_are_judged(short_tree: GameTree) -> None:
    uniform = uniform_strategy(short_tree)
    exact = solved(short_tree, AHEAD, AFTER_AHEAD, 2, finish=lambda strategy: uniform.copy())
    for score in AHEAD:
        np.testing.assert_array_equal(exact.strategies[score], uniform)
        assert exact.outcome_values[score] == outcome_values(score, {**AFTER_AHEAD, **exact.values}, 2)
        payoffs = small_games.round_payoffs(exact.outcome_values[score])
        gained = naive.exploitability(short_tree, uniform, payoffs, small_games.uniform_prior())
        assert gained > 0.1
        assert exact.exploitabilities[score] == pytest.approx(gained, abs=1e-13)
    # By hand, as for any board: everybody scores with probability 1/3, whatever the other does. Neither (4/9): the twin
    # score. Only the player behind (2/9): 1-1. In both cases the seats swap. Else the player ahead has won.
    level = 2 / 9 * -SHORT_LAST
    ahead, behind = np.linalg.solve([[1.0, 4 / 9], [4 / 9, 1.0]], [1 / 3 + level, -1 / 3 + level])
    assert exact.values == pytest.approx({Score(1, 0): ahead, Score(0, 1): behind}, abs=1e-13)


def watched(monkeypatch: pytest.MonkeyPatch, step: Callable[[float, float], float]) -> list[float]:
    """Replaces Newton's step at a single score by `step`, of the value so far and the true step; records values."""
    values: list[float] = []
    true_step, true_outcome_values = newton.pair_self_play_values, newton.outcome_values

    def made_up(*arguments: object) -> dict[Score, float]:
        (value,) = true_step(*arguments).values()  # type: ignore[arg-type]
        return {Score(0, 0): step(values[-1], value)}

    def recorded(score: Score, known: Mapping[Score, float], winning_score: int) -> OutcomeValues:
        outcome = true_outcome_values(score, known, winning_score)
        values.append(-outcome.neither)  # the value of the last score that they were made with
        return outcome

    monkeypatch.setattr(newton, "pair_self_play_values", made_up)
    monkeypatch.setattr(newton, "outcome_values", recorded)
    return values


def test_a_step_that_leads_away_is_not_repeated(short_tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    """Newton's step is sent far away unless it is called from near the solution: only plain steps lead there."""

    def astray(value: float, step: float) -> float:
        if abs(value - SHORT_LAST) < 0.1:
            return step
        return 1.0 if value < 0.9 else -1.0

    values = watched(monkeypatch, astray)
    exact = solved(short_tree, LAST, {}, 1, values={Score(0, 0): 0.8})
    assert exact.values == pytest.approx({Score(0, 0): SHORT_LAST}, abs=1e-14)
    assert {1.0, 0.8} <= set(values), "it has been led astray"


@pytest.mark.parametrize("weight", [1e-3, *slow(1e-1)])
def test_a_small_weight_is_raised(weight: float, short_tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = solved(short_tree, AHEAD, AFTER_AHEAD, 2)
    monkeypatch.setattr(punishing_double_oracle, "FIRST_WEIGHT", weight)
    exact = solved(short_tree, AHEAD, AFTER_AHEAD, 2)
    assert exact.num_steps > expected.num_steps
    assert exact.values == pytest.approx(expected.values, abs=1e-13)
    assert_fixed_point(short_tree, exact, AFTER_AHEAD, 2)
    monkeypatch.setattr(punishing_double_oracle, "WEIGHT_FACTOR", 1.0)
    with pytest.raises(ProgramError, match=r"^no equilibrium: somebody still gains"):
        solved(short_tree, AHEAD, AFTER_AHEAD, 2)


def test_values_that_never_settle(short_tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    work = polisher(short_tree, LAST, {}, 1).solve()
    next(work)
    with pytest.raises(ProgramError, match="Unknown"):
        work.throw(ProgramError("the linear program was not solved: Unknown"))
    values = watched(monkeypatch, lambda value, step: 1.0 if value < 0.0 else -1.0)
    monkeypatch.setattr(newton, "MAXIMUM_STEPS", 12)
    with pytest.raises(ProgramError, match=r"^the values of 0-0 do not settle in 12 steps$"):
        solved(short_tree, LAST, {}, 1)
    assert len(set(values)) > 2


@pytest.mark.parametrize("stake", by_default(["0.1", "1e-4", "3e-6", "1e-8", "1e-12", "0"], "0.1", "3e-6", "1e-8", "0"))
def test_rounds_with_little_at_stake(stake: str, short_tree: GameTree) -> None:
    pair, small = pair_of(Score(2, 0)), float(stake)
    assert set(following_scores(pair, 3)) == {Score(2, 1), Score(1, 2)}
    following = {Score(2, 1): 1.0 - small, Score(1, 2): -1.0 + 0.7 * small}
    values = {Score(2, 0): 1.0 - 0.2 * small, Score(0, 2): -1.0 + 0.1 * small}
    exact = solved(short_tree, pair, following, 3, values=values)
    assert max(exact.exploitabilities.values()) <= 1e-13
    assert_fixed_point(short_tree, exact, following, 3)
    for value in (exact.values[Score(2, 0)], -exact.values[Score(0, 2)]):
        assert 1.0 - small <= value <= 1.0
    assert (exact.num_programs > 0) == (small > 1e-7)


def test_a_reference_that_is_far_off_is_improved_first(short_tree: GameTree) -> None:
    far = polisher(short_tree, AHEAD, AFTER_AHEAD, 2)
    improved = {score: program() for score, program in zip(AHEAD, next(far.solve()), strict=True)}
    for score, strategy in improved.items():
        values = outcome_values(score, {**AFTER_AHEAD, **far.values}, 2)
        gained = naive.exploitability(
            short_tree, strategy, small_games.round_payoffs(values), small_games.uniform_prior()
        )
        assert gained <= 1e-3 * (max(values) - min(values))
    again = next(polisher(short_tree, AHEAD, AFTER_AHEAD, 2, references=improved).solve())
    assert all(program() is improved[score] for score, program in zip(AHEAD, again, strict=True))


@pytest.mark.slow
def test_values_are_mended_before_gains_that_come_of_them() -> None:
    """With a value that is off by a little, programs give it away however great their weight: HiGHS gave up on them."""
    tree, following = GameTree.build("filled-tie"), {Score(1, 1): 0.0, Score(1, 0): 0.6, Score(0, 1): -0.6}
    values = outcome_values(Score(0, 0), {**following, Score(0, 0): 0.0}, 2)
    solver = CFRSolver(tic_tac_toe_round(tree, values), update_rule("rdcfr"))
    solver.run(100)
    start = {"references": {Score(0, 0): solver.average_strategy()}, "values": {Score(0, 0): -5.9e-7}}
    exact = solved(tree, LAST, following, 2, **start)
    assert exact.values == pytest.approx({Score(0, 0): 0.0}, abs=1e-15)
    assert exact.exploitabilities[Score(0, 0)] <= 1e-13
