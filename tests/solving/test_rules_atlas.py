"""Entries of the atlas: shipped solutions are looked up, other rules are solved."""

import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from threading import Event

import pytest
from oracle.matches import SHORT_RULE, never, short_rounds
from support.programs import contents
from support.travelling import Travelling

from tictactoe import Existing, GameTree, MatchOptions, Rules, RunControl, head_to_head, load_solution
from tictactoe.errors import Interrupted, MissingSolverError, StoreError
from tictactoe.match.fairness import single_round
from tictactoe.match.pair_exact import PairEquilibrium
from tictactoe.match.scores import Pair
from tictactoe.match.shorter_match import part_for_shorter_match
from tictactoe.solving import rules_atlas
from tictactoe.solving.pair_work import PairProgress
from tictactoe.solving.rules_atlas import RulesFacts, rules_facts, solve_single_round

OPTIONS = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-3, snapshot_at=())


class Watcher:
    """An AtlasReporter that remembers the reports."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.stop = Event()
        self.matches = self
        self.polishing = _Polishing(self)

    def single_round_begins(self) -> None:
        self.told.append("round")

    def polishing_begins(self) -> None:
        self.told.append("polishing")

    def judging_begins(self) -> None:
        self.told.append("judging")

    def pair_started(self, progress: PairProgress) -> None:
        self.told.append(f"started {progress.pair[0]} at {progress.iteration}")

    def pair_checked(self, progress: PairProgress) -> None:
        pass

    def pair_finished(self, pair: Pair, num_done: int, num_pairs: int) -> None:
        self.told.append(f"{num_done} of {num_pairs}")


class _Polishing:
    def __init__(self, watcher: Watcher) -> None:
        self._told = watcher.told

    def pair_started(self, pair: Pair) -> None:
        pass

    def pair_finished(self, result: PairEquilibrium, num_done: int, num_pairs: int) -> None:
        self._told.append(f"exact {num_done} of {num_pairs}")


@pytest.fixture(autouse=True)
def _short_rounds() -> Iterator[None]:
    with short_rounds():
        yield


class PartsThatTravel(Travelling):
    part_seconds = 0.01


def facts_in(
    directory: Path, watcher: Watcher | None = None, *, polish: bool = False, workers: int | Executor = 1
) -> RulesFacts:
    stop, rules = watcher.stop if watcher else Event(), Rules(SHORT_RULE)
    return rules_facts(
        directory, rules, OPTIONS, polish=polish, control=RunControl(workers, stop=stop, reporter=watcher)
    )


def test_what_is_solved(tmp_path: Path) -> None:
    found = facts_in(tmp_path)
    tree, solution = GameTree.build(SHORT_RULE), load_solution(tmp_path / SHORT_RULE / "match_to_2")
    assert (found.rules, found.shipped) == (Rules(SHORT_RULE), None)
    assert (found.num_nodes, found.num_decision_nodes) == (tree.num_nodes, tree.num_decision_nodes)
    assert {score: value.value for score, value in found.match.values.items()} == pytest.approx(solution.value)
    played = head_to_head(tree, solution.average_strategy, solution.average_strategy, 2)
    assert found.match.play.rounds == pytest.approx(played.rounds_as_first)
    assert found.match.start.value == pytest.approx(2.0 * played.wins_as_first - 1.0, abs=1e-12)
    assert 0.0 < found.match.exploitability <= 6 * OPTIONS.maximum_subgame_exploitability
    assert found.single_round.value.most - found.single_round.value.least <= OPTIONS.maximum_subgame_exploitability


@pytest.mark.parametrize(
    ("rules", "points", "name"),
    [("three-in-a-row", 2, "shipped"), ("filled", 1, "filled"), ("filled-tie", 1, "filled-tie_match_to_1")],
)
def test_what_ships_is_not_solved_again(
    rules: str, points: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_atlas, "solve_match", never)
    monkeypatch.setattr(rules_atlas, "solve_single_round", never)
    watcher = Watcher()
    found = rules_facts(
        tmp_path, Rules(rules), replace(OPTIONS, winning_score=points), control=RunControl(reporter=watcher)
    )
    values = part_for_shorter_match(load_solution(name).value, load_solution(name).winning_score, points)
    assert (found.shipped, watcher.told) == (name, ["judging"])
    assert found.single_round.value.most == found.single_round.value.least
    assert {score: value.value for score, value in found.match.values.items()} == pytest.approx(dict(values), abs=1e-12)
    assert found.match.exploitability < 1e-12
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("polish", [False, True])
def test_the_entry_does_not_depend_on_where_it_is_solved(polish: bool, tmp_path: Path) -> None:
    if polish:
        pytest.importorskip("highspy")
    here = facts_in(tmp_path / "here", polish=polish)
    with PartsThatTravel(2) as executor:
        there = facts_in(tmp_path / "there", polish=polish, workers=executor)
    assert there == here
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert executor.called >= {"solve_single_round", "pair_part"} | ({"polish_elsewhere"} if polish else set())


def test_stopped_and_refused_before_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watcher = Watcher()
    watcher.stop.set()
    with pytest.raises(Interrupted):
        facts_in(tmp_path, watcher)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingSolverError):
        facts_in(tmp_path, polish=True)
    assert list(tmp_path.iterdir()) == []


def test_made_exact(tmp_path: Path) -> None:
    rough, watcher = facts_in(tmp_path), Watcher()
    exact = facts_in(tmp_path, watcher, polish=True)
    assert watcher.told[0] == "round"
    assert [line for line in watcher.told if line.startswith("started")] == []
    assert watcher.told[-5:] == ["polishing", "exact 1 of 3", "exact 2 of 3", "exact 3 of 3", "judging"]
    assert exact.match.exploitability < 1e-11
    assert exact.single_round.value.most - exact.single_round.value.least < 1e-11
    for score, value in exact.match.values.items():
        assert rough.match.values[score].least <= value.value <= rough.match.values[score].most
    again = Watcher()
    assert facts_in(tmp_path, again, polish=True) == exact
    assert not any("started" in line or "exact" in line for line in again.told)


def test_other_options_than_those_of_the_run_before(tmp_path: Path) -> None:
    facts_in(tmp_path)
    with pytest.raises(StoreError, match=r"0\.001 there, 0\.01 here.*RESTART"):
        rules_facts(tmp_path, Rules(SHORT_RULE), replace(OPTIONS, maximum_subgame_exploitability=0.01))
    found = rules_facts(
        tmp_path,
        Rules(SHORT_RULE),
        replace(OPTIONS, maximum_subgame_exploitability=0.01),
        control=RunControl(existing=Existing.RESTART),
    )
    assert found.match.exploitability > 0.0


@pytest.mark.parametrize(
    ("rules", "value"),
    [("three-in-a-row", (-1, 9)), ("filled", (-2, 9)), ("filled-none", (-1, 9)), ("filled-tie", (0, 1))],
)
def test_the_rounds_on_their_own(rules: str, value: tuple[int, int]) -> None:
    tree = GameTree.build(rules)
    found = single_round(tree, solve_single_round(tree, 1e-3)).value
    assert found.most - found.least <= 1e-3
    assert found.least <= Fraction(*value) <= found.most


@pytest.mark.parametrize("exact", [False, True])
def test_a_round_on_its_own_that_ships_no_solution(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact bounds meet. Without enough iterations, the bounds tell how good the best strategy is."""
    monkeypatch.setattr(rules_atlas, "MOST_ROUND_ITERATIONS", 60)
    tree = GameTree.build("filled-tie" if exact else SHORT_RULE)
    found = single_round(tree, solve_single_round(tree, 1e-3 if exact else 1e-300, exact=exact))
    assert 0.0 <= found.value.most - found.value.least < (1e-12 if exact else 0.1)
    if exact:
        assert found.value.value == pytest.approx(0.0, abs=1e-12)
        assert found.play.results.first == pytest.approx(found.play.results.second, abs=1e-12)
