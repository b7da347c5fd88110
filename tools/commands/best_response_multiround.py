"""best-response-multiround: what a perfect player wins against a solution."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.number_text import signed_text
from tictactoe.play.opponents import OPPONENTS
from tictactoe.storage.json_text import json_text

from ..options.parameters import Count, SolutionOrOpponent, json_option, true_option
from ..options.rules_options import WantedRules, match_to, require_rules, rules_options
from ..options.solution_choice import chosen_solution, refuse_to_write_into, solution_option
from ..program import SETTINGS, CommandError, run, say
from ..words import counted

if TYPE_CHECKING:
    from tictactoe.games.rules import Rules
    from tictactoe.match.best_response_over_match import MatchResponse, ScoreResponse
    from tictactoe.match.scores import Score
    from tictactoe.storage.solution import Solution


@click.command(context_settings=SETTINGS)
@solution_option(
    f"Directory of the solved match, or the name of an opponent: {', '.join(OPPONENTS)}", kind=SolutionOrOpponent()
)
@click.option(
    "--winning-score",
    type=Count(1, 100),
    help="Judge the match to fewer points that the solution contains, or an opponent in one to so many.  [default: the "
    "solution's; 5]",
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
@rules_options("those of the solution, else three-in-a-row")
@json_option
def command(
    solution: Path | str | None,
    winning_score: int | None,
    average_strategy: bool,
    iteration: int | None,
    save: bool,
    rules: WantedRules,
    as_json: bool,
) -> None:
    """Compute exactly what a perfect player wins against a solution, over the whole match.

    The perfect player knows the bot's strategy, but not its goals. For every score: the most it can get moving first,
    the least that it can hold the bot to, and the difference, the total exploitability from there on.

    \b
    best-response-multiround -s my_solution/
    best-response-multiround -s my_solution/ --average-strategy false --json
    best-response-multiround -s learner-10 --rules filled
    """
    if isinstance(solution, str):
        if save or iteration is not None or not average_strategy:
            option = "--save" if save else "--iteration" if iteration is not None else "--average-strategy false"
            raise click.UsageError(f"{option}: {solution} is an opponent; this is for solutions")
        _show(*_of_opponent(solution, rules.over(), winning_score), as_json)
        return
    from tictactoe.match.best_response_over_match import best_response_over_match
    from tictactoe.match.shorter_match import part_for_shorter_match
    from tictactoe.storage.solution import load_solution

    solution = chosen_solution(solution)
    if save:
        refuse_to_write_into(solution, "--save")
    loaded = load_solution(solution)
    require_rules(rules, loaded.tree, solution)
    winning_score = loaded.winning_score if winning_score is None else winning_score
    if winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {solution} is a match to {counted(loaded.winning_score, 'point')}")
    if not loaded.results:
        raise CommandError(f"{solution}: no score is solved yet")
    strategies = loaded.strategies(average=average_strategy, iteration=iteration)
    response = best_response_over_match(loaded.tree, strategies, loaded.winning_score)
    shown = part_for_shorter_match(response.scores, loaded.winning_score, winning_score)
    try:
        if save:
            _save(loaded, response, average_strategy, iteration)
    finally:  # show the result even if saving fails
        _show(shown, winning_score, loaded.rules, as_json)


def _of_opponent(name: str, rules: Rules, winning_score: int | None) -> tuple[Mapping[Score, ScoreResponse], int, str]:
    """The values of a best response to an opponent, the winning score, and the rules.

    Raises click.UsageError if the opponent has no strategies for a match that long, and CommandError if it cannot play
    by the rules.
    """
    from tictactoe.agents.policies import opponent_policy
    from tictactoe.games.tic_tac_toe_tree import GameTree
    from tictactoe.match.best_response_over_match import best_response_over_match
    from tictactoe.storage.shipped import SHIPPED_MATCHES

    tree, points = GameTree.build(rules), winning_score or SHIPPED_MATCHES["shipped"]
    if OPPONENTS[name].uses_solution and points > SHIPPED_MATCHES["shipped"]:
        what = f"{name} plays from a solution of a match to {counted(SHIPPED_MATCHES['shipped'], 'point')}"
        raise click.UsageError(f"--winning-score: {what}")
    try:
        strategies = opponent_policy(name)(tree, points)
    except ValueError as error:
        raise CommandError(str(error).removeprefix("opponent: ").removeprefix("rules: ")) from error
    return best_response_over_match(tree, strategies, points).scores, points, str(rules)


def _show(shown: Mapping[Score, ScoreResponse], winning_score: int, rules: str, as_json: bool) -> None:
    from tictactoe.match.scores import all_scores

    missing = [score for score in all_scores(winning_score) if score not in shown]
    if as_json:
        print(json_text({"rules": rules, **_as_dict(shown, missing, winning_score)}, indent=2))
    else:
        _print(shown, missing, match_to(winning_score, rules))


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
    from tictactoe.match.percentages import percentage_points, win_percentage

    total = shown[min(shown)].exploitability if not missing else None
    return {
        "winning_score": winning_score,
        "total_exploitability": total,
        "total_exploitability_percentage_points": None if total is None else percentage_points(total),
        "perfect_player_wins_percent": None if total is None else win_percentage(total / 2),
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

    from ..reports.report import exploitability_text, print_table

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
    say(f"With the first move drawn by lot, a perfect player wins {win_percentage(start.exploitability / 2):.5f} %.")


main = partial(run, command)
