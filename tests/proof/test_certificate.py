"""Certificates of matches and rounds: their content, and refusals of every claim that does not hold."""

import hashlib
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from fuzzing.edits import apply, at
from oracle.lifting import game_tree
from support.certifying import Bot, Json, change_snapshot, copy_of, edited, moved
from support.slowness import slow
from support.storage_files import imported

from tictactoe import FormatError, read_certificate
from tictactoe.proof import certificate, prove
from tictactoe.proof import certificate_format as form
from tictactoe.proof.certificate_format import certificate_bytes
from tictactoe.proof.checker import Refused
from tictactoe.proof.checker_tree import read_rules, unreduced_tree
from tictactoe.storage.directory_layout import snapshot_name

EXACT: Json = {"exact": True, "denominator": "256", "bits": 9}
ENCLOSED: Json = {"exact": False, "denominator": f"{2**96}", "bits": 97}


@pytest.mark.parametrize(("bot", "arithmetic"), [("two", EXACT), *slow(("noisy", ENCLOSED))], indirect=["bot"])
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
    slow(("one", "the bound at 0-0 with the adversary moving first"), ("single", "the upper bound")),
    indirect=["bot"],
)
def test_a_certificate_that_holds_is_accepted(bot: Bot, claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bot.verify(bot.certificate | {"python_version": "4.0", "program_version": "9"}, bot.path, unreduced=True)
    tree = unreduced_tree(read_rules("three-in-a-row"))
    won = tree._replace(outcome=[outcome if outcome < 0 else 0 for outcome in tree.outcome])
    for module in (prove, certificate):
        monkeypatch.setattr(module, "unreduced_tree", lambda _rules: won)
    bot.verify(bot.certificate, bot.path)
    with pytest.raises(Refused, match=f"^on the unreduced tree: {claim} does not hold: a best response"):
        bot.verify(bot.certificate, bot.path, unreduced=True)


def test_a_tampered_strategy_is_refused(one: Bot, tmp_path: Path) -> None:
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


ODD = (None, True, 1.5, float("nan"), -1, 10**400, "x", "1/3", "2/4", "1/-2", "1/0", "1/2\n", "1" * 300 + "/2", [], {})


def places(value: Any, *place: Any) -> Iterator[list[Any]]:
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield [*place, key]
        yield from places(value[key], *place, key)


@pytest.mark.parametrize("bot", ["one", *slow("single")], indirect=True)
def test_every_value_of_a_certificate_counts(bot: Bot, tmp_path: Path) -> None:
    good, path, chance = certificate_bytes(bot.certificate), tmp_path / "wrong.json", random.Random(1)
    for place in places(bot.certificate):
        old = at(bot.certificate, place)
        odd = [value for value in chance.sample(ODD, 1) if repr(value) != repr(old)]
        if re.fullmatch(r"-?\d+/\d+", str(old)):
            odd += [moved(1)(old), *([moved(-1)(old)] if "progress" not in place else [])]  # less progress holds, too
        if place[0] in ("python_version", "program_version", "nodes"):
            odd = [7]  # any version holds, and a certificate need not claim nodes
        added = [["add", place, "author", "me"]] if isinstance(old, dict) else []
        for edit in (["remove", place], *added, *(["set", place, value] for value in odd)):
            path.write_bytes(good)
            apply(path, edit, path)
            with pytest.raises((FormatError, Refused)) as caught:
                bot.verify(read_certificate(path), bot.path)
            assert re.search(f"{place[0]}|bound|progress|exploitability", str(caught.value)), edit


IN_WORDS: list[tuple[str, Any, str]] = [
    ("scores 0 exploitability", moved(-1), "scores[at 0-0].exploitability: '1594035135570192081958862373070"),
    ("scores", [], "scores: not the scores of the solution that can be judged, in their order"),
    ("not_judged", [[0, 0]], "not_judged: 1 items, but 0 are right"),
    ("nodes", {}, "nodes.reduced: missing"),
    ("files ../other", 64 * "0", "files.../other: unknown"),
    ("total", None, "total: None should be dict"),
]


def test_refusals_in_words(one: Bot, single: Bot) -> None:
    for place, value, message in IN_WORDS:
        with pytest.raises(Refused) as caught:
            one.verify(edited(one.certificate, place, value), one.path)
        assert str(caught.value).startswith(message)
    for bot, other in ((one, single), (single, one)):
        with pytest.raises(Refused, match=r"^not a certificate of that kind: format\b.*: "):
            bot.verify(other.certificate, bot.path)
        for claim in (None, 549_946):
            bot.verify(edited(bot.certificate, "nodes unreduced", claim), bot.path)


def test_a_certificate_of_other_rules_is_refused(by_rules: Callable[[str], Bot], single: Bot, tmp_path: Path) -> None:
    made = by_rules("filled")
    header = form.header(form.MATCH_FORMAT, read_rules("filled 1:0:2"), {}, unreduced=True)
    assert (header["rules"], header["nodes"]) == ("filled 1:0:2", {"reduced": 47_202, "unreduced": 986_410})
    for rules in ("three-in-a-row", "filled-none", "filled 2:1:1", "misere", ""):
        other = edited(made.certificate, "rules", rules) | {"files": {}, "scores": []}
        with pytest.raises(Refused, match=f"^rules: '{rules}' should be 'filled'$"):
            made.verify(other, made.path)
    with pytest.raises(Refused, match=r"^rules: 'filled' should be 'three-in-a-row'$"):
        single.verify(edited(single.certificate, "rules", "filled") | {"files": {}}, single.path)
    other_bot = imported(tmp_path / "other", game_tree(rules="filled-none"), 1)
    file, copy = f"{made.last}/snapshot_000000.msgpack", copy_of(made, tmp_path)
    (copy / file).write_bytes((other_bot / file).read_bytes())
    with pytest.raises(FormatError, match=r"000000.msgpack: belongs to a round by the rules 'filled-none', not 'fill"):
        made.certify(copy)
