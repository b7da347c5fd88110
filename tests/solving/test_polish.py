"""Making a solved match exact: the files, their exactness, and refusals."""

import hashlib
import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from oracle.lifting import game_tree
from oracle.matches import SHORT_RULE, adversary_values, never, solve
from oracle.refined import break_of_bayes, costs_of, weights_of
from support.programs import contents

from tictactoe import Existing, GameTree, MatchOptions, RunControl, best_response_over_match, solve_match
from tictactoe.algorithms import punishing_double_oracle as equilibrium
from tictactoe.errors import FormatError, MissingSolverError, ProgramError, StoreError
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.match import pair_exact as newton
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.match.scores import Pair, Score, all_scores, following_scores, outcome_values, pair_of
from tictactoe.solving import polish
from tictactoe.solving.polish import PROBABILITY_BITS, polish_solution, prepare_polish_output
from tictactoe.storage.directory_layout import SOLUTION_FILE, UNPOLISHED, snapshot_name
from tictactoe.storage.locked_directory import DirectoryLock
from tictactoe.storage.population import Met, constant_strategy
from tictactoe.storage.solution import RecordWriter, Solution, load_solution

RESTART: RunControl[Any] = RunControl(existing=Existing.RESTART)


def made(name: str, winning_score: int) -> tuple[Any, Any]:
    """A fixture: a match of short rounds, to be copied, not changed; and what an undisturbed run makes of it."""

    @pytest.fixture(scope="module", name=name)
    def source(tmp_path_factory: pytest.TempPathFactory) -> Solution:
        return solve(GameTree.build(SHORT_RULE), tmp_path_factory.mktemp(name) / "source", winning_score, 1e-3)

    @pytest.fixture(scope="module", name=f"exact_{name}")
    def exact(request: pytest.FixtureRequest) -> Solution:
        solution: Solution = request.getfixturevalue(name)
        return polish_solution(solution, solution.directory.parent / "exact")

    return source, exact


_two, _exact_two = made("two", 2)
_three, _exact_three = made("three", 3)


def pairs_begun(reporter: Mock) -> list[Pair]:
    return [call.args[0] for call in reporter.pair_started.call_args_list]


def assert_exact(solution: Solution) -> None:
    again = load_solution(solution.directory)
    assert again.results == solution.results
    assert again.missing_scores == again.unconverged_scores == []
    response = best_response_over_match(again.tree, again.average_strategy, again.winning_score)
    for score, judged in response.scores.items():
        assert max(judged.exploitability, again.exploitability[score]) < 1e-12
        assert (judged.minimum, judged.maximum) == pytest.approx([again.value[score]] * 2, abs=1e-12)


def assert_refined(solution: Solution) -> None:
    """Every move that is played is a best one, by beliefs that follow Bayes' rule, but for 0.01 points."""
    saved = load_solution(solution.directory)
    for score in all_scores(saved.winning_score):
        game = tic_tac_toe_round(saved.tree, saved.outcome_values(score))
        strategy, beliefs = saved.average_strategy[score], saved.snapshot(score).beliefs
        assert beliefs is not None
        weights = weights_of(game, strategy, beliefs)
        assert break_of_bayes(game, strategy, weights) < 1e-9
        assert 50.0 * costs_of(game, strategy, weights).max() < 1e-4


