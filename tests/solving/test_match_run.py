"""Whole matches in a directory: independent checks of the saved files, limits, refusals; mostly of short rounds."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from operator import attrgetter
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from oracle import naive
from oracle.lifting import game_tree
from oracle.matches import SHORT_RULE
from support.programs import contents
from support.slowness import slow

from tictactoe import GameTree, MatchOptions, PairSolver, exploitability, solve_match, tic_tac_toe_round, update_rule
from tictactoe.errors import FormatError, Interrupted, OtherOptionsError
from tictactoe.match.scores import Pair, Score, all_scores, outcome_values
from tictactoe.run_control import RunControl
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.file_format import read_file, write_file
from tictactoe.storage.snapshot import SNAPSHOT_KIND
from tictactoe.storage.solution import RecordWriter, Solution, load_solution
from tictactoe.storage.solution_writer import CHECKPOINT_KIND, load_checkpoint, save_checkpoint

V_4_4 = -1 / 13
V_4_3 = 0.654312197083
V_SHORT = -1 / 7
"""At the last score of a match of short rounds."""
TWINS = (Score(1, 0), Score(0, 1))
WRONG = dict.fromkeys(all_scores(2), 0.3)
FOUND = attrgetter("value", "exploitability", "iteration")
short_tree = cache(partial(GameTree.build, SHORT_RULE))


def quick_options(**changed: Any) -> MatchOptions:
    """A target that a match of a few pairs of short rounds reaches in a tenth of a second."""
    return MatchOptions(**{"maximum_subgame_exploitability": 1e-5, "algorithm": update_rule("pdcfr+"), **changed})


TWO_JOBS: RunControl[Any] = RunControl(2)


def watched(jobs: int = 2) -> Any:
    return RunControl(jobs, reporter=Mock())


def started(control: Any) -> list[tuple[Pair, int]]:
    return [call.args[0][:2] for call in control.reporter.pair_started.call_args_list]


def solve(
    directory: Path, options: MatchOptions, limit: int | None = None, control: RunControl[Any] = TWO_JOBS
) -> Solution:
    return solve_match(directory, short_tree(), options, max_iterations=limit, control=control)


def assert_what_is_claimed_holds(directory: Path) -> None:
    solution = load_solution(directory)
    tree = solution.tree
    for score, result in solution.results.items():
        values = outcome_values(score, solution.value, solution.winning_score)
        assert solution.outcome_values(score) == values
        checked = exploitability(tic_tac_toe_round(tree, values), solution.average_strategy[score])
        assert checked.total == pytest.approx(result.exploitability, abs=1e-12), score
        for iteration in solution.iterations(score):  # on the way, too: with the outcome values of then
            snapshot = solution.snapshot(score, iteration)
            assert (snapshot.score, snapshot.iteration) == (score, iteration)
            game = tic_tac_toe_round(tree, snapshot.outcome_values)
            actual = exploitability(game, snapshot.average_strategy(tree)).total
            assert snapshot.exploitability == pytest.approx(actual, abs=1e-12), (score, iteration)
        if result.converged:
            assert -1e-12 < checked.total <= solution.options["maximum_subgame_exploitability"]
            assert checked.value == pytest.approx(result.value, abs=1e-9), score
            assert FOUND(snapshot) == FOUND(result)
            assert snapshot.outcome_values == pytest.approx(values, abs=1e-15)


@pytest.fixture(scope="module")
def match_to(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:

    @cache
    def directory(winning_score: int, real: bool = False) -> Path:
        path = tmp_path_factory.mktemp(f"to{winning_score}")
        tree, target = (game_tree(), 1e-4) if real else (short_tree(), 1e-5)
        solve_match(path, tree, quick_options(winning_score=winning_score, maximum_subgame_exploitability=target))
        return path

    return directory


@pytest.mark.parametrize(
    ("winning_score", "real", "most"), [(1, False, 1), (3, False, 0.3), *slow((2, False, 1), (2, True, 0.2))]
)
def test_a_match_is_solved_completely_and_its_values_make_sense(
    winning_score: int, real: bool, most: float, match_to: Callable[..., Path]
) -> None:
    directory = match_to(winning_score, real)
    solution = load_solution(directory)
    values = solution.value
    assert set(solution.results) == set(all_scores(winning_score))
    assert solution.missing_scores == solution.unconverged_scores == []
    assert_what_is_claimed_holds(directory)
    known = {(1, 1): (V_4_4, 1e-4), (1, 2): (V_4_3, 2e-4)} if real else {(1, 1): (V_SHORT, 1e-5)}
    for score, result in solution.results.items():  # what is known goes by how many points are missing
        missing = (winning_score - score.first, winning_score - score.second)
        value, tolerance = known.get(missing, (result.value, 0.0))
        assert result.value == pytest.approx(value, abs=tolerance)
        saved = solution.iterations(score)
        assert saved == [*(at for at in (0, 1, 10, 100, 1000) if at < result.iteration), result.iteration]
        assert dict(result.following) == {after: values[after] for after in result.following}
        # a point more is worth having, a point more of the opponent's is not
        for more, sign in ((Score(score.first + 1, score.second), 1), (Score(score.first, score.second + 1), -1)):
            assert more not in values or sign * (values[more] - values[score]) > 1e-3, (score, more)
        # swapping who moves first changes less than what a point is worth: the second mover is favoured a little
        assert -1.0 < values[score] < 1.0
        assert -most < values[score] + values[score.twin] < 0.0
        if not real:  # only the points that are missing count: it is the very same run as in a match to 3
            shift = 3 - winning_score
            same = load_solution(match_to(3)).results[Score(score.first + shift, score.second + shift)]
            assert FOUND(same) == FOUND(result)
    assert not [path for path in directory.rglob("*") if "checkpoint" in path.name or path.name.endswith(".tmp")]


def test_what_a_checkpoint_claims_is_not_believed(tmp_path: Path) -> None:
    options = quick_options(winning_score=2, algorithm=update_rule("rdcfr"))
    control = watched(jobs=1)
    control.reporter.pair_finished.side_effect = lambda *_: control.stop.set()
    with pytest.raises(Interrupted):
        solve(tmp_path, options, control=control)
    solver = PairSolver(short_tree(), TWINS, load_solution(tmp_path).value, options)
    solver.check([solver.advance(twin, 20) for twin in range(2)])
    path = tmp_path / "checkpoint_1_0.msgpack"
    save_checkpoint(path, solver.state(), short_tree(), options)
    content = read_file(path, CHECKPOINT_KIND)
    first, second = content["twins"]
    huge = np.full_like(first["regrets"], 1e308)
    huge[0] = 0.0
    for change, expected in (
        ({"converged": True}, "converged: the exploitability is "),
        ({"twins": [1, 2]}, r"twins\[0\]: expected map, got int"),
        ({"twins": [first, {**second, "value": 1e308}]}, r"value: 1e\+308 is more than any result is worth"),
        ({"twins": [first, {**second, "regrets": huge}]}, "regrets: beyond 1e120, too large to continue with"),
        ({"twins": [first, {**second, "winning_score": 3}]}, "does not belong to a match to 2"),
        ({"twins": [first, {**second, "iteration": first["iteration"] + 1}]}, "twins: of different iterations"),
        ({"twins": [first, {**second, "started_at": first["started_at"] - 1}]}, "twins: of different iterations"),
        ({"twins": [{name: first[name] for name in first if name != "recent_sums"}, second]}, "recent_sums: missing"),
        ({"epoch_values": [1e308, 0.0]}, r"epoch_values: .* are not all match values \(-1 to 1\)"),
    ):
        write_file(path, CHECKPOINT_KIND, {**content, **change})
        before = contents(tmp_path)
        ending = r" \(without this file, the pair is solved from its start\)$"
        with pytest.raises(FormatError, match=f"{path.name}: {expected}.*{ending}"):
            solve(tmp_path, options)
        assert contents(tmp_path) == before
    write_file(path, CHECKPOINT_KIND, content)
    assert solve(tmp_path, options).unconverged_scores == []


def test_a_score_that_only_claims_to_have_converged_is_solved_on(match_to: Callable[..., Path], tmp_path: Path) -> None:
    options = quick_options(winning_score=1)
    solve(tmp_path, options, limit=20)
    solution = load_solution(tmp_path)
    result = solution.results[Score(0, 0)]
    RecordWriter().write(replace(solution, results={Score(0, 0): replace(result, converged=True)}))
    solve(tmp_path, options)
    assert contents(tmp_path) == contents(match_to(1))


def test_another_configuration_is_refused_and_nothing_is_touched(match_to: Callable[..., Path]) -> None:
    directory = match_to(1)
    before, times = contents(directory), {path: path.stat().st_mtime_ns for path in directory.rglob("*")}
    with pytest.raises(OtherOptionsError) as error:
        solve(directory, quick_options(winning_score=1, alternate_updates=False, snapshot_at=(7,)))
    assert error.value.differences == (("alternate_updates", True, False), ("snapshot_at", None, [7]))
    assert contents(directory) == before
    assert {path: path.stat().st_mtime_ns for path in directory.rglob("*")} == times
    solve(directory, quick_options(winning_score=1))  # the lock is free again
    assert contents(directory) == before


@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("rdcfr", {"winning_score": 3}),
        ("rdcfr", {"winning_score": 2, "check_exploitability_every": 7, "snapshot_at": (3, 7, 25, 70)}),
        *(("dcfr", {}), ("cfr+", {}), ("cfr", {}), ("dcfr", {"alternate_updates": False})),
        (
            "pdcfr+",
            {"maximum_subgame_exploitability": 1e-3, "small_move_epsilon": 0.01, "small_move_epsilon_decay": 0.1},
        ),
        ("pdcfr+", {"check_exploitability_every": 7, "snapshot_at": (3, 7, 25, 70)}),
        ("pdcfr+", {"snapshot_at": (0, 1, 5, *range(10, 151, 10))}),
        ("pdcfr+", {"check_exploitability_every": 400, "snapshot_at": ()}),
        *((rule, {"winning_score": 2, "start_from": WRONG}) for rule in ("pdcfr+", "rdcfr")),
    ],
)
def test_other_options(rule: str, changed: dict[str, Any], tmp_path: Path) -> None:
    target = 1e-4 if rule == "pdcfr+" else 1e-2
    given = {"winning_score": 1, "maximum_subgame_exploitability": target, "algorithm": update_rule(rule)}
    options = MatchOptions(**{**given, **changed})
    solution = solve(tmp_path / "match", options)
    assert solution.unconverged_scores == []
    assert_what_is_claimed_holds(tmp_path / "match")
    target, end = options.maximum_subgame_exploitability, Score(options.winning_score - 1, options.winning_score - 1)
    assert solution.value[end] == pytest.approx(V_SHORT, abs=target)
    last, period = solution.results[end].iteration, options.check_exploitability_every
    assert solution.snapshot(end).convergence[:, 0].tolist() == list(range(period, last + 1, period))
    if options.snapshot_at is not None:
        assert solution.iterations(end) == sorted({*(at for at in options.snapshot_at if at < last), last})


def test_limits(match_to: Callable[..., Path], tmp_path: Path) -> None:
    directory, options = tmp_path / "match", quick_options(winning_score=2)
    first = solve(directory, options, limit=20)
    assert (set(first.unconverged_scores), first.missing_scores) == (set(all_scores(2)), [])
    assert {result.iteration for result in first.results.values()} == {20}
    assert_what_is_claimed_holds(directory)
    before, control = contents(directory), watched()
    again = solve(directory, options, limit=20, control=control)  # nothing more to do
    assert (started(control), again.unconverged_scores) == ([], first.unconverged_scores)
    assert contents(directory) == before
    done = load_solution(match_to(2)).results
    limit = sorted({result.iteration for result in done.values()})[-1] - 10
    some = solve(tmp_path / "some", options, limit=limit)
    unconverged = {score for score, result in done.items() if result.iteration > limit}
    assert 0 < len(unconverged) < 4  # which, depends on rounding and so on the machine
    assert unconverged <= set(some.unconverged_scores)
    assert some.results[Score(1, 1)] == done[Score(1, 1)]
    assert all(some.results[score].iteration == limit for score in unconverged)
    last = solve(directory, options, control=control)
    assert started(control)[0] == ((Score(1, 1),), 20)  # goes on
    assert dict(started(control))[TWINS] == 0  # the value of the later score has changed
    assert last.unconverged_scores == []
    control = watched()
    solve(directory, options, control=control)  # nothing more to do either
    finished = [call.args[1:] for call in control.reporter.pair_finished.call_args_list]
    assert (started(control), finished) == ([], [(1, 3), (2, 3), (3, 3)])
    assert contents(directory) == contents(match_to(2))


def test_the_schedule_is_saved_in_brief_and_the_last_one_in_full(match_to: Callable[..., Path], tmp_path: Path) -> None:
    solution = load_solution(match_to(3))
    for score, result in solution.results.items():
        *earlier, last = solution.iterations(score)
        assert {kind for iteration in earlier for kind in dtypes_of(solution, score, iteration)} == {"float32"}
        assert (last, dtypes_of(solution, score, last)) == (result.iteration, {"float64"})
        assert solution.snapshot(score).regrets.any()
    asked = solve(tmp_path / "asked", quick_options(winning_score=1, snapshot_at=(0, 10, 100)))
    default = load_solution(match_to(1))
    for iteration in (0, 10):
        full, brief = asked.snapshot(Score(0, 0), iteration), default.snapshot(Score(0, 0), iteration)
        assert dtypes_of(asked, Score(0, 0), iteration) == {"float64"}
        np.testing.assert_allclose(brief.strategy_sums, full.strategy_sums, rtol=6e-8)
        np.testing.assert_allclose(brief.regrets, full.regrets, rtol=6e-8)
        np.testing.assert_allclose(brief.current_strategy, full.current_strategy, rtol=0, atol=1e-6)
        assert brief.value == pytest.approx(full.value, abs=1e-6)
    np.testing.assert_array_equal(asked.snapshot(Score(0, 0)).regrets, default.snapshot(Score(0, 0)).regrets)


def dtypes_of(solution: Solution, score: Score, iteration: int) -> set[str]:
    content = read_file(solution.directory_of(score) / snapshot_name(iteration), SNAPSHOT_KIND)
    return {str(content[name].dtype) for name in ("regrets", "strategy_sums", "current_strategy")}


def test_a_long_match_keeps_little(tmp_path: Path) -> None:
    loose = quick_options(winning_score=6, maximum_subgame_exploitability=0.5)
    solution = solve(tmp_path / "match", loose)
    assert_what_is_claimed_holds(tmp_path / "match")
    full = solve(tmp_path / "full", replace(loose, snapshot_at=()))
    for score, result in solution.results.items():
        assert solution.iterations(score) == [result.iteration]
        assert not solution.snapshot(score).regrets.any()
        assert full.snapshot(score).regrets.any()
        np.testing.assert_array_equal(solution.average_strategy[score], full.average_strategy[score])
    warm = solve(tmp_path / "warm", replace(loose, algorithm=update_rule("rdcfr")))
    kept = {score for score in warm.results if warm.snapshot(score).regrets.any()}
    assert kept == {score for score in warm.results if score.first == score.second}


def test_a_tied_score_starts_where_the_one_with_a_point_more_ended(tmp_path: Path) -> None:
    solution = solve(tmp_path / "match", quick_options(winning_score=3, algorithm=update_rule("rdcfr")))
    tree = solution.tree
    for points in (1, 0):
        start, before = solution.snapshot(Score(points, points), 0), Score(points + 1, points + 1)
        assert (start.started_at, solution.snapshot(Score(points, points)).started_at) == (-100, -100)
        learnt = solution.average_strategy[before]
        np.testing.assert_allclose(start.average_strategy(tree), learnt, rtol=0, atol=1e-6)  # in single precision
    assert min(solution.snapshot(Score(2, second)).started_at for second in (1, 2)) >= 0
    assert_what_is_claimed_holds(tmp_path / "match")


@pytest.mark.parametrize("limits", [(10,), (100,), (10, 100), (20, 100)])
def test_a_limit_on_the_schedule_changes_nothing_else(limits: tuple[int, ...], tmp_path: Path) -> None:
    """What was the last iteration then stays in full; the others of the schedule are in brief."""
    options = quick_options(winning_score=1, maximum_subgame_exploitability=1e-6, algorithm=update_rule("dcfr"))
    solve(tmp_path / "whole", options)
    for limit in limits:
        solution = solve(tmp_path / "match", options, limit=limit)
        assert_what_is_claimed_holds(tmp_path / "match")
        assert solution.unconverged_scores == [Score(0, 0)]
        assert dtypes_of(solution, Score(0, 0), limit) == {"float64"}
    solve(tmp_path / "match", options)
    mine, whole = contents(tmp_path / "match"), contents(tmp_path / "whole")
    assert mine.keys() == whole.keys()
    differences = {Path(name).name for name in mine if mine[name] != whole[name]}
    assert differences == {snapshot_name(limit) for limit in limits if limit != 20}


def test_a_limit_does_not_save_play_that_was_just_forgotten(tmp_path: Path) -> None:
    """At the limit an epoch ends, because the values have moved far: the strategy learnt before is saved."""
    options = quick_options(winning_score=1)
    solver = PairSolver(short_tree(), (Score(0, 0),), {}, options)
    while solver.state().rounds[0].started_at == 0:
        assert solver.iteration < 1000
        solver.check([solver.advance(0, solver.next_stop(None))])
    limit = solver.state().rounds[0].started_at
    solution = solve(tmp_path / "match", options, limit=limit)
    assert solution.results[Score(0, 0)].iteration == limit
    assert not np.array_equal(solution.average_strategy[Score(0, 0)], naive.uniform_strategy(short_tree()))
    assert_what_is_claimed_holds(tmp_path / "match")


def test_a_checkpoint_of_other_values_is_not_used(tmp_path: Path) -> None:
    """However little they differ: the values of later scores move by less and less when they are solved on."""
    options, values = quick_options(winning_score=2), {Score(1, 1): -0.1}
    save_checkpoint(
        tmp_path / "checkpoint", PairSolver(short_tree(), TWINS, values, options).state(), short_tree(), options
    )
    for following, is_used in ((values, True), ({Score(1, 1): -0.1 + 1e-16}, False), ({}, False)):
        state = load_checkpoint(tmp_path / "checkpoint", TWINS, following, short_tree(), options)
        assert (state is not None) == is_used
