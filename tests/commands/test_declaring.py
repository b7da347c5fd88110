"""Options as fields of dataclasses, and imports that wait for their first use."""

import subprocess
import sys
from dataclasses import dataclass

import click
import pytest
from click.testing import CliRunner
from tictactoe.tools.options.declaring import argument, command_of, flag, group, is_given, option
from tictactoe.tools.options.parameters import NAME, Count


@dataclass(frozen=True)
class Limits:
    most: int | None = option(Count(1, 9), "At most so many {things}.  [default: all]")
    least: int = option(Count(0, 9), "At least so many {things}.", names="--at-least", default=2)

    def __post_init__(self) -> None:
        if self.most is not None and self.most < self.least:
            raise click.UsageError("--most is below --at-least")


@dataclass(frozen=True)
class Wanted:
    words: tuple[str, ...] = argument(NAME, nargs=-1)
    title: str | None = option(NAME, "A title.", short="-t")
    limits: Limits = group(Limits, things="words")
    keep: tuple[str, ...] = option(NAME, "Keep it.", multiple=True)
    in_capitals: bool = flag("In capitals.")


@command_of(Wanted)
def command(wanted: Wanted) -> None:
    """Say what is wanted."""
    click.echo(f"{wanted} {is_given('title')}")


def said(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments, standalone_mode=True).output


def test_help_has_the_fields_in_their_order() -> None:
    text = said("--help")
    assert "Say what is wanted." in text
    options = [line.split("  ")[1] for line in text.splitlines() if line.startswith("  -")]
    names = ["-t, --title TEXT", "--most COUNT", "--at-least COUNT", "--keep TEXT", "--in-capitals", "--version"]
    assert options == [*names, "-h, --help"]
    assert "At most so many words.  [default: all]" in text
    assert "At least so many words.  [default: 2]" in text


def test_a_command_gets_one_value() -> None:
    wanted = Wanted(words=("a", "b"), title="c", limits=Limits(least=0), keep=("d", "e"), in_capitals=True)
    line = said("a", "b", "-t", "c", "--at-least", "0", "--keep", "d", "--keep", "e", "--in-capitals")
    assert line == f"{wanted} True\n"
    assert said() == f"{Wanted(words=(), limits=Limits(least=2))} False\n"


def test_a_group_checks_itself() -> None:
    assert "Error: --most is below --at-least" in said("--most", "1")
    with pytest.raises(click.UsageError):
        Limits(most=1, least=3)


LAZY = """
import sys
from tictactoe.tools.lazy_imports import lazily
with lazily():
    import colorsys
    from tictactoe.formulas import polynomials_of_rules as late, match_values
    from wsgiref import util
    assert sys.modules.keys().isdisjoint({"colorsys", "tictactoe.formulas.match_values", "wsgiref"})
from wsgiref import headers
assert "wsgiref.headers" in sys.modules and "wsgiref.util" not in sys.modules
assert util.is_hop_by_hop("connection") and "wsgiref.util" in sys.modules
assert colorsys.rgb_to_hsv(0, 0, 0) == (0.0, 0.0, 0) and match_values.values_by_formula
try:
    late.anything
except ModuleNotFoundError:
    print("late")
"""


def test_lazy_imports_wait_for_their_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, check=True)
    assert done.stdout == "late\n"
