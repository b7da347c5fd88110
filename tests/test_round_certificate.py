"""Certificates of a round that was solved on its own: tight, refused when they do not hold, and the command."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from certifying import UNIT, Json, edited, moved, prepared_once
from commands import ROUND, SHORT, call, complaint, contents
from lifting import game_tree

from tictactoe import bounds as bounds_module
from tictactoe import round_certificate as round_module
from tictactoe.certificate import certificate_bytes, fraction, write_certificate
from tictactoe.checker import Refused
from tictactoe.files import CERTIFICATE_FILE, FormatError, read_file, write_file
from tictactoe.game import tic_tac_toe_round
from tictactoe.match import OutcomeValues
from tictactoe.response import best_response_value
from tictactoe.round_certificate import ROUND_FORMAT, certify_round, read_any_certificate, verify_round
from tictactoe.snapshot import SNAPSHOT_KIND, Snapshot, snapshot_name
from tictactoe.solution import shipped_solution

CERTIFY = "certify"
CLOSED_FORMS = shipped_solution().parent / "closed_forms"


@pytest.fixture(autouse=True, scope="module")
def bots_prepared_once() -> Iterator[None]:
    with prepared_once(round_module):
        yield


def changed(source: Path, target: Path, change: Callable[[Json], object], iteration: int = 0) -> Path:
    """A directory with the snapshot of another one, changed."""
    content = read_file(source / snapshot_name(0), SNAPSHOT_KIND)
    change(content)
    target.mkdir(exist_ok=True)
    write_file(target / snapshot_name(iteration), SNAPSHOT_KIND, content)
    return target


@pytest.fixture(scope="module")
def single() -> Path:
    """The closed form of the round with the outcome values 0, 1, -1, 0. To be copied, not changed."""
    return CLOSED_FORMS / "single_round"


@pytest.fixture(scope="module")
def certified(single: Path) -> Json:
    return certify_round(single, unreduced=True)


@pytest.fixture(scope="module")
def noisy(single: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bot that errs from the seventh mark on, with weights that have no small common denominator."""
    tree = game_tree()

    def err(content: Json) -> None:
        weights = content["strategy_sums"]
        weights += np.where(tree.depth[:, None] < 7, 0.0, np.random.default_rng(1).random(weights.shape))
        content["outcome_values"] = [0.25, 3.0, -1.5, -0.1]

    return changed(single, tmp_path_factory.mktemp("round") / "noisy", err)


@pytest.fixture(scope="module")
def certified_noisy(noisy: Path) -> Json:
    return certify_round(noisy)


# --- what is claimed ---------------------------------------------------------------------------------------------


def test_the_closed_form_is_exact(single: Path, certified: Json) -> None:
    assert (certified["lower"], certified["upper"], certified["exploitability"]) == ("-1/9", "-1/9", "0/1")
    assert certified["lower_decimal"] == f"-0.{29 * '1'}2"
    assert certified["upper_decimal"] == f"-0.{30 * '1'}"
    assert certified["outcome_values"] == {"both": "0/1", "first": "1/1", "second": "-1/1", "neither": "0/1"}
    assert (certified["score"], certified["winning_score"], certified["format"]) == (None, None, ROUND_FORMAT)
    assert certified["nodes"] == {"reduced": 37_538, "unreduced": 549_946}
    assert certified["arithmetic"]["bot_first"]["exact"]
    name = snapshot_name(0)
    assert certified["files"] == {name: hashlib.sha256((single / name).read_bytes()).hexdigest()}
    verify_round(certified, single)
    assert certify_round(single, unreduced=True) == certified


def test_a_round_of_a_match_keeps_its_score() -> None:
    """Its outcome values are rounded, as -1/13 is no float."""
    found = certify_round(CLOSED_FORMS / "match_to_1" / "subgame_0_0")
    assert (found["score"], found["winning_score"]) == ([0, 0], 1)
    for name in ("lower", "upper"):
        assert abs(fraction(found[name]) + Fraction(1, 13)) < Fraction(1, 10**16)


