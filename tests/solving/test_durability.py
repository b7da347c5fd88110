"""Every job that saves its progress, stopped or killed at any moment, continues to what an undisturbed run leaves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event
from typing import Any
from unittest import mock

import numpy as np
import pytest
from oracle.matches import SHORT_RULE
from support.comparisons import without_seconds
from support.killing import killed_at, killed_everywhere
from support.programs import contents
from support.slowness import by_default

from tictactoe import Rules, Score, rules_facts, solve_game, solve_match, train_agent, uniform_strategy, update_rule
from tictactoe.algorithms.convergence import compare_algorithms, planned_trials
from tictactoe.algorithms.learning import LearningMethod
from tictactoe.algorithms.measured_run import Budget, Unit
from tictactoe.errors import Interrupted, Remedy, StoreError
from tictactoe.games.named_games import kuhn_poker, named_game
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.options import GameOptions, MatchOptions
from tictactoe.run_control import Existing, RunControl
from tictactoe.solving import game_run, learning_run
from tictactoe.solving.comparison_journal import ComparisonJournal
from tictactoe.solving.learning_run import game_to_learn
from tictactoe.solving.polish import polish_solution
from tictactoe.storage.file_format import read_file
from tictactoe.storage.learnt_table import FixedOpponent, LearntTable
from tictactoe.storage.solution import Solution
from tictactoe.storage.solution_writer import CHECKPOINT_KIND

Control = RunControl[Any]


def match_options(**changed: Any) -> MatchOptions:
    given = {"winning_score": 2, "maximum_subgame_exploitability": 1e-4, "algorithm": update_rule("pdcfr+")}
    return MatchOptions(**{**given, **changed})


def a_match(directory: Path, control: Control, limit: int | None = None, **changed: Any) -> None:
    solve_match(directory, GameTree.build(SHORT_RULE), match_options(**changed), max_iterations=limit, control=control)


def from_start_values(directory: Path, control: Control) -> None:
    """Nearly right ones, which pairs hold for a while, also between two flushes, and a wrong one."""
    values = {**rough_match().value, Score(1, 1): 0.1}
    a_match(directory, control, start_from=values, check_exploitability_every=7)


def holds_values(directory: Path) -> bool:
    return any(read_file(path, CHECKPOINT_KIND).get("holds", False) for path in directory.glob("checkpoint_*"))


@cache
def rough_match() -> Solution:
    place = TemporaryDirectory()
    solution = solve_match(Path(place.name, "match"), GameTree.build(SHORT_RULE), match_options(snapshot_at=(0, 10)))
    object.__setattr__(solution, "_place", place)  # lives as long as the solution
    return solution


def a_polish(directory: Path, control: Control) -> None:
    polish_solution(rough_match(), directory, keep=[Score(1, 1)], control=control)


def a_round(directory: Path, control: Control, iterations: int = 60, algorithm: str = "pdcfr+") -> None:
    """Stopped at iteration 13, between two flushes, it continues from 10."""
    options = GameOptions(
        iterations=iterations, algorithm=update_rule(algorithm), check_exploitability_every=7, snapshot_at=(0, 13)
    )
    solve_game(directory, GameTree.build(SHORT_RULE), options, control=control)


def an_atlas(directory: Path, control: Control) -> None:
    options = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-3, snapshot_at=())
    rules_facts(directory, Rules(SHORT_RULE), options, polish=True, control=control)


def a_learner(directory: Path, control: Control) -> None:
    tree = GameTree.build(SHORT_RULE)
    opponent = FixedOpponent("uniform", uniform_strategy(tree))
    new = LearntTable.new(tree, LearningMethod(epsilon_episodes=2000), seed=4, opponent=opponent)
    directory.mkdir(exist_ok=True)
    train_agent(directory / "agent", 3000, new, control=control)


def a_game(directory: Path, control: Control) -> None:
    """To a limit, then on to a higher one. Stopped between two flushes, it continues from the first of them."""
    game = named_game("kuhn").build()
    for limit in (35, 60):
        options = GameOptions(iterations=limit, check_exploitability_every=7, snapshot_at=())
        solve_game(directory, game, options, control=control)


def the_game(directory: Path) -> dict[str, bytes | None]:
    """Without a checkpoint, which stays if a kill comes between the last snapshot and its removal."""
    return {name: data for name, data in contents(directory).items() if name != "checkpoint.msgpack"}


described = cache(lambda name: game_to_learn(named_game(name)))


def a_learner_of_a_game(name: str, directory: Path, control: Control) -> None:
    new = LearntTable.new(described(name), LearningMethod(epsilon_episodes=400), seed=3)
    directory.mkdir(exist_ok=True)
    train_agent(directory / "agent", 1000, new, described=described(name), control=control)


def the_agent(directory: Path) -> bytes:
    return (directory / "agent").read_bytes()


TRIALS = planned_trials([update_rule("cfr"), update_rule("es-mccfr")], num_seeds=12)


def journal_in(directory: Path) -> ComparisonJournal:
    journal = ComparisonJournal(directory / "journal", {})
    journal.read()
    return journal


def a_comparison(directory: Path, control: Control) -> None:
    directory.mkdir(exist_ok=True)
    journal, budget = journal_in(directory), Budget(30, Unit.ITERATIONS)
    known, keep = journal.runs("kuhn", TRIALS), partial(journal.append, "kuhn")
    list(compare_algorithms(kuhn_poker(), TRIALS, budget, known=known, keep=keep, control=control))


def measured(directory: Path) -> list[object]:
    return [without_seconds(run) for run in journal_in(directory).runs("kuhn", TRIALS)]


@dataclass(frozen=True)
class Job:
    run: Callable[[Path, Control], None]
    step: int
    """It is killed before every so many uses of its directory."""
    reports: tuple[int, ...] = (1, 2, 3, 5)
    """After how many reports it is stopped."""
    first: Callable[[Path, Control], None] | None = None
    """The job that is stopped or killed, if it is not `run` itself."""
    left: Callable[[Path], object] = contents
    passes: Callable[[Path], bool] = Path.exists
    """What the directory passes after one of the stops."""
    refuses: bool = True
    """Whether it refuses to resume without an earlier run."""

    @property
    def cut(self) -> Callable[[Path, Control], None]:
        return self.first or self.run


LIMITED: dict[str, Any] = {"winning_score": 1, "snapshot_at": (), "check_exploitability_every": 5}
JOBS = {
    "match": Job(a_match, 97),
    "match of warm starts": Job(partial(a_match, algorithm=update_rule("rdcfr"), snapshot_at=(0, 10)), 151),
    "match from start values": Job(from_start_values, 101, (4, 7, 11), passes=holds_values),
    "match, higher limit": Job(partial(a_match, limit=30, **LIMITED), 7, first=partial(a_match, limit=20, **LIMITED)),
    "polish": Job(a_polish, 83, (1, 2), refuses=False),
    "round": Job(a_round, 13),
    "atlas": Job(an_atlas, 211, (6, 9, 13)),
    "game": Job(a_game, 13, left=the_game, passes=lambda directory: (directory / "checkpoint.msgpack").exists()),
    "learner": Job(a_learner, 29, left=the_agent),
    "learner of kuhn": Job(partial(a_learner_of_a_game, "kuhn"), 29, left=the_agent),
    "learner of twenty-one": Job(partial(a_learner_of_a_game, "twenty-one"), 29, left=the_agent),
    "comparison": Job(a_comparison, 5, (9, 14), left=measured, refuses=False),
}


class Reports:
    def __init__(self, stop_after: int) -> None:
        self.stop, self.matches, self.polishing = Event(), self, self
        self._left = stop_after
        if stop_after == 0:
            self.stop.set()

    def __call__(self, *facts: object) -> None:
        self._left -= 1
        if self._left == 0:
            self.stop.set()

    pair_started = pair_checked = pair_finished = __call__
    single_round_begins = polishing_begins = judging_begins = __call__


@pytest.fixture(autouse=True, scope="module")
def _saving_at_every_check() -> Iterator[None]:
    patch = mock.patch.object
    with patch(game_run, "CHECKPOINT_SECONDS", 0.0), patch(learning_run, "ROUNDS_PER_STRETCH", 300):
        yield


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], object]:
    @cache
    def left(name: str) -> object:
        if name in ("polish", "atlas"):
            pytest.importorskip("highspy")
        directory = tmp_path_factory.mktemp("undisturbed") / "out"
        JOBS[name].run(directory, RunControl())
        return JOBS[name].left(directory)

    return left


@pytest.mark.parametrize("name", JOBS)
def test_stopped_again_and_again(name: str, undisturbed: Callable[[str], object], tmp_path: Path) -> None:
    job, random, output = JOBS[name], np.random.default_rng(1), tmp_path / "out"
    expected, passed = undisturbed(name), False
    for stops in count():
        reports = Reports(int(random.choice(job.reports)) if stops else 0)
        workers = 1 if name == "comparison" else int(random.integers(1, 4))
        try:
            job.cut(output, RunControl(workers, stop=reports.stop, reporter=reports))
            break
        except Interrupted:
            passed = passed or job.passes(output)
            assert stops < 200
    assert stops > 1
    assert passed
    job.run(output, RunControl())
    assert job.left(output) == expected
    job.run(output, RunControl())  # nothing is left to do
    assert job.left(output) == expected
    assert not list(output.rglob(".*tmp"))


@pytest.mark.parametrize("name", by_default(JOBS, "match", "learner"))
def test_killed_before_a_use_of_the_directory(name: str, undisturbed: Callable[[str], object], tmp_path: Path) -> None:
    job, expected, wrong = JOBS[name], undisturbed(name), []
    for output in killed_everywhere(tmp_path, job.step, lambda output: job.cut(output, RunControl())):
        job.run(output, RunControl())
        wrong += [output.name] if job.left(output) != expected else []
    output, events = tmp_path / "again", iter(range(job.step, 1000, job.step))
    while killed_at(next(events), output, lambda: job.cut(output, RunControl())):
        pass
    job.run(output, RunControl())
    assert (wrong, job.left(output)) == ([], expected)


@pytest.mark.parametrize("name", [name for name, job in JOBS.items() if job.refuses])
def test_resuming_needs_an_earlier_run(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError) as refused:
        JOBS[name].run(tmp_path / "out", RunControl(existing=Existing.RESUME))
    assert refused.value.remedy is Remedy.BEGIN
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_rare_checks_do_not_delay_the_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do they delay the checkpoints: a kill loses seconds of work, whatever the options."""
    tree, rare, stop = GameTree.build(SHORT_RULE), {"check_exploitability_every": 10**9, "snapshot_at": ()}, Event()
    monkeypatch.setattr(game_run.CheckpointClock, "is_due", lambda _: stop.set() or True)
    for solve, options in (
        (solve_match, MatchOptions(winning_score=1, **rare)),
        (solve_game, GameOptions(iterations=10**9, **rare)),
    ):
        stop.clear()
        with pytest.raises(Interrupted):
            solve(tmp_path / solve.__name__, tree, options, control=RunControl(stop=stop))
        assert list((tmp_path / solve.__name__).glob("checkpoint*"))
