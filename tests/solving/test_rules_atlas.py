"""Entries of the atlas: shipped solutions are looked up, other rules are solved."""

import sys
from concurrent.futures import Executor
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from oracle.matches import SHORT_RULE, never
from support.programs import contents
from support.slowness import slow
from support.travelling import Travelling

from tictactoe import Existing, GameTree, MatchOptions, Rules, RunControl, load_solution
from tictactoe.errors import Interrupted, MissingSolverError, StoreError
from tictactoe.match.fairness import single_round
from tictactoe.match.scores import part_for_shorter_match
from tictactoe.solving import rules_atlas
from tictactoe.solving.rules_atlas import RulesFacts, rules_facts, solve_single_round

OPTIONS = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-3, snapshot_at=())


class PartsThatTravel(Travelling):
    part_seconds = 0.01


def facts_in(
    directory: Path, reporter: Mock | None = None, *, polish: bool = False, workers: int | Executor = 1
) -> RulesFacts:
    control = RunControl(workers, reporter=reporter)
    return rules_facts(directory, Rules(SHORT_RULE), OPTIONS, polish=polish, control=control)


def reports(reporter: Mock) -> list[str]:
    return [name for name, *_ in reporter.mock_calls]


def test_other_options_take_a_restart(tmp_path: Path) -> None:
    found = facts_in(tmp_path)
    assert (found.rules, found.shipped) == (Rules(SHORT_RULE), None)
    assert 0.0 < found.match.exploitability <= 6 * OPTIONS.maximum_subgame_exploitability
    assert found.single_round.value.most - found.single_round.value.least <= OPTIONS.maximum_subgame_exploitability
    other = replace(OPTIONS, maximum_subgame_exploitability=0.01)
    with pytest.raises(StoreError, match=r"0\.001 there, 0\.01 here.*restart"):
        rules_facts(tmp_path, Rules(SHORT_RULE), other)
    restart = RunControl[Any](existing=Existing.RESTART)
    assert rules_facts(tmp_path, Rules(SHORT_RULE), other, control=restart).match.exploitability > 0.0


@pytest.mark.parametrize(
    ("rules", "points", "name"),
    [("three-in-a-row", 2, "shipped"), ("filled", 1, "filled"), ("filled-tie", 1, "filled-tie_match_to_1")],
)
def test_what_ships_is_not_solved_again(
    rules: str, points: int, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules_atlas, "solve_match", never)
    monkeypatch.setattr(rules_atlas, "solve_single_round", never)
    options, reporter = replace(OPTIONS, winning_score=points), Mock()
    found = rules_facts(tmp_path, Rules(rules), options, control=RunControl(reporter=reporter))
    values = part_for_shorter_match(load_solution(name).value, load_solution(name).winning_score, points)
    assert (found.shipped, reports(reporter)) == (name, ["judging_begins"])
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
    control = RunControl[Any]()
    control.stop.set()
    with pytest.raises(Interrupted):
        rules_facts(tmp_path, Rules(SHORT_RULE), OPTIONS, control=control)
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingSolverError):
        facts_in(tmp_path, polish=True)
    assert list(tmp_path.iterdir()) == []


def test_made_exact(tmp_path: Path) -> None:
    rough, reporter, again = facts_in(tmp_path), Mock(), Mock()
    exact = facts_in(tmp_path, reporter, polish=True)
    assert reports(reporter)[0] == "single_round_begins"
    assert "matches.pair_started" not in reports(reporter)
    pairs = ["polishing.pair_started", "polishing.pair_finished"] * 3
    assert reports(reporter)[-8:] == ["polishing_begins", *pairs, "judging_begins"]
    assert [told.args[1:] for told in reporter.polishing.pair_finished.call_args_list] == [(1, 3), (2, 3), (3, 3)]
    assert exact.match.exploitability < 1e-11
    assert exact.single_round.value.most - exact.single_round.value.least < 1e-11
    for score, value in exact.match.values.items():
        assert rough.match.values[score].least <= value.value <= rough.match.values[score].most
    assert facts_in(tmp_path, again, polish=True) == exact
    assert not any("pair_started" in name or name == "polishing.pair_finished" for name in reports(again))


@pytest.mark.parametrize(
    ("rules", "value"),
    [("filled", (-2, 9)), *slow(("three-in-a-row", (-1, 9)), ("filled-none", (-1, 9)), ("filled-tie", (0, 1)))],
)
def test_the_rounds_on_their_own(rules: str, value: tuple[int, int]) -> None:
    tree = GameTree.build(rules)
    found = single_round(tree, solve_single_round(tree, 1e-3)).value
    assert found.most - found.least <= 1e-3
    assert found.least <= Fraction(*value) <= found.most


@pytest.mark.parametrize("exact", [False, *slow(True)])
def test_a_round_on_its_own_that_ships_no_solution(exact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exact bounds meet. Without enough iterations, the bounds tell how good the best strategy is."""
    monkeypatch.setattr(rules_atlas, "MOST_ROUND_ITERATIONS", 60)
    tree = GameTree.build("filled-tie" if exact else SHORT_RULE)
    found = single_round(tree, solve_single_round(tree, 1e-3 if exact else 1e-300, exact=exact))
    assert 0.0 <= found.value.most - found.value.least < (1e-12 if exact else 0.1)
    if exact:
        assert found.value.value == pytest.approx(0.0, abs=1e-12)
        assert found.play.results.first == pytest.approx(found.play.results.second, abs=1e-12)