def test_bounds_agree_with_the_floating_point_best_response(noisy: Path, certified_noisy: Json) -> None:
    snapshot = Snapshot.load(noisy / snapshot_name(0), game_tree())
    game = tic_tac_toe_round(game_tree(), OutcomeValues(*snapshot.outcome_values))
    strategy = snapshot.average_strategy(game_tree())
    upper, lower = (fraction(certified_noisy[name]) for name in ("upper", "lower"))
    assert float(upper) == pytest.approx(best_response_value(game, 0, strategy), abs=1e-12)
    assert float(lower) == pytest.approx(-best_response_value(game, 1, strategy), abs=1e-12)
    assert fraction(certified_noisy["exploitability"]) == upper - lower > 0
    assert (upper / UNIT).denominator == (lower / UNIT).denominator == 1, "on the grid"
    assert not certified_noisy["arithmetic"]["bot_first"]["exact"]
    assert certified_noisy["outcome_values"]["neither"] == f"{Fraction(-0.1)}"


@pytest.mark.parametrize("which", ["single", "noisy"])
def test_tightened_by_a_unit_it_is_refused(which: str, request: pytest.FixtureRequest) -> None:
    directory = request.getfixturevalue(which)
    certificate = request.getfixturevalue("certified" if which == "single" else "certified_noisy")
    for name, units in (("upper", -1), ("lower", 1)):
        with pytest.raises(Refused, match=f"the {name} bound does not hold"):
            verify_round(edited(certificate, name, value=moved(units)), directory)
        with pytest.raises(Refused, match=rf"exploitability|{name}_decimal"):
            verify_round(edited(certificate, name, value=moved(-units)), directory)


def test_the_unreduced_tree_is_checked_in_its_own_right(
    single: Path, certified: Json, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = bounds_module.whole_tree()
    won = whole._replace(outcome=[outcome if outcome < 0 else 0 for outcome in whole.outcome])
    monkeypatch.setattr(round_module, "whole_tree", lambda: won)
    verify_round(certified, single)
    with pytest.raises(Refused, match=r"on the unreduced tree: the (upper|lower) bound does not hold"):
        verify_round(certified, single, unreduced=True)


# --- what is refused ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "value", "message"), [
    ("outcome_values", lambda values: values | {"both": "1/1"}, "outcome_values.both"),
    ("score", [0, 0], "score"),
    ("winning_score", 5, "winning_score: 5 where None is right"),
    ("end_rule", "board-full", "end_rule"),
    ("exploitability_decimal", "0", "exploitability_decimal"),
    ("nodes", {"reduced": 1, "unreduced": None}, "nodes.reduced"),
    ("files", lambda files: files | {snapshot_name(7): 64 * "0"}, "files"),
    ("files", {snapshot_name(0): 64 * "0"}, "files"),
    ("arithmetic", {}, "arithmetic"),
    ("author", "me", "author: unknown"),
])  # fmt: skip
def test_edited_certificates_are_refused(
    single: Path, certified: Json, name: str, value: Any, message: str, tmp_path: Path
) -> None:
    write_certificate(tmp_path / "wrong.json", edited(certified, name, value=value))
    with pytest.raises(Refused, match=message):
        verify_round(read_any_certificate(tmp_path / "wrong.json"), single)


def test_versions_are_information(single: Path, certified: Json) -> None:
    verify_round(certified | {"python_version": "4.0", "program_version": "9"}, single)


def test_the_last_snapshot_is_judged(single: Path, certified: Json, tmp_path: Path) -> None:
    directory = changed(single, tmp_path / "run", lambda content: None)
    verify_round(certify_round(directory), directory)
    changed(single, directory, lambda content: content.update(outcome_values=[1.0] * 4), iteration=1_000_000)
    with pytest.raises(Refused, match=r"files\.snapshot_"):
        verify_round(certified, directory)
    found = certify_round(directory)
    assert list(found["files"]) == ["snapshot_1000000.msgpack"]
    assert (found["lower"], found["upper"]) == ("1/1", "1/1")


@pytest.mark.parametrize(("name", "value"), [
    ("format_version", 2), ("files", []), ("nodes", None), ("nodes", {"unreduced": "1"}), ("lower", 1),
    ("upper", "1/0"), ("upper", "2/4"), ("lower", "1" * 300 + "/2"), ("outcome_values", []), ("arithmetic", 1),
    ("python_version", 3), ("format", "another"),
], ids=str)  # fmt: skip
def test_values_of_the_wrong_type_get_one_line(
    single: Path, certified: Json, name: str, value: Any, tmp_path: Path
) -> None:
    write_certificate(tmp_path / "bad.json", edited(certified, name, value=value))
    line = complaint(call(CERTIFY, "--verify", tmp_path / "bad.json", "-s", single), 1, CERTIFY)
    assert "bad.json" in line


