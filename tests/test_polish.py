"""Making a solved match exact: what is written, how exact it is, stopping, being killed and going on."""

from __future__ import annotations

import hashlib
import math
import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import contents
from lifting import game_tree
from matches import SHORT_RULE, adversary_values, never, short_rounds, solve

from tictactoe import equilibrium, newton, polish
from tictactoe.adversary import best_response_over_match
from tictactoe.compare import UniformStrategy, head_to_head
from tictactoe.directory import UNPOLISHED, DirectoryLock, Interrupted, StoreError
from tictactoe.files import FormatError, is_temporary
from tictactoe.linear_program import MissingSolverError, ProgramError
from tictactoe.match import Pair, Score, all_scores, following_scores, outcome_values, pair_of, pairs_in_solve_order
from tictactoe.newton import PairEquilibrium
from tictactoe.options import MatchOptions
from tictactoe.polish import BITS, polish_solution
from tictactoe.rules import update_rule
from tictactoe.sequence_form import Levels
from tictactoe.snapshot import snapshot_name, subgame_name
from tictactoe.solution import SOLUTION_FILE, Solution, load_solution, write_record
from tictactoe.store import SolutionStore
from tictactoe.tree import GameTree

WATCHED = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 3 of short rounds; to be copied, not changed."""
    return solve(GameTree.build(SHORT_RULE), tmp_path_factory.mktemp("three") / "source", 3, 1e-3)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 2 of short rounds; to be copied, not changed."""
    return solve(GameTree.build(SHORT_RULE), tmp_path_factory.mktemp("two") / "source", 2, 1e-3)


@pytest.fixture(scope="module")
def polished(three: Solution) -> Solution:
    """What an undisturbed run makes of the match to 3."""
    return polish_solution(three, three.directory.parent / "exact", jobs=1)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Solution, Solution]:
    """A match to 1 of real rounds, quickly solved and exact."""
    directory = tmp_path_factory.mktemp("one")
    source = solve(game_tree(), directory / "source", 1, 1e-3)
    return source, polish_solution(source, directory / "exact", jobs=2)


