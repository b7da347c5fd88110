"""play-subgame: single rounds against the bot, for practice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..options.parameters import Count, PositionType
from ..options.play_options import SEATS, must_be_new, playing_options, wanted_seat
from ..options.rules_options import WantedRules, require_rules, rules_options, rules_with_position, shipped_by
from ..program import SETTINGS, run

if TYPE_CHECKING:
    from tictactoe.games.goals import Goal
    from tictactoe.games.rules import Rules
    from tictactoe.play.notation import Position
    from tictactoe.play.transcript import Keypad
    from tictactoe.storage.open_saved import SavedRound, SavedRounds

GOAL_NAMES = ("win", "lose", "tie")


@click.command(context_settings=SETTINGS)
@playing_options
@click.option("--goal", type=click.Choice(GOAL_NAMES), default=None, help="Your goal.  [default: drawn each round]")
@click.option(
    "--bot-goal", type=click.Choice(GOAL_NAMES), default=None, help="The bot's goal.  [default: drawn each round]"
)
@click.option(
    "--position",
    type=PositionType(),
    default=None,
    help='Start here, with these goals, such as "4-3 wl 513"; a goal that is "?" is drawn by what the moves tell. Of '
    "one known goal you are the owner.",
)
@click.option(
    "--seat",
    type=click.Choice(SEATS),
    default=None,
    help="Whether you move first or second.  [default: random; with --position whose goal is known, else first]",
)
@click.option("--rounds", type=Count(1), default=1, show_default=True, help="How many rounds to play.")
@rules_options("those of -s, or of a transcript for --position, else three-in-a-row")
def command(
    solution: Path | None,
    opponent: str,
    average_strategy: bool,
    seed: int | None,
    names: tuple[str, str] | None,
    transcript: Path | None,
    keypad: Keypad | None,
    plain: bool | None,
    goal: str | None,
    bot_goal: str | None,
    position: Position | None,
    seat: str | None,
    rounds: int,
    rules: WantedRules,
) -> None:
    """Play single rounds against the bot, as they are played at one score of a match; moves can be taken back.

    -s is the directory of a solved match, or of one subgame, such as my_solution/subgame_4_3 or what solve-subgame
    wrote. Of a match it is the score of the position that is played, else 0-0. Type ? while playing for help.

    \b
    play-subgame --goal lose --rounds 3
    play-subgame -s my_solution/subgame_4_3 --seat second --bot-goal tie
    play-subgame --position "4-3 w? 51"
    play-subgame --rules filled --goal win
    """
    must_be_new(transcript)
    from tictactoe.games.goals import Goal, Seat
    from tictactoe.play.bot import RoundBot
    from tictactoe.play.opponent_bot import require_opponent
    from tictactoe.play.practice import Practice
    from tictactoe.play.saved_match import TranscriptFile
    from tictactoe.play.transcript import Setup
    from tictactoe.storage.open_saved import open_saved
    from tictactoe.storage.shipped import with_names

    from ..reports.play_text import Speaker
    from ..screens.line_reader import LineReader
    from ..screens.play_round import commands
    from ..screens.play_screen import Screen
    from ..screens.quitting import Signals
    from ..screens.review_screen import explore_in
    from ..screens.session import BegunPractice, PracticeSession

    start = position
    wanted = wanted_seat(seat or _seat_in(start))
    if start is not None:
        mine, other = start.goals if wanted is not Seat.SECOND else start.goals[::-1]
        for option, given, known in (("--goal", goal, mine), ("--bot-goal", bot_goal, other)):
            if given is not None and known is not None:
                raise click.UsageError(f"--position names that goal already: leave out {option}")
    opened = open_saved(solution or shipped_by(rules_with_position(rules, start)))
    require_rules(rules, opened.tree, with_names(str(opened.directory)), start)
    try:
        require_opponent(opponent, opened.tree)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    saved = _saved(opened, start)
    bot = RoundBot(saved.tree, saved.strategy(average_strategy), saved.snapshot.outcome_values)
    goals = Goal[goal.upper()] if goal else None, Goal[bot_goal.upper()] if bot_goal else None
    _require_drawn(goals, "--goal or --bot-goal", saved.tree.rules)
    _require_drawn((None, None) if start is None else start.goals, "--position", saved.tree.rules)
    practice = Practice(bot, saved.score if start is None else start.score, wanted, seed, goals, start)
    in_match = saved.snapshot.score is not None
    setup = Setup(
        names=names or ("You", "Bot"),
        seed=seed,
        position=None if start is None else str(start),
        solution=None if solution is None else with_names(str(solution)),
        average_strategy=average_strategy,
        opponent=opponent,
        rules=str(saved.tree.rules),
        keypad=keypad or "phone",
        plain=bool(plain),
    )
    where = f"at {practice.score} of a match to {saved.snapshot.winning_score}" if in_match else "on its own"
    explore = explore_in(opened.directory, average=average_strategy, numpad=keypad == "numpad")
    speaker = Speaker(setup.names[1], numpad=keypad == "numpad", in_points=not in_match)
    signals = Signals()
    screen = Screen(speaker, LineReader(setup.plain, signals.waiting), commands("hbu?q"))
    begun = BegunPractice(setup, practice, rounds, where, TranscriptFile(transcript))
    PracticeSession(begun, screen, explore).run(signals)


def _require_drawn(goals: tuple[Goal | None, Goal | None], option: str, rules: Rules) -> None:
    """Raises click.UsageError for a goal with odds of 0: the solver has learnt nothing about such a goal."""
    for goal in goals:
        if goal is not None and not rules.goal_odds[goal]:
            raise click.UsageError(f"{option}: by the rules {rules} nobody draws the goal {goal.name.lower()}")


def _seat_in(start: Position | None) -> str:
    """The person's seat at a start position: the seat whose goal is known, or else the first."""
    if start is None:
        return "random"
    return "second" if start.goals[0] is None and start.goals[1] is not None else "first"


def _saved(rounds: SavedRounds, start: Position | None) -> SavedRound:
    """The last saved state of the round to play."""
    from tictactoe.errors import FormatError, IllegalMoveError, NotSavedError
    from tictactoe.games.cursor import Cursor

    try:
        saved = rounds.load(None if start is None or rounds.solution is None else start.score)
    except NotSavedError as error:
        if start is None:
            raise FormatError(rounds.directory, str(error)) from error
        raise click.UsageError(f"--position: {error}") from error
    if start is not None:
        try:
            cursor = Cursor(saved.tree, start.moves)
        except IllegalMoveError as error:
            raise click.UsageError(f"--position: {error}") from error
        if cursor.forced_outcome is not None:
            moves = "".join(map(str, start.moves))
            raise click.UsageError(f"--position: the round is decided after {moves}; explore shows how it ends")
        if saved.snapshot.score not in (None, start.score):
            raise click.UsageError(f"--position: at {start.score}, but the subgame is that of {saved.score}")
    return saved


def main() -> None:
    """The program."""
    run(command)
