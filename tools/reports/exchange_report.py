"""Imported and compact solutions as text and JSON."""

from __future__ import annotations

from pathlib import Path

import tictactoe
from tictactoe.match.percentages import POINTS, exploitability_text
from tictactoe.match.scores import match_to
from tictactoe.number_text import counted, size_text
from tictactoe.storage.import_strategies import ImportedSolution

from ..program import shown_path


def print_imported(result: ImportedSolution) -> None:
    solution = result.solution
    scores = counted(len(result.scores), "score")
    match, where = match_to(solution.winning_score, solution.rules), shown_path(solution.directory)
    print(f"{scores} of a {match} imported into {where}")
    unit = POINTS
    for score, found in sorted(solution.results.items(), reverse=True):
        print(
            f"{score}: value to the first mover {found.value:+z.9f}, exploitability in the round "
            f"{exploitability_text(found.exploitability, unit)}"
        )
        unit = "points"
    for score, missing in result.without_value().items():
        shown = ", ".join(map(str, missing[:8])) + (f" and {len(missing) - 8} more" if len(missing) > 8 else "")
        print(f"{score}: imported without a value: it leads to {shown}, missing here")


def print_compacted(output: Path, num_bytes: int) -> None:
    loaded = tictactoe.load_solution(output)
    of = f" of a {match_to(loaded.winning_score, loaded.rules)}"
    print(f"{counted(len(loaded.whole_scores), 'score')}{of} in {size_text(num_bytes)}, saved in {shown_path(output)}")
    if without := len(loaded.whole_scores) - len(loaded.results):
        print(f"without a value, as in what was imported: {counted(without, 'score')}")
    if loaded.unconverged_scores:
        beyond = [loaded.exploitability[score] for score in loaded.unconverged_scores]
        most = exploitability_text(max(beyond), up=True)
        print(f"beyond the target that it was solved to: {counted(len(beyond), 'score')}, exploitable by up to {most}")
