"""Pairs of scores, exactly: known values, proofs by best responses, and what if Newton's step leads away."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pytest
from oracle import naive, small_games
from oracle.lifting import game_tree
from oracle.matches import SHORT_RULE, Floats, RoundOracle, Turn, short_rounds, worth

from tictactoe.algorithms.cfr.solver import CFRSolver
from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.algorithms.exact import double_oracle
from tictactoe.algorithms.strategy import uniform_strategy
from tictactoe.errors import ProgramError
from tictactoe.games.goals import OutcomeValues
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match import pair_exact as newton
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.options import MatchOptions
from tictactoe.match.pair_cfr import PairSolver
from tictactoe.match.pair_exact import PairEquilibrium, PairPolisher
from tictactoe.match.scores import Pair, Score, following_scores, outcome_values, pair_of, pairs_in_solve_order

V_LAST = -1 / 13
"""At the last score of every match."""
V_AHEAD = 0.6543121970834
"""A point ahead when two are missing: at 4-3 of a match to 5, at 1-0 of a match to 2."""
SHORT_LAST = -1 / 7
"""At the last score of a match of short rounds."""


def solved(polisher: PairPolisher) -> PairEquilibrium:
    """What the polisher finds when its programs are solved one by one."""
    work, found = polisher.solve(), None
    while True:
        try:
            programs = work.send(found)
        except StopIteration as end:
            return end.value
        found = [program() for program in programs]


@pytest.fixture(scope="module")
def short_tree() -> Iterator[GameTree]:
    """The tree of rounds of four moves."""
    with short_rounds():
        yield GameTree.build(SHORT_RULE)


def polisher(
    tree: GameTree, pair: Pair, following: Mapping[Score, float], winning_score: int, **given: Any
) -> PairPolisher:
    """A polisher of a pair; by default from uniform strategies and values of 0, as they are."""
    start = {"references": dict.fromkeys(pair, uniform_strategy(tree)), "values": dict.fromkeys(pair, 0.0)}
    return PairPolisher(tree, pair, following, winning_score=winning_score, **{"finish": np.copy, **start, **given})


def assert_fixed_point(
    tree: GameTree, found: PairEquilibrium, following: Mapping[Score, float], winning_score: int
) -> None:
    """V = T(V): with these values in the rounds, best responses hold both players to these values."""
    every = {**following, **found.values}
    values = {Turn(*score, True): value for score, value in every.items()}
    values |= {Turn(*score.twin, False): -value for score, value in every.items()}
    for score in found.pair:
        oracle = RoundOracle(found.strategies[score], tree)
        for seat, turn in enumerate((Turn(*score, True), Turn(*score.twin, False))):
            payoffs = small_games.round_payoffs(worth(turn, values, winning_score))
            assert oracle.best_response_value(payoffs, seat) == pytest.approx(values[turn], abs=1e-13)


def learnt(pair: Pair, following: Mapping[Score, float]) -> tuple[dict[Score, Floats], dict[Score, float]]:
    """Average strategies and values of a pair of a match to 2 after some hundred iterations."""
    options = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-4, rule=update_rule("pdcfr+"))
    solver = PairSolver(game_tree(), pair, following, options)
    while not solver.converged:
        stop = solver.next_stop(None)
        solver.check([solver.advance(twin, stop) for twin in range(len(pair))])
        assert solver.iteration < 5000
    sums = [state.strategy_sums for state in solver.state().rounds]
    strategies = {s: naive.average_strategy(game_tree(), weights) for s, weights in zip(pair, sums, strict=True)}
    return strategies, dict(zip(pair, solver.values, strict=True))


@pytest.fixture(scope="module")
def real() -> dict[Score, PairEquilibrium]:
    """The pairs of 1-1 and of 1-0 of a match to 2."""
    result: dict[Score, PairEquilibrium] = {}
    for pair in pairs_in_solve_order(2)[:2]:
        following = {score: result[score].values[score] for score in following_scores(pair, 2)}
        references, values = learnt(pair, following)
        result[pair[0]] = solved(polisher(game_tree(), pair, following, 2, values=values, references=references))
    return result


def test_known_values(real: dict[Score, PairEquilibrium]) -> None:
    assert real[Score(1, 1)].values[Score(1, 1)] == pytest.approx(V_LAST, abs=1e-14)
    assert real[Score(1, 0)].values[Score(1, 0)] == pytest.approx(V_AHEAD, abs=1e-12)


def test_best_responses_over_the_match_and_by_an_oracle(real: dict[Score, PairEquilibrium]) -> None:
    assert_fixed_point(game_tree(), real[Score(1, 1)], {}, 2)
    assert_fixed_point(game_tree(), real[Score(1, 0)], real[Score(1, 1)].values, 2)
    strategies = {score: strategy for found in real.values() for score, strategy in found.strategies.items()}
    values = {score: value for found in real.values() for score, value in found.values.items()}
    scores = best_response_over_match(game_tree(), strategies, 2).scores
    assert {score: judged.maximum for score, judged in scores.items()} == pytest.approx(values, abs=1e-12)
    assert {score: judged.minimum for score, judged in scores.items()} == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("winning_score", [1, 2, 3])
def test_matches_of_short_rounds(winning_score: int, short_tree: GameTree) -> None:
    values: dict[Score, float] = {}
    for pair in pairs_in_solve_order(winning_score):
        following = {score: values[score] for score in following_scores(pair, winning_score)}
        found = solved(polisher(short_tree, pair, following, winning_score))
        values |= found.values
        assert_fixed_point(short_tree, found, following, winning_score)
        for score in pair:
            assert found.outcome_values[score] == outcome_values(score, values, winning_score)
            payoffs = small_games.round_payoffs(found.outcome_values[score])
            gained = naive.exploitability(short_tree, found.strategies[score], payoffs, small_games.uniform_prior())
            assert gained < 1e-12
            assert found.exploitabilities[score] == pytest.approx(gained, abs=1e-14)
    assert values[Score(winning_score - 1, winning_score - 1)] == pytest.approx(SHORT_LAST, abs=1e-14)


@pytest.mark.parametrize("start", [-1.0, 17.0])
@pytest.mark.parametrize("seed", [None, 3])
def test_where_it_starts_does_not_matter(start: float, seed: int | None, short_tree: GameTree) -> None:
    """Neither the values nor the strategies: the last score, and a pair of twins."""
    last, ahead = pair_of(Score(0, 0)), pair_of(Score(1, 0))
    following = {Score(1, 1): SHORT_LAST}
    reference = uniform_strategy(short_tree) if seed is None else small_games.random_strategy(short_tree, seed, 0.6)
    expected = solved(polisher(short_tree, ahead, following, 2)).values
    for pair, values, winning_score in ((last, {Score(0, 0): SHORT_LAST}, 1), (ahead, expected, 2)):
        far = {score: sign * start for score, sign in zip(pair, (1.0, -0.7), strict=False)}
        needed = following if winning_score == 2 else {}
        references = dict.fromkeys(pair, reference)
        found = solved(polisher(short_tree, pair, needed, winning_score, values=far, references=references))
        assert found.values == pytest.approx(values, abs=1e-13)


def test_values_of_other_scores_are_not_looked_at(short_tree: GameTree) -> None:
    everything = {Score(0, 0): 0.25, Score(1, 1): 9.0, Score(0, 1): np.nan}
    found = solved(polisher(short_tree, pair_of(Score(0, 0)), {}, 1, values=everything))
    assert found.values == pytest.approx({Score(0, 0): SHORT_LAST}, abs=1e-14)


def test_what_the_finish_makes_of_the_strategies_is_what_counts(short_tree: GameTree) -> None:
    """A finish that spoils everything: values, outcome values and exploitabilities are those of what it made."""
    pair = pair_of(Score(1, 0))
    following = {Score(1, 1): SHORT_LAST}
    uniform = uniform_strategy(short_tree)
    found = solved(polisher(short_tree, pair, following, 2, finish=lambda strategy: uniform.copy()))
    for score in pair:
        np.testing.assert_array_equal(found.strategies[score], uniform)
        assert found.outcome_values[score] == outcome_values(score, {**following, **found.values}, 2)
        payoffs = small_games.round_payoffs(found.outcome_values[score])
        gained = naive.exploitability(short_tree, uniform, payoffs, small_games.uniform_prior())
        assert gained > 0.1
        assert found.exploitabilities[score] == pytest.approx(gained, abs=1e-13)
    # By hand, as for any board: everybody scores with probability 1/3, whatever the other does. Neither (4/9): the twin
    # score. Only the player behind (2/9): 1-1. In both cases the seats swap. Else the player ahead has won.
    level = 2 / 9 * -SHORT_LAST
    ahead, behind = np.linalg.solve([[1.0, 4 / 9], [4 / 9, 1.0]], [1 / 3 + level, -1 / 3 + level])
    assert found.values == pytest.approx({Score(1, 0): ahead, Score(0, 1): behind}, abs=1e-13)


def watched(monkeypatch: pytest.MonkeyPatch, step: Callable[[float, float], float]) -> list[float]:
    """Replaces Newton's step at a single score by `step`, of the value so far and the true step; records values."""
    values: list[float] = []
    true_step = newton.pair_self_play_values

    def made_up(*arguments: object) -> dict[Score, float]:
        (found,) = true_step(*arguments).values()  # type: ignore[arg-type]
        return {Score(0, 0): step(values[-1], found)}

    true_outcome_values = newton.outcome_values

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
    found = solved(polisher(short_tree, pair_of(Score(0, 0)), {}, 1, values={Score(0, 0): 0.8}))
    assert found.values == pytest.approx({Score(0, 0): SHORT_LAST}, abs=1e-14)
    assert {1.0, 0.8} <= set(values), "it has been led astray"