def assert_strategies_are_exact_and_small(source: Solution, exact: Solution) -> None:
    """Probabilities are multiples of 2^-52 with a sum of 1; there is one move where one's own strategy never gets."""
    assert PROBABILITY_BITS == 52
    num_mixed, tree, points = 0, source.tree, source.winning_score
    uniform = UniformStrategy(tree, points)
    before, after = (head_to_head(tree, one.average_strategy, uniform, points) for one in (source, exact))
    assert after.wins_as_first >= before.wins_as_first
    assert after.wins_as_second >= before.wins_as_second
    starts, parents = tree.first_child[tree.decision_nodes] - 1, np.maximum(tree.parent, 0)
    solution = load_solution(exact.directory)
    for score in all_scores(points):
        snapshot, average = solution.snapshot(score), solution.average_strategy[score]
        for strategy in (average, snapshot.strategy_sums, snapshot.current_strategy):
            scaled = np.ldexp(strategy[1:], 52)
            numbers = scaled.astype(np.int64)
            assert np.all(numbers == scaled)
            assert numbers.min() >= 0
            assert np.all(np.add.reduceat(numbers, starts, axis=0) == 2**52)
        pure = (average == 0.0) | (average == 1.0)
        for player in (0, 1):
            own, reach = (tree.mover == player)[:, None], tree.own_reach(average)[player][parents]
            assert np.any(own & (reach == 0.0))
            assert np.all(pure[own & (reach == 0.0)])
            num_mixed += int(np.sum(own & ~pure))
    assert num_mixed > 0


@pytest.mark.slow
def test_a_match_of_real_rounds(tmp_path: Path) -> None:
    source = solve(game_tree(), tmp_path / "source", 1, 1e-4)
    exact = polish_solution(source, tmp_path / "exact", refined=False, control=RunControl(workers=2))
    assert source.exploitability[Score(0, 0)] > 1e-5, "there was something to do"
    assert_exact(exact)
    assert_strategies_are_exact_and_small(source, exact)
    assert exact.value[Score(0, 0)] == pytest.approx(-1 / 13, abs=1e-14)
    strategy = load_solution(exact.directory).average_strategy[Score(0, 0)]
    assert list(adversary_values({Score(0, 0): strategy}, 1).values()) == pytest.approx([-1 / 13, 1 / 13], abs=1e-12)


def test_an_exact_match_wins_more_from_those_whom_it_was_chosen_against(two: Solution, tmp_path: Path) -> None:
    """Unrefined, each wins at least as much from its own opponent as the other one does, from one of them more."""
    tree, players = two.tree, {name: constant_strategy(name, two.tree) for name in ("naive-a", "uniform")}
    theirs = {name: dict.fromkeys(all_scores(2), strategy) for name, strategy in players.items()}
    wins = {}
    for name in players:
        given = [Met(name, 1.0, theirs[name])] if name == "uniform" else [Met(name, 1.0)]
        exact = polish_solution(two, tmp_path / name, refined=False, against=given)
        assert exact.options["polished_against"] == f"{name}:1"
        assert_exact(exact)
        wins |= {(name, met): head_to_head(tree, exact.average_strategy, theirs[met], 2).wins for met in players}
    gains = [wins[name, name] - wins[other, name] for name, other in (("naive-a", "uniform"), ("uniform", "naive-a"))]
    assert min(gains) > -1e-3
    assert max(gains) > 1e-3


@pytest.mark.slow
def test_a_refined_match_of_real_rounds(tmp_path: Path) -> None:
    source = load_solution("match_to_1")
    refined = polish_solution(source, tmp_path / "refined", control=RunControl(workers=2))
    assert_exact(refined)
    assert_refined(refined)


def test_matches_of_short_rounds(exact_three: Solution, three: Solution, exact_two: Solution) -> None:
    assert max(three.exploitability.values()) > 1e-5
    for exact in (exact_three, exact_two):
        assert_exact(exact)
        assert_refined(exact)
    plain = polish_solution(three, three.directory.parent / "plain", refined=False)
    assert_exact(plain)
    assert_strategies_are_exact_and_small(three, plain)
    assert plain.snapshot(Score(0, 0)).beliefs is None
    for score, value in exact_two.value.items():  # only the points that are missing count
        assert exact_three.value[Score(score.first + 1, score.second + 1)] == pytest.approx(value, abs=1e-13)
    solution = load_solution(exact_three.directory)
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


def test_polishing_what_is_polished(exact_three: Solution, tmp_path: Path) -> None:
    again = polish_solution(exact_three, tmp_path / "again", control=RunControl(workers=2))
    assert_exact(again)
    assert again.value == pytest.approx(exact_three.value, abs=1e-13)
    assert again.options["polished_from"] != exact_three.options["polished_from"]
    before = contents(exact_three.directory)
    with pytest.raises(StoreError, match="it is exact already"):
        solve_match(exact_three.directory, exact_three.tree, MatchOptions(winning_score=3))
    assert contents(exact_three.directory) == before


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


