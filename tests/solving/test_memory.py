"""What is in memory of a match at a time does not grow with the number of its scores."""

import gc
import weakref
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from oracle.matches import SHORT_RULE
from tictactoe.tools.commands.convert import _chosen
from tictactoe.tools.reports.report import print_solution

from tictactoe import CFRSolver, GameTree, MatchOptions, RunControl, Score, Snapshot, head_to_head, solve_match
from tictactoe.match import best_response_over_match as adversary
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import part_for_shorter_match
from tictactoe.solving.results_as_data import solved_match
from tictactoe.storage.compact import CompactOptions, compact_solution
from tictactoe.storage.open_saved import SavedResponse, round_responses
from tictactoe.storage.solution import Solution, load_solution
from tictactoe.storage.strategy_tables import table_texts


class Census:
    def __init__(self) -> None:
        self.most = 0
        self._seen: list[weakref.ref[Any]] = []

    def see(self, thing: Any) -> None:
        self._seen = [weakref.ref(thing), *(known for known in self._seen if known() is not None)]
        self.most = max(self.most, len(self._seen))

    def results_of(
        self, function: Callable[..., Any], *, of: Callable[[Any], Any] = lambda result: result
    ) -> Callable[..., Any]:

        def watched(*arguments: Any, **named: Any) -> Any:
            result = function(*arguments, **named)
            self.see(of(result))
            return result

        return watched


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """By winning score a match that has been solved for a moment, 16 scores and 36."""
    directories = {points: tmp_path_factory.mktemp("solved") / str(points) for points in (4, 6)}
    for points, directory in directories.items():
        _solve(directory, points)
    return directories


def _solve(directory: Path, winning_score: int, jobs: int = 1) -> Solution:
    options = MatchOptions(winning_score=winning_score, maximum_subgame_exploitability=0.1)
    return solve_match(directory, GameTree.build(SHORT_RULE), options, control=RunControl(workers=jobs))


def _save_best_response(solution: Solution) -> None:
    points, tree = solution.winning_score, solution.tree
    response = best_response_over_match(tree, solution.average_strategy, points)
    deque(round_responses(tree, response, points, True, dict.fromkeys(response.scores, 0)), maxlen=0)


def _head_to_head(solution: Solution) -> None:
    points, average = solution.winning_score, solution.average_strategy
    head_to_head(solution.tree, average, solution.strategies(average=False), points)
    shorter = part_for_shorter_match(average, points, points - 1)
    head_to_head(solution.tree, shorter, shorter, points - 1)


def _copies(solution: Solution) -> None:
    directory = solution.directory.with_name(f"compact{solution.winning_score}")
    compact_solution(solution, directory, CompactOptions(smallest=0.0, bits=9))
    tree, snapshots = _chosen(solution.directory, [], None)
    deque(table_texts(tree, snapshots, file_format="csv", reachable_only=True), maxlen=0)


@pytest.mark.parametrize("use", [print_solution, solved_match, _save_best_response, _head_to_head, _copies])
def test_let_go(use: Callable[[Solution], None], matches: dict[int, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    census = {points: Census() for points in matches}
    for points, directory in matches.items():
        with monkeypatch.context() as patch:
            seen = census[points].results_of
            patch.setattr(Snapshot, "load", seen(Snapshot.load, of=lambda snapshot: snapshot.current_strategy))
            patch.setattr(Snapshot, "average_strategy", seen(Snapshot.average_strategy))
            patch.setattr(adversary, "as_rows", seen(adversary.as_rows))
            responses = seen(adversary.best_response_of_rows, of=lambda found: found[1])
            patch.setattr(adversary, "best_response_of_rows", responses)
            before = SavedResponse.__init__

            def created(self: SavedResponse, *fields: Any, points: int = points, before: Any = before) -> None:
                before(self, *fields)
                census[points].see(self.strategy)

            patch.setattr(SavedResponse, "__init__", created)
            gc.disable()  # nothing may be left to it
            try:
                use(load_solution(directory))
            finally:
                gc.enable()
    assert census[6].most == census[4].most


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_is_solved_is_let_go(jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    census = Census()
    init = CFRSolver.__init__

    def created(self: CFRSolver, *arguments: Any, **named: Any) -> None:
        init(self, *arguments, **named)
        census.see(self)

    monkeypatch.setattr(CFRSolver, "__init__", created)
    _solve(tmp_path / "match", 4, jobs)
    assert 2 <= census.most <= 2 * (jobs + 1)  # the pair before, until its place is taken


def test_a_strategy_that_was_let_go_is_read_again(matches: dict[int, Path]) -> None:
    strategies = load_solution(matches[6]).average_strategy
    first = {score: strategy.copy() for score, strategy in strategies.items()}
    assert strategies[Score(0, 0)] is strategies[0, 0]  # type: ignore[index]
    assert all((strategies[score] == first[score]).all() for score in first)
