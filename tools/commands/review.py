"""review: what the moves of a match or of practice cost, from its transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tictactoe.storage.json_text import json_text

from ..options.parameters import File, Name, SolutionDirectory, json_option
from ..options.play_options import NewFile, keypad_option, must_be_new, plain_option
from ..program import SETTINGS, CommandError, run, shown_path

if TYPE_CHECKING:
    from tictactoe.match.scores import Score
    from tictactoe.play.bot import RoundBot
    from tictactoe.play.referee import Round
    from tictactoe.play.review import Mistake
    from tictactoe.play.transcript import Replayed, Setup


@click.command(context_settings=SETTINGS)
@click.argument("transcript", type=File(), required=False)
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    default=None,
    help="Directory of the solution that judges.  [default: the one that was played from]",
)
@click.option("--player", type=Name(), help="Whose moves, by name.  [default: the first name of the transcript]")
@click.option(
    "-o", "--output", type=NewFile(), default=None, help="Write the transcript with the review in it to this new file."
)
@json_option
@keypad_option
@plain_option
def command(
    transcript: Path | None,
    solution: Path | None,
    player: str | None,
    output: Path | None,
    as_json: bool,
    keypad: str | None,
    plain: bool | None,
) -> None:
    """Show what mistakes cost in a match or in practice that was played with --transcript FILE, worst first.

    Without a file: the match that you left last. Each move is judged by what was known at the time, against what a
    perfect player would have done. On a terminal a mistake can be looked at in explore. docs/transcripts.md has the
    format.

    \b
    review match.jsonl
    review match.jsonl --player Bot
    review match.jsonl -o reviewed.jsonl
    """
    must_be_new(output, "-o")
    from tictactoe.errors import FormatError
    from tictactoe.play.saved_match import TranscriptFile, left_match
    from tictactoe.play.transcript import read_transcript

    path = transcript or left_match()
    if path is None:
        raise CommandError("no match has been left; name the transcript of one, such as review match.jsonl")
    setup, lines = read_transcript(path)
    if player is not None and player not in setup.names:
        raise click.UsageError(f"--player: {player!r} does not play; {' and '.join(setup.names)} do")
    judge = _Judge(setup, path, solution)
    try:
        replayed = judge.replay(lines)
    except ValueError as error:
        raise FormatError(path, str(error)) from error
    number = 0 if player is None else setup.names.index(player)
    if as_json or output is not None:
        reviewed = judge.reviewed(replayed, lines, number)
        TranscriptFile(output).save(reviewed)
        if as_json:
            print(json_text({"player": setup.names[number], "transcript": reviewed}))
    else:
        numpad = (keypad or setup.keypad) == "numpad"
        _show(judge, replayed, number, numpad, setup.plain if plain is None else plain)


class _Judge:
    """The solution that judges the moves of a transcript."""

    def __init__(self, setup: Setup, path: Path, solution: Path | None) -> None:
        from tictactoe.play.judge import Judge
        from tictactoe.play.notation import Position
        from tictactoe.play.saved_match import played_from, require_rules_of
        from tictactoe.storage.open_saved import open_saved

        self.setup = setup
        self.directory = played_from(path, setup, solution)
        saved = open_saved(self.directory)
        require_rules_of(path, setup, self.directory, saved.tree)
        self._judge = Judge(saved, average=setup.average_strategy)
        self.given = 0 if setup.position is None else len(Position.parse(setup.position).moves)
        if setup.winning_score is not None:
            try:
                self._judge.match(setup.winning_score)
            except ValueError as error:
                raise CommandError(f"{shown_path(self.directory)}: {error}") from error

    @property
    def in_points(self) -> bool:
        return self._judge.in_points

    def replay(self, lines: list[str]) -> Replayed:
        """Play the transcript again. Raises ValueError if its claims do not agree."""
        from tictactoe.play.transcript import replay

        return replay(lines, self._judge.tree)

    def mistakes(self, rounds: list[Round], player: int, **least: float) -> list[Mistake]:
        """The player's mistakes, worst first. least: as in `mistakes` of the library."""
        from tictactoe.play.review import mistakes

        judged = [(played, self._bot(played.score)) for played in rounds]
        return mistakes(judged, player, self._solved_score, given=self.given, **least)

    def _solved_score(self, score: Score) -> Score:
        return self._judge.solved_score(score, self.setup.winning_score)

    def _bot(self, score: Score) -> RoundBot:
        from tictactoe.errors import FormatError, NotSavedError

        try:
            return self._judge.round_bot(score, self.setup.winning_score)
        except NotSavedError as error:
            raise FormatError(self.directory, str(error)) from error

    def reviewed(self, replayed: Replayed, lines: list[str], player: int) -> list[dict[str, Any]]:
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


def _as_json(mistake: Mistake, in_points: bool) -> dict[str, Any]:
    from tictactoe.match.percentages import percentage_points

    move = mistake.move
    cost = move.cost if in_points else percentage_points(move.cost)
    about = {"move": move.number, "square": move.square, "cost": cost, "best": list(move.best)}
    return about | {"position": str(mistake.position)}


def _show(judge: _Judge, replayed: Replayed, player: int, numpad: bool, plain: bool) -> None:
    from tictactoe.games.rules import by_rules
    from tictactoe.play.practice import points_of

    from ..program import say
    from ..reports.play_text import Speaker, score_line
    from ..screens.line_reader import LineReader
    from ..screens.review_screen import explore_in, show_review
    from ..words import counted

    names, rounds, match = judge.setup.names, replayed.rounds, replayed.match
    who = "you" if player == 0 and names[0] == "You" else names[player]
    speaker = Speaker(names[1 - player], numpad=numpad, in_points=judge.in_points, who=who)
    points = points_of(rounds) if match is None else match.points
    what = "Practice" if match is None else f"A match to {match.winning_score}"
    state = "over" if match is not None and match.winner is not None else f"{counted(len(rounds), 'round')} played"
    found = judge.mistakes(rounds, player)
    say(f"{what}{by_rules(judge.setup.rules)}, {state}: {score_line(names, points)}.")
    explore = explore_in(judge.directory, average=judge.setup.average_strategy, numpad=numpad)
    if rounds:
        show_review(LineReader(plain), speaker, found, explore)


def main() -> None:
    """The program."""
    run(command)
