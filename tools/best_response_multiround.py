"""best-response-multiround: what a perfect player wins against a solution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.algorithms.number_text import signed_text
from tictactoe.storage.json_text import json_text

from .shared.parameters import Count, json_option, true_option
from .shared.program import SETTINGS, CommandError, run, say
from .shared.rules_options import match_to
from .shared.solution_choice import chosen_solution, refuse_to_write_into, solution_option
from .shared.words import counted

if TYPE_CHECKING:
    from tictactoe.match.best_response_over_match import MatchResponse, ScoreResponse
    from tictactoe.match.scores import Score
    from tictactoe.storage.solution import Solution


@click.command(context_settings=SETTINGS)
@solution_option()
@click.option(
    "--winning-score",
    type=Count(1),
    help="Judge the match to fewer points that the solution contains.  [default: the solution's]",
)
@true_option("--average-strategy", "false: judge the current strategies instead of the average ones.")
@click.option(
    "--iteration",
    type=Count(0),
    help="Judge earlier strategies: of every score the last saved ones up to this iteration.",
)
@click.option(
    "--save", is_flag=True, help="Save the best response beside the snapshots, for exploring; not beside shipped ones."
)
@json_option
def command(
    solution: Path | None,
    winning_score: int | None,
    average_strategy: bool,
    iteration: int | None,
    save: bool,
    as_json: bool,
) -> None:
    """Compute exactly what a perfect player wins against a solution, over the whole match.

    The perfect player knows the bot's strategy, but not its goals. For every score: the most it can get moving first,
    the least that it can hold the bot to, and the difference, the total exploitability from there on.

    \b
    best-response-multiround -s my_solution/
    best-response-multiround -s my_solution/ --average-strategy false --json
    """
    from tictactoe.match.best_response_over_match import best_response_over_match
    from tictactoe.match.scores import all_scores
    from tictactoe.match.shorter_match import part_for_shorter_match
    from tictactoe.storage.solution import load_solution

    solution = chosen_solution(solution)
    if save:
        refuse_to_write_into(solution, "--save")
    loaded = load_solution(solution)
    winning_score = loaded.winning_score if winning_score is None else winning_score
    if winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {solution} is a match to {counted(loaded.winning_score, 'point')}")
    if not loaded.results:
        raise CommandError(f"{solution}: no score is solved yet")
    strategies = loaded.strategies(average=average_strategy, iteration=iteration)
    response = best_response_over_match(loaded.tree, strategies, loaded.winning_score)
    shown = part_for_shorter_match(response.scores, loaded.winning_score, winning_score)
    missing = [score for score in all_scores(winning_score) if score not in shown]
    try:
        if save:
            _save(loaded, response, average_strategy, iteration)
    finally:  # what was computed is shown though it cannot be saved
        if as_json:
            print(json_text({"rules": loaded.rules, **_as_dict(shown, missing, winning_score)}, indent=2))
        else:
            _print(shown, missing, match_to(winning_score, loaded.rules))


def _save(solution: Solution, response: MatchResponse, average: bool, iteration: int | None) -> None:
    from tictactoe.storage.directory_layout import subgame_name
    from tictactoe.storage.saved_best_response import round_responses

    for saved in round_responses(
        solution.tree,
        response,
        solution.winning_score,
        average,
        {score: solution.iteration_of(score, iteration) for score in response.scores},
    ):
        assert saved.score is not None
        saved.save(solution.directory / subgame_name(saved.score))


def _as_dict(shown: Mapping[Score, ScoreResponse], missing: list[Score], winning_score: int) -> dict[str, Any]:
    from tictactoe.match.percentages import percentage_points

    total = shown[min(shown)].exploitability if not missing else None
    return {
        "winning_score": winning_score,
        "total_exploitability": total,
        "total_exploitability_percentage_points": None if total is None else percentage_points(total),
        "missing_scores": [list(score) for score in missing],
        "subgames": [
            {
                "score": list(score),
                "value": result.value,
                "max": result.maximum,
                "min": result.minimum,
                "exploitability": result.exploitability,
                "exploitability_percentage_points": percentage_points(result.exploitability),
                "stage_gains": list(result.stage_gains),
                "expected_rounds": list(result.rounds),
                "bound": result.bound,
            }
            for score, result in sorted(shown.items(), reverse=True)
        ],
    }


def _print(shown: Mapping[Score, ScoreResponse], missing: list[Score], match: str) -> None:
    from tictactoe.match.percentages import percentage_points, win_percentage

    from .shared.report import exploitability_text, print_table

    headings = ("score", "value", "max", "min", "exploitability", "% of matches", "rounds", "one round", "bound")
    rows = [
        (
            str(score),
            signed_text(result.value, 6),
            signed_text(result.maximum, 6),
            signed_text(result.minimum, 6),
            f"{result.exploitability:.2e}",
            f"{percentage_points(result.exploitability):.1e} %",
            f"{result.rounds[0]:.2f} {result.rounds[1]:.2f}",
            f"{sum(result.stage_gains):.1e}",
            f"{result.bound:.2e}",
        )
        for score, result in sorted(shown.items(), reverse=True)
    ]
    explanation = (
        "score: points of the player who moves first, then of the other. All values are match values (-1 to 1) to the "
        "first mover. value: the bot against itself. max: what a perfect player gets moving first. min: what the bot "
        "gets moving first against a perfect player. exploitability: max - min, also in percentage points of matches "
        "won. rounds: expected from there on, perfect player moving first, second. one round: what perfect players in "
        "both seats gain by deviating in that round alone. bound: the sum of these gains over the expected rounds."
    )
    print_table(headings, rows, explanation, ("% of matches", "one round", "value"))
    if missing:
        named = ", ".join(str(score) for score in missing[:8]) + (", ..." if len(missing) > 8 else "")
        say(f"Not judged, because a score is missing or leads to a missing one: {named}.")
        return
    start = shown[min(shown)]
    say(f"Total exploitability of the bot in a {match}: {exploitability_text(start.exploitability)} of matches won.")
    say(
        f"A perfect player wins {win_percentage(start.maximum):.5f} % of the matches against the bot when moving first "
        f"in the first round, and {win_percentage(-start.minimum):.5f} % when moving second."
    )
    say(
        f"Against a perfect player the bot wins {win_percentage(start.minimum):.5f} % when moving first, and "
        f"{win_percentage(-start.maximum):.5f} % when moving second."
    )


main = partial(run, command)