@pytest.mark.parametrize(("changes", "message"), [
    ({"outcome_values": [0, 1, -1, 0]}, "not four floats"),
    ({"outcome_values": [0.0] * 3}, "not four floats"),
    ({"outcome_values": 1.0}, "not four floats"),
    ({"outcome_values": [1e200] * 4}, "beyond 1e\\+100"),
    ({"score": [0, 5], "winning_score": 5}, "score: neither"),
    ({"score": [0]}, "score: neither"),
    ({"winning_score": 0}, "winning_score: neither"),
    ({"winning_score": False}, "winning_score: neither"),
    ({"strategy_sums": np.full((37_538, 3), -1.0)}, "negative"),
    ({"end_rule": "board-full"}, "another end rule"),
    ({"tree_fingerprint": "0"}, "another game tree"),
])  # fmt: skip
def test_snapshots_that_cannot_be_used(single: Path, changes: Json, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=message):
        certify_round(changed(single, tmp_path / "bad", lambda content: content.update(changes)))


def test_extreme_outcome_values(single: Path, tmp_path: Path) -> None:
    """As large and as small as there are: the claim can be written and read."""
    for values in ([1e100, -1e100, 1e100, -1e100], [5e-324, -5e-324, 5e-324, 0.1]):
        directory = changed(single, tmp_path / "round", lambda content, to=values: content.update(outcome_values=to))
        assert call(CERTIFY, "-s", directory).code == 0
        assert call(CERTIFY, "--verify", directory / CERTIFICATE_FILE).code == 0


# --- the command -------------------------------------------------------------------------------------------------


def test_the_command_writes_prints_and_verifies(single: Path, noisy: Path, certified: Json, tmp_path: Path) -> None:
    directory = tmp_path / "round"
    shutil.copytree(single, directory)
    result = call(CERTIFY, "-s", directory, "--unreduced")
    assert (result.code, result.err) == (0, "")
    assert (directory / CERTIFICATE_FILE).read_bytes() == certificate_bytes(certified)
    lines = result.out.splitlines()
    assert [line.split()[1] for line in lines[1:5]] == ["-1/9", "-1/9", "0.00e+00", "exact"]
    assert "in the unit of the outcome values" in result.out
    assert "unreduced one of 549,946" in result.out
    last = (
        "Proved: the value of the round to the first mover is -1/9, and the exploitability of the bot is exactly 0, "
        "in the unit of the outcome values."
    )
    assert lines[-1] == last
    verified = call(CERTIFY, "--verify", directory / CERTIFICATE_FILE)
    assert (verified.code, verified.err) == (0, "")
    assert verified.out.endswith(f"{last}\n")
    quiet = call(CERTIFY, "-s", noisy, "-o", tmp_path / "noisy.json", "--quiet")
    assert quiet.out.startswith("Proved: the value of the round to the first mover lies in ")
    assert len(quiet.out.splitlines()) == 1
    printed = call(CERTIFY, "-s", noisy, "-o", tmp_path / "noisy.json", "--json")
    assert printed.out.encode() == (tmp_path / "noisy.json").read_bytes()
    line = complaint(call(CERTIFY, "--verify", tmp_path / "noisy.json", "-s", single), 1, CERTIFY)
    assert "refused: files.snapshot_000000.msgpack" in line


def test_neither_a_solution_nor_a_round(certified: Json, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    write_certificate(tmp_path / "c.json", certified)
    before = contents(tmp_path)
    for directory in ("photos", "missing"):
        line = complaint(call(CERTIFY, "-s", tmp_path / directory, "-o", tmp_path / "d.json"), 1, CERTIFY)
        assert line.endswith(f"{directory}: no snapshots of a round and no solution (solution.msgpack) here")
    line = complaint(call(CERTIFY, "--verify", tmp_path / "c.json", "-s", CLOSED_FORMS / "match_to_1"), 1, CERTIFY)
    assert line.endswith("match_to_1: no snapshots of a round here")
    assert contents(tmp_path) == before


def test_what_solve_subgame_writes(tmp_path: Path) -> None:
    """Certified, then started again: the certificate goes with what it was of."""
    assert call(ROUND, "-o", tmp_path / "run", "--quiet", *SHORT).code == 0
    before = contents(tmp_path / "run")
    assert call(CERTIFY, "-s", tmp_path / "run").code == 0
    assert list(json.loads((tmp_path / "run" / CERTIFICATE_FILE).read_bytes())["files"]) == [snapshot_name(30)]
    assert call(ROUND, "-o", tmp_path / "run", "--quiet", *SHORT, "--restart").code == 0
    assert contents(tmp_path / "run") == before
