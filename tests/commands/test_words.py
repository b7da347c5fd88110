"""Singulars after the number 1, and figures that are rounded up."""

import re
import shlex
from fractions import Fraction

import pytest
from tictactoe.tools import program
from tictactoe.tools.commands import best_response_multiround
from tictactoe.tools.progress import StatusLine

from tictactoe.match.percentages import at_most, exploitability_text
from tictactoe.number_text import rounded_up


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
    best_response_multiround._Progress("", None, quiet=True)(1, 2, Fraction("4.9292e-16"))
    assert shown[0].endswith(": 1 of 2 scores, at most 5.0e-16 match value (2.5e-14 points) exploitable")


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        ("4-3 w? 15", '"4-3 w? 15"'),
        ("C:\\runs\\", "C:\\runs\\"),
        ("C:\\my runs\\", '"C:\\my runs\\\\"'),
        ("a&b", '"a&b"'),
        ("filled,filled-tie", '"filled,filled-tie"'),
        ("O'Neill", '"O\'Neill"'),
        ('cmd:"a b"', '"cmd:\\"a b\\""'),
        ("", '""'),
    ],
)
def test_a_command_is_quoted_for_the_shells_of_windows(word: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["", word, "--restart"])
    assert shlex.split(program._continuation("x").split(": ", 1)[1]) == ["x", word]
    monkeypatch.setattr("sys.platform", "win32")
    assert program._continuation("x") == f"everything is saved, continue with: x {typed}"
