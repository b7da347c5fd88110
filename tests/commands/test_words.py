"""Commands print a singular after the number 1."""

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.measured import two_seconds_a_pair
from support.programs import MATCH, ONE_POINT, ROUND, call
from support.slowness import slow
from tictactoe.tools.commands import certify
from tictactoe.tools.progress import StatusLine, at_most
from tictactoe.tools.reports.report import exploitability_text

from tictactoe.number_text import counted, rounded_up

__all__ = ["two_seconds_a_pair"]
pytestmark = pytest.mark.usefixtures("two_seconds_a_pair")

NOUNS = "times|scores|iterations|rounds|rows|runs|points|pairs|programs|snapshots|matches|nodes|moves|games|seconds"
ONE_OF_MANY = re.compile(rf"(?<![\d.,/^-])1 ({NOUNS})\b")


def test_counted() -> None:
    words = ["0 scores", "1 score", "2 scores", "1,000 scores"]
    assert [counted(number, "score") for number in (0, 1, 2, 1000)] == words
    assert (counted(1, "match", "matches"), counted(3, "match", "matches")) == ("1 match", "3 matches")


@pytest.mark.parametrize("value", [4.9292e-16, 0.0799, 1.0, 9.96e-3, 5e-324, Fraction(1, 10**400), 0.0])
def test_what_follows_at_most_is_rounded_up(value: float | Fraction) -> None:
    """By less than one in the last digit, also of an exploitability in words."""
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


def test_the_pattern() -> None:
    for wrong in ("1 times", "of 1 scores", "after 1 iterations:", "(1 rounds", "1 pairs"):
        assert ONE_OF_MANY.search(wrong), wrong
    for right in ("1 time", "21 scores", "1.1 seconds", "0,1 points", "1 score of 2 scores"):
        assert not ONE_OF_MANY.search(right), right


@pytest.mark.parametrize(
    "words",
    [
        (MATCH, "-o", "out", *ONE_POINT, "--max-iterations", "1", "--check-exploitability-every", "1"),
        (MATCH, "-o", "out", *ONE_POINT, "--dry-run", "--snapshot-at", "1", "--jobs", "1"),
        (ROUND, "-o", "out", "--iterations", "1"),
        ("compare-algorithms", "--algorithm", "cfr", "--budget", "1", "--no-plot"),
        ("best-response-multiround", "-s", "match_to_1", "--winning-score", "2"),
        ("head-to-head", "-s", "match_to_1"),
        ("head-to-head", "-s", "match_to_1", "-s", "uniform", "--winning-score", "2"),
        ("head-to-head", "-s", "match_to_1", "-s", "uniform"),
        ("compact-solution", "-s", "match_to_1", "-o", "out"),
        ("certify", "-s", "match_to_1"),
        ("certify", "-s", "single_round"),
        ("plot-solution", "-s", "match_to_1", "--format", "svg"),
        ("rules-atlas", "--rules", "filled", "--winning-score", "1", "--no-plot"),
        *slow(
            (("polish-multiround", "-s", "match_to_1", "-o", "out", "--jobs", "1"),),
            (("rules-atlas", "--rules", "filled-tie", "--winning-score", "1", "--no-plot", "--polish", "--jobs", "1"),),
        ),
    ],
    ids=lambda words: " ".join(words[:4]),
)
def test_one_of_everything(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A match to 1, one iteration, one score; progress is printed at once."""
    monkeypatch.chdir(tmp_path)
    from tictactoe.tools.progress import StatusLine

    set_text: Callable[[Any, str], None] = StatusLine.set
    monkeypatch.setattr(StatusLine, "set", lambda self, text: (set_text(self, text), self.print(text)))
    result = call(*words, typed="")
    assert result.out + result.err
    for line in (result.out + result.err).splitlines():
        assert not ONE_OF_MANY.search(line), line
