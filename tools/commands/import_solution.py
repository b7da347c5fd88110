"""import-solution: strategies of the published program, or of export-strategy, as a solution."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, PathName, json_option
from ..options.rules_options import WantedRules, match_to, rules_options
from ..program import REPLACE_HELP, SETTINGS, existing_of, run, shown_path, stop_on_signals
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.storage.import_strategies import ImportedSolution


@click.command(context_settings=SETTINGS)
@click.argument("source", metavar="INPUT", type=PathName())
@click.option(
    "-o", "--output", type=PathName(), required=True, metavar="DIR", help="New or empty directory for the solution."
)
@click.option(
    "--winning-score",
    type=Count(1, 100),
    metavar="N",
    help="Points that win the match.  [default: 5, or what the export says]",
)
@rules_options("those of the table; of the published program, which knows no others, three-in-a-row")
@click.option("--restart", is_flag=True, help=REPLACE_HELP)
@click.option("--quiet", is_flag=True, help="No result: nothing but errors.")
@json_option
def command(
    source: Path, output: Path, winning_score: int | None, rules: WantedRules, restart: bool, quiet: bool, as_json: bool
) -> None:
    """Make a solution of strategies that were computed elsewhere.

    INPUT is a directory of the published Rust program (subgame_A_B/strategy_N.bincode, gzipped or not; the highest N
    of every score that is there), or a table that export-strategy wrote (CSV or JSON lines, gzipped or not), or a
    directory with one. Everything is checked before anything is written. A table names the rules that it is about; with
    --rules, one of others is refused.

    Values and exploitabilities are those of playing the imported strategy for ever. A score that leads to one that is
    missing has none: it can be explored and exported, and is named at the end.

    \b
    import-solution ../smbc-tictactoe-cfr/solution -o theirs/
    import-solution strategy.csv.gz -o copy/
    """
    from tictactoe.run_control import RunControl
    from tictactoe.storage.import_strategies import import_solution

    expected = rules.over() if any(rules) else None
    with stop_on_signals() as stop:
        control: RunControl[Any] = RunControl(existing=existing_of(restart), stop=stop)
        result = import_solution(source, output, winning_score, rules=expected, control=control)
    if as_json:
        print(json_text(_as_dict(result), indent=2))
    elif not quiet:
        _print_result(result)


def _as_dict(result: ImportedSolution) -> dict[str, Any]:
    from tictactoe.match.percentages import percentage_points

    solution = result.solution
    return {
        "rules": solution.rules,
        "winning_score": solution.winning_score,
        "imported_from": solution.options["imported_from"],
        "subgames": [
            {
                "score": list(score),
                "value": found.value,
                "exploitability": found.exploitability,
                "exploitability_percentage_points": percentage_points(found.exploitability),
                "iterations": found.iteration,
            }
            for score, found in sorted(solution.results.items(), reverse=True)
        ],
        "without_value": [
            {"score": list(score), "missing": [list(item) for item in missing]}
            for score, missing in result.without_value().items()
        ],
    }


def _print_result(result: ImportedSolution) -> None:
    from ..reports.report import exploitability_text

    solution = result.solution
    scores = counted(len(result.scores), "score")
    match, where = match_to(solution.winning_score, solution.rules), shown_path(solution.directory)
    print(f"{scores} of a {match} imported into {where}")
    for score, found in sorted(solution.results.items(), reverse=True):
        print(
            f"{score}: value to the first mover {found.value:+z.9f}, exploitability in the round "
            f"{exploitability_text(found.exploitability)}"
        )
    for score, missing in result.without_value().items():
        shown = ", ".join(map(str, missing[:8])) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        print(f"{score}: imported without a value: it leads to {shown}, missing here")


main = partial(run, command)
