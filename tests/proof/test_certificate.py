"""Certificates of matches and rounds: their content, and refusals of every claim that does not hold."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.certifying import Bot, Json, change_snapshot, copy_of, edited, moved

from tictactoe import FormatError, read_certificate
from tictactoe.proof import prove, round_certificate
from tictactoe.proof.certificate_format import write_certificate
from tictactoe.proof.checker import Refused, probabilities
from tictactoe.proof.checker_rules import read_rules
from tictactoe.proof.checker_tree import unreduced_tree
from tictactoe.storage.directory_layout import snapshot_name

EXACT: Json = {"exact": True, "denominator": "256", "bits": 9}
ENCLOSED: Json = {"exact": False, "denominator": f"{2**96}", "bits": 97}


@pytest.mark.parametrize(("bot", "arithmetic"), [("noisy", ENCLOSED), ("two", EXACT)], indirect=["bot"])
def test_a_certificate_of_a_match(bot: Bot, arithmetic: Json) -> None:
    certificate = bot.certificate
    assert certificate["nodes"] == {"reduced": 37_538, "unreduced": None}
    assert certificate["scores"][0]["arithmetic"] == {"bot_first": arithmetic, "bot_second": arithmetic}
    assert len(certificate["files"]) == 1 + len(certificate["scores"])
    for name, digest in certificate["files"].items():
        assert hashlib.sha256((bot.path / name).read_bytes()).hexdigest() == digest
    total = Fraction(certificate["total"]["exploitability"])
    assert 0 < total < Fraction(1, 10)
    (start,) = (entry for entry in certificate["scores"] if entry["score"] == [0, 0])
    names = {"exploitability", "exploitability_decimal", "exploitability_percentage_points_decimal"}
    assert certificate["total"] == {name: start[name] for name in names}
    assert 0 <= Fraction(start["exploitability_percentage_points_decimal"]) - 50 * total < Fraction(10) ** -29
    for item in certificate["scores"]:
        assert 0 <= Fraction(item["lower"]) - Fraction(item["lower_decimal"]) < Fraction(10) ** -29
        assert 0 <= Fraction(item["upper_decimal"]) - Fraction(item["upper"]) < Fraction(10) ** -29


@pytest.mark.parametrize(
    ("bot", "claim"),
    [("one", "the bound at 0-0 with the adversary moving first"), ("single", "the upper bound")],
    indirect=["bot"],
)
def test_a_certificate_that_holds_is_accepted(bot: Bot, claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On either tree; versions are information. An unreduced tree that ends otherwise is noticed."""
    bot.verify(bot.certificate | {"python_version": "4.0", "program_version": "9"}, bot.path, unreduced=True)
    tree = unreduced_tree(read_rules("three-in-a-row"))
    won = tree._replace(outcome=[outcome if outcome < 0 else 0 for outcome in tree.outcome])
    for module in (prove, round_certificate):
        monkeypatch.setattr(module, "unreduced_tree", lambda _rules: won)
    bot.verify(bot.certificate, bot.path)
    with pytest.raises(Refused, match=f"^on the unreduced tree: {claim} does not hold: a best response"):
        bot.verify(bot.certificate, bot.path, unreduced=True)


def test_a_tampered_strategy_is_refused(one: Bot, tmp_path: Path) -> None:
    """One probability moves from one opening to another: with the old hash, and with the right one."""

    def tampered(sums: Any) -> Any:
        best = int(sums[1:4, 0].argmax())
        sums[1 + best, 0] -= 2.0**-10
        sums[1 + (best + 1) % 3, 0] += 2.0**-10
        return sums

    solution, file = copy_of(one, tmp_path), f"{one.last}/{snapshot_name(0)}"
    path = change_snapshot(solution / one.last, strategy_sums=tampered)
    with pytest.raises(Refused, match=f"^files.{file}: "):
        one.verify(one.certificate, solution)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with pytest.raises(Refused, match=r"^the (bound|progress) at 0-0 with the adversary moving .* does not hold"):
        one.verify(edited(one.certificate, f"files {file}", digest), solution)


def test_swapped_files_are_refused(two: Bot, tmp_path: Path) -> None:
    solution = copy_of(two, tmp_path)
    first, second = (solution / name / snapshot_name(0) for name in ("subgame_1_0", "subgame_0_1"))
    content = second.read_bytes()
    second.write_bytes(first.read_bytes())
    first.write_bytes(content)
    with pytest.raises(Refused, match=r"^files.subgame_0_1/snapshot_000000.msgpack: "):
        two.verify(two.certificate, solution)
    with pytest.raises(FormatError, match=r"subgame_0_1/.*: not a snapshot of 0-1 of a match to 2$"):
        two.certify(solution)


AT_00, NO_HASH = "scores[at 0-0]", 64 * "0"
FIRST, SECOND = (f"{{}} at 0-0 with the adversary moving {seat} does not hold: " for seat in ("first", "second"))
NOT_THE_SCORES = "scores: not the scores of the solution that can be judged, in their order"