class Watching:
    """An observer that remembers, and that stops the run after some pairs."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop = threading.Event()
        self.started: list[Pair] = []
        self.finished: list[tuple[Pair, int, int]] = []
        self.threads: set[threading.Thread] = set()
        self._stop_after = stop_after

    def pair_started(self, pair: Pair) -> None:
        self.threads.add(threading.current_thread())
        self.started.append(pair)

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self.threads.add(threading.current_thread())
        self.finished.append((result.pair, num_done, num_pairs))
        if len(self.finished) == self._stop_after:
            self.stop.set()


# --- how exact it is ---------------------------------------------------------------------------------------------


def assert_exact(solution: Solution) -> None:
    """Over the match, nobody can win more against it than its own values say."""
    again = load_solution(solution.directory)
    assert again.results == solution.results
    assert again.missing_scores == []
    assert again.unconverged_scores == []
    response = best_response_over_match(again.tree, again.average_strategy, again.winning_score)
    for score, judged in response.scores.items():
        assert judged.exploitability < 1e-12
        assert judged.maximum == pytest.approx(again.value[score], abs=1e-12)
        assert judged.minimum == pytest.approx(again.value[score], abs=1e-12)
        assert again.exploitability[score] < 1e-12


def test_a_match_of_real_rounds(one: tuple[Solution, Solution]) -> None:
    source, exact = one
    assert source.exploitability[Score(0, 0)] > 1e-5, "there was something to do"
    assert_exact(exact)
    assert exact.value[Score(0, 0)] == pytest.approx(-1 / 13, abs=1e-14)
    strategy = load_solution(exact.directory).average_strategy[Score(0, 0)]
    assert list(adversary_values({Score(0, 0): strategy}, 1).values()) == pytest.approx([-1 / 13, 1 / 13], abs=1e-12)


def test_matches_of_short_rounds(polished: Solution, three: Solution, two: Solution, tmp_path: Path) -> None:
    assert max(three.exploitability.values()) > 1e-5
    assert_exact(polished)
    exact = polish_solution(two, tmp_path / "exact", jobs=1)
    assert_exact(exact)
    for score, value in exact.value.items():  # only the points that are missing count
        assert polished.value[Score(score.first + 1, score.second + 1)] == pytest.approx(value, abs=1e-13)


@pytest.mark.parametrize("name", ["one", "polished"])
def test_it_wins_no_less_from_random_play_than_its_source(name: str, request: pytest.FixtureRequest) -> None:
    if name == "one":
        source, exact = request.getfixturevalue("one")
    else:
        source, exact = request.getfixturevalue("three"), request.getfixturevalue("polished")
    tree, winning_score = source.tree, source.winning_score
    uniform = UniformStrategy(tree, winning_score)
    before, after = (
        head_to_head(tree, solution.average_strategy, uniform, winning_score) for solution in (source, exact)
    )
    assert after.wins_as_first >= before.wins_as_first
    assert after.wins_as_second >= before.wins_as_second


@pytest.mark.parametrize("name", ["one", "polished"])
def test_probabilities_are_dyadic(name: str, request: pytest.FixtureRequest) -> None:
    """Every probability is a multiple of 2^-52, and they sum to 1 with nothing left over, as read and as stored."""
    solution = request.getfixturevalue(name)
    solution = load_solution((solution[1] if name == "one" else solution).directory)
    tree = solution.tree
    assert BITS == 52
    starts = tree.first_child[tree.decision_nodes] - 1
    for score in all_scores(solution.winning_score):
        snapshot = solution.snapshot(score)
        for strategy in (solution.average_strategy[score], snapshot.strategy_sums, snapshot.current_strategy):
            scaled = np.ldexp(strategy[1:], 52)
            numbers = scaled.astype(np.int64)
            assert np.all(numbers == scaled)
            assert numbers.min() >= 0
            assert np.all(np.add.reduceat(numbers, starts, axis=0) == 2**52)
        for node in tree.decision_nodes.tolist()[:50]:
            for goal in range(3):
                moves = snapshot.strategy_sums[list(tree.children(node)), goal]
                assert math.fsum(moves) == sum(moves) == 1.0


def test_moves_that_nobody_can_meet_are_coarse(one: tuple[Solution, Solution], polished: Solution) -> None:
    """Where a player's own strategy never gets, twenty bits are enough; elsewhere they would not be."""
    num_fine = 0
    for solution in (one[1], polished):
        levels = Levels.of(solution.tree)
        before = np.maximum(solution.tree.parent, 0)
        for strategy in solution.average_strategy.values():
            coarse = np.ldexp(strategy, 20) % 1.0 == 0.0
            for player in (0, 1):
                own, reach = (levels.mover == player)[:, None], levels.reach(player, strategy)[before]
                assert np.any(own & (reach == 0.0))
                assert np.all(coarse[own & (reach == 0.0)])
                num_fine += int(np.sum(own & (np.ldexp(strategy, BITS - 4) % 1.0 != 0.0)))
    assert num_fine > 0


def test_what_is_recorded(three: Solution, polished: Solution) -> None:
    solution = load_solution(polished.directory)
    assert (solution.winning_score, solution.end_rule) == (3, SHORT_RULE)
    assert solution.tree_fingerprint == three.tree_fingerprint
    record = (three.directory / SOLUTION_FILE).read_bytes()
    assert solution.options["polished_from"] == hashlib.sha256(record).hexdigest()
    assert {name: solution.options[name] for name in three.options} == three.options
    for score, result in solution.results.items():
        assert result.converged
        assert result.iteration == three.results[score].iteration
        needed = following_scores(pair_of(score), 3)
        assert result.following == {other: solution.value[other] for other in needed}
        snapshot = solution.snapshot(score)
        assert snapshot.value == result.value
        assert snapshot.exploitability == result.exploitability
        assert snapshot.outcome_values == outcome_values(score, solution.value, 3)
        assert solution.iterations(score) == [result.iteration]
        assert snapshot.options == solution.options
        np.testing.assert_array_equal(snapshot.average_strategy(solution.tree), snapshot.current_strategy)


def test_the_source_is_not_touched(two: Solution, tmp_path: Path) -> None:
    before = contents(two.directory)
    polish_solution(two, tmp_path / "exact", jobs=2, keep=[Score(1, 1)])
    assert contents(two.directory) == before


def test_polishing_what_is_polished(polished: Solution, tmp_path: Path) -> None:
    again = polish_solution(polished, tmp_path / "again", jobs=2)
    assert_exact(again)
    assert again.value == pytest.approx(polished.value, abs=1e-13)
    assert again.options["polished_from"] != polished.options["polished_from"]


