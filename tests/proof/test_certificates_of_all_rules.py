"""Certificates of matches and rounds by other rules and odds: as tight as any, and of these rules alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.certifying import CLOSED_FORMS, Bot, copy_of, edited, moved, of_other_rules

from tictactoe.algorithms.cfr.solver import CFRSolver
from tictactoe.algorithms.cfr.update_rules import update_rule
from tictactoe.errors import FormatError
from tictactoe.games.goals import SINGLE_ROUND
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.scores import Score
from tictactoe.proof import certificate_format as form
from tictactoe.proof.certificate import certify, verify
from tictactoe.proof.certificate_format import read_certificate, write_certificate
from tictactoe.proof.checker import Refused
from tictactoe.proof.checker_rules import read_rules
from tictactoe.storage.solution import load_solution

NODES = {"three-in-a-row": 37_538, "filled-tie": 44_820, "filled": 47_202, "filled-none": 47_202}
ALL_RULES = ["filled", "filled-none 2:1:1", "filled-tie", "filled 1:0:2", "three-in-a-row 3:2:1"]


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A match to 1 by the rules that a test is parametrised with, hastily solved."""
    rules: str = request.param
    solver = CFRSolver(tic_tac_toe_round(game_tree(rules=rules), SINGLE_ROUND), update_rule("rdcfr"))
    solver.run(40)
    weights = np.round(16.0 * solver.average_strategy())
    return Bot(of_other_rules(tmp_path_factory.mktemp("made"), rules, weights))


each_bot = pytest.mark.parametrize("made", ALL_RULES, indirect=True)


@each_bot
def test_bounds_agree_with_the_floating_point_best_response(made: Bot) -> None:
    """Over the match, whatever the odds; exact, and so refused when they are tightened."""
    certificate = made.certificate
    solution = load_solution(made.path)
    assert certificate["end_rule"] == str(solution.tree.rules)
    assert certificate["nodes"] == {"reduced": NODES[solution.tree.rules.name], "unreduced": None}
    found = best_response_over_match(solution.tree, solution.average_strategy, 1).scores[Score(0, 0)]
    (entry,) = certificate["scores"]
    assert entry["arithmetic"]["bot_first"]["exact"]
    assert float(Fraction(entry["upper"])) == pytest.approx(found.maximum, abs=1e-12)
    assert float(Fraction(entry["lower"])) == pytest.approx(found.minimum, abs=1e-12)
    assert 0 < Fraction(certificate["total"]["exploitability"]) < Fraction(1, 5)
    made.verify(certificate, made.path)
    for place, units in (("upper", -1), ("lower", 1)):
        with pytest.raises(Refused, match=r"^the bound at 0-0 with the adversary moving \w+ does not hold"):
            made.verify(edited(certificate, f"scores 0 {place}", moved(units)), made.path)
    assert max(Fraction(entry[place]).denominator.bit_length() for place in ("upper", "lower")) <= 64, "no rounding"


def test_the_sizes_of_the_trees_are_those_of_the_rules() -> None:
    header = form.header(form.MATCH_FORMAT, read_rules("filled 1:0:2"), {}, unreduced=True)
    assert (header["end_rule"], header["nodes"]) == ("filled 1:0:2", {"reduced": 47_202, "unreduced": 986_410})


@pytest.mark.parametrize("made", ["filled"], indirect=True)
@pytest.mark.parametrize("rules", ["three-in-a-row", "filled-none", "filled 2:1:1", "misere", ""])
def test_a_certificate_of_other_rules_is_refused(made: Bot, rules: str, tmp_path: Path) -> None:
    """Before anything else of it is looked at: the rules are what is wrong."""
    write_certificate(tmp_path / "c.json", edited(made.certificate, "end_rule", rules) | {"files": {}, "scores": []})
    with pytest.raises(Refused, match=f"^end_rule: '{rules}' where 'filled' is right$"):
        verify(read_certificate(tmp_path / "c.json"), made.path)


def test_a_certificate_of_a_round_by_other_rules_is_refused() -> None:
    single = Bot(CLOSED_FORMS / "single_round")
    with pytest.raises(Refused, match=r"^end_rule: 'filled' where 'three-in-a-row' is right$"):
        single.verify(edited(single.certificate, "end_rule", "filled") | {"files": {}}, single.path)


@pytest.mark.parametrize("made", ["filled"], indirect=True)
def test_a_snapshot_of_other_rules_in_a_solution_is_refused(made: Bot, tmp_path: Path) -> None:
    copy, rules = copy_of(made, tmp_path), "filled-none"
    (tmp_path / "other").mkdir()
    other = of_other_rules(tmp_path / "other", rules, np.ones((47_202, 3)))
    (copy / made.last / "snapshot_000000.msgpack").write_bytes(
        (other / made.last / "snapshot_000000.msgpack").read_bytes()
    )
    with pytest.raises(FormatError, match=r"snapshot_000000.msgpack: of a round by the rules 'filled-none', not 'fill"):
        certify(copy)
