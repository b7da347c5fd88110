"""The JSON of `analyse`, and the counts of transcripts, matches and rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tictactoe.storage.json_text import json_text
from tictactoe.storage.shipped import with_names

from .report import picked

if TYPE_CHECKING:
    from tictactoe.play.analysis import Judged
    from tictactoe.play.tally import Games, MoveTally, Sample, Tally, Worst
    from tictactoe.play.transcript_files import WrittenMatch


@dataclass
class Collected:
    """Counts of what was analysed and, for --json, every match and round of practice."""

    transcripts: int = 0
    left_out: int = 0
    """Transcripts that could not be read."""
    num_matches: int = 0
    num_rounds: int = 0
    """Rounds of practice."""
    judged: list[dict[str, Any]] = field(default_factory=list)
    """The JSON of each match and round of practice."""

    def count(self, judged: Judged) -> None:
        if judged.winning_score is None:
            self.num_rounds += 1
        else:
            self.num_matches += 1

    def add(self, written: WrittenMatch, judged: Judged) -> None:
        """Keep a match or round of practice for `print`."""
        scale = _scale(judged.in_points)
        costs = (sum(move.cost for one in judged.rounds for move in one.moves_of(player)) for player in (0, 1))
        about = {
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
        self.judged.append(about)

    def print(self, tally: Tally, unit: str, sources: Mapping[str, str]) -> None:
        scale = _scale(unit == "points")
        content = {
            "unit": unit,
            "solutions": {rules: with_names(source) for rules, source in sources.items()},
            **picked(self, "transcripts", "left_out"),
            "matches": {name: _games(games, scale) for name, games in tally.matches.items()},
            "practice": {name: _games(games, scale) for name, games in tally.practice.items()},
            "worst": [_worst(worst, scale) for worst in tally.worst],
            "judged": self.judged,
        }
        print(json_text(content, indent=2))


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
    return picked(tally, "rounds", "points", "moves", "mistakes", "unpriced=astray") | {"cost": scale * tally.cost}


def _sample(sample: Sample, scale: float) -> dict[str, Any]:
    mean = scale * sample.mean if sample.count else None
    variance, width = _times(scale * scale, sample.variance), _times(scale, sample.half_width)
    return {"count": sample.count, "mean": mean, "variance": variance, "half_width_95": width}


def _worst(worst: Worst, scale: float) -> dict[str, Any]:
    mistake, move = worst.mistake, worst.move
    about = {"player": worst.judged.names[worst.player], "round": worst.round.played.number, "move": move.number}
    cost = {"square": move.square, "cost": scale * move.cost, "best": mistake.move.best}
    return {"where": worst.where, **about, **cost, "position": str(mistake.position)}
