"""A review in words: a person's mistakes and their costs, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from ..number_text import counted, decimal_text, unbroken
from .best_play import NEGLIGIBLE_COST
from .review import Mistake
from .round_text import Speaker, mark

_ASTRAY = "*: the perfect bot never gets there; how it would play on is arbitrary, and the cost depends on it."
NO_MISTAKES = "No mistakes: your moves cost nothing worth mentioning."


def of_a_round(speaker: Speaker, mistakes: Sequence[Mistake]) -> list[str]:
    """Lines about the mistakes of a round, to stand beside its final board."""
    if not mistakes:
        return [NO_MISTAKES]
    lines = ["Your mistakes, worst first:" if len(mistakes) > 1 else "Your mistake:"]
    lines += [f"{number}. {in_words(speaker, mistake)}" for number, mistake in enumerate(mistakes, 1)]
    return lines + _explained(mistakes)


def of_all(speaker: Speaker, mistakes: Sequence[Mistake], most: int | None = None) -> list[str]:
    """Lines to be wrapped, about a match or practice. most: how many mistakes get a line of their own."""
    who, whose = speaker.who, "Your" if speaker.who == "you" else speaker.whose
    if not mistakes:
        return [NO_MISTAKES if who == "you" else f"{who} made no mistakes: no move cost anything worth mentioning."]
    unit = "points" if speaker.in_points else "percentage points of matches won"
    lines = [f"{whose} mistakes, worst first, and what they cost in {unit} against a perfect player:"]
    for number, mistake in enumerate(mistakes[:most], 1):
        played = mistake.played
        where = f"round {played.number}, {who} wanted to {mistake.goal.name}"
        lines.append(
            f"{number:>2}. {in_words(speaker, mistake, where)} ({unbroken(speaker.position(mistake.position))})"
        )
    lines += _explained(mistakes[:most])
    if more := mistakes[0].position.score.first - mistakes[0].played.score.first:
        lines.append(f"(In positions both have {counted(more, 'point')} more: the solution's match is so much longer.)")
    smaller = [mistake.move.cost for mistake in mistakes[most:]] if most is not None else []
    if smaller:
        lines.append(f"    and {len(smaller)} more, which together cost {speaker.cost(sum(smaller))}")
    total = sum(mistake.move.cost for mistake in mistakes)
    if speaker.in_points:
        lines.append(f"Together they gave away {decimal_text(total, 2)} points.")
    else:
        lines.append(f"Together they gave away what {decimal_text(total / 2, 2)} won matches are worth.")
    return lines


def _explained(mistakes: Sequence[Mistake]) -> list[str]:
    return [_ASTRAY] if any(mistake.move.off_equilibrium for mistake in mistakes) else []


def in_words(speaker: Speaker, mistake: Mistake, where: str = "") -> str:
    """One mistake: its cost, its place, the best squares and, if it is short, the reason."""
    move = mistake.move
    reason = speaker.reason(move.advice, mistake.goal, move.square)
    told = f"{mark(move.number)} on {speaker.digit(move.square)}, better {speaker.either(move.best)}"
    told += f", which completes {'your' if speaker.who == 'you' else 'a'} row" if move.missed_row else ""
    cost = speaker.cost(move.cost) + "*" * move.off_equilibrium
    parts = ": ".join(filter(None, (cost, where, told)))
    return "; ".join(filter(None, (parts, reason, against_opponent(speaker, mistake))))


def against_opponent(speaker: Speaker, mistake: Mistake) -> str:
    """What the move was worth against the opponent who was played, compared with what a perfect player marks; empty if
    that opponent is perfect or not known."""
    if mistake.against is None:
        return ""
    name, gained, _ = mistake.against
    if abs(gained) < NEGLIGIBLE_COST:
        return f"against {name} it cost nothing"
    return f"against {name} it {'gained' if gained > 0.0 else 'cost'} {speaker.cost(abs(gained))}"
