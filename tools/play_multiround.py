"""play-multiround: a match against the bot."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from .shared.parameters import Count
from .shared.play_options import KEYPADS, SEATS, Names, playing_options, wanted_seat
from .shared.program import SETTINGS, CommandError, run, say

if TYPE_CHECKING:
    from tictactoe.play.bot import MatchBot
    from tictactoe.play.referee import Match, Round

    from .shared.play_screen import Screen


class NewFile(click.ParamType):
    """The path of a file that does not exist yet, or of a device."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        text = str(value)
        if not text or "\0" in text or os.path.isdir(text):
            self.fail(f"{text!r} is not the name of a file", param, ctx)
        if os.path.isfile(text):
            self.fail(f"{text!r} exists already; choose another name", param, ctx)
        return Path(text)


@click.command(context_settings=SETTINGS)
@playing_options
@click.option(
    "--winning-score",
    type=Count(1),
    default=None,
    help="Points that win the match; at most the solution's.  [default: the solution's]",
)
@click.option(
    "--seat",
    type=click.Choice(SEATS),
    default="random",
    show_default=True,
    help="Whether you move first or second in the first round; then it alternates.",
)
@click.option("--names", type=Names(), default=None, help="Your name and the bot's.  [default: You,Bot]")
@click.option("--auto", is_flag=True, help="The bot plays both sides; one line per round.")
@click.option(
    "--transcript", type=NewFile(), default=None, help="Write the match to this file, which must be new, as JSON lines."
)
def command(
    solution: Path | None,
    average_strategy: bool,
    seed: int | None,
    keypad: str,
    plain: bool,
    winning_score: int | None,
    seat: str,
    names: tuple[str, str] | None,
    auto: bool,
    transcript: Path | None,
) -> None:
    """Play a match of imperfect-information tic-tac-toe against the bot.

    Each round, each of you has a secret goal: to win, to lose or to tie. You score a point when the round ends the
    way your goal says; whoever reaches the winning score first wins. If both reach it at once, the match goes on
    from one point below. Type ? while playing for help.

    Before each round the bot shows a commitment, the SHA-256 of a text with its goal; after the round it shows the
    text. Check one with: printf '%s' 'TEXT' | sha256sum

    \b
    play-multiround
    play-multiround --winning-score 2 --seat first --names Ann,Bot --transcript match.jsonl
    play-multiround --auto --seed 1
    """
    from tictactoe.play.bot import MatchBot
    from tictactoe.play.randomness import draw_first
    from tictactoe.play.referee import Match
    from tictactoe.play.transcript import header
    from tictactoe.storage.open_saved import shipped_solution
    from tictactoe.storage.solution import load_solution

    from .shared.play_screen import Screen
    from .shared.play_text import Speaker

    directory = solution or shipped_solution()
    loaded = load_solution(directory)
    if winning_score is not None and winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {loaded.winning_score} points")
    try:
        bot = MatchBot(loaded, winning_score, average=average_strategy)
    except ValueError as error:
        raise CommandError(f"{directory}: {error}") from error
    names = names or (("Bot A", "Bot B") if auto else ("You", "Bot"))
    match = Match(bot.tree, bot.winning_score, names, draw_first(wanted_seat(seat), seed), seed)
    with contextlib.nullcontext() if transcript is None else open(transcript, "w", encoding="utf-8") as file:
        _write(file, header(match))
        if auto:
            _watch(match, bot, file)
        else:
            _play(match, bot, file, Screen(Speaker(names[1], KEYPADS[keypad]), plain))


def _write(file: IO[str] | None, content: dict[str, Any]) -> None:
    """A line of the transcript, as soon as something is known, so that a stopped match is there, too."""
    if file is not None:
        print(json.dumps(content), file=file, flush=True)


def _finish(match: Match, played: Round, file: IO[str] | None) -> bool:
    """Count the round; whether both have reached the winning score."""
    from tictactoe.play.transcript import footer, round_line

    _write(file, round_line(played, match.names))
    again = match.finish(played)
    if match.winner is not None:
        _write(file, footer(match))
    return again


def _play(match: Match, bot: MatchBot, file: IO[str] | None, screen: Screen) -> None:
    from tictactoe.play.randomness import generator_for

    from .shared.play_screen import QuitPlaying, play_round

    screen.clear()
    try:
        while match.winner is None:
            played = match.deal()
            screen.heading = f"Round {played.number} of a match to {match.winning_score}"
            screen.score_line = _score_line(match)
            screen.solved_score = bot.solved_score(played.score)
            generator = generator_for(match.seed, f"moves {played.number}")
            play_round(screen, played, bot.round_bot(played.score), generator)
            again = _finish(match, played, file)
            screen.score_line = _score_line(match)
            score = f"Score: {screen.score_line}."
            if again:
                score = f"Both reached {match.winning_score}: it goes on from one below. {score}"
            elif match.winner is not None:
                score += f" {_victory(match)}"
            pause = "for the next round" if match.winner is None else "for the review of the match"
            screen.finish(played, score, pause=pause)
    except QuitPlaying as reason:
        if match.winner is None:
            print(f"Stopped ({reason}); rounds played: {len(match.rounds)}. Score: {_score_line(match)}.")
            return
    screen.clear()
    print(f"{_victory(match)} Score: {_score_line(match)}.")
    rounds = [(played, bot.round_bot(played.score)) for played in match.rounds]
    for line in screen.speaker.review(rounds, bot.solved_score, in_points=False):
        say(line)


def _watch(match: Match, bot: MatchBot, file: IO[str] | None) -> None:
    from tictactoe.play.randomness import generator_for

    while match.winner is None:
        played = match.deal()
        generator = generator_for(match.seed, f"moves {played.number}")
        knowledge = bot.round_bot(played.score)
        while (mover := played.mover) is not None:
            played.play(knowledge.choose(played.cursor, played.goals[mover], generator))
        again = _finish(match, played, file)
        players = (("X", played.first), ("O", 1 - played.first))
        goals = ", ".join(f"{mark} {match.names[player]} {played.goals[player].name}" for mark, player in players)
        assert played.outcome is not None
        result = {"WIN": "X three", "LOSE": "O three", "TIE": "tie"}[played.outcome.name]
        moves = "".join(map(str, played.cursor.moves))
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {_score_line(match)}{' (again)' * again}")
    print(_victory(match))


def _score_line(match: Match) -> str:
    names, points = match.names, match.points
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


def _victory(match: Match) -> str:
    assert match.winner is not None
    name = match.names[match.winner]
    return "You win the match." if match.winner == 0 and name == "You" else f"{name} wins the match."


def main() -> None:
    """The program."""
    run(command)
