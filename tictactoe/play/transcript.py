"""The transcript of a match, JSON lines: a header, the rounds, a footer. Replaying one checks all that it says."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Literal, TypeVar

import msgspec

from .. import __version__
from ..games.goals import Goal, goal_name
from ..games.tic_tac_toe_tree import GameTree
from .commitment import commitment_hash
from .referee import Match, Round

FORMAT = "smbc-tictactoe transcript 1"
_GoalName = Literal["win", "lose", "tie"]
_Value = TypeVar("_Value")


def header(match: Match) -> dict[str, Any]:
    """The first line. names: of players 0 and 1."""
    about = {"seed": match.seed, "winning_score": match.winning_score, "names": list(match.names)}
    return {"format": FORMAT, "version": __version__, **about}


def round_line(played: Round, names: tuple[str, str]) -> dict[str, Any]:
    """The line of a round; score and goals are of the first mover, then the other. ValueError while it goes on."""
    scored, outcome = played.scored, played.outcome
    assert outcome is not None
    return {
        "round": played.number,
        "score": list(played.score),
        "first_mover": names[played.first],
        "goals": [goal_name(goal) for goal in played.goals_by_seat],
        "moves": list(played.cursor.moves),
        "outcome": outcome.name.lower(),
        "scored": [name for name, has in zip(names, scored, strict=True) if has],
        "commitment": {"text": played.commitment, "sha256": commitment_hash(played.commitment)},
    }


def footer(match: Match) -> dict[str, Any]:
    """The last line of the transcript of a finished match. ValueError while the match goes on."""
    if match.winner is None:
        raise ValueError("the match goes on")
    return {"winner": match.names[match.winner], "points": list(match.points)}


def replay(lines: Iterable[str], tree: GameTree) -> Match:
    """Play a transcript again and check all that it says; the match as far as it goes.

    Raises ValueError naming the line for anything that does not fit: moves, scores, goals, hashes, the winner.

    >>> start = json.dumps(header(Match(GameTree.build(), 3, ("Ann", "Bot"), first=0)))
    >>> replay([start, '{"winner": "Ann", "points": [3, 0]}'], GameTree.build())
    Traceback (most recent call last):
    ValueError: line 2: the match goes on
    """
    match: Match | None = None
    number, ended = 0, False
    for number, line in enumerate(lines, 1):
        if ended:
            raise ValueError(f"line {number}: stands after the end of the match")
        try:
            content = msgspec.convert(json.loads(line), dict[str, Any])
            if match is None:
                match = _match_of(content, tree)
            elif "winner" in content:
                ended = True
                _compare(content, footer(match))
            else:
                _replay_round(match, content)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: {error}") from error
    if match is None:
        raise ValueError(f"line {number + 1}: the header is missing")
    return match


def _match_of(content: dict[str, Any], tree: GameTree) -> Match:
    if content.get("format") != FORMAT:
        raise ValueError(f"format: {content.get('format')!r} is not {FORMAT!r}")
    seed = _field(content, "seed", int) if content.get("seed") is not None else None
    return Match(tree, _field(content, "winning_score", int), _field(content, "names", tuple[str, str]), 0, seed)


def _replay_round(match: Match, content: dict[str, Any]) -> None:
    if content.get("first_mover") not in match.names:
        raise ValueError(f"first_mover: {content.get('first_mover')!r} does not play")
    if not match.rounds:
        match.first = match.names.index(content["first_mover"])
    goals = [Goal[name.upper()] for name in _field(content, "goals", tuple[_GoalName, _GoalName])]
    text = _field(content, "commitment", dict[str, str]).get("text", "")
    moves = _field(content, "moves", tuple[int, ...])
    played = match.next_round((goals[match.first], goals[1 - match.first]), text, moves)
    _compare(content, round_line(played, match.names))
    match.finish(played)


def _field(content: dict[str, Any], name: str, kind: type[_Value]) -> _Value:
    if name not in content:
        raise ValueError(f"{name} is missing")
    try:
        return msgspec.convert(content[name], kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{name}: {error}") from error


def _compare(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name in sorted(found.keys() | expected.keys()):
        if name not in found or name not in expected or found[name] != expected[name]:
            raise ValueError(f"{name}: {found.get(name)!r} where {expected.get(name)!r} is right")
