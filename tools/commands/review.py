"""review: what the moves of a match or of practice cost, from its transcript."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

import tictactoe
from tictactoe.errors import NotSavedError
from tictactoe.games.rules import by_rules
from tictactoe.match.percentages import percentage_points
from tictactoe.storage.json_text import json_text

from ..lazy_imports import lazily
from ..options.common import json_option
from ..options.declaring import argument, command_of, option
from ..options.parameters import NAME, File, SolutionDirectory
from ..options.play_options import NEW_FILE, keypad_option, must_be_new, plain_option
from ..program import CommandError, say, shown_path
from ..words import counted

with lazily():
    from tictactoe.play import practice, referee, review, saved_match, transcript

    from ..reports import play_text
    from ..screens import line_reader, review_screen


@dataclass(frozen=True)
class Options:
    transcript: Path | None = argument(File(), required=False)
    solution: Path | None = option(
        SolutionDirectory(),
        "Directory of the solution that judges.  [default: the one that was played from]",
        short="-s",
    )
    player: str | None = option(NAME, "Whose moves, by name.  [default: the first name of the transcript]")
    output: Path | None = option(NEW_FILE, "Write the transcript with the review in it to this new file.", short="-o")
    as_json: bool = json_option()
    keypad: str | None = keypad_option()
    plain: bool | None = plain_option()


@command_of(Options)
def command(given: Options) -> None:
    """Show what mistakes cost in a match or in practice that was played with --transcript FILE, worst first.

    Without a file: the match that you left last. Each move is judged by what was known at the time, against what a
    perfect player would have done. On a terminal a mistake can be looked at in explore. docs/transcripts.md has the
    format.

    \b
    review match.jsonl
    review match.jsonl --player Bot
    review match.jsonl -o reviewed.jsonl
    """
    must_be_new(given.output, "-o")

    path = given.transcript or saved_match.left_match()
    if path is None:
        raise CommandError("no match has been left; name the transcript of one, such as review match.jsonl")
    setup, lines = transcript.read_transcript(path)
    if given.player is not None and given.player not in setup.names:
        raise click.UsageError(f"--player: {given.player!r} does not play; {' and '.join(setup.names)} do")
    judge = _Judge(setup, path, given.solution)
    try:
        replayed = judge.replay(lines)
    except ValueError as error:
        raise tictactoe.FormatError(path, str(error)) from error
    number = 0 if given.player is None else setup.names.index(given.player)
    if given.as_json or given.output is not None:
        reviewed = judge.reviewed(replayed, lines, number)
        saved_match.TranscriptFile(given.output).save(reviewed)
        if given.as_json:
            print(json_text({"player": setup.names[number], "transcript": reviewed}))
    else:
        numpad = (given.keypad or setup.keypad) == "numpad"
        _show(judge, replayed, number, numpad, setup.plain if given.plain is None else given.plain)


class _Judge:
    """The solution that judges the moves of a transcript."""

    def __init__(self, setup: transcript.Setup, path: Path, solution: Path | None) -> None:
        self.setup = setup
        self.directory = saved_match.played_from(path, setup, solution)
        saved = tictactoe.open_saved(self.directory)
        saved_match.require_rules_of(path, setup, self.directory, saved.tree)
        self._judge = tictactoe.Judge(saved, average=setup.average_strategy)
        self.given = 0 if setup.position is None else len(tictactoe.Position.parse(setup.position).moves)
        if setup.winning_score is not None:
            try:
                self._judge.match(setup.winning_score)
            except ValueError as error:
                raise CommandError(f"{shown_path(self.directory)}: {error}") from error

    @property
    def in_points(self) -> bool:
        return self._judge.in_points

    def replay(self, lines: list[str]) -> transcript.Replayed:
        """Play the transcript again. Raises ValueError if its claims do not agree."""
        return transcript.replay(lines, self._judge.tree)

    def mistakes(self, rounds: list[referee.Round], player: int, **least: float) -> list[review.Mistake]:
        """The player's mistakes, worst first. least: as in `mistakes` of the library."""
        judged = [(played, self._bot(played.score)) for played in rounds]
        return review.mistakes(judged, player, self._solved_score, given=self.given, **least)

    def _solved_score(self, score: tictactoe.Score) -> tictactoe.Score:
        return self._judge.solved_score(score, self.setup.winning_score)

    def _bot(self, score: tictactoe.Score) -> tictactoe.RoundBot:
        try:
            return self._judge.round_bot(score, self.setup.winning_score)
        except NotSavedError as error:
            raise tictactoe.FormatError(self.directory, str(error)) from error

    def reviewed(self, replayed: transcript.Replayed, lines: list[str], player: int) -> list[dict[str, Any]]:
        """The lines of the transcript. Each finished round gets a "review" with all moves of the player."""
        result, rounds = [], iter(replayed.rounds)
        unit = "points" if self.in_points else "percentage points of matches won"
        for line in map(json.loads, lines):
            if line.get("outcome") is not None:
                moves = sorted(
                    self.mistakes([next(rounds)], player, least=0.0), key=lambda mistake: mistake.move.number
                )
                about = {"player": self.setup.names[player], "unit": unit}
                line["review"] = about | {"moves": [_as_json(mistake, self.in_points) for mistake in moves]}
            result.append(line)
        return result


def _as_json(mistake: review.Mistake, in_points: bool) -> dict[str, Any]:
    move = mistake.move
    cost = move.cost if in_points else percentage_points(move.cost)
    about = {"move": move.number, "square": move.square, "cost": cost, "best": list(move.best)}
    return about | {"position": str(mistake.position)}


def _show(judge: _Judge, replayed: transcript.Replayed, player: int, numpad: bool, plain: bool) -> None:
    names, rounds, match = judge.setup.names, replayed.rounds, replayed.match
    who = "you" if player == 0 and names[0] == "You" else names[player]
    speaker = play_text.Speaker(names[1 - player], numpad=numpad, in_points=judge.in_points, who=who)
    points = practice.points_of(rounds) if match is None else match.points
    what = "Practice" if match is None else f"A match to {match.winning_score}"
    state = "over" if match is not None and match.winner is not None else f"{counted(len(rounds), 'round')} played"
    found = judge.mistakes(rounds, player)
    say(f"{what}{by_rules(judge.setup.rules)}, {state}: {play_text.score_line(names, points)}.")
    explore = review_screen.explore_in(judge.directory, average=judge.setup.average_strategy, numpad=numpad)
    if rounds:
        review_screen.show_review(line_reader.LineReader(plain), speaker, found, explore)
