"""best-response-multiround: what the best responder wins against a solution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

import tictactoe
from tictactoe.match.scores import match_to
from tictactoe.number_text import counted
from tictactoe.play.opponents import OPPONENTS

from ..lazy_imports import lazily
from ..options.parameters import Count, SolutionOrOpponent
from ..options_before.common import json_option, true_option
from ..options_before.declaring import command_of, flag, group, option
from ..options_before.rules_options import WantedRules, require_rules
from ..options_before.solution_choice import chosen_solution, refuse_to_write_into, solution_option
from ..program import CommandError, print_json

with lazily():
    from tictactoe.agents import strategy_agent
    from tictactoe.match import best_response_over_match, scores
    from tictactoe.solving import results_as_data
    from tictactoe.storage import saved_best_response, shipped

    from ..reports import best_response_report


@dataclass(frozen=True)
class Options:
    solution: Path | str | None = solution_option(
        f"Directory of the solved match, or the name of an opponent: {', '.join(OPPONENTS)}", kind=SolutionOrOpponent()
    )
    winning_score: int | None = option(
        Count(1, 100),
        "Judge the match to fewer points that the solution contains, or an opponent in one to so many.  [default: the "
        "solution's; 5]",
    )
    average_strategy: bool = true_option("false: judge the current strategies instead of the average ones.")
    iteration: int | None = option(
        Count(0), "Judge earlier strategies: of every score the last saved ones up to this iteration."
    )
    save: bool = flag("Save the best response beside the snapshots, for exploring; not beside shipped ones.")
    rules: WantedRules = group(WantedRules, default="those of the solution, else three-in-a-row")
    as_json: bool = json_option()


@command_of(Options)
def command(given: Options) -> None:
    """Compute exactly what the best responder wins against a solution, over the whole match.

    The best responder knows the bot's strategy by heart, but not its goals. For every score: the most it can get moving
    first, the least that it can hold the bot to, and the difference, the total exploitability from there on.

    \b
    best-response-multiround -s my_solution/
    best-response-multiround -s my_solution/ --average-strategy false --json
    best-response-multiround -s learner-10 --rules filled
    """
    if isinstance(given.solution, str):
        if given.save or given.iteration is not None or not given.average_strategy:
            judged = "--iteration" if given.iteration is not None else "--average-strategy false"
            name = "--save" if given.save else judged
            raise click.UsageError(f"{name}: {given.solution} is an opponent; this is for solutions")
        _show(*_of_opponent(given.solution, given.rules.over(), given.winning_score), given.as_json)
        return

    solution = chosen_solution(given.solution)
    if given.save:
        refuse_to_write_into(solution, "--save")
    loaded = tictactoe.load_solution(solution)
    require_rules(given.rules, loaded.tree, solution)
    winning_score = loaded.winning_score if given.winning_score is None else given.winning_score
    if winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {solution} is a match to {counted(loaded.winning_score, 'point')}")
    if not loaded.results:
        raise CommandError(f"{solution}: no score is solved yet")
    strategies = loaded.strategies(average=given.average_strategy, iteration=given.iteration)
    response = tictactoe.best_response_over_match(loaded.tree, strategies, loaded.winning_score)
    shown = scores.part_for_shorter_match(response.scores, loaded.winning_score, winning_score)
    try:
        if given.save:
            saved_best_response.save_match_response(
                loaded, response, average=given.average_strategy, iteration=given.iteration
            )
    finally:  # show the result even if saving fails
        _show(shown, winning_score, loaded.rules, given.as_json)


def _of_opponent(
    name: str, rules: tictactoe.Rules, winning_score: int | None
) -> tuple[Mapping[tictactoe.Score, best_response_over_match.ScoreResponse], int, str]:
    """The values of a best response to an opponent, the winning score, and the rules.

    Raises click.UsageError if the opponent has no strategies for a match that long, and CommandError if it cannot play
    by the rules.
    """
    tree, points = tictactoe.GameTree.build(rules), winning_score or shipped.SHIPPED_MATCHES["shipped"]
    if OPPONENTS[name].uses_solution and points > shipped.SHIPPED_MATCHES["shipped"]:
        what = f"{name} plays from a solution of a match to {counted(shipped.SHIPPED_MATCHES['shipped'], 'point')}"
        raise click.UsageError(f"--winning-score: {what}")
    try:
        strategies = strategy_agent.opponent_policy(name, tree, points)
    except ValueError as error:
        raise CommandError(str(error).removeprefix("opponent: ").removeprefix("rules: ")) from error
    return tictactoe.best_response_over_match(tree, strategies, points).scores, points, str(rules)


def _show(
    shown: Mapping[tictactoe.Score, best_response_over_match.ScoreResponse],
    winning_score: int,
    rules: str,
    as_json: bool,
) -> None:
    missing = [score for score in scores.all_scores(winning_score) if score not in shown]
    if as_json:
        print_json({"rules": rules, **results_as_data.best_response_of_match(shown, missing, winning_score)})
    else:
        best_response_report.print_match(shown, missing, match_to(winning_score, rules))
