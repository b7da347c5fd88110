"""The verb explore."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

import tictactoe
from tictactoe.errors import IllegalMoveError, NotSavedError

from ..options.game_option import GAME
from ..options.parameters import NAME, POSITION, Reader, SolutionDirectory
from ..options.play_options import keypad_option
from ..options.rules_options import WantedRules, require_rules, rules_option, rules_with_position, shipped_by
from ..options.solution_choice import note_if_not_refined
from ..program import Program, print_json

if TYPE_CHECKING:
    from tictactoe.games.named_games import NamedGame
    from tictactoe.play.explored_game import GameExplorer
    from tictactoe.play.explorer import Explorer

_EPILOG = """\b
The keys that --json prints:
position, score, winning_score, moves, iteration
rules                              such as filled; with the odds win:lose:tie of
                                   the goals where they are not even: filled 2:1:1
lines                              per player its three in a row, each as squares
goals, to_move, outcome, forced_outcome     in words; to_move: first or second
strategy                           average: of value, regrets, reach, beliefs
mover_value, mover_wins_percent    what the player to move can expect: to that
                                   player, weighed by the beliefs about both
rows                               per goal of the player to move: goal, value,
                                   wins_percent; moves: squares, probability,
                                   value, cost, cost_percent (of matches)
beliefs                            per player [win, lose, tie]
weights                            how an unknown goal is weighed below: the
                                   beliefs, or as it is drawn; 1 for a known goal
expected_value                     to the first mover: -1 to 1
first_mover_wins_percent           of matches
counterfactual_probability         [for the first mover, for the second]
parent_counterfactual_probability  the same one move earlier
history_probability, history_probability_for_goals
most_likely_line                   squares, probability, outcome
best_response                      answers (average or current), values (from
                                   here, to each responder), round_values
best_response_problem              why the one on the disk cannot be used
choices                            per move: squares, expected_value, regret,
                                   information_set_regret, total_regret,
                                   current, average, best_response,
                                   forced_outcome

\b
For another game:
game, position, history, iteration, strategy, to_move, history_probability
shown                              what lies on the table, in the game's words
solution_value, exploitability     of the average strategies, to the first player
value                              from here, to the first player
beliefs                            per player: type, probability
rows                               per type of the player to move: type, belief,
                                   value; moves: move, probability, current,
                                   average, value, cost, total_regret
chance                             where it moves: move, probability
payoffs                            at the end: types, payoff to the first player

\b
What null means there:
goals                              that goal is unknown
score, winning_score, ..._percent  a round on its own
to_move, mover_value               the round is over
outcome, forced_outcome            still open
most_likely_line                   the outcome is certain
beliefs                            no goal of that player leads here
best_response, total_regret        not saved; or, of choices: which one the best
                                   response makes for an unknown goal
best_response_problem              there is none
parent_counterfactual_probability  there was no move yet
"""


def _iteration(text: str) -> str:
    if not re.fullmatch(r"[0-9]{1,12}|first|last", text):
        raise ValueError(f"{text[:40]!r} is not an iteration, first or last")
    return text


@click.command(cls=Program, epilog=_EPILOG)
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    help="Directory of a solved match, of one of its rounds, or of a game solved by tictactoe game solve.  "
    "[default: a solution that comes with the program: shipped, or filled with --rules filled]",
)
@click.option(
    "-i", "--iteration", type=Reader("iteration", _iteration), help="Begin at a saved iteration: N, first or last."
)
@click.option(
    "--game", type=GAME, metavar="GAME", help="The game of -s; needed only if it comes from a file, which is run."
)
@click.option(
    "--position",
    type=NAME,
    metavar="POSITION",
    help='Begin at a position such as "4-3 w? 513", or in another game at a history such as check/bet.',
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print the --position as JSON and exit; squares are numbered as on a phone."
)
@keypad_option()
@rules_option("those of --solution or of the transcript in --position, or three-in-a-row")
def command(
    solution: Path | None,
    iteration: str | None,
    game: NamedGame | None,
    position: str | None,
    as_json: bool,
    keypad: str | None,
    rules: WantedRules,
) -> None:
    """See how a solution judges any position: what each move is worth and costs, strategies and beliefs.

    A position is a score, both goals and the moves. In "4-3 w? 513" the first mover has 4 points and the goal to win,
    the second has 3 and an unknown goal, and the moves 5, 1, 3 have been played. An unknown goal is weighted by what
    the moves reveal. You can also give any position that a command prints, a score alone ("4-3"), or an address of the
    page ("#4-3/wx/513"). Type ? for the commands.

    In another game, a position is a history: the names of the moves so far, with / between them.

    \b
    explore
    explore --rules filled
    explore -s my_solution/subgame_4_4 -i last
    explore --position "4-4 w? 512" --json
    explore -s my_leduc/ --position check/bet
    """
    from tictactoe.play import explored_game

    from ..screens import conversation

    if as_json and position is None:
        raise click.UsageError("--json prints one position: give it with --position")
    name = None if solution is None else explored_game.game_of_directory(solution)
    if solution is not None and (name is not None or game is not None):
        other = _explored_game(game or _named(name, solution), solution, position, iteration)
        if as_json:
            print_json(other.view().as_dict())
        else:
            conversation.GameConversation(other).cmdloop()
        return
    seen = _explored(solution, position, iteration, rules, numpad=keypad == "numpad" and not as_json)
    if as_json:
        print_json(seen.view().as_dict())
    else:
        conversation.Conversation(seen).cmdloop()


def _explored(
    solution: Path | None, text: str | None, iteration: str | None, rules: WantedRules, *, numpad: bool
) -> Explorer:
    from tictactoe.play.explorer import Explorer
    from tictactoe.storage import shipped

    parameters = {each.name: each for each in click.get_current_context().command.params}
    position = POSITION.convert(text, parameters["position"], None)
    rounds = tictactoe.open_saved(solution or shipped_by(rules_with_position(rules, position)))
    try:
        require_rules(rules, rounds.tree, shipped.with_names(str(rounds.directory)), position)
        note_if_not_refined(rounds.solution)
        return Explorer(rounds, position, iteration, numpad=numpad)
    except IllegalMoveError as error:
        raise click.UsageError(f"--position {position}: {error}") from error
    except NotSavedError as error:
        raise tictactoe.FormatError(rounds.directory, str(error)) from error


def _named(name: str | None, directory: Path) -> NamedGame:
    if ".py:" in str(name):
        raise click.UsageError(
            f"--game: {directory} is a solution of {name}, a file that is run; name it if you trust it"
        )
    game: NamedGame = GAME.convert(name, None, None)
    return game


def _explored_game(game: NamedGame, directory: Path, position: str | None, iteration: str | None) -> GameExplorer:
    from tictactoe.play.explored_game import GameExplorer
    from tictactoe.play.explorer import MistakeError

    history = [move for move in (position or "").split("/") if move]
    try:
        return GameExplorer(game, directory, history, iteration)
    except MistakeError as error:
        raise click.UsageError(f"--position {position}: {error}") from error
    except NotSavedError as error:
        raise tictactoe.FormatError(directory, str(error)) from error