def test_more_workers(three: Solution, exact_three: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watching, again, threads = Mock(), Mock(), set[threading.Thread]()
    for told in (watching.pair_started, watching.pair_finished):
        told.side_effect = lambda *_: threads.add(threading.current_thread())
    polish_solution(three, tmp_path / "exact", control=RunControl(workers=3, reporter=watching))
    assert contents(tmp_path / "exact") == contents(exact_three.directory)
    finished = [call.args for call in watching.pair_finished.call_args_list]
    assert sorted(pairs_begun(watching)) == sorted({pair_of(score) for score in all_scores(3)})
    assert sorted(result.pair for result, _, _ in finished) == sorted(pairs_begun(watching))
    assert [numbers for _, *numbers in finished] == [[number, 6] for number in range(1, 7)]
    assert threads == {threading.main_thread()}
    monkeypatch.setattr(equilibrium, "solve_program", never)
    assert polish_solution(three, tmp_path / "exact", control=RunControl(reporter=again)).results == exact_three.results
    assert again.mock_calls == []
    assert contents(tmp_path / "exact") == contents(exact_three.directory)


def test_what_is_missing_or_outdated_is_made_again(three: Solution, exact_three: Solution, tmp_path: Path) -> None:
    """A result counts only while it was computed from the values that the later scores have; leftovers go."""
    output = shutil.copytree(exact_three.directory, tmp_path / "exact")

    def assert_made_again(score: Score) -> None:
        watching = Mock()
        polish_solution(three, output, control=RunControl(reporter=watching))
        assert pairs_begun(watching) == [pair_of(score)]
        assert contents(output) == contents(exact_three.directory)

    for path in (output / "subgame_2_1").iterdir():
        path.unlink()
    assert_made_again(Score(2, 1))
    result = exact_three.results[Score(1, 1)]
    following = {other: value + 1e-9 for other, value in result.following.items()}
    results = {**exact_three.results, Score(1, 1): replace(result, following=following)}
    RecordWriter().write(replace(exact_three, directory=output, results=results))
    shutil.copyfile(output / "subgame_1_1" / snapshot_name(result.iteration), output / "subgame_1_1" / snapshot_name(7))
    assert_made_again(Score(1, 1))


@pytest.fixture(name="mine")
def _mine(two: Solution, tmp_path: Path) -> Solution:
    shutil.copytree(two.directory, tmp_path / "mine")
    return load_solution(tmp_path / "mine")


def refused(source: Solution, output: Path, error: type[Exception] = StoreError, **options: Any) -> str:
    before = contents(output) if output.is_dir() else None
    with pytest.raises(error) as caught:
        polish_solution(source, output, **options)
    assert "\n" not in str(caught.value)
    assert (contents(output) if output.is_dir() else None) == before
    return str(caught.value)


def test_another_source(two: Solution, exact_two: Solution, mine: Solution, three: Solution, tmp_path: Path) -> None:
    output = shutil.copytree(exact_two.directory, tmp_path / "exact")
    RecordWriter().write(replace(mine, options={**mine.options, "check_exploitability_every": 7}))
    for other in (load_solution(mine.directory), three):
        line = refused(other, output)
        assert "it was made from another solution" in line
        assert line.endswith("or restart to replace what is there")
    assert_exact(polish_solution(load_solution(mine.directory), output, control=RESTART))
    assert_exact(polish_solution(three, output, control=RESTART))
    (output / "checkpoint_0_0.msgpack").write_bytes(b"of a run that was stopped")
    polish_solution(two, output, control=RESTART)
    assert contents(output) == contents(exact_two.directory), "nothing of the longer match is left"


def test_refused_before_anything_is_written(mine: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    output = tmp_path / "exact"
    for absent in all_scores(2):
        results = {score: result for score, result in mine.results.items() if score != absent}
        assert str(absent) in refused(replace(mine, results=results), output)
    monkeypatch.setitem(sys.modules, "highspy", None)
    assert "pip install" in refused(mine, output, MissingSolverError)
    assert not output.exists()


def test_outputs_that_hold_something_else(two: Solution, exact_two: Solution, mine: Solution, tmp_path: Path) -> None:
    parts, thesis, file, broken = (tmp_path / name for name in ("parts", "thesis", "file", "broken"))
    shutil.copytree(mine.directory, parts)
    (parts / SOLUTION_FILE).unlink()
    thesis.mkdir()
    (thesis / "chapter.txt").write_text("mine")
    file.write_text("mine")
    shutil.copytree(exact_two.directory, broken)
    (broken / SOLUTION_FILE).write_bytes((broken / SOLUTION_FILE).read_bytes()[:-1])
    assert SOLUTION_FILE in refused(two, broken, FormatError)
    assert contents(polish_solution(two, broken, control=RESTART).directory) == contents(exact_two.directory)
    (tmp_path / "link").symlink_to(mine.directory)
    for output in (mine.directory, tmp_path / "link", tmp_path / "link" / ".." / "mine"):
        message = f"{output}: this is the solution to be polished; choose another output directory"
        assert refused(mine, output) == refused(mine, output, control=RESTART) == message
    other = "choose another output directory"
    replace_it = f"{other}, or restart to replace what is there"
    for output, message, may_go in (
        (mine.directory, f"already contains a solution that is not polished; {replace_it}", True),
        (parts, "it has parts of a solution without its record; restart to discard them", True),
        (thesis, f"not empty, and not a solution; {other}", False),
        (file, f"a file, not a directory; {other}", False),
    ):
        assert refused(two, output) == f"{output}: {message}"
        if may_go:
            assert contents(polish_solution(two, output, control=RESTART).directory) == contents(exact_two.directory)
        else:
            assert refused(two, output, control=RESTART) == f"{output}: {message}"
    assert file.read_text() == "mine"


def test_its_source_may_lie_within(two: Solution, tmp_path: Path) -> None:
    output, lock = tmp_path / "exact", DirectoryLock()
    shutil.copytree(two.directory, output / UNPOLISHED)
    for control in (RunControl[Any](), RESTART):
        lock.acquire(output)
        assert "another run" in refused(load_solution(output / UNPOLISHED), output, control=control)
        lock.release()
        assert_exact(polish_solution(load_solution(output / UNPOLISHED), output, control=control))
    lock.acquire(output)
    with pytest.raises(StoreError, match="another run"):
        prepare_polish_output(output, Existing.RESTART)
    lock.release()
    assert contents(output / UNPOLISHED) == contents(two.directory)


def test_failing_midway(mine: Solution, exact_two: Solution, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = mine.directory / "subgame_0_0" / snapshot_name(mine.results[Score(0, 0)].iteration)
    sound, real_solver = path.read_bytes(), polish.PairPolisher
    path.write_bytes(sound[:-100])
    with pytest.raises(FormatError, match=rf"^[^\n]*{path}[^\n]*$"):
        polish_solution(mine, tmp_path / "exact", control=RunControl(workers=2))
    assert load_solution(tmp_path / "exact").missing_scores == [Score(0, 0)]
    path.write_bytes(sound)

    def failing(tree: GameTree, pair: Pair, *rest: Any) -> newton.PairPolisher:
        if pair == pair_of(Score(1, 0)):
            raise ProgramError("the linear program was not solved: Unknown")
        return real_solver(tree, pair, *rest)

    monkeypatch.setattr(polish, "PairPolisher", failing)
    with pytest.raises(ProgramError, match="Unknown"):
        polish_solution(mine, tmp_path / "failed")
    assert set(load_solution(tmp_path / "failed").results) == {Score(1, 1)}
    monkeypatch.undo()
    for name in ("exact", "failed"):
        assert contents(polish_solution(mine, tmp_path / name).directory) == contents(exact_two.directory)
