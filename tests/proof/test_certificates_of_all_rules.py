"""Certificates of matches and rounds by other rules and odds: as tight as any, and of these rules alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from oracle.lifting import game_tree
from support.certifying import CLOSED_FORMS, Bot, copy_of, edited, moved, of_other_rules

from tictactoe import SINGLE_ROUND, CFRSolver, FormatError, Score, best_response_over_match, load_solution, update_rule
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.proof import certificate_format as form
from tictactoe.proof.checker import Refused
from tictactoe.proof.checker_rules import read_rules

NODES = {"three-in-a-row": 37_538, "filled-tie": 44_820, "filled": 47_202, "filled-none": 47_202}


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A match to 1 by the rules that a test is parametrised with, hastily solved."""
    rules: str = request.param
    solver = CFRSolver(tic_tac_toe_round(game_tree(rules=rules), SINGLE_ROUND), update_rule("rdcfr"))
    solver.run(40)
    weights = np.round(16.0 * solver.average_strategy())
    return Bot(of_other_rules(tmp_path_factory.mktemp("made"), rules, weights))


@pytest.mark.parametrize(
    "made", ["filled", "filled-none 2:1:1", "filled-tie", "filled 1:0:2", "three-in-a-row 3:2:1"], indirect=True
)
def test_bounds_agree_with_the_floating_point_best_response(made: Bot) -> None:
    certificate, solution = made.certificate, load_solution(made.path)
    assert certificate["end_rule"] == str(solution.tree.rules)
    assert certificate["nodes"] == {"reduced": NODES[solution.tree.rules.name], "unreduced": None}
    response = best_response_over_match(solution.tree, solution.average_strategy, 1).scores[Score(0, 0)]
    (entry,) = certificate["scores"]
    assert entry["arithmetic"]["bot_first"]["exact"]
    assert float(Fraction(entry["upper"])) == pytest.approx(response.maximum, abs=1e-12)
    assert float(Fraction(entry["lower"])) == pytest.approx(response.minimum, abs=1e-12)
    assert 0 < Fraction(certificate["total"]["exploitability"]) < Fraction(1, 5)
    made.verify(certificate, made.path)
    for place, units in (("upper", -1), ("lower", 1)):
        assert Fraction(entry[place]).denominator.bit_length() <= 64, "no rounding"
        with pytest.raises(Refused, match=r"^the bound at 0-0 with the adversary moving \w+ does not hold"):
            made.verify(edited(certificate, f"scores 0 {place}", moved(units)), made.path)


@pytest.mark.parametrize("made", ["filled"], indirect=True)
def test_a_certificate_of_other_rules_is_refused(made: Bot, tmp_path: Path) -> None:
    """Before the rest of it is looked at. A snapshot of other rules in a solution is refused, too."""
    header = form.header(form.MATCH_FORMAT, read_rules("filled 1:0:2"), {}, unreduced=True)
    assert (header["end_rule"], header["nodes"]) == ("filled 1:0:2", {"reduced": 47_202, "unreduced": 986_410})
    for rules in ("three-in-a-row", "filled-none", "filled 2:1:1", "misere", ""):
        other = edited(made.certificate, "end_rule", rules) | {"files": {}, "scores": []}
        with pytest.raises(Refused, match=f"^end_rule: '{rules}' where 'filled' is right$"):
            made.verify(other, made.path)
    single = Bot(CLOSED_FORMS / "single_round")
    with pytest.raises(Refused, match=r"^end_rule: 'filled' where 'three-in-a-row' is right$"):
        single.verify(edited(single.certificate, "end_rule", "filled") | {"files": {}}, single.path)
    (tmp_path / "other").mkdir()
    other_bot = of_other_rules(tmp_path / "other", "filled-none", np.ones((47_202, 3)))
    file, copy = f"{made.last}/snapshot_000000.msgpack", copy_of(made, tmp_path)
    (copy / file).write_bytes((other_bot / file).read_bytes())
    with pytest.raises(FormatError, match=r"snapshot_000000.msgpack: of a round by the rules 'filled-none', not 'fill"):
        made.certify(copy)
