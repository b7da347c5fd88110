"""Pairs of twins and whole matches: known values, independent checks of what is saved, stopping and going on."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import naive
import numpy as np
import pytest
from lifting import LevelEvaluator, game_tree

from tictactoe import files
from tictactoe.directory import Interrupted, StoreError
from tictactoe.game import tic_tac_toe_round
from tictactoe.match import OutcomeValues, Pair, Score, all_scores, outcome_values, pairs_in_solve_order
from tictactoe.multiround import PairSolver, PairState
from tictactoe.options import MatchOptions, SmallMoves
from tictactoe.response import exploitability
from tictactoe.rules import update_rule
from tictactoe.solution import Solution, load_solution
from tictactoe.solve import solve_match
from tictactoe.store import SolutionStore

PREDICTIVE = update_rule("pdcfr+")
V_4_4 = -1 / 13
V_4_3 = 0.654312197083


@pytest.fixture(autouse=True, scope="module")
def _stored_as_it_is() -> Iterator[None]:
    """A third of the time would go into making files small: here they hold the same, at zlib's level 0."""
    compress = zlib.compress
    with mock.patch.object(files.zlib, "compress", lambda data, level: compress(data, 0)):
        yield


def quick_options(**changed: Any) -> MatchOptions:
    """A target that a match of a few pairs reaches in a second."""
    return MatchOptions(**{"maximum_subgame_exploitability": 1e-4, "rule": PREDICTIVE, **changed})


# --- one pair at a time ------------------------------------------------------------------------------------------


def solve_pair(pair: Pair, following: Mapping[Score, float], options: MatchOptions) -> PairSolver:
    solver = PairSolver(game_tree(), pair, following, options)
    for _ in range(2000):
        stop = solver.next_stop(None)
        solver.check([solver.advance(twin, stop) for twin in range(len(pair))])
        if solver.converged:
            return solver
    raise AssertionError(f"{pair} does not converge: {solver.exploitabilities}")


@pytest.fixture(scope="module")
def last_pairs() -> tuple[PairSolver, PairSolver]:
    """(4,4), then (4,3) and (3,4) with its value, to 1e-6."""
    options = MatchOptions(rule=PREDICTIVE)
    last = solve_pair((Score(4, 4),), {}, options)
    return last, solve_pair((Score(4, 3), Score(3, 4)), {Score(4, 4): last.values[0]}, options)