def test_kept_snapshots(two: Solution, tmp_path: Path) -> None:
    exact = polish_solution(two, tmp_path / "exact", jobs=1, keep=[Score(1, 1), Score(0, 1)])
    assert_exact(exact)
    for score in all_scores(2):
        last = two.results[score].iteration
        assert len(two.iterations(score)) > 1
        if score not in (Score(1, 1), Score(0, 1)):
            assert exact.iterations(score) == [last]
            continue
        assert exact.iterations(score) == two.iterations(score)
        for iteration in two.iterations(score)[:-1]:
            copy, original = exact.snapshot(score, iteration), two.snapshot(score, iteration)
            np.testing.assert_array_equal(copy.strategy_sums, original.strategy_sums)
            np.testing.assert_array_equal(copy.regrets, original.regrets)
            assert copy.exploitability == original.exploitability
    without = polish_solution(two, tmp_path / "without", jobs=1)
    for score in all_scores(2):
        name = f"{subgame_name(score)}/{snapshot_name(two.results[score].iteration)}"
        assert (exact.directory / name).read_bytes() == (without.directory / name).read_bytes()


# --- what it does not depend on ----------------------------------------------------------------------------------


def test_more_jobs(three: Solution, polished: Solution, tmp_path: Path) -> None:
    watching = Watching()
    polish_solution(three, tmp_path / "exact", jobs=3, observer=watching)
    assert contents(tmp_path / "exact") == contents(polished.directory)
    assert sorted(watching.started) == sorted(pairs_in_solve_order(3))
    assert sorted(pair for pair, _, _ in watching.finished) == sorted(watching.started)
    assert [numbers for _, *numbers in watching.finished] == [[number, 6] for number in range(1, 7)]
    assert watching.threads == {threading.current_thread()}


def test_stopping_after_every_pair_and_going_on(three: Solution, polished: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    done: list[Pair] = []
    for attempt in range(7):
        watching = Watching(stop_after=1)
        try:
            polish_solution(three, output, jobs=1 + attempt % 3, observer=watching, stop=watching.stop)
            done += [pair for pair, _, _ in watching.finished]
            break
        except Interrupted:
            pass
        done += [pair for pair, _, _ in watching.finished]
        partial = load_solution(output)
        assert sorted(partial.results) == sorted(score for pair in done for score in pair)
        for score, result in partial.results.items():
            assert result == polished.results[score]
            np.testing.assert_array_equal(partial.average_strategy[score], polished.average_strategy[score])
        judged = best_response_over_match(partial.tree, partial.average_strategy, 3).scores
        assert set(judged) == set(partial.results)
        assert max(response.exploitability for response in judged.values()) < 1e-12
        assert not list(output.rglob(".*"))
    assert len(done) == len(set(done)) == 6, "nothing was solved twice"
    assert contents(output) == contents(polished.directory)


def test_stopped_before_anything_was_done(two: Solution, tmp_path: Path) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Interrupted):
        polish_solution(two, tmp_path / "exact", jobs=2, stop=stop)
    assert load_solution(tmp_path / "exact").missing_scores == all_scores(2)


