"""match-values: what every score of a match is worth, by formula."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.games.rules import Rules
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, PathName, json_option, score_option
from ..options.rules_options import WantedRules, errors_of_formulas, match_to, rules_options
from ..program import SETTINGS, run

if TYPE_CHECKING:
    from tictactoe.formulas.match_values import Numbers

GRID_UP_TO = 5
"""The largest winning score whose values are printed as a square table."""

PICTURE_ENDINGS = (".png", ".svg", ".pdf")


@click.command(context_settings=SETTINGS)
@click.option("--winning-score", type=Count(1, 10_000), default=5, show_default=True, help="Points that win the match.")
@rules_options("three-in-a-row; the goals must be equally likely")
@score_option("--score", "Only this score: points of the player who moves first, then of the other; may be repeated.")
@click.option(
    "--digits",
    type=Count(1, 10_000),
    help="So many digits behind the point.  [default: 12, from floats; the last may be wrong beyond 1000 points]",
)
@click.option("--fractions", is_flag=True, help="As fractions: by the rules that fill the board.")
@click.option(
    "--plot",
    type=PathName(dir_okay=False),
    metavar="FILE",
    help="Also draw the map of values, as .png, .svg or .pdf; an earlier one is replaced. Needs matplotlib: "
    "pip install matplotlib.",
)
@json_option
def command(
    winning_score: int,
    rules: WantedRules,
    score: tuple[tuple[int, int], ...],
    digits: int | None,
    fractions: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Print what every score of a match is worth to the player who moves first, by formula.

    A value is the chance of winning the match less that of losing it, -1 to 1, when both players are perfect. Nothing
    is solved: docs/closed-forms.md has the formulas and why they are right. A match to 1000, a million values, takes
    seconds.

    \b
    match-values
    match-values --digits 50 --score 0 0
    match-values --winning-score 1000 --json > values.json
    match-values --rules filled --fractions --score 4 3
    match-values --winning-score 30 --plot map.png
    """
    if fractions and digits is not None:
        raise click.UsageError("--fractions and --digits exclude each other")
    for first, second in score:
        if max(first, second) >= winning_score:
            raise click.UsageError(f"--score: {first}-{second} does not exist in a match to {winning_score}")
    if plot is not None:
        _check_plot(plot)
    from tictactoe.formulas.match_values import values_by_formula

    from ..progress import StatusLine

    status = StatusLine("working out the values, {elapsed} elapsed")

    def told(done: int, scores: int) -> None:
        status.set(f"{done:,} of {scores:,} values worked out, {{elapsed}} elapsed")

    with errors_of_formulas(), status.showing():
        values = values_by_formula(winning_score, rules.over(), digits=digits, exact=fractions, reporter=told)
    if plot is not None:
        _draw(plot, values, rules.over())
    if as_json:
        _print_json(values, rules.over(), score)
    else:
        _print(values, rules.over(), score)


def _check_plot(path: Path) -> None:
    from tictactoe.figures.style import require_plots

    if path.suffix not in PICTURE_ENDINGS:
        raise click.UsageError(f"--plot: {path.name}: the name must end with {', '.join(PICTURE_ENDINGS)}")
    require_plots()


def _draw(path: Path, values: Numbers, rules: Rules) -> None:
    from tictactoe.figures.solution_figures import value_map
    from tictactoe.figures.style import save_figure

    save_figure(value_map(values.astype(float), rules=str(rules)), path)


def _print_json(values: Numbers, rules: Rules, scores: tuple[tuple[int, int], ...]) -> None:
    """Print all values row by row: one text would need several times the memory of the values."""
    found: dict[str, Any] = {"rules": str(rules), "winning_score": len(values)}
    if scores:
        found["scores"] = [{"score": list(score), "value": _plain(values[score])} for score in scores]
        print(json_text(found))
        return
    print(json_text(found).removesuffix("}"), end=', "values": [')
    for number, row in enumerate(values):
        print(", " if number else "", json_text([_plain(value) for value in row.tolist()]), sep="", end="")
    print("]}")


def _plain(value: Any) -> float | str:
    """A value for JSON: a float as a number, a decimal or fraction as text, which keeps all digits."""
    return float(value) if isinstance(value, float) else str(value)


def _text(value: Any) -> str:
    return (
        f"{value:+z.12f}" if isinstance(value, float) else f"{value:+zf}" if hasattr(value, "quantize") else str(value)
    )


def _print(values: Numbers, rules: Rules, scores: tuple[tuple[int, int], ...]) -> None:
    if scores:
        for first, second in scores:
            print(f"{first}-{second} {_text(values[first, second])}")
        return
    if len(values) > GRID_UP_TO or not isinstance(values[0, 0], float):
        for first, row in enumerate(values):
            print("\n".join(f"{first}-{second} {_text(value)}" for second, value in enumerate(row.tolist())))
        return
    from ..reports.report import print_table

    points = range(len(values))
    rows = [(str(a), *(f"{values[a, b]:+z.6f}" for b in points)) for a in points]
    print_table(
        ("first", *map(str, points)),
        rows,
        f"Value of every score of a {match_to(len(values), rules)} to the player who moves first: the chance of "
        "winning less that of losing. Rows: points of the player who moves first; columns: of the other.",
    )


main = partial(run, command)
