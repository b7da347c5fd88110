"""Certificates of a round that was solved on its own: tight, of the last snapshot, with any outcome values."""

import hashlib
from fractions import Fraction
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from support.certifying import CLOSED_FORMS, UNIT, Bot, change_snapshot, copy_of, edited, moved

from tictactoe import OutcomeValues, Snapshot, best_response_value, certify_round, tic_tac_toe_round, verify_round
from tictactoe.proof.certificate_format import ROUND_FORMAT, read_certificate, write_certificate
from tictactoe.proof.checker import Refused
from tictactoe.storage.directory_layout import snapshot_name


def test_the_closed_form_is_exact(single: Bot) -> None:
    exact = {"exact": True, "denominator": "1", "bits": 1}
    name, certificate = snapshot_name(0), certify_round(single.path, unreduced=True)
    assert {key: value for key, value in certificate.items() if not key.endswith("_version")} == {
        "format": ROUND_FORMAT,
        "rules": "three-in-a-row",
        "nodes": {"reduced": 37_538, "unreduced": 549_946},
        "files": {name: hashlib.sha256((single.path / name).read_bytes()).hexdigest()},
        "score": None,
        "winning_score": None,
        "outcome_values": {"both": "0/1", "first": "1/1", "second": "-1/1", "neither": "0/1"},
        "arithmetic": {"bot_first": exact, "bot_second": exact},
        "upper": "-1/9",
        "upper_decimal": f"-0.{30 * '1'}",
        "lower": "-1/9",
        "lower_decimal": f"-0.{29 * '1'}2",
        "exploitability": "0/1",
        "exploitability_decimal": f"0.{30 * '0'}",
    }
    of_match = certify_round(CLOSED_FORMS / "match_to_1" / "subgame_0_0")
    assert (of_match["score"], of_match["winning_score"]) == ([0, 0], 1)
    for bound in ("lower", "upper"):  # its outcome values are rounded, as -1/13 is no float
        assert abs(Fraction(of_match[bound]) + Fraction(1, 13)) < Fraction(1, 10**16)


def test_bounds_agree_with_the_floating_point_best_response(noisy_round: Bot) -> None:
    snapshot, certificate = Snapshot.load(noisy_round.path / snapshot_name(0), game_tree()), noisy_round.certificate
    game = tic_tac_toe_round(game_tree(), OutcomeValues(*snapshot.outcome_values))
    strategy = snapshot.average_strategy(game_tree())
    upper, lower = (Fraction(certificate[name]) for name in ("upper", "lower"))
    assert float(upper) == pytest.approx(best_response_value(game, 0, strategy), abs=1e-12)
    assert float(lower) == pytest.approx(-best_response_value(game, 1, strategy), abs=1e-12)
    assert Fraction(certificate["exploitability"]) == upper - lower > 0
    assert (upper / UNIT).denominator == (lower / UNIT).denominator == 1, "on the grid"
    assert not certificate["arithmetic"]["bot_first"]["exact"]
    assert certificate["outcome_values"]["neither"] == f"{Fraction(-0.1)}"
    for name, units in (("upper", -1), ("lower", 1)):
        with pytest.raises(Refused, match=f"^the {name} bound does not hold: a best response gets more$"):
            verify_round(edited(certificate, name, moved(units)), noisy_round.path)


def test_the_last_snapshot_is_judged(single: Bot, tmp_path: Path) -> None:
    directory = copy_of(single, tmp_path)
    last = change_snapshot(directory, outcome_values=[1.0] * 4, iteration=1_000_000).rename(
        directory / snapshot_name(1_000_000)
    )
    (directory / snapshot_name(0)).write_bytes((single.path / snapshot_name(0)).read_bytes())
    with pytest.raises(Refused, match=r"^files.snapshot_000000.msgpack: unknown$"):
        verify_round(single.certificate, directory)
    certificate = certify_round(directory)
    assert list(certificate["files"]) == [last.name]
    assert (certificate["lower"], certificate["upper"]) == ("1/1", "1/1")


def test_extreme_outcome_values(single: Bot, tmp_path: Path) -> None:
    directory = copy_of(single, tmp_path)
    for values in ([1e100, -1e100, 1e100, -1e100], [5e-324, -5e-324, 5e-324, 0.1]):
        change_snapshot(directory, outcome_values=values)
        write_certificate(tmp_path / "c.json", certify_round(directory))
        verify_round(read_certificate(tmp_path / "c.json"), directory)
