"""play-subgame: single rounds against the bot, for practice."""

from __future__ import annotations

from dataclasses import dataclass

import click

import tictactoe
from tictactoe.errors import IllegalMoveError, NotSavedError
from tictactoe.games.rules import GOAL_NAMES

from ..lazy_imports import lazily
from ..options.parameters import POSITION, Count
from ..options_before.declaring import command_of, group, option
from ..options_before.play_options import SEATS, Playing, must_be_new, wanted_seat
from ..options_before.rules_options import WantedRules, require_rules, rules_with_position, shipped_by
from ..options_before.solution_choice import note_if_not_refined

with lazily():
    from tictactoe.play import bot as bots
    from tictactoe.play import judge, match_history, practice, recorded_play, round_text, transcript
    from tictactoe.storage import open_saved, shipped

    from .. import interruption
    from ..screens import line_reader, play_round, play_screen, session


@dataclass(frozen=True)
class Options:
    play: Playing = group(Playing)
    goal: str | None = option(click.Choice(GOAL_NAMES), "Your goal.  [default: drawn each round]")
    bot_goal: str | None = option(click.Choice(GOAL_NAMES), "The bot's goal.  [default: drawn each round]")
    position: tictactoe.Position | None = option(
        POSITION,
        'Start here, with these goals, such as "4-3 wl 513"; a goal that is "?" is drawn by what the moves tell. Of '
        "one known goal you are the owner.",
    )
    seat: str | None = option(
        click.Choice(SEATS),
        "Whether you move first or second.  [default: random; with --position whose goal is known, else first]",
    )
    rounds: int = option(Count(1), "How many rounds to play.", default=1)
    rules: WantedRules = group(
        WantedRules, default="those of -s, or of a transcript for --position, else three-in-a-row"
    )


@command_of(Options)
def command(given: Options) -> int:
    """Play single rounds against the bot, as they are played at one score of a match; moves can be taken back.

    -s is the directory of a solved match, or of one subgame, such as my_solution/subgame_4_3 or what solve-subgame
    wrote. Of a match it is the score of the position that is played, else 0-0. Type ? while playing for help.

    \b
    play-subgame --goal lose --rounds 3
    play-subgame -s my_solution/subgame_4_3 --seat second --bot-goal tie
    play-subgame --position "4-3 w? 51"
    play-subgame --rules filled --goal win
    """
    play, start = given.play, given.position
    must_be_new(play.transcript)
    seat = wanted_seat(given.seat or "random") if given.seat or start is None else practice.seat_at(start)
    if start is not None:
        mine, other = start.goals if seat is not tictactoe.Seat.SECOND else start.goals[::-1]
        for name, goal, known in (("--goal", given.goal, mine), ("--bot-goal", given.bot_goal, other)):
            if goal is not None and known is not None:
                raise click.UsageError(f"--position names that goal already: leave out {name}")
    opened = tictactoe.open_saved(play.solution or shipped_by(rules_with_position(given.rules, start)))
    require_rules(given.rules, opened.tree, shipped.with_names(str(opened.directory)), start)
    note_if_not_refined(opened.solution)
    try:
        bots.require_opponent(play.opponent, opened.tree)
    except ValueError as error:
        raise click.UsageError(f"--{error}") from error
    saved = _saved(opened, start)
    bot = bots.saved_bot(saved, play.average_strategy)
    goal_of: dict[str | None, tictactoe.Goal] = {goal.name.lower(): goal for goal in tictactoe.Goal}
    goals = goal_of.get(given.goal), goal_of.get(given.bot_goal)
    _require_drawn(goals, "--goal or --bot-goal", saved.tree.rules)
    _require_drawn((None, None) if start is None else start.goals, "--position", saved.tree.rules)
    opponent = judge.Judge(opened, average=play.average_strategy).known_opponent(play.opponent, None)
    score = saved.score if start is None else start.score
    rounds = practice.Practice(bot, score, seat, play.seed, goals, start, opponent)
    in_match = saved.snapshot.score is not None
    setup = transcript.Setup(
        names=play.names or ("You", "Bot"),
        seed=play.seed,
        position=None if start is None else str(start),
        solution=None if play.solution is None else shipped.with_names(str(play.solution)),
        average_strategy=play.average_strategy,
        opponent=play.opponent,
        rules=str(saved.tree.rules),
        keypad=play.keypad or "phone",
        plain=bool(play.plain),
    )
    where = f"at {rounds.score} of a match to {saved.snapshot.winning_score}" if in_match else "on its own"
    numpad = play.keypad == "numpad"
    speaker = round_text.Speaker(setup.names[1], numpad=numpad, in_points=not in_match)
    signals, file = interruption.Signals(), match_history.TranscriptFile(play.transcript, keeps=not play.no_history)
    reader = line_reader.LineReader(setup.plain, signals.waiting)
    screen = play_screen.Screen(speaker, reader, play_round.commands("hbu?q"))
    record = recorded_play.RecordedPractice(setup, rounds, given.rounds, file)
    return session.PracticeSession(record, where, screen, opened.directory).run(signals)


def _require_drawn(
    goals: tuple[tictactoe.Goal | None, tictactoe.Goal | None], option: str, rules: tictactoe.Rules
) -> None:
    """Raises click.UsageError for a goal with odds of 0: the solver has learnt nothing about such a goal."""
    for goal in goals:
        if goal is not None and not rules.goal_odds[goal]:
            raise click.UsageError(f"{option}: by the rules {rules} nobody draws the goal {goal.name.lower()}")


def _saved(rounds: open_saved.SavedRounds, start: tictactoe.Position | None) -> open_saved.SavedRound:
    """The last saved state of the round to play."""
    try:
        saved = rounds.load(None if start is None or rounds.solution is None else start.score)
    except NotSavedError as error:
        if start is None:
            raise tictactoe.FormatError(rounds.directory, str(error)) from error
        raise click.UsageError(f"--position: {error}") from error
    if start is not None:
        try:
            cursor = tictactoe.Cursor(saved.tree, start.moves)
        except IllegalMoveError as error:
            raise click.UsageError(f"--position: {error}") from error
        if cursor.forced_outcome is not None:
            moves = "".join(map(str, start.moves))
            raise click.UsageError(f"--position: the round is decided after {moves}; explore shows how it ends")
        if saved.snapshot.score not in (None, start.score):
            raise click.UsageError(f"--position: at {start.score}, but the subgame is that of {saved.score}")
    return saved
