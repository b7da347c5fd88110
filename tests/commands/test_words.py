"""Singulars after the number 1, and figures that are rounded up."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from tictactoe.tools.commands import certify
from tictactoe.tools.progress import StatusLine

from tictactoe.match.percentages import at_most, exploitability_text
from tictactoe.number_text import counted, rounded_up

NOUNS = "times|scores|iterations|rounds|rows|runs|points|pairs|programs|snapshots|matches|nodes|moves|games|seconds"
ONE_OF_MANY = re.compile(rf"(?<![\d.,/^-])1 ({NOUNS})\b")


def test_counted() -> None:
    words = ["0 scores", "1 score", "2 scores", "1,000 scores"]
    assert [counted(number, "score") for number in (0, 1, 2, 1000)] == words
    assert (counted(1, "match", "matches"), counted(3, "match", "matches")) == ("1 match", "3 matches")


@pytest.mark.parametrize("value", [4.9292e-16, 0.0799, 1.0, 9.96e-3, 5e-324, Fraction(1, 10**400), 0.0])
def test_what_follows_at_most_is_rounded_up(value: float | Fraction) -> None:
    for digits in (1, 2, 3):
        shown = Fraction(rounded_up(value, digits))
        assert value <= shown <= Fraction(value) * (1 + Fraction(10, 10**digits))
        assert re.fullmatch(r"\d(\.\d+)?e[+-]\d\d+", rounded_up(value, digits))
    for text in (at_most(value), exploitability_text(value, up=True)):
        figures = [Fraction(number) for number in re.findall(r"[\d.]+e\S\d+", text)]
        assert figures[0] >= value
        assert figures[1] >= 50 * Fraction(value)


def test_progress_says_no_less_than_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(StatusLine, "set", lambda _self, text: shown.append(text))
    certify._Progress("", None, quiet=True)(1, 2, Fraction("4.9292e-16"))
    assert shown == [
        "certifying{cluster}, {elapsed} elapsed: 1 of 2 scores, at most 5.0e-16 match value (2.5e-14 % of matches) "
        "exploitable"
    ]


def test_one_of_everything() -> None:
    """In all consoles, which have matches to 1, one iteration, one score."""
    for wrong in ("1 times", "of 1 scores", "after 1 iterations:", "(1 rounds", "1 pairs"):
        assert ONE_OF_MANY.search(wrong), wrong
    for right in ("1 time", "21 scores", "1.1 seconds", "0,1 points", "1 score of 2 scores"):
        assert not ONE_OF_MANY.search(right), right
    texts = [path.read_text("utf-8") for path in Path(__file__).with_name("consoles").glob("*.txt")]
    assert [line for text in texts for line in text.splitlines() if ONE_OF_MANY.search(line)] == []
    assert sum(text.count("1 score ") + text.count("1 iteration:") for text in texts) >= 3
