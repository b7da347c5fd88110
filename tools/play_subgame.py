"""play-subgame: single rounds against the bot, for practice."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .shared.parameters import Count, PositionType
from .shared.play_options import SEATS, must_be_new, playing_options, wanted_seat
from .shared.program import SETTINGS, run

if TYPE_CHECKING:
    from tictactoe.play.notation import Position
    from tictactoe.play.practice import Practice
    from tictactoe.play.referee import Round
    from tictactoe.play.review import Mistake
    from tictactoe.play.transcript import Setup
    from tictactoe.storage.open_saved import SavedRound, SavedRounds

    from .shared.play_screen import Screen
    from .shared.review_screen import Explore
    from .shared.saved_match import TranscriptFile

GOALS = ("win", "lose", "tie")


@click.command(context_settings=SETTINGS)
@playing_options
@click.option("--goal", type=click.Choice(GOALS), default=None, help="Your goal.  [default: drawn each round]")
@click.option("--bot-goal", type=click.Choice(GOALS), default=None, help="The bot's goal.  [default: drawn each round]")
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
def command(
    solution: Path | None,
    opponent: str,
    average_strategy: bool,
    seed: int | None,
    names: tuple[str, str] | None,
    transcript: Path | None,
    keypad: str,
    plain: bool,
    goal: str | None,
    bot_goal: str | None,
    position: Position | None,
    seat: str | None,
    rounds: int,
) -> None:
    """Play single rounds against the bot, as they are played at one score of a match; moves can be taken back.

    -s is the directory of a solved match, or of one subgame, such as my_solution/subgame_4_3 or what solve-subgame
    wrote. Of a match it is the score of the position that is played, else 0-0. Type ? while playing for help.

    \b
    play-subgame --goal lose --rounds 3
    play-subgame -s my_solution/subgame_4_3 --seat second --bot-goal tie
    play-subgame --position "4-3 w? 51"
    """
    must_be_new(transcript)
    from tictactoe.games.goals import Goal, Seat
    from tictactoe.play.bot import RoundBot
    from tictactoe.play.practice import Practice
    from tictactoe.play.transcript import Setup
    from tictactoe.storage.open_saved import open_saved
    from tictactoe.storage.shipped import with_names

    from .shared.line_reader import LineReader
    from .shared.play_round import commands
    from .shared.play_screen import Screen
    from .shared.play_text import Speaker
    from .shared.review_screen import explore_in
    from .shared.saved_match import TranscriptFile

    start = position
    wanted = wanted_seat(seat or _seat_in(start))
    if start is not None:
        mine, other = start.goals if wanted is not Seat.SECOND else start.goals[::-1]
        for option, given, known in (("--goal", goal, mine), ("--bot-goal", bot_goal, other)):
            if given is not None and known is not None:
                raise click.UsageError(f"--position names that goal already: leave out {option}")
    opened = open_saved(solution)
    saved = _saved(opened, start)
    bot = RoundBot(saved.tree, saved.strategy(average_strategy), saved.snapshot.outcome_values)
    goals = Goal[goal.upper()] if goal else None, Goal[bot_goal.upper()] if bot_goal else None
    practice = Practice(bot, saved.score if start is None else start.score, wanted, seed, goals, start)
    in_match = saved.snapshot.score is not None
    setup = Setup(
        names=names or ("You", "Bot"),
        seed=seed,
        position=None if start is None else str(start),
        solution=None if solution is None else with_names(str(solution)),
        average_strategy=average_strategy,
        opponent=opponent,
    )
    where = f"at {practice.score} of a match to {saved.snapshot.winning_score}" if in_match else "on its own"
    explore = explore_in(opened.directory, average=average_strategy)
    session = _Session(setup, TranscriptFile(transcript), explore, where)
    speaker = Speaker(setup.names[1], numpad=keypad == "numpad", in_points=not in_match)
    _play(practice, rounds, Screen(speaker, LineReader(plain), commands("hbu?q")), session)


def _seat_in(start: Position | None) -> str:
    """Of the person, who has the goal that is known."""
    if start is None:
        return "random"
    return "second" if start.goals[0] is None and start.goals[1] is not None else "first"


def _saved(rounds: SavedRounds, start: Position | None) -> SavedRound:
    """The last saved state of the round that is played on from the start."""
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
            raise click.UsageError(f"--position: the round is decided after {''.join(map(str, start.moves))}")
        if saved.snapshot.score not in (None, start.score):
            raise click.UsageError(f"--position: at {start.score}, but the subgame is that of {saved.score}")
    return saved


def _play(practice: Practice, rounds: int, screen: Screen, session: _Session) -> None:
    """Play all rounds, then show what the person's moves cost."""
    from .shared.play_screen import QuitPlaying, quitting_on_signals
    from .shared.review_screen import show_review

    reason = None
    try:
        with quitting_on_signals():
            session.play(practice, rounds, screen)
    except QuitPlaying as quitting:
        reason = quitting
    score = f"Points: {session.tally()}."
    left = session.current
    if left is not None or len(session.played) < rounds:
        print(f"Stopped ({reason}); rounds played: {len(session.played)}. {score}")
        if left is not None:
            screen.open_commitment(left)
    else:
        screen.clear()
        print(f"Rounds played: {len(session.played)}. {score}")
    if session.played:
        mistakes = session.mistakes(practice, session.played)
        show_review(screen.reader, screen.speaker, mistakes, session.explore, ask=reason is None)
    sys.exit(0 if reason is None else reason.code)


@dataclass
class _Session:
    """Rounds being played. current: the one that goes on."""

    setup: Setup
    file: TranscriptFile
    explore: Explore
    where: str
    played: list[Round] = field(default_factory=list)
    current: Round | None = None

    def play(self, practice: Practice, rounds: int, screen: Screen) -> None:
        """All of them. Raises QuitPlaying."""
        from tictactoe.play.opponent_bot import opponent_of
        from tictactoe.play.randomness import generator_for

        from .shared.play_round import Conversation

        against = "" if self.setup.opponent == "perfect" else f" ({self.setup.opponent})"
        opponent = opponent_of(self.setup.opponent, practice.bot)
        given = 0 if practice.start is None else len(practice.start.moves)
        screen.clear()
        for number in range(1, rounds + 1):
            played = self.current = practice.deal(number)
            screen.heading = f"Round {number} of {rounds} {self.where}{against}"
            screen.score_line = self.tally()
            talk = Conversation(screen, played, practice.bot, opponent, given)
            talk.play(generator_for(practice.seed, f"moves {number}"), self.save)
            self.played.append(played)
            self.current = None
            self.save()
            screen.score_line = self.tally()
            pause = "for the next round" if number < rounds else "for the review"
            mistakes = self.mistakes(practice, [played])
            screen.finish(played, f"Points: {self.tally()}.", mistakes, pause=pause, explore=self.explore)

    def save(self) -> None:
        from tictactoe.play.transcript import practice_lines

        lines = practice_lines(self.setup, [*self.played, *([] if self.current is None else [self.current])])
        self.file.save(lines, finished=len(lines) - (self.current is not None))

    def mistakes(self, practice: Practice, rounds: list[Round]) -> list[Mistake]:
        """The person's, worst first."""
        from tictactoe.play.review import mistakes

        from .shared.play_text import PERSON

        given = 0 if practice.start is None else len(practice.start.moves)
        return mistakes([(one, practice.bot) for one in rounds], PERSON, lambda score: score, given=given)

    def tally(self) -> str:
        points = [sum(one.scored[player] for one in self.played) for player in (0, 1)]
        names = self.setup.names
        return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


def main() -> None:
    """The program."""
    run(command)