@pytest.mark.parametrize("weight", [1e-3, 1e-1])
def test_a_weight_that_is_too_small_is_raised(
    weight: float, short_tree: GameTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it alone nothing settles; with what it is raised to, all is as ever."""
    pair, following = pair_of(Score(1, 0)), {Score(1, 1): SHORT_LAST}
    expected = solved(polisher(short_tree, pair, following, 2))
    monkeypatch.setattr(double_oracle, "FIRST_WEIGHT", weight)
    found = solved(polisher(short_tree, pair, following, 2))
    assert found.num_steps > expected.num_steps
    assert found.values == pytest.approx(expected.values, abs=1e-13)
    assert_fixed_point(short_tree, found, following, 2)
    monkeypatch.setattr(double_oracle, "WEIGHT_FACTOR", 1.0)
    with pytest.raises(ProgramError, match=r"^no equilibrium: somebody still gains"):
        solved(polisher(short_tree, pair, following, 2))


def test_values_that_never_settle(short_tree: GameTree, monkeypatch: pytest.MonkeyPatch) -> None:
    values = watched(monkeypatch, lambda value, step: 1.0 if value < 0.0 else -1.0)
    monkeypatch.setattr(newton, "MAXIMUM_STEPS", 12)
    with pytest.raises(ProgramError, match=r"^the values of 0-0 do not settle in 12 steps$"):
        solved(polisher(short_tree, pair_of(Score(0, 0)), {}, 1))
    assert len(set(values)) > 2


def test_what_the_programs_complain_about_is_passed_on(short_tree: GameTree) -> None:
    work = polisher(short_tree, pair_of(Score(0, 0)), {}, 1).solve()
    next(work)
    with pytest.raises(ProgramError, match="Unknown"):
        work.throw(ProgramError("the linear program was not solved: Unknown"))


@pytest.mark.parametrize("stake", [0.1, 1e-4, 3e-6, 1e-8, 1e-12, 0.0])
def test_rounds_with_little_at_stake(stake: float, short_tree: GameTree) -> None:
    """Far ahead, the match is all but decided: payoffs differ by little, or by nothing at all."""
    pair = pair_of(Score(2, 0))
    following = dict.fromkeys(following_scores(pair, 3), 0.0)
    assert set(following) == {Score(2, 1), Score(1, 2)}
    following |= {Score(2, 1): 1.0 - stake, Score(1, 2): -1.0 + 0.7 * stake}
    values = {Score(2, 0): 1.0 - 0.2 * stake, Score(0, 2): -1.0 + 0.1 * stake}
    found = solved(polisher(short_tree, pair, following, 3, values=values))
    assert max(found.exploitabilities.values()) <= 1e-13
    assert_fixed_point(short_tree, found, following, 3)
    behind = -found.values[Score(0, 2)]
    for value in (found.values[Score(2, 0)], behind):
        assert 1.0 - stake <= value <= 1.0
    assert (found.num_programs > 0) == (stake > 1e-7)


def test_a_reference_that_is_far_off_is_improved_first(short_tree: GameTree) -> None:
    """By what is at stake: from uniform play, and not where that is an equilibrium."""
    pair, following = pair_of(Score(1, 0)), {Score(1, 1): SHORT_LAST}
    polishing = polisher(short_tree, pair, following, 2)
    work = polishing.solve()
    improved = [program() for program in next(work)]
    for score, strategy in zip(pair, improved, strict=True):
        values = outcome_values(score, {**following, **polishing.values}, 2)
        payoffs = small_games.round_payoffs(values)
        gained = naive.exploitability(short_tree, strategy, payoffs, small_games.uniform_prior())
        assert gained <= 1e-3 * (max(values) - min(values))
    again = polisher(short_tree, pair, following, 2, references=dict(zip(pair, improved, strict=True)))
    for score, (program, strategy) in zip(pair, zip(next(again.solve()), improved, strict=True), strict=True):
        assert program() is strategy, score


def test_values_are_mended_before_gains_that_come_of_them() -> None:
    """With a value that is off by a little, both and neither scoring are worth nearly the same, and programs give away
    that little however great their weight: HiGHS gave up on the weights that it was raised to."""
    tree, pair = GameTree.build("filled-tie"), pair_of(Score(0, 0))
    following = {Score(1, 1): 0.0, Score(1, 0): 0.6, Score(0, 1): -0.6}
    values = outcome_values(Score(0, 0), {**following, Score(0, 0): 0.0}, 2)
    solver = CFRSolver(tic_tac_toe_round(tree, values), update_rule("rdcfr"))
    solver.run(100)
    start = {"references": {Score(0, 0): solver.average_strategy()}, "values": {Score(0, 0): -5.9e-7}}
    found = solved(polisher(tree, pair, following, 2, **start))
    assert found.values == pytest.approx({Score(0, 0): 0.0}, abs=1e-15)
    assert found.exploitabilities[Score(0, 0)] <= 1e-13
