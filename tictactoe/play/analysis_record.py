"""The record of an analysis, as JSON has it: matches and players, in points of winning chance, or of a round."""

from __future__ import annotations

from typing import Any

from ..storage.records import picked
from .analysis import Judged
from .tally import Games, MoveTally, Sample, Tally, Worst
from .transcript_files import WrittenMatch


def judged_as_dict(written: WrittenMatch, judged: Judged) -> dict[str, Any]:
    """A match or a round of practice, and where it is written."""
    scale = _scale(judged.in_points)
    costs = (sum(move.cost for one in judged.rounds for move in one.moves_of(player)) for player in (0, 1))
    return {
        "file": str(written.path),
        "line": written.first_line,
        **picked(judged, "winning_score", "names"),
        "winner": None if judged.winner is None else judged.names[judged.winner],
        "rounds": len(judged.rounds),
        "result": scale * judged.result,
        "terms": {name: scale * term for name, term in judged.terms._asdict().items()},
        "cost": [scale * cost for cost in costs],
        "adjusted": _times(scale, judged.adjusted),
    }


def tally_as_dict(tally: Tally, in_points: bool) -> dict[str, Any]:
    """The statistics of all players, and the worst moves. in_points: whether they count points (see `Judged`)."""
    scale = _scale(in_points)
    return {
        "matches": {name: _games(games, scale) for name, games in tally.matches.items()},
        "practice": {name: _games(games, scale) for name, games in tally.practice.items()},
        "worst": [_worst(worst, scale) for worst in tally.worst],
    }


def _scale(in_points: bool) -> float:
    return 1.0 if in_points else 50.0


def _times(scale: float, value: float | None) -> float | None:
    return None if value is None else scale * value


def _games(games: Games, scale: float) -> dict[str, Any]:
    keys = {"played": "all", "over": "over", "won": "won", "abandoned_rounds": "abandoned"}
    return {
        **{key: games.count[name] for key, name in keys.items()},
        "moves": _moves(games.total, scale),
        "by_seat_and_goal": [
            {"seat": seat.name.lower(), "goal": goal.name.lower()} | _moves(tally, scale)
            for (seat, goal), tally in games.moves.items()
        ],
        "cost": _sample(games.cost, scale),
        "terms": {name: _sample(sample, scale) for name, sample in games.terms.items()},
        "adjusted": _sample(games.adjusted, scale),
        "adjusted_from": _sample(games.adjusted_from, scale),
    }


def _moves(tally: MoveTally, scale: float) -> dict[str, Any]:
    return picked(tally, "rounds", "points", "moves", "mistakes") | {"cost": scale * tally.cost}


def _sample(sample: Sample, scale: float) -> dict[str, Any]:
    mean = scale * sample.mean if sample.count else None
    variance, width = _times(scale * scale, sample.variance), _times(scale, sample.half_width)
    return {"count": sample.count, "mean": mean, "variance": variance, "half_width_95": width}


def _worst(worst: Worst, scale: float) -> dict[str, Any]:
    mistake, move = worst.mistake, worst.move
    about = {"player": worst.judged.names[worst.player], "round": worst.round.played.number, "move": move.number}
    cost = {"square": move.square, "cost": scale * move.cost, "best": mistake.move.best}
    return {"where": worst.where, **about, **cost, "position": str(mistake.position)}