def test_a_finished_run_is_not_run_again(three: Solution, polished: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(polished.directory)
    monkeypatch.setattr(equilibrium, "solve_program", never)
    watching = Watching()
    again = polish_solution(three, polished.directory, jobs=1, observer=watching)
    assert again.results == polished.results
    assert (watching.started, watching.finished) == ([], [])
    assert contents(polished.directory) == before


def test_what_is_missing_is_made_again(three: Solution, polished: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    shutil.copytree(polished.directory, output)
    for path in (output / "subgame_2_1").iterdir():
        path.unlink()
    (output / "subgame_1_1" / ".smbc-tictactoe-12345-0123456789abcdef.tmp").write_bytes(b"half a snapsh")
    (output / ".smbc-tictactoe-12345-0123456789abcdef.tmp").write_bytes(b"half a rec")
    watching = Watching()
    polish_solution(three, output, jobs=1, observer=watching)
    assert watching.started == [pair_of(Score(2, 1))]
    assert contents(output) == contents(polished.directory)


def test_what_was_made_from_other_values_is_made_again(three: Solution, polished: Solution, tmp_path: Path) -> None:
    """A result counts only while it was computed from the values that the later scores have; leftovers go."""
    output = tmp_path / "exact"
    shutil.copytree(polished.directory, output)
    score = Score(1, 1)
    result = polished.results[score]
    following = {other: value + 1e-9 for other, value in result.following.items()}
    results = {**polished.results, score: replace(result, following=following)}
    write_record(Solution(output, 3, polished.options, polished.end_rule, polished.tree_fingerprint, results))
    shutil.copyfile(output / "subgame_1_1" / snapshot_name(result.iteration), output / "subgame_1_1" / snapshot_name(7))
    watching = Watching()
    polish_solution(three, output, jobs=1, observer=watching)
    assert watching.started == [pair_of(score)]
    assert contents(output) == contents(polished.directory)


def killed_at(event: int, source: Solution, output: Path) -> bool:
    """Polish in a copy of this process that is killed before its `event`th use of the output. Whether it was."""
    child = os.fork()
    if child == 0:
        seen = 0

        def watch(what: str, details: tuple[object, ...]) -> None:
            nonlocal seen
            if what in WATCHED and str(output) in str(details):
                seen += 1
                if seen > event:
                    os.kill(os.getpid(), signal.SIGKILL)

        try:
            signal.alarm(60)  # a copy that hangs dies, too, and fails to leave the same files
            sys.addaudithook(watch)
            polish_solution(source, output, jobs=1)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def test_killed_before_a_use_of_the_directory(two: Solution, tmp_path: Path) -> None:
    expected = tmp_path / "expected"
    polish_solution(two, expected, jobs=1)
    num_killed = 0
    for event in range(0, 1000, 7):
        output = tmp_path / f"killed_{event}"
        if not killed_at(event, two, output):
            break
        num_killed += 1
        if (output / SOLUTION_FILE).exists():
            left = load_solution(output)
            for score in left.results:
                assert left.average_strategy[score].shape == (two.tree.num_nodes, 3)
        polish_solution(two, output, jobs=1)
        assert contents(output) == contents(expected), f"killed before use {event}"
    assert num_killed > 3


def test_killed_again_and_again(two: Solution, tmp_path: Path) -> None:
    """Every run gets a bit further than the one before."""
    output = tmp_path / "exact"
    polish_solution(two, tmp_path / "expected", jobs=1)
    for event in range(12, 200, 12):
        if not killed_at(event, two, output):
            break
    else:
        raise AssertionError("it never comes to an end")
    polish_solution(two, output, jobs=1)
    assert contents(output) == contents(tmp_path / "expected")


# --- what it refuses ---------------------------------------------------------------------------------------------


@pytest.fixture
def mine(two: Solution, tmp_path: Path) -> Solution:
    """A copy of the match to 2 that a test may change."""
    shutil.copytree(two.directory, tmp_path / "mine")
    return load_solution(tmp_path / "mine")


def refused(source: Solution, output: Path, kind: type[Exception] = StoreError, **options: Any) -> str:
    """The one line of the error; the output is as it was."""
    before = contents(output) if output.is_dir() else None
    with pytest.raises(kind) as caught:
        polish_solution(source, output, jobs=1, **options)
    assert "\n" not in str(caught.value)
    assert (contents(output) if output.is_dir() else None) == before
    return str(caught.value)


def test_another_source(two: Solution, mine: Solution, three: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    polish_solution(two, output, jobs=1)
    expected = contents(output)
    write_record(Solution(mine.directory, 2, {**mine.options, "check_exploitability_every": 7}, mine.end_rule,
                          mine.tree_fingerprint, mine.results))  # fmt: skip
    for other in (load_solution(mine.directory), three):
        line = refused(other, output)
        assert "polished_from" in line
        assert "--restart" in line
    assert_exact(polish_solution(load_solution(mine.directory), output, jobs=1, restart=True))
    assert_exact(polish_solution(three, output, jobs=1, restart=True))
    (output / "checkpoint_0_0.msgpack").write_bytes(b"of a run that was stopped")
    polish_solution(two, output, jobs=1, restart=True)
    assert contents(output) == expected, "nothing of the longer match is left"


@pytest.mark.parametrize("absent", [(1, 1), (0, 1), (0, 0)])
def test_a_match_that_is_not_solved(absent: tuple[int, int], mine: Solution, tmp_path: Path) -> None:
    results = {score: result for score, result in mine.results.items() if score != absent}
    partial = Solution(mine.directory, 2, mine.options, mine.end_rule, mine.tree_fingerprint, results)
    line = refused(partial, tmp_path / "exact")
    assert str(Score(*absent)) in line
    assert not (tmp_path / "exact").exists()


def test_a_directory_that_holds_another_solution(two: Solution, mine: Solution, tmp_path: Path) -> None:
    assert "not polished" in refused(two, mine.directory)
    assert_exact(polish_solution(two, mine.directory, jobs=1, restart=True))
    assert contents(mine.directory) == contents(polish_solution(two, tmp_path / "new", jobs=1).directory)


def test_a_directory_that_holds_something_else(two: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    output.mkdir()
    (output / "thesis.txt").write_text("mine")
    for restart in (False, True):
        assert "not empty" in refused(two, output, restart=restart)


def test_a_directory_that_holds_parts_of_a_solution(two: Solution, mine: Solution) -> None:
    (mine.directory / SOLUTION_FILE).unlink()
    assert "--restart" in refused(two, mine.directory)
    assert_exact(polish_solution(two, mine.directory, jobs=1, restart=True))


def test_the_same_directory(mine: Solution, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(mine.directory)
    for output in (mine.directory, tmp_path / "link", tmp_path / "link" / ".." / "mine"):
        for restart in (False, True):
            assert "output" in refused(mine, output, restart=restart)


def test_its_source_may_lie_within(two: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    shutil.copytree(two.directory, output / UNPOLISHED)
    source = load_solution(output / UNPOLISHED)
    before = contents(output / UNPOLISHED)
    assert_exact(polish_solution(source, output, jobs=1))
    assert_exact(polish_solution(source, output, jobs=1, restart=True))
    assert contents(output / UNPOLISHED) == before


def test_a_directory_in_use(two: Solution, tmp_path: Path) -> None:
    lock = DirectoryLock()
    lock.acquire(tmp_path / "exact")
    try:
        assert "another run" in refused(two, tmp_path / "exact")
    finally:
        lock.release()
    polish_solution(two, tmp_path / "exact", jobs=1)
    lock.acquire(tmp_path / "exact")  # and is free again
    lock.release()


def test_an_output_that_is_a_file(two: Solution, tmp_path: Path) -> None:
    (tmp_path / "exact").write_text("mine")
    assert "exact" in refused(two, tmp_path / "exact")
    assert (tmp_path / "exact").read_text() == "mine"


def test_a_damaged_snapshot(mine: Solution, two: Solution, tmp_path: Path) -> None:
    """What comes before it is solved and kept; with a sound copy the run goes on."""
    path = mine.directory / "subgame_0_0" / snapshot_name(mine.results[Score(0, 0)].iteration)
    sound = path.read_bytes()
    path.write_bytes(sound[:-100])
    output = tmp_path / "exact"
    with pytest.raises(FormatError) as caught:
        polish_solution(mine, output, jobs=2)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert load_solution(output).missing_scores == [Score(0, 0)]
    path.write_bytes(sound)
    polish_solution(mine, output, jobs=2)
    assert contents(output) == contents(polish_solution(two, tmp_path / "expected", jobs=1).directory)


def test_a_damaged_record_of_the_output(two: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    polish_solution(two, output, jobs=1)
    record = (output / SOLUTION_FILE).read_bytes()
    (output / SOLUTION_FILE).write_bytes(record[:-1])
    assert SOLUTION_FILE in refused(two, output, FormatError)
    polish_solution(two, output, jobs=1, restart=True)
    assert (output / SOLUTION_FILE).read_bytes() == record


def test_without_the_solver(two: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert "pip install" in refused(two, tmp_path / "exact", MissingSolverError)
    assert not (tmp_path / "exact").exists()


def test_programs_that_fail(two: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs that were done stay, and the lock does not."""
    output = tmp_path / "exact"
    watching = Watching()
    real_solver = polish.PairPolisher

    def failing(levels: Levels, pair: Pair, *rest: Any) -> newton.PairPolisher:
        if pair == pair_of(Score(1, 0)):
            raise ProgramError("the linear program was not solved: Unknown")
        return real_solver(levels, pair, *rest)

    monkeypatch.setattr(polish, "PairPolisher", failing)
    with pytest.raises(ProgramError, match="Unknown"):
        polish_solution(two, output, jobs=1, observer=watching)
    assert set(load_solution(output).results) == {Score(1, 1)}
    monkeypatch.undo()
    polish_solution(two, output, jobs=1)
    assert contents(output) == contents(polish_solution(two, tmp_path / "expected", jobs=1).directory)


@pytest.mark.parametrize("jobs", [0, -1])
def test_jobs_that_there_cannot_be(jobs: int, two: Solution, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"^jobs: {jobs} "):
        polish_solution(two, tmp_path / "exact", jobs=jobs)
    assert contents(tmp_path) == {}


def test_it_cannot_be_solved_further(polished: Solution, tmp_path: Path) -> None:
    shutil.copytree(polished.directory, tmp_path / "exact")
    before = contents(tmp_path / "exact")
    options = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-3, rule=update_rule("pdcfr+"))
    with pytest.raises(StoreError, match="another configuration"):
        SolutionStore(tmp_path / "exact", polished.tree, options)
    assert contents(tmp_path / "exact") == before
    assert not [path for path in (tmp_path / "exact").rglob("*") if is_temporary(path)]
