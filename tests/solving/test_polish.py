"""Making a solved match exact: what is written, how exact it is, stopping, being killed and going on."""

from __future__ import annotations

import hashlib
import math
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from oracle.lifting import game_tree
from oracle.matches import SHORT_RULE, adversary_values, never, short_rounds, solve
from support.killing import killed_at, killed_everywhere
from support.programs import contents

from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.algorithms.exact import double_oracle as equilibrium
from tictactoe.errors import FormatError, Interrupted, MissingSolverError, ProgramError, StoreError
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match import pair_exact as newton
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.match.options import MatchOptions
from tictactoe.match.pair_exact import PairEquilibrium
from tictactoe.match.scores import Pair, Score, all_scores, following_scores, outcome_values, pair_of
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving import polish_work
from tictactoe.solving.match_run import solve_match
from tictactoe.solving.polish import polish_solution
from tictactoe.solving.polish_work import PROBABILITY_BITS
from tictactoe.storage.directory_layout import SOLUTION_FILE, UNPOLISHED, snapshot_name
from tictactoe.storage.lock import DirectoryLock
from tictactoe.storage.solution import Solution, load_solution, write_record

RESTART: RunControl[Any] = RunControl(existing=Existing.RESTART)


@pytest.fixture(scope="module", autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 2 of short rounds; to be copied, not changed."""
    return solve(GameTree.build(SHORT_RULE), tmp_path_factory.mktemp("two") / "source", 2, 1e-3)


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 3 of short rounds; to be copied, not changed."""
    return solve(GameTree.build(SHORT_RULE), tmp_path_factory.mktemp("three") / "source", 3, 1e-3)


@pytest.fixture(scope="module")
def exact_two(two: Solution) -> Solution:
    """What an undisturbed run makes of the match to 2."""
    return polish_solution(two, two.directory.parent / "exact")


@pytest.fixture(scope="module")
def polished(three: Solution) -> Solution:
    """What an undisturbed run makes of the match to 3."""
    return polish_solution(three, three.directory.parent / "exact")


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> tuple[Solution, Solution]:
    """A match to 1 of real rounds, quickly solved and exact."""
    directory = tmp_path_factory.mktemp("one")
    source = solve(game_tree(), directory / "source", 1, 1e-4)
    return source, polish_solution(source, directory / "exact", control=RunControl(workers=2))


@pytest.fixture(params=["real rounds", "short rounds"])
def either(request: pytest.FixtureRequest) -> tuple[Solution, Solution]:
    """A match and what it was made into: to 1 of real rounds, and to 3 of short ones."""
    if request.param == "real rounds":
        return cast("tuple[Solution, Solution]", request.getfixturevalue("one"))
    return request.getfixturevalue("three"), request.getfixturevalue("polished")


class Watching:
    """An observer that remembers, and that stops the run after some pairs."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop = threading.Event()
        self.started: list[Pair] = []
        self.finished: list[tuple[Pair, int, int]] = []
        self.threads: set[threading.Thread] = set()
        self._stop_after = stop_after
        if stop_after == 0:
            self.stop.set()

    def pair_started(self, pair: Pair) -> None:
        self.threads.add(threading.current_thread())
        self.started.append(pair)

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self.threads.add(threading.current_thread())
        self.finished.append((result.pair, num_done, num_pairs))
        if len(self.finished) == self._stop_after:
            self.stop.set()


def assert_exact(solution: Solution) -> None:
    """Over the match, nobody can win more against it than its own values say."""
    again = load_solution(solution.directory)
    assert again.results == solution.results
    assert again.missing_scores == again.unconverged_scores == []
    response = best_response_over_match(again.tree, again.average_strategy, again.winning_score)
    for score, judged in response.scores.items():
        assert judged.exploitability < 1e-12
        assert (judged.minimum, judged.maximum) == pytest.approx([again.value[score]] * 2, abs=1e-12)
        assert again.exploitability[score] < 1e-12


def test_a_match_of_real_rounds(one: tuple[Solution, Solution]) -> None:
    source, exact = one
    assert source.exploitability[Score(0, 0)] > 1e-5, "there was something to do"
    assert_exact(exact)
    assert exact.value[Score(0, 0)] == pytest.approx(-1 / 13, abs=1e-14)
    strategy = load_solution(exact.directory).average_strategy[Score(0, 0)]
    assert list(adversary_values({Score(0, 0): strategy}, 1).values()) == pytest.approx([-1 / 13, 1 / 13], abs=1e-12)


def test_matches_of_short_rounds(polished: Solution, three: Solution, exact_two: Solution) -> None:
    assert max(three.exploitability.values()) > 1e-5
    assert_exact(polished)
    assert_exact(exact_two)
    for score, value in exact_two.value.items():  # only the points that are missing count
        assert polished.value[Score(score.first + 1, score.second + 1)] == pytest.approx(value, abs=1e-13)


def test_it_wins_no_less_from_random_play_than_its_source(either: tuple[Solution, Solution]) -> None:
    tree, points = either[0].tree, either[0].winning_score
    uniform = UniformStrategy(tree, points)
    before, after = (head_to_head(tree, solution.average_strategy, uniform, points) for solution in either)
    assert after.wins_as_first >= before.wins_as_first
    assert after.wins_as_second >= before.wins_as_second


def test_probabilities_are_dyadic(either: tuple[Solution, Solution]) -> None:
    """Every probability is a multiple of 2^-52, and they sum to 1 with nothing left over, as read and as stored."""
    solution = load_solution(either[1].directory)
    tree = solution.tree
    assert PROBABILITY_BITS == 52
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


def test_moves_that_nobody_can_meet_are_pure(one: tuple[Solution, Solution], polished: Solution) -> None:
    """Where a player's own strategy never gets, it makes one move: such files are small."""
    num_mixed = 0
    for solution in (one[1], polished):
        tree = solution.tree
        before = np.maximum(tree.parent, 0)
        for strategy in solution.average_strategy.values():
            pure = (strategy == 0.0) | (strategy == 1.0)
            for player in (0, 1):
                own, reach = (tree.mover == player)[:, None], tree.own_reach(strategy)[player][before]
                assert np.any(own & (reach == 0.0))
                assert np.all(pure[own & (reach == 0.0)])
                num_mixed += int(np.sum(own & ~pure))
    assert num_mixed > 0


def test_what_is_recorded(three: Solution, polished: Solution) -> None:
    solution = load_solution(polished.directory)
    assert (solution.winning_score, solution.rules) == (3, SHORT_RULE)
    assert solution.tree_fingerprint == three.tree_fingerprint
    record = (three.directory / SOLUTION_FILE).read_bytes()
    assert solution.options["polished_from"] == hashlib.sha256(record).hexdigest()
    assert {name: solution.options[name] for name in three.options} == three.options
    for score, result in solution.results.items():
        assert (result.converged, result.iteration) == (True, three.results[score].iteration)
        needed = following_scores(pair_of(score), 3)
        assert result.following == {other: solution.value[other] for other in needed}
        snapshot = solution.snapshot(score)
        assert (snapshot.value, snapshot.exploitability) == (result.value, result.exploitability)
        assert snapshot.outcome_values == outcome_values(score, solution.value, 3)
        assert solution.iterations(score) == [result.iteration]
        assert snapshot.options == solution.options
        np.testing.assert_array_equal(snapshot.average_strategy(solution.tree), snapshot.current_strategy)


def test_polishing_what_is_polished(polished: Solution, tmp_path: Path) -> None:
    again = polish_solution(polished, tmp_path / "again", control=RunControl(workers=2))
    assert_exact(again)
    assert again.value == pytest.approx(polished.value, abs=1e-13)
    assert again.options["polished_from"] != polished.options["polished_from"]


def test_kept_snapshots(two: Solution, exact_two: Solution, tmp_path: Path) -> None:
    kept, before = [Score(1, 1), Score(0, 1)], contents(two.directory)
    exact = polish_solution(two, tmp_path / "exact", keep=kept, control=RunControl(workers=2))
    assert contents(two.directory) == before
    for score in all_scores(2):
        *earlier, last = two.iterations(score)
        assert earlier
        assert exact.iterations(score) == [*(earlier if score in kept else []), last]
        for iteration in exact.iterations(score)[:-1]:
            copy, original = exact.snapshot(score, iteration), two.snapshot(score, iteration)
            np.testing.assert_array_equal(copy.strategy_sums, original.strategy_sums)
            np.testing.assert_array_equal(copy.regrets, original.regrets)
            assert copy.exploitability == original.exploitability
    found, expected = contents(exact.directory), contents(exact_two.directory)
    assert {path: found[path] for path in expected} == expected


def test_more_jobs(three: Solution, polished: Solution, tmp_path: Path) -> None:
    watching = Watching()
    polish_solution(three, tmp_path / "exact", control=RunControl(workers=3, reporter=watching))
    assert contents(tmp_path / "exact") == contents(polished.directory)
    assert sorted(watching.started) == sorted({pair_of(score) for score in all_scores(3)})
    assert sorted(pair for pair, _, _ in watching.finished) == sorted(watching.started)
    assert [numbers for _, *numbers in watching.finished] == [[number, 6] for number in range(1, 7)]
    assert watching.threads == {threading.current_thread()}


def test_stopping_at_once_and_after_every_pair(three: Solution, polished: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    done: list[Pair] = []
    for attempt in range(7):
        watching = Watching(stop_after=min(attempt, 1))
        with pytest.raises(Interrupted) if attempt == 0 else suppress(Interrupted):
            polish_solution(
                three, output, control=RunControl(workers=1 + attempt % 3, stop=watching.stop, reporter=watching)
            )
        done += [pair for pair, _, _ in watching.finished]
        left = load_solution(output)
        assert sorted(left.results) == sorted(score for pair in done for score in pair)
        for score, result in left.results.items():
            assert result == polished.results[score]
            np.testing.assert_array_equal(left.average_strategy[score], polished.average_strategy[score])
        judged = best_response_over_match(left.tree, left.average_strategy, 3).scores
        assert set(judged) == set(left.results)
        assert all(response.exploitability < 1e-12 for response in judged.values())
        assert not list(output.rglob(".*"))
    assert len(done) == len(set(done)) == 6, "nothing was solved twice"
    assert contents(output) == contents(polished.directory)


def test_a_finished_run_is_not_run_again(three: Solution, polished: Solution, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(polished.directory)
    monkeypatch.setattr(equilibrium, "solve_program", never)
    watching = Watching()
    again = polish_solution(three, polished.directory, control=RunControl(reporter=watching))
    assert again.results == polished.results
    assert (watching.started, watching.finished) == ([], [])
    assert contents(polished.directory) == before


@pytest.fixture
def output(polished: Solution, tmp_path: Path) -> Path:
    """A copy of the exact match to 3 that a test may change."""
    return shutil.copytree(polished.directory, tmp_path / "exact")


def test_what_is_missing_is_made_again(three: Solution, polished: Solution, output: Path) -> None:
    for path in (output / "subgame_2_1").iterdir():
        path.unlink()
    for directory in (output, output / "subgame_1_1"):
        (directory / ".smbc-tictactoe-12345-0123456789abcdef.tmp").write_bytes(b"half a fi")
    watching = Watching()
    polish_solution(three, output, control=RunControl(reporter=watching))
    assert watching.started == [pair_of(Score(2, 1))]
    assert contents(output) == contents(polished.directory)


def test_what_was_made_from_other_values_is_made_again(three: Solution, polished: Solution, output: Path) -> None:
    """A result counts only while it was computed from the values that the later scores have; leftovers go."""
    score = Score(1, 1)
    result = polished.results[score]
    following = {other: value + 1e-9 for other, value in result.following.items()}
    results = {**polished.results, score: replace(result, following=following)}
    write_record(replace(polished, directory=output, results=results))
    shutil.copyfile(output / "subgame_1_1" / snapshot_name(result.iteration), output / "subgame_1_1" / snapshot_name(7))
    watching = Watching()
    polish_solution(three, output, control=RunControl(reporter=watching))
    assert watching.started == [pair_of(score)]
    assert contents(output) == contents(polished.directory)


def test_killed_before_a_use_of_the_directory(two: Solution, exact_two: Solution, tmp_path: Path) -> None:
    for output in killed_everywhere(tmp_path, 7, partial(polish_solution, two)):
        if (output / SOLUTION_FILE).exists():
            left = load_solution(output)
            assert all(left.average_strategy[score].shape == (two.tree.num_nodes, 3) for score in left.results)
        polish_solution(two, output)
        assert contents(output) == contents(exact_two.directory), output.name


def test_killed_again_and_again(two: Solution, exact_two: Solution, tmp_path: Path) -> None:
    """Every run gets a bit further than the one before."""
    output, events = tmp_path / "exact", iter(range(12, 200, 12))
    while killed_at(next(events), output, partial(polish_solution, two, output)):
        assert not (output / SOLUTION_FILE).exists() or load_solution(output).winning_score == 2
    polish_solution(two, output)
    assert contents(output) == contents(exact_two.directory)


@pytest.fixture
def mine(two: Solution, tmp_path: Path) -> Solution:
    """A copy of the match to 2 that a test may change."""
    shutil.copytree(two.directory, tmp_path / "mine")
    return load_solution(tmp_path / "mine")


def refused(source: Solution, output: Path, kind: type[Exception] = StoreError, **options: Any) -> str:
    """The one line of the error; the output is as it was."""
    before = contents(output) if output.is_dir() else None
    with pytest.raises(kind) as caught:
        polish_solution(source, output, **options)
    assert "\n" not in str(caught.value)
    assert (contents(output) if output.is_dir() else None) == before
    return str(caught.value)


def test_another_source(two: Solution, exact_two: Solution, mine: Solution, three: Solution, tmp_path: Path) -> None:
    output = shutil.copytree(exact_two.directory, tmp_path / "exact")
    write_record(replace(mine, options={**mine.options, "check_exploitability_every": 7}))
    for other in (load_solution(mine.directory), three):
        line = refused(other, output)
        assert "it was made from another solution" in line
        assert "--restart" in line
    assert_exact(polish_solution(load_solution(mine.directory), output, control=RESTART))
    assert_exact(polish_solution(three, output, control=RESTART))
    (output / "checkpoint_0_0.msgpack").write_bytes(b"of a run that was stopped")
    polish_solution(two, output, control=RESTART)
    assert contents(output) == contents(exact_two.directory), "nothing of the longer match is left"


def test_refused_before_anything_is_written(mine: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A match of which a score is missing, and a machine without the solver."""
    output = tmp_path / "exact"
    for absent in all_scores(2):
        results = {score: result for score, result in mine.results.items() if score != absent}
        assert str(absent) in refused(replace(mine, results=results), output)
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert "pip install" in refused(mine, output, MissingSolverError)
    assert not output.exists()


def test_outputs_that_hold_something_else(two: Solution, exact_two: Solution, mine: Solution, tmp_path: Path) -> None:
    """They are not touched; with `restart` what a solver has left is thrown away, and nothing else is."""
    parts, thesis, file = tmp_path / "parts", tmp_path / "thesis", tmp_path / "file"
    shutil.copytree(mine.directory, parts)
    (parts / SOLUTION_FILE).unlink()
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("mine")
    file.write_text("mine")
    other = "choose another output directory"
    for output, message, may_go in (
        (mine.directory, f"holds a solution that is not polished; {other}, or use --restart", True),
        (parts, "holds parts of a solution without its record; use --restart to throw them away", True),
        (thesis, f"not empty, and not a solution; {other}", False),
        (file, f"a file, not a directory; {other}", False),
    ):
        assert refused(two, output) == f"{output}: {message}"
        if may_go:
            assert contents(polish_solution(two, output, control=RESTART).directory) == contents(exact_two.directory)
        else:
            assert refused(two, output, control=RESTART) == f"{output}: {message}"
    assert file.read_text() == "mine"


def test_the_same_directory(mine: Solution, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(mine.directory)
    for output in (mine.directory, tmp_path / "link", tmp_path / "link" / ".." / "mine"):
        message = f"{output}: is the solution that is to be polished; choose another output directory"
        assert refused(mine, output) == refused(mine, output, control=RESTART) == message


def test_its_source_may_lie_within(two: Solution, tmp_path: Path) -> None:
    output = tmp_path / "exact"
    shutil.copytree(two.directory, output / UNPOLISHED)
    for restart in (False, True):
        assert_exact(
            polish_solution(load_solution(output / UNPOLISHED), output, control=RESTART if restart else RunControl())
        )
    assert contents(output / UNPOLISHED) == contents(two.directory)


def test_a_directory_in_use(two: Solution, tmp_path: Path) -> None:
    lock, output = DirectoryLock(), tmp_path / "exact"
    lock.acquire(output)
    assert "another run" in refused(two, output)
    lock.release()
    polish_solution(two, output)
    lock.acquire(output)  # and is free again
    lock.release()


def test_a_damaged_snapshot(mine: Solution, exact_two: Solution, tmp_path: Path) -> None:
    """What comes before it is solved and kept; with a sound copy the run goes on."""
    path = mine.directory / "subgame_0_0" / snapshot_name(mine.results[Score(0, 0)].iteration)
    sound = path.read_bytes()
    path.write_bytes(sound[:-100])
    output = tmp_path / "exact"
    with pytest.raises(FormatError, match=rf"^[^\n]*{path}[^\n]*$"):
        polish_solution(mine, output, control=RunControl(workers=2))
    assert load_solution(output).missing_scores == [Score(0, 0)]
    path.write_bytes(sound)
    polish_solution(mine, output, control=RunControl(workers=2))
    assert contents(output) == contents(exact_two.directory)


def test_a_damaged_record_of_the_output(two: Solution, exact_two: Solution, tmp_path: Path) -> None:
    output = shutil.copytree(exact_two.directory, tmp_path / "exact")
    (output / SOLUTION_FILE).write_bytes((output / SOLUTION_FILE).read_bytes()[:-1])
    assert SOLUTION_FILE in refused(two, output, FormatError)
    polish_solution(two, output, control=RESTART)
    assert contents(output) == contents(exact_two.directory)


def test_programs_that_fail(
    two: Solution, exact_two: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pairs that were done stay, and the lock does not."""
    output = tmp_path / "exact"
    real_solver = polish_work.PairPolisher

    def failing(tree: GameTree, pair: Pair, *rest: Any) -> newton.PairPolisher:
        if pair == pair_of(Score(1, 0)):
            raise ProgramError("the linear program was not solved: Unknown")
        return real_solver(tree, pair, *rest)

    monkeypatch.setattr(polish_work, "PairPolisher", failing)
    with pytest.raises(ProgramError, match="Unknown"):
        polish_solution(two, output)
    assert set(load_solution(output).results) == {Score(1, 1)}
    monkeypatch.undo()
    polish_solution(two, output)
    assert contents(output) == contents(exact_two.directory)


def test_it_cannot_be_solved_further(polished: Solution, output: Path) -> None:
    options = MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-3, rule=update_rule("pdcfr+"))
    with pytest.raises(StoreError, match="it is exact already"):
        solve_match(output, polished.tree, options)
    assert contents(output) == contents(polished.directory)