def both_raised(entry: Json) -> Json:
    """Both bounds hold, but the exploitability is another one."""
    return entry | {"upper": moved(3)(entry["upper"]), "lower": moved(-2)(entry["lower"])}


def last_digit(text: str) -> str:
    return text[:-1] + str((int(text[-1]) + 9) % 10)


EDITS: dict[str, list[tuple[str, Any, str]]] = {
    "one": [
        ("scores 0 upper", moved(-1), FIRST.format("the bound") + "a best response in that round gets more"),
        ("scores 0 lower", moved(1), SECOND.format("the bound") + "a best response in that round gets more"),
        *(("scores 0 progress adversary_first", more, FIRST.format("the progress")) for more in (moved(1), "-1/8")),
        ("scores 0 progress adversary_second", "2/1", SECOND.format("the progress")),
        (
            "scores 0",
            both_raised,
            f"{AT_00}.exploitability: '1535/44416' where '15940351355701920819588623730705696455/",
        ),
        ("scores 0 upper_decimal", last_digit, f"{AT_00}.upper_decimal: '-0.05"),
        ("scores 0 exploitability", moved(-1), f"{AT_00}.exploitability: '15940351355701920819588623730705694373/"),
        ("scores 0 arithmetic bot_first bits", 20, f"{AT_00}.arithmetic.bot_first.bits: 20 where 7 is right"),
        ("scores 0 arithmetic bot_first exact", 1, f"{AT_00}.arithmetic.bot_first.exact: 1 where True is right"),
        ("total exploitability_decimal", "0.0", "total.exploitability_decimal: '0.0' where '0.0345596"),
        ("total", None, "total: None where dict is right"),
        ("total", {"a": {"b": []}}, "total.a: unknown"),
        ("winning_score", 2, "winning_score: 2 where 1 is right"),
        ("nodes reduced", 37_537, "nodes.reduced: 37537 where 37538 is right"),
        ("nodes", {}, "nodes.reduced: missing"),
        ("files solution.msgpack", NO_HASH, f"files.solution.msgpack: '{NO_HASH}' where '"),
        ("files ../other", NO_HASH, "files.../other: unknown"),
        ("files", {}, "files.solution.msgpack: missing"),
        *(("scores", scores, NOT_THE_SCORES) for scores in ([], lambda scores: scores * 2)),
        ("not_judged", [[0, 0]], "not_judged: 1 items where 0 are right"),
        ("not_judged", {}, "not_judged: dict where list is right"),
        ("author", "me", "author: unknown"),
    ],
    "single": [
        *((name, moved(by), f"the {name} bound does not hold: a best") for name, by in (("upper", -1), ("lower", 1))),
        *((name, moved(by), "exploitability: '") for name, by in (("upper", 1), ("lower", -1))),
        ("outcome_values both", "1/1", "outcome_values.both: '1/1' where '0/1' is right"),
        ("score", [0, 0], "score: list where None is right"),
        ("winning_score", 5, "winning_score: 5 where None is right"),
        ("exploitability_decimal", "0", f"exploitability_decimal: '0' where '0.{30 * '0'}' is right"),
        (f"files {snapshot_name(7)}", NO_HASH, "files.snapshot_000007.msgpack: unknown"),
        (f"files {snapshot_name(0)}", NO_HASH, f"files.snapshot_000000.msgpack: '{NO_HASH}' where '"),
        ("arithmetic", {}, "arithmetic.bot_first: missing"),
    ],
}


@pytest.mark.parametrize("bot", EDITS, indirect=True)
def test_edited_certificates_are_refused(bot: Bot, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    for place, value, message in EDITS[request.node.callspec.params["bot"]]:
        write_certificate(tmp_path / "wrong.json", edited(bot.certificate, place, value))
        with pytest.raises(Refused) as caught:
            bot.verify(read_certificate(tmp_path / "wrong.json"), bot.path)
        assert str(caught.value).startswith(message)


def test_certificates_of_the_other_form_are_refused(one: Bot, single: Bot) -> None:
    wrong: Json = {"nodes": {"unreduced": {"a": 1.5}}, "files": {"a": {"b": []}}, "upper": 1, "scores": [{}]}
    for bot, other in ((one, single), (single, one)):
        for name in ("format", *(wrong.keys() & bot.certificate.keys())):
            certificate = other.certificate if name == "format" else bot.certificate | {name: wrong[name]}
            with pytest.raises(Refused, match=rf"^not a certificate of that kind: {name}\b.*: "):
                bot.verify(certificate, bot.path)


@pytest.mark.parametrize("bot", ["one", "single"], indirect=True)
def test_files_that_change_meanwhile_are_noticed(bot: Bot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = copy_of(bot, tmp_path)

    def meddle(*arguments: Any) -> Any:
        change_snapshot(copy / bot.last, value=0.25)
        return probabilities(*arguments)

    for module in (prove, round_certificate):
        monkeypatch.setattr(module, "probabilities", meddle)
    with pytest.raises(FormatError, match=r"copy: files were changed while they were read$"):
        bot.certify(copy)
