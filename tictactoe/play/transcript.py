"""Transcripts of matches and of practice, finished or not, reviewed or not: JSON lines, docs/transcripts.md.

A header, a line for each round, and for a finished match a footer. Replaying one checks all that it says of the play.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from .. import __version__
from ..errors import FormatError
from ..games.goals import Goal, goal_name
from ..games.rules import DEFAULT_RULES, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.scores import Score
from ..storage.safe_files import read_bytes
from .commitment import commitment_hash
from .notation import Position
from .opponents import DEFAULT_OPPONENT
from .referee import Match, Round, check_names

FORMAT = "smbc-tictactoe transcript 3"
_OLDEST = "smbc-tictactoe transcript 1"  # had no practice, no unfinished rounds, no opponents
_FORMATS = (FORMAT, "smbc-tictactoe transcript 2", _OLDEST)  # 2 had no rules
_MOST_BYTES = 2**24
_LONGEST_SHOWN = 100
_GoalName = Literal["win", "lose", "tie"]
_Value = TypeVar("_Value")


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is agreed before the first round: the header.

    names: of players 0 and 1. winning_score: of a match, None for practice. position: where rounds of practice start,
    as `Position` reads it. solution: as the person named it, None for the one that comes with the program; and the
    winning score that it was solved for. opponent: a name of OPPONENTS. rules: as str(Rules) writes them.
    """

    names: tuple[str, str]
    seed: int | None
    winning_score: int | None = None
    position: str | None = None
    solution: str | None = None
    solved_winning_score: int | None = None
    average_strategy: bool = True
    opponent: str = DEFAULT_OPPONENT
    rules: str = DEFAULT_RULES

    def __post_init__(self) -> None:
        check_names(self.names)
        if self.position is not None:
            Position.parse(self.position)
        if not self.opponent.isprintable():
            raise ValueError(f"opponent: {_shown(self.opponent)} has characters that cannot be printed")
        if "\0" in (self.solution or ""):
            raise ValueError(f"solution: {_shown(self.solution)} is not the name of a directory")
        Rules.parse(self.rules)

    def played_anywhere(self) -> Setup:
        """The same without the solution that a program elsewhere has named."""
        return msgspec.structs.replace(self, solution=None)


class Replayed(msgspec.Struct, frozen=True):
    """What a transcript tells. match: None for practice. current: the round that goes on, None where none does."""

    setup: Setup
    match: Match | None
    rounds: list[Round]
    current: Round | None


def match_lines(setup: Setup, match: Match, current: Round | None = None) -> list[dict[str, Any]]:
    """The transcript of a match as far as it goes; `current` is the round being played."""
    lines = [header(setup)]
    for number in range(1, len(match.rounds) + 2):
        lines += [
            round_line(left, match.names) | {"abandoned": True} for left in match.abandoned if left.number == number
        ]
        lines += [round_line(played, match.names) for played in match.rounds[number - 1 : number]]
    lines += [round_line(current, match.names)] if current is not None else []
    return [*lines, footer(match)] if match.winner is not None else lines


def practice_lines(setup: Setup, rounds: Sequence[Round]) -> list[dict[str, Any]]:
    """The transcript of practice; the last round may be unfinished."""
    return [header(setup), *(round_line(played, setup.names) for played in rounds)]


def header(setup: Setup) -> dict[str, Any]:
    """The first line."""
    about: dict[str, Any] = msgspec.to_builtins(setup)
    return {"format": FORMAT, "version": __version__, **about}


def round_line(played: Round, names: tuple[str, str]) -> dict[str, Any]:
    """The line of a round; score and goals are of the first mover, then the other. outcome: None while it goes on."""
    outcome = played.outcome
    scored = (False, False) if outcome is None else played.scored
    return {
        "round": played.number,
        "score": list(played.score),
        "first_mover": names[played.first],
        "goals": [goal_name(goal) for goal in played.goals_by_seat],
        "moves": list(played.cursor.moves),
        "outcome": None if outcome is None else outcome.name.lower(),
        "scored": [name for name, has in zip(names, scored, strict=True) if has],
        "commitment": {"text": played.commitment, "sha256": commitment_hash(played.commitment)},
    }


def footer(match: Match) -> dict[str, Any]:
    """The last line of the transcript of a finished match. ValueError while the match goes on."""
    if match.winner is None:
        raise ValueError("the match goes on")
    return {"winner": match.names[match.winner], "points": list(match.points)}


def read_transcript(path: Path) -> tuple[Setup, list[str]]:
    """What the header says, and the lines, for `replay`. Raises FormatError or OSError."""
    try:
        lines = read_bytes(path, _MOST_BYTES).decode().splitlines()
        if not lines:
            raise ValueError("line 1: the header is missing")
        return setup_of(content_of(lines[0], 1)), lines
    except ValueError as error:
        raise FormatError(path, f"not a transcript: {error}") from error


def last_position(path: Path) -> Position:
    """Where play stands in a transcript, as the first player sees it: at the end of the last round, or at the start of
    practice; with the rules. Scores are those of the solution. Raises FormatError or OSError; the moves are not
    checked."""
    setup, lines = read_transcript(path)
    try:
        return replace(_last_position(setup, lines), rules=Rules.parse(setup.rules))
    except ValueError as error:
        raise FormatError(path, str(error)) from error


