"""import-solution: strategies of the published program, or of export-strategy, as a solution."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tictactoe
from tictactoe.storage.json_text import json_text

from ..lazy_imports import lazily
from ..options.parameters import Count, PathName
from ..options_before.common import REPLACE_HELP, json_option, quiet_option
from ..options_before.declaring import argument, command_of, flag, group, option
from ..options_before.rules_options import WantedRules
from ..options_before.workers import existing_of
from ..program import stop_on_signals

with lazily():
    from tictactoe.solving import results_as_data
    from tictactoe.storage import import_strategies

    from ..reports import exchange_report


@dataclass(frozen=True)
class Options:
    source: Path = argument(PathName(), metavar="INPUT")
    output: Path = option(
        PathName(), "New or empty directory for the solution.", short="-o", required=True, metavar="DIR"
    )
    winning_score: int | None = option(
        Count(1, 100), "Points that win the match.  [default: 5, or what the export says]", metavar="N"
    )
    rules: WantedRules = group(
        WantedRules, default="those of the table; of the published program, which knows no others, three-in-a-row"
    )
    restart: bool = flag(REPLACE_HELP)
    quiet: bool = quiet_option("No result: nothing but errors.")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Make a solution of strategies that were computed elsewhere.

    INPUT is a directory of the published Rust program (subgame_A_B/strategy_N.bincode, gzipped or not; the highest N
    of every score that is there), or a table that export-strategy wrote (CSV or JSON lines, gzipped or not), or a
    directory with one. Everything is checked before anything is written. A table names the rules that it is about; with
    --rules, a table of other rules is refused.

    Values and exploitabilities are those of playing the imported strategy for ever. A score that leads to a missing
    score has neither: it can be explored and exported, and is named at the end.

    \b
    import-solution ../smbc-tictactoe-cfr/solution -o theirs/
    import-solution strategy.csv.gz -o copy/
    """
    expected = given.rules.over() if given.rules.are_given else None
    with stop_on_signals() as stop:
        control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing_of(given.restart), stop=stop)
        result = import_strategies.import_solution(
            given.source, given.output, given.winning_score, rules=expected, control=control
        )
    if given.as_json:
        print(json_text(results_as_data.imported_solution(result), indent=2))
    elif not given.quiet:
        exchange_report.print_imported(result)