def test_the_last_score_is_worth_minus_one_thirteenth(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    assert last_pairs[0].values == pytest.approx([V_4_4], abs=1e-6)
    assert max(last_pairs[0].exploitabilities) <= 1e-6


def test_twins(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    twins = last_pairs[1]
    assert twins.values[0] == pytest.approx(V_4_3, abs=1e-6)
    assert -1.0 < twins.values[1] < -0.5
    assert max(twins.exploitabilities) <= 1e-6


def test_the_fixed_point_of_the_pairs_by_hand(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    """Outcome values written out by hand from the saved values; strategies from the sums by the oracle."""
    last, twins = last_pairs
    (v44,), (v43, v34) = last.values, twins.values
    expected = {
        (last, 0): OutcomeValues(both=-v44, first=1.0, second=-1.0, neither=-v44),
        (twins, 0): OutcomeValues(both=1.0, first=1.0, second=-v44, neither=-v34),
        (twins, 1): OutcomeValues(both=-1.0, first=-v44, second=-1.0, neither=-v43),
    }
    tree = game_tree()
    levels = LevelEvaluator(tree)
    for (solver, twin), values in expected.items():
        assert solver.outcome_values(solver.pair[twin]) == values
        payoffs, prior = naive.round_payoffs(values), naive.uniform_prior()
        average = naive.average_strategy(tree, solver.state().rounds[twin].strategy_sums)
        best = [levels.best_response_value(average, payoffs, prior, player) for player in (0, 1)]
        assert -1e-12 < sum(best) <= 1e-6
        assert sum(best) == pytest.approx(solver.exploitabilities[twin], abs=1e-12)
        assert levels.expected_value(average, payoffs, prior) == pytest.approx(solver.values[twin], abs=1e-9)
        assert -best[1] - 1e-12 <= solver.values[twin] <= best[0] + 1e-12
        checked = exploitability(tic_tac_toe_round(tree, values), average)
        assert checked.total == pytest.approx(sum(best), abs=1e-12)


def test_the_log_of_a_pair(last_pairs: tuple[PairSolver, PairSolver]) -> None:
    for solver in last_pairs:
        state = solver.state()
        for twin, log in enumerate(state.convergence):
            assert log[:, 0].tolist() == list(range(10, solver.iteration + 1, 10))
            assert log[-1, 1] == solver.exploitabilities[twin] <= 1e-6 < log[0, 1]
            assert log[-1, 3] == solver.values[twin]
            assert np.all(np.abs(log[:, 3]) <= 1.0)
            assert np.all(log[:, 1:3] > -1e-12)


def assert_same_pairs(one: PairState, other: PairState) -> None:
    for name in ("pair", "following", "values", "exploitabilities", "epoch_values", "converged"):
        assert getattr(one, name) == getattr(other, name), name
    for first, second in zip(one.rounds, other.rounds, strict=True):
        for name in ("regrets", "strategy_sums", "current_strategy", "settled"):
            assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    for log, other_log in zip(one.convergence, other.convergence, strict=True):
        assert np.array_equal(log, other_log)


def test_a_pair_continues_from_its_state_bit_for_bit() -> None:
    pair, following = (Score(4, 3), Score(3, 4)), {Score(4, 4): V_4_4}
    options = MatchOptions(rule=PREDICTIVE)

    def go_on(solver: PairSolver, until: int) -> None:
        while solver.iteration < until:
            stop = solver.next_stop(None)
            solver.check([solver.advance(twin, stop) for twin in range(2)])

    whole = PairSolver(game_tree(), pair, following, options)
    for until in (1, 10, 60, 100, 140):
        go_on(whole, until)
        state = whole.state()
        copy = PairSolver(game_tree(), pair, following, options)
        copy.set_state(state)
        assert_same_pairs(copy.state(), state)
        go_on(copy, 150)
    assert state.rounds[0].started_at > 0  # epochs have begun anew in between
    go_on(whole, 150)
    assert_same_pairs(whole.state(), copy.state())


def test_the_state_of_another_pair_or_of_other_values_is_refused() -> None:
    options = quick_options(winning_score=2)
    state = PairSolver(game_tree(), (Score(1, 0), Score(0, 1)), {Score(1, 1): 0.1}, options).state()
    other_values = PairSolver(game_tree(), (Score(1, 0), Score(0, 1)), {Score(1, 1): 0.2}, options)
    with pytest.raises(ValueError, match="following"):
        other_values.set_state(state)
    with pytest.raises(ValueError, match="pair"):
        PairSolver(game_tree(), (Score(1, 1),), {}, options).set_state(state)


# --- whole matches -----------------------------------------------------------------------------------------------


class Stopping:
    """An observer that asks the run to stop after a number of checks, and counts them."""

    def __init__(self, after: int | None = None) -> None:
        self.stop = threading.Event()
        self.num_checks = 0
        self.finished: list[tuple[Pair, int, int]] = []
        self.started: list[tuple[Pair, int]] = []
        self._after = after

    def pair_started(self, solver: PairSolver) -> None:
        self.started.append((solver.pair, solver.iteration))

    def pair_checked(self, solver: PairSolver) -> None:
        self.num_checks += 1
        if self.num_checks == self._after:
            self.stop.set()

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        self.finished.append((pair, num_done, num_pairs))


def solve(
    directory: Path, options: MatchOptions, jobs: int = 2, limit: int | None = None, observer: Stopping | None = None
) -> Solution:
    with SolutionStore(directory, game_tree(), options) as store:
        stop = observer.stop if observer else None
        return solve_match(store, jobs=jobs, max_iterations=limit, observer=observer, stop=stop)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file below a directory, by its path."""
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def assert_same_contents(one: Path, other: Path) -> None:
    first, second = contents(one), contents(other)
    assert sorted(first) == sorted(second)
    assert [name for name in first if first[name] != second[name]] == []


def assert_what_is_claimed_holds(directory: Path) -> None:
    """Exploitability and value of every saved average strategy, computed anew from what is on the disk."""
    solution = load_solution(directory)
    for score, result in solution.results.items():
        strategy = solution.average_strategy[score]
        values = outcome_values(score, solution.value, solution.winning_score)
        assert solution.outcome_values(score) == values
        checked = exploitability(tic_tac_toe_round(game_tree(), values), strategy)
        assert checked.total == pytest.approx(result.exploitability, abs=1e-12), score
        if result.converged:
            assert -1e-12 < checked.total <= solution.options["maximum_subgame_exploitability"]
            assert checked.value == pytest.approx(result.value, abs=1e-9), score
            snapshot = solution.snapshot(score)
            assert (snapshot.score, snapshot.iteration) == (score, result.iteration)
            assert (snapshot.value, snapshot.exploitability) == (result.value, result.exploitability)
            assert snapshot.outcome_values == pytest.approx(values, abs=1e-15)


@pytest.fixture(scope="module")
def match_to(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """A directory with the match to 1, 2 or 3, solved with one job; not to be written to."""
    solved: dict[int, Path] = {}

    def directory(winning_score: int) -> Path:
        if winning_score not in solved:
            path = tmp_path_factory.mktemp(f"to{winning_score}")
            solve(path, quick_options(winning_score=winning_score), jobs=1)
            solved[winning_score] = path
        return solved[winning_score]

    return directory


@pytest.mark.parametrize("winning_score", [1, 2, 3])
def test_a_match_is_solved_completely(winning_score: int, match_to: Callable[[int], Path]) -> None:
    directory = match_to(winning_score)
    solution = load_solution(directory)
    assert set(solution.results) == set(all_scores(winning_score))
    assert len(solution.results) == winning_score**2
    assert solution.missing_scores == []
    assert solution.unconverged_scores == []
    assert_what_is_claimed_holds(directory)
    last = Score(winning_score - 1, winning_score - 1)
    assert solution.value[last] == pytest.approx(V_4_4, abs=1e-4)
    if winning_score > 1:
        twins = Score(winning_score - 1, winning_score - 2)
        assert solution.value[twins] == pytest.approx(V_4_3, abs=2e-4)
    for score, result in solution.results.items():
        saved = solution.iterations(score)
        assert saved == [*(at for at in (0, 1, 10, 100, 1000) if at < result.iteration), result.iteration]
        needed = {after: solution.value[after] for after in result.following}
        assert dict(result.following) == needed
    assert not [path for path in directory.rglob("*") if "checkpoint" in path.name or path.name.endswith(".tmp")]


def test_values_of_a_match_to_three_make_sense(match_to: Callable[[int], Path]) -> None:
    values = load_solution(match_to(3)).value
    for score, value in values.items():
        assert -1.0 < value < 1.0
        # a point more is worth having, a point more of the opponent's is not
        for more, sign in ((Score(score.first + 1, score.second), 1), (Score(score.first, score.second + 1), -1)):
            if more in values:
                assert sign * (values[more] - value) > 1e-3, (score, more)
        # swapping who moves first changes less than what a point is worth: the second mover is favoured a little
        assert abs(value + values[score.twin]) < 0.2
        assert value + values[score.twin] < 0.0


def test_what_is_missing_to_the_win_is_all_that_counts(match_to: Callable[[int], Path]) -> None:
    """A match to 3 at (1 + a, 1 + b) is a match to 2 at (a, b): the very same run."""
    longer, shorter = load_solution(match_to(3)), load_solution(match_to(2))
    for score, result in shorter.results.items():
        same = longer.results[Score(score.first + 1, score.second + 1)]
        assert (same.value, same.exploitability, same.iteration) == (
            result.value,
            result.exploitability,
            result.iteration,
        )


def test_the_number_of_jobs_changes_nothing(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    observer = Stopping()
    solve(tmp_path / "match", quick_options(winning_score=3), jobs=3, observer=observer)
    assert_same_contents(tmp_path / "match", match_to(3))
    assert sorted(pair for pair, _, _ in observer.finished) == sorted(pairs_in_solve_order(3))
    assert [(done, of) for _, done, of in observer.finished] == [(done, 6) for done in range(1, 7)]


def test_a_match_that_is_interrupted_again_and_again(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    """After numbers of checks drawn at random, with another number of jobs every time."""
    random = np.random.default_rng(1)
    directory, options = tmp_path / "match", quick_options(winning_score=2)
    num_interrupted = 0
    for _ in range(200):
        observer = Stopping(after=int(random.choice([1, 2, 7, 20, 60])))
        try:
            solve(directory, options, int(random.integers(1, 4)), observer=observer)
            break
        except Interrupted:
            num_interrupted += 1
            assert load_solution(directory).winning_score == 2
    assert num_interrupted > 3
    assert_same_contents(directory, match_to(2))


def test_a_match_that_is_interrupted_at_any_time(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    """By the clock this time: while threads compute, between checks, before anything has started."""
    random = np.random.default_rng(7)
    directory, options = tmp_path / "match", quick_options(winning_score=2)
    delays = [0.0, *random.uniform(0.0, 0.3, 8).tolist(), 60.0]
    num_interrupted = 0
    for delay in delays:
        observer = Stopping()
        timer = threading.Timer(delay, observer.stop.set)
        timer.start()
        try:
            solve(directory, options, 2, observer=observer)
        except Interrupted:
            num_interrupted += 1
        finally:
            timer.cancel()
            timer.join()
    assert num_interrupted > 2
    assert_same_contents(directory, match_to(2))


def test_a_run_that_is_asked_to_stop_at_once_loses_nothing(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    observer = Stopping()
    observer.stop.set()
    with pytest.raises(Interrupted):
        solve(tmp_path / "match", quick_options(winning_score=1), observer=observer)
    solve(tmp_path / "match", quick_options(winning_score=1))
    assert_same_contents(tmp_path / "match", match_to(1))


def test_a_solved_match_is_not_solved_again(match_to: Callable[[int], Path]) -> None:
    before = contents(match_to(2))
    observer = Stopping()
    solution = solve(match_to(2), quick_options(winning_score=2), observer=observer)
    assert observer.started == []
    assert [done for _, done, _ in observer.finished] == [1, 2, 3]
    assert solution.unconverged_scores == solution.missing_scores == []
    assert contents(match_to(2)) == before


@pytest.mark.parametrize(
    "options",
    [
        MatchOptions(winning_score=1, maximum_subgame_exploitability=1e-2, rule=update_rule("dcfr")),
        MatchOptions(winning_score=1, maximum_subgame_exploitability=1e-2, rule=update_rule("cfr+")),
        MatchOptions(winning_score=1, maximum_subgame_exploitability=1e-2, rule=update_rule("cfr")),
        MatchOptions(winning_score=1, maximum_subgame_exploitability=1e-2, alternate_updates=False),
        quick_options(winning_score=1, maximum_subgame_exploitability=1e-3, small_moves=SmallMoves(0.01, 0.1)),
        quick_options(winning_score=1, check_exploitability_every=7, snapshot_at=(3, 7, 25, 70)),
        quick_options(winning_score=1, check_exploitability_every=400, snapshot_at=()),
    ],
    ids=["dcfr", "cfr+", "cfr", "simultaneous", "small-moves", "odd-schedule", "rare-checks"],
)
def test_other_options(options: MatchOptions, tmp_path: Path) -> None:
    solution = solve(tmp_path / "match", options)
    assert solution.unconverged_scores == []
    assert_what_is_claimed_holds(tmp_path / "match")
    target = options.maximum_subgame_exploitability
    assert solution.value[Score(0, 0)] == pytest.approx(V_4_4, abs=target)
    assert solution.results[Score(0, 0)].iteration % options.check_exploitability_every == 0
    if options.snapshot_at is not None:
        last = solution.results[Score(0, 0)].iteration
        assert solution.iterations(Score(0, 0)) == sorted({*(at for at in options.snapshot_at if at < last), last})
    for after in (1, 2):
        observer = Stopping(after)
        try:
            solve(tmp_path / "other", options, 1, observer=observer)
        except Interrupted:
            continue
    solve(tmp_path / "other", options, 1)
    assert_same_contents(tmp_path / "match", tmp_path / "other")


# --- limits ------------------------------------------------------------------------------------------------------


def test_a_limit_stops_names_what_has_not_converged_and_a_higher_one_goes_on(
    match_to: Callable[[int], Path], tmp_path: Path
) -> None:
    directory, options = tmp_path / "match", quick_options(winning_score=2)
    first = solve(directory, options, limit=50)
    assert set(first.unconverged_scores) == set(all_scores(2))
    assert first.missing_scores == []
    assert {result.iteration for result in first.results.values()} == {50}
    before = contents(directory)

    observer = Stopping()
    again = solve(directory, options, limit=50, observer=observer)  # nothing more to do
    assert observer.started == []
    assert again.unconverged_scores == first.unconverged_scores
    assert contents(directory) == before

    observer = Stopping()
    last = solve(directory, options, observer=observer)
    assert observer.started[0] == ((Score(1, 1),), 50)  # goes on
    assert dict(observer.started)[Score(1, 0), Score(0, 1)] == 0  # the value that it depends on is another one
    assert last.unconverged_scores == []
    assert_same_contents(directory, match_to(2))


def test_a_limit_that_suffices_for_some(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    done = load_solution(match_to(2)).results
    limit = sorted({result.iteration for result in done.values()})[-1] - 10
    solution = solve(tmp_path / "match", quick_options(winning_score=2), limit=limit)
    unconverged = {score for score, result in done.items() if result.iteration > limit}
    assert 0 < len(unconverged) < 4  # which, depends on rounding and so on the machine
    assert unconverged <= set(solution.unconverged_scores)
    assert solution.results[Score(1, 1)] == done[Score(1, 1)]
    assert all(solution.results[score].iteration == limit for score in unconverged)


@pytest.mark.parametrize("limit", [5, 10, 40])
def test_what_is_claimed_of_an_unconverged_result_holds(limit: int, tmp_path: Path) -> None:
    """A result's exploitability is that of the strategy that is saved with it, with the outcome values of then."""
    solve(tmp_path / "match", quick_options(winning_score=2), limit=limit)
    assert_what_is_claimed_holds(tmp_path / "match")


def test_a_limit_does_not_save_play_that_was_just_forgotten(tmp_path: Path) -> None:
    """At the limit the values have moved so far that an epoch ends: what is saved must be what it has learnt."""
    options = quick_options(winning_score=1)
    solver = PairSolver(game_tree(), (Score(0, 0),), {}, options)
    while solver.state().rounds[0].started_at == 0:
        assert solver.iteration < 1000
        solver.check([solver.advance(0, solver.next_stop(None))])
    limit = solver.state().rounds[0].started_at
    solution = solve(tmp_path / "match", options, limit=limit)
    assert solution.results[Score(0, 0)].iteration == limit
    assert not np.array_equal(solution.average_strategy[Score(0, 0)], naive.uniform_strategy(game_tree()))
    assert_what_is_claimed_holds(tmp_path / "match")


def test_snapshots_say_how_good_their_strategies_are(tmp_path: Path) -> None:
    """A snapshot's exploitability is that of its average strategy with its outcome values, on the way, too."""
    tree = game_tree()
    options = quick_options(winning_score=1, snapshot_at=(0, 1, 5, *range(10, 151, 10)))
    solution = solve(tmp_path, options, limit=150)
    assert solution.iterations(Score(0, 0)) == [0, 1, 5, *range(10, 151, 10)]
    wrong = {}
    for iteration in solution.iterations(Score(0, 0)):
        snapshot = solution.snapshot(Score(0, 0), iteration)
        game = tic_tac_toe_round(tree, snapshot.outcome_values)
        actual = exploitability(game, snapshot.average_strategy(tree)).total
        if abs(actual - snapshot.exploitability) > 1e-12:
            wrong[iteration] = f"{snapshot.exploitability} claimed, {actual} found"
    assert wrong == {}


@pytest.mark.parametrize(
    ("argument", "value"), [("max_iterations", 0), ("max_iterations", -1), ("jobs", 0), ("jobs", -2)]
)
def test_numbers_that_make_no_sense_are_named(argument: str, value: int, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"jobs": 1, "max_iterations": 10, argument: value}
    with (
        SolutionStore(tmp_path, game_tree(), quick_options(winning_score=1, snapshot_at=())) as store,
        pytest.raises(ValueError, match=rf"{argument}: {value}"),
    ):
        solve_match(store, **arguments)


# --- what must not be used ---------------------------------------------------------------------------------------


def test_another_configuration_is_refused_and_nothing_is_touched(
    match_to: Callable[[int], Path], tmp_path: Path
) -> None:
    directory = match_to(1)
    before = contents(directory)
    times = {path: path.stat().st_mtime_ns for path in [directory, *directory.rglob("*")]}
    other = MatchOptions(
        winning_score=2, maximum_subgame_exploitability=1e-5, check_exploitability_every=20, alternate_updates=False,
        small_moves=SmallMoves(0.25, 0.5), snapshot_at=(5,),
    )  # fmt: skip
    with pytest.raises(StoreError) as error:
        SolutionStore(directory, game_tree(), other)
    message = str(error.value)
    assert "\n" not in message
    for part in (
        "winning_score is 1 there and 2 here",
        "maximum_subgame_exploitability is 0.0001 there and 1e-05 here",
        "check_exploitability_every is 10 there and 20 here",
        "algorithm is pdcfr+ there and dcfr here",
        "discount_alpha is 2.3 there and 1.5 here",
        "discount_beta is unset there and 0.0 here",
        "discount_gamma is 5.0 there and 2.0 here",
        "alternate_updates is True there and False here",
        "small_move_epsilon is 0.0 there and 0.25 here",
        "small_move_epsilon_decay is 0.0 there and 0.5 here",
        "snapshot_at is unset there and [5] here",
    ):
        assert part in message
    with pytest.raises(StoreError) as error:
        SolutionStore(directory, game_tree(), quick_options(winning_score=1, snapshot_at=(7,)))
    assert "snapshot_at" in str(error.value)
    assert "winning_score" not in str(error.value)
    assert contents(directory) == before
    assert {path: path.stat().st_mtime_ns for path in [directory, *directory.rglob("*")]} == times
    SolutionStore(directory, game_tree(), quick_options(winning_score=1)).close()  # the lock is free again
    assert contents(directory) == before


def test_a_checkpoint_of_other_values_is_not_used(tmp_path: Path) -> None:
    pair = (Score(1, 0), Score(0, 1))
    options = quick_options(winning_score=2)
    solver = PairSolver(game_tree(), pair, {Score(1, 1): -0.1}, options)
    solver.check([solver.advance(twin, 10) for twin in range(2)])
    with SolutionStore(tmp_path, game_tree(), options) as store:
        assert store.load_checkpoint(pair, {Score(1, 1): -0.1}) is None
        store.save_checkpoint(solver.state())
        loaded = store.load_checkpoint(pair, {Score(1, 1): -0.1})
        assert loaded is not None
        assert_same_pairs(loaded, solver.state())
        assert store.load_checkpoint(pair, {Score(1, 1): -0.1 + 1e-16}) is None
        assert store.load_checkpoint(pair, {}) is None


def test_a_result_of_other_values_is_not_used(tmp_path: Path) -> None:
    pair = (Score(1, 0), Score(0, 1))
    options = quick_options(winning_score=2)
    solver = PairSolver(game_tree(), pair, {Score(1, 1): -0.1}, options)
    solver.check([solver.advance(twin, 10) for twin in range(2)])
    with SolutionStore(tmp_path, game_tree(), options) as store:
        assert store.results(pair, {Score(1, 1): -0.1}) is None
        store.save_results(solver)
        results = store.results(pair, {Score(1, 1): -0.1})
        assert results is not None
        assert [result.value for result in results] == list(solver.state().values)
        assert store.results(pair, {Score(1, 1): -0.1 + 1e-16}) is None
        assert store.results((Score(1, 1),), {}) is None


def test_stale_work_in_progress_leaves_no_trace(match_to: Callable[[int], Path], tmp_path: Path) -> None:
    """Stopped in the middle of a pair whose following value then changes: the pair is solved from the start."""
    directory, options = tmp_path / "match", quick_options(winning_score=2)
    observer = Stopping(after=20)
    with pytest.raises(Interrupted):
        solve(directory, options, 1, limit=100, observer=observer)
    assert [pair for pair, _ in observer.started] == [(Score(1, 1),), (Score(1, 0), Score(0, 1))]
    assert (directory / "checkpoint_1_0.msgpack").exists()
    assert load_solution(directory).unconverged_scores == [Score(1, 1)]
    solve(directory, options, 1)
    assert_same_contents(directory, match_to(2))
