"""play-multiround: a match against the bot."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from .common import CommandError, Count, run, say
from .play import (
    SEATS,
    Names,
    QuitPlaying,
    Screen,
    first_player,
    play_round,
    playing_options,
    solution_directory,
)
from .play_text import review_lines, round_facts

if TYPE_CHECKING:
    from tictactoe.playing import Match, MatchBook, Round


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


@click.command(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@playing_options
@click.option(
    "--winning-score", type=Count(1), default=None,
    help="Points that win the match; at most the solution's.  [default: the solution's]",
)
@click.option(
    "--seat", type=click.Choice(SEATS), default="random", show_default=True,
    help="Whether you move first or second in the first round; then it alternates.",
)
@click.option("--names", type=Names(), default=None, help="Your name and the bot's.  [default: You,Bot]")
@click.option("--auto", is_flag=True, help="The bot plays both sides; one line per round.")
@click.option(
    "--transcript", type=NewFile(), default=None,
    help="Write the match to this file, which must be new, as JSON lines.",
)
def command(
    solution: Path | None, average_strategy: bool, seed: int | None, keypad: str, plain: bool,
    winning_score: int | None, seat: str, names: tuple[str, str] | None, auto: bool, transcript: Path | None,
) -> None:  # fmt: skip
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
    from tictactoe.playing import Match, MatchBook
    from tictactoe.solution import load_solution

    directory = solution_directory(solution)
    loaded = load_solution(directory)
    if winning_score is not None and winning_score > loaded.winning_score:
        raise click.UsageError(f"--winning-score: {directory} is a match to {loaded.winning_score} points")
    try:
        book = MatchBook(loaded, winning_score, average=average_strategy)
    except ValueError as error:
        raise CommandError(f"{directory}: {error}") from error
    names = names or (("Bot A", "Bot B") if auto else ("You", "Bot"))
    match = Match(book.tree, book.winning_score, names, first_player(seat, seed), seed)
    record = _Transcript(transcript, match)
    try:
        if auto:
            _watch(match, book, record)
        else:
            _play(match, book, record, Screen(names, keypad, plain))
    finally:
        record.close()


class _Transcript:
    """The file of a match: a line as soon as something is known, so that a stopped match is there, too."""

    def __init__(self, path: Path | None, match: Match) -> None:
        self._stream: IO[str] | None = None if path is None else open(path, "w", encoding="utf-8")  # noqa: SIM115
        self.write(match.header())

    def write(self, content: dict[str, Any]) -> None:
        if self._stream is not None:
            print(json.dumps(content), file=self._stream, flush=True)

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()


def _finish(match: Match, played: Round, record: _Transcript) -> bool:
    """Count the round; whether both have reached the winning score."""
    record.write(played.as_dict(match.names))
    again = match.finish(played)
    if match.winner is not None:
        record.write(match.footer())
    return again


def _score_line(match: Match) -> str:
    names, points = match.names, match.points
    return f"{names[0]} {points[0]} : {points[1]} {names[1]}"


def _play(match: Match, book: MatchBook, record: _Transcript, screen: Screen) -> None:
    from tictactoe.playing import Player, generator_for, review

    screen.clear()
    try:
        while match.winner is None:
            played = match.deal()
            screen.heading = f"Round {played.number} of a match to {match.winning_score}"
            screen.score_line = _score_line(match)
            screen.solved_score = book.solved_score(played.score)
            generator = generator_for(match.seed, f"moves {played.number}")
            play_round(screen, played, book.book(played.score), generator)
            again = _finish(match, played, record)
            screen.score_line = _score_line(match)
            score = f"Score: {screen.score_line}."
            if again:
                score = f"Both reached {match.winning_score}: it goes on from one below. {score}"
            elif match.winner is not None:
                score += f" {_victory(match)}"
            pause = "for the next round" if match.winner is None else "for the review of the match"
            screen.finish(played, round_facts(screen, played, score), pause=pause)
    except QuitPlaying as reason:
        if match.winner is None:
            print(f"Stopped ({reason}); rounds played: {len(match.rounds)}. Score: {_score_line(match)}.")
            return
    screen.clear()
    print(f"{_victory(match)} Score: {_score_line(match)}.")
    books = {played.number: book.book(played.score) for played in match.rounds}
    rounds = [(*one, book.solved_score(one.played.score)) for one in review(match.rounds, books, Player.PERSON)]
    for line in review_lines(screen, rounds, in_points=False):
        say(line)


def _victory(match: Match) -> str:
    assert match.winner is not None
    name = match.names[match.winner]
    return "You win the match." if match.winner == 0 and name == "You" else f"{name} wins the match."


def _watch(match: Match, book: MatchBook, record: _Transcript) -> None:
    from tictactoe.match import Seat
    from tictactoe.playing import generator_for

    while match.winner is None:
        played = match.deal()
        generator = generator_for(match.seed, f"moves {played.number}")
        knowledge = book.book(played.score)
        while (mover := played.mover) is not None:
            played.play(knowledge.choose(played.cursor, played.goals[mover], generator))
        again = _finish(match, played, record)
        players = [played.player(seat) for seat in Seat]
        goals = ", ".join(
            f"{mark} {match.names[player]} {played.goals[player].name}"
            for mark, player in zip("XO", players, strict=True)
        )
        assert played.outcome is not None
        result = {"WIN": "X three", "LOSE": "O three", "TIE": "tie"}[played.outcome.name]
        moves = "".join(map(str, played.cursor.moves))
        print(f"{played.number:>3}. {goals}: {moves:<9} {result}; {_score_line(match)}{' (again)' * again}")
    print(_victory(match))


def main() -> None:
    """The program."""
    run(command)
