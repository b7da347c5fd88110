"""play-subgame: single rounds against the bot, for practice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from .shared.parameters import Count
from .shared.play_options import KEYPADS, SEATS, playing_options, wanted_seat
from .shared.program import SETTINGS, run, say

if TYPE_CHECKING:
    from tictactoe.play.notation import Position
    from tictactoe.play.practice import Practice
    from tictactoe.storage.open_saved import SavedRound

    from .shared.play_screen import Screen

GOALS = ("win", "lose", "tie")


@click.command(context_settings=SETTINGS)
@playing_options
@click.option("--goal", type=click.Choice(GOALS), default=None, help="Your goal.  [default: drawn each round]")
@click.option("--bot-goal", type=click.Choice(GOALS), default=None, help="The bot's goal.  [default: drawn each round]")
@click.option(
    "--position",
    default=None,
    help='Start here, with these goals, such as "4-3 wl 513"; a goal that is "?" is drawn by what the moves tell.',
)
@click.option(
    "--seat",
    type=click.Choice(SEATS),
    default=None,
    help="Whether you move first or second.  [default: random; first with --position]",
)
@click.option("--rounds", type=Count(1), default=1, show_default=True, help="How many rounds to play.")
def command(
    solution: Path | None,
    average_strategy: bool,
    seed: int | None,
    keypad: str,
    plain: bool,
    goal: str | None,
    bot_goal: str | None,
    position: str | None,
    seat: str | None,
    rounds: int,
) -> None:
    """Play single rounds against the bot, as they are played at one score of a match.

    -s is the directory of a subgame, such as my_solution/subgame_4_3 or what solve-subgame wrote. By default it is
    the subgame of the position, else that of 0-0, of the installed solution. Type ? while playing for help.

    \b
    play-subgame --goal lose --rounds 3
    play-subgame -s my_solution/subgame_4_3 --seat second --bot-goal tie
    play-subgame --position "4-3 wl 513"
    """
    if position is not None and (goal is not None or bot_goal is not None):
        raise click.UsageError("--position names both goals already: leave out --goal and --bot-goal")
    from tictactoe.games.goals import Goal
    from tictactoe.play.bot import RoundBot
    from tictactoe.play.notation import Position
    from tictactoe.play.practice import Practice

    from .shared.play_screen import Screen
    from .shared.play_text import Speaker

    try:
        start = None if position is None else Position.parse(position)
    except ValueError as error:
        raise click.UsageError(f"--position: {error}") from error
    saved = _saved(solution, start)
    bot = RoundBot(saved.tree, saved.strategy(average_strategy), saved.snapshot.outcome_values)
    wanted = wanted_seat(seat or ("random" if start is None else "first"))
    mine, other = (None if name is None else Goal[name.upper()] for name in (goal, bot_goal))
    practice = Practice(bot, saved.score if start is None else start.score, wanted, seed, (mine, other), start)
    _play(practice, rounds, Screen(Speaker("Bot", KEYPADS[keypad]), plain), saved)


def _saved(directory: Path | None, start: Position | None) -> SavedRound:
    """The last saved state of the subgame, in which a round can be played on from the start."""
    from tictactoe.errors import IllegalMoveError
    from tictactoe.games.cursor import Cursor
    from tictactoe.match.scores import Score
    from tictactoe.storage.open_saved import open_saved

    rounds = open_saved(directory)
    score = Score(0, 0) if start is None else start.score
    if directory is not None:
        rounds.require_subgame(score)
        saved = rounds.load()
    elif rounds.solution is not None and score not in rounds.solution.results:
        to = rounds.solution.winning_score
        raise click.UsageError(f"--position: {score} is no score of the installed match to {to}")
    else:
        saved = rounds.load(score)
    if start is not None:
        try:
            cursor = Cursor(saved.tree, start.moves)
        except IllegalMoveError as error:
            raise click.UsageError(f"--position: {error}") from error
        if cursor.forced_outcome is not None:
            raise click.UsageError(f"--position: the round is decided after {''.join(map(str, start.moves))}")
        if saved.snapshot.score not in (None, score):
            raise click.UsageError(f"--position: at {score}, but the subgame is that of {saved.score}")
    return saved


def _play(practice: Practice, rounds: int, screen: Screen, saved: SavedRound) -> None:
    """Play all rounds, then show what the person's moves cost."""
    from tictactoe.play.randomness import generator_for

    from .shared.play_screen import QuitPlaying, play_round

    in_match = saved.snapshot.score is not None
    where = f"at {practice.score} of a match to {saved.snapshot.winning_score}" if in_match else "on its own"
    played, points = [], [0, 0]
    screen.score_line = _tally(points)
    screen.clear()
    try:
        for number in range(1, rounds + 1):
            current = practice.deal(number)
            screen.heading = f"Round {number} of {rounds} {where}"
            play_round(screen, current, practice.bot, generator_for(practice.seed, f"moves {number}"))
            played.append(current)
            points = [before + scores for before, scores in zip(points, current.scored, strict=True)]
            screen.score_line = _tally(points)
            pause = "for the next round" if number < rounds else "for the review"
            screen.finish(current, f"Points: {_tally(points)}.", pause=pause)
    except QuitPlaying as reason:
        if len(played) < rounds:
            print(f"Stopped ({reason}); rounds played: {len(played)}. Points: {_tally(points)}.")
            return
    screen.clear()
    print(f"Rounds played: {len(played)}. Points: {_tally(points)}.")
    reviewed = [(one, practice.bot) for one in played]
    given = 0 if practice.start is None else len(practice.start.moves)
    for line in screen.speaker.review(reviewed, lambda score: score, not in_match, given):
        say(line)


def _tally(points: list[int]) -> str:
    return f"You {points[0]} : {points[1]} Bot"


def main() -> None:
    """The program."""
    run(command)