def _last_position(setup: Setup, lines: list[str]) -> Position:
    rounds = [content for number, line in enumerate(lines, 1) if "moves" in (content := content_of(line, number))]
    if not rounds:
        if setup.position is None:
            raise ValueError("no round has been begun")
        return Position.parse(setup.position)
    last = rounds[-1]
    goals = [name[0] for name in _field(last, "goals", tuple[_GoalName, _GoalName])]
    if last.get("outcome") is None:
        goals[last.get("first_mover") == setup.names[0]] = "?"
    first, second = _field(last, "score", tuple[int, int])
    more = 0 if setup.winning_score is None else (setup.solved_winning_score or 0) - setup.winning_score
    moves = "".join(map(str, _field(last, "moves", tuple[int, ...])))
    return Position.parse(f"{first + max(more, 0)}-{second + max(more, 0)} {''.join(goals)} {moves or '-'}")


def replay(lines: Iterable[str], tree: GameTree, first_line: int = 1) -> Replayed:
    """Play a transcript again and check all that it says of the play; a "review" of a round is left alone.

    first_line: its number where the transcript stands. Raises ValueError naming the line for anything that does not
    fit: moves, scores, goals, hashes, the winner.

    >>> start = json.dumps(header(Setup(names=("Ann", "Bot"), seed=None, winning_score=3)))
    >>> replay([start, '{"winner": "Ann", "points": [3, 0]}'], GameTree.build())
    Traceback (most recent call last):
    ValueError: line 2: the match goes on
    """
    replaying: _Replaying | None = None
    number = first_line - 1
    for number, line in enumerate(lines, first_line):
        content = content_of(line, number)
        try:
            if replaying is None:
                replaying = _Replaying(setup_of(content), tree)
            else:
                replaying.follow(content)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    if replaying is None:
        raise ValueError(f"line {number + 1}: the header is missing")
    return Replayed(replaying.setup, replaying.match, replaying.rounds, replaying.current)


class _Replaying:
    def __init__(self, setup: Setup, tree: GameTree) -> None:
        if setup.rules != str(tree.rules):
            raise ValueError(f"rules: played by {setup.rules!r}, not by {str(tree.rules)!r}")
        self.setup, self.tree = setup, tree
        self.match = None
        if setup.winning_score is not None:
            self.match = Match(tree, setup.winning_score, setup.names, 0, setup.seed)
        self.rounds: list[Round] = []
        self.current: Round | None = None
        self._ended = False

    def follow(self, content: dict[str, Any]) -> None:
        if self._ended or self.current is not None:
            raise ValueError("stands after the end")
        if self.match is not None and "winner" in content:
            self._ended = True
            _compare(content, footer(self.match))
            return
        if content.get("first_mover") not in self.setup.names:
            raise ValueError(f"first_mover: {_shown(content.get('first_mover'))} does not play")
        first = self.setup.names.index(content["first_mover"])
        played = self._played(content, first)
        abandoned = content.get("abandoned", False)
        if abandoned is not False and self.match is None:
            raise ValueError("abandoned: only a round of a match can be")
        compared = {name: value for name, value in content.items() if name != "review"}
        _compare(compared, round_line(played, self.setup.names) | ({"abandoned": True} if abandoned else {}))
        if abandoned and self.match is not None:
            self.match.abandon(played)
        elif played.outcome is None:
            self.current = played
        else:
            self.rounds.append(played)
            if self.match is not None:
                self.match.finish(played)

    def _played(self, content: dict[str, Any], first: int) -> Round:
        goals = [Goal[name.upper()] for name in _field(content, "goals", tuple[_GoalName, _GoalName])]
        by_player = goals[first], goals[1 - first]
        text = _field(content, "commitment", dict[str, str]).get("text", "")
        moves = _field(content, "moves", tuple[int, ...])
        if self.match is not None:
            if not self.match.rounds and not self.match.abandoned:
                self.match.first = first
            return self.match.next_round(by_player, text, moves)
        score = Score(*_field(content, "score", tuple[int, int]))
        start = None if self.setup.position is None else Position.parse(self.setup.position)
        if start is not None and (start.score, start.moves) != (score, moves[: len(start.moves)]):
            raise ValueError(f"does not go on from the position {start}")
        return Round(len(self.rounds) + 1, score, first, by_player, text, self.tree, moves)


def content_of(line: str, number: int) -> dict[str, Any]:
    """What a line says. Raises ValueError, which names the line, for one that is no JSON object."""
    try:
        return msgspec.convert(json.loads(line), dict[str, Any])
    except (ValueError, msgspec.ValidationError, RecursionError) as error:  # up to msgspec 0.20 that is no ValueError
        raise ValueError(f"line {number}: {error}") from error


def setup_of(content: dict[str, Any]) -> Setup:
    """What the first line says. Raises ValueError for one that is no header."""
    if content.get("format") not in _FORMATS:
        raise ValueError(f"format: {_shown(content.get('format'))} is not {FORMAT!r}")
    if content["format"] == _OLDEST:
        _field(content, "winning_score", int)
    about = {name: value for name, value in content.items() if name not in ("format", "version")}
    try:
        return msgspec.convert(about, Setup)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)[: 2 * _LONGEST_SHOWN]) from error


def _field(content: dict[str, Any], name: str, kind: type[_Value]) -> _Value:
    if name not in content:
        raise ValueError(f"{name} is missing")
    try:
        return msgspec.convert(content[name], kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {str(error)[:_LONGEST_SHOWN]}") from error


def _compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        if name not in found or name not in expected or found[name] != expected[name]:
            raise ValueError(f"{name}: {_shown(found.get(name))} where {_shown(expected.get(name))} is right")


def _shown(value: object) -> str:
    """As much of it as an error has room for."""
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."
