"""The JSON of `analyse`, and the counts of transcripts, matches and rounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tictactoe.storage.json_text import json_text
from tictactoe.storage.shipped import with_names

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
        terms = judged.terms._asdict()
        about: dict[str, Any] = {
            "file": str(written.path),
            "line": written.first_line,
            "winning_score": judged.winning_score,
            "names": list(judged.names),
            "winner": None if judged.winner is None else judged.names[judged.winner],
            "rounds": len(judged.rounds),
            "result": scale * judged.result,
            "terms": {name: scale * term for name, term in terms.items()},
            "cost": [
                scale * sum(move.cost for one in judged.rounds for move in one.moves_of(player)) for player in (0, 1)
            ],
            "adjusted": None if judged.adjusted is None else scale * judged.adjusted,
        }
        self.judged.append(about)

    def print(self, tally: Tally, unit: str, sources: Mapping[str, str]) -> None:
        scale = _scale(unit == "points")
        content = {
            "unit": unit,
            "solutions": {rules: with_names(source) for rules, source in sources.items()},
            "transcripts": self.transcripts,
            "left_out": self.left_out,
            "matches": {name: _games(games, scale) for name, games in tally.matches.items()},
            "practice": {name: _games(games, scale) for name, games in tally.practice.items()},
            "worst": [_worst(worst, scale) for worst in tally.worst],
            "judged": self.judged,
        }
        print(json_text(content, indent=2))


def _scale(in_points: bool) -> float:
    return 1.0 if in_points else 50.0


def _games(games: Games, scale: float) -> dict[str, Any]:
    return {
        "played": games.count["all"],
        "over": games.count["over"],
        "won": games.count["won"],
        "abandoned_rounds": games.count["abandoned"],
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
    return {
        "rounds": tally.rounds,
        "points": tally.points,
        "moves": tally.moves,
        "mistakes": tally.mistakes,
        "unpriced": tally.astray,
        "cost": scale * tally.cost,
    }


def _sample(sample: Sample, scale: float) -> dict[str, Any]:
    variance, width = sample.variance, sample.half_width
    return {
        "count": sample.count,
        "mean": scale * sample.mean if sample.count else None,
        "variance": None if variance is None else scale * scale * variance,
        "half_width_95": None if width is None else scale * width,
    }


def _worst(worst: Worst, scale: float) -> dict[str, Any]:
    mistake = worst.mistake
    return {
        "where": worst.where,
        "player": worst.judged.names[worst.player],
        "round": worst.round.played.number,
        "move": worst.move.number,
        "square": worst.move.square,
        "cost": scale * worst.move.cost,
        "best": list(mistake.move.best),
        "position": str(mistake.position),
    }
