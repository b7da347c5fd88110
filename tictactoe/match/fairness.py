"""Values of rounds and matches with bounds, the rules that favour a seat least, and sentences about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..algorithms.arrays import FloatArray
from ..algorithms.best_response import exploitability
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import SINGLE_ROUND, Rules
from ..games.tic_tac_toe_tree import GameTree
from .best_response_over_match import best_response_over_match
from .head_to_head import MatchPlay, RoundPlay, match_play, round_play
from .percentages import win_percentage
from .scores import Score, all_scores

VALUE_TOLERANCE = 1e-12
"""Values this close to each other count as equal."""


@dataclass(frozen=True)
class Bounded:
    """A value to the player who moves first, with bounds from best responses."""

    value: float
    """The value of the strategies. The value of perfect play is between the bounds."""
    least: float
    most: float

    @property
    def favoured(self) -> str | None:
        """The favoured seat, "first" or "second"; None if the bounds allow an even value."""
        if self.least > VALUE_TOLERANCE:
            return "first"
        return "second" if self.most < -VALUE_TOLERANCE else None

    @property
    def advantage(self) -> tuple[float, float]:
        """The least and the most advantage of the favoured seat, in the unit of the value."""
        least = 0.0 if self.least <= 0.0 <= self.most else min(abs(self.least), abs(self.most))
        return least, max(abs(self.least), abs(self.most))


@dataclass(frozen=True)
class SingleRound:
    """A round on its own, in points."""

    value: Bounded
    play: RoundPlay


@dataclass(frozen=True)
class MatchFacts:
    """The values of a match, and the course of its rounds."""

    winning_score: int
    values: Mapping[Score, Bounded]
    """The match value (-1 to 1) of each score."""
    play: MatchPlay

    @property
    def start(self) -> Bounded:
        return self.values[Score(0, 0)]

    @property
    def exploitability(self) -> float:
        """The sum of the gains of two best responders, one in each seat, over the match."""
        return max(0.0, self.start.most - self.start.least)


def single_round(tree: GameTree, strategy: FloatArray) -> SingleRound:
    """A round on its own in which both players use the strategy, float64 (num_nodes, 3).

    Raises ValueError for an array that is not a strategy.
    """
    value, first_gain, second_gain = exploitability(tic_tac_toe_round(tree, SINGLE_ROUND), strategy)
    return SingleRound(_bounded(value, value - second_gain, value + first_gain), round_play(tree, strategy))


def match_facts(tree: GameTree, strategies: Mapping[Score, FloatArray], winning_score: int) -> MatchFacts:
    """The values of all scores, bounded by best responses over the whole match, and the course of the rounds.

    strategies: by score, float64 (num_nodes, 3); all scores are needed.

    Raises the errors of `best_response_over_match` and `match_play`.

    >>> from tictactoe import GameTree, UniformStrategy, match_facts
    >>> tree = GameTree.build()
    >>> facts = match_facts(tree, UniformStrategy(tree, 1), 1)
    >>> round(facts.start.value, 4), round(facts.exploitability, 2), round(facts.play.rounds, 2)
    (0.0, 1.71, 2.25)
    """
    found = best_response_over_match(tree, strategies, winning_score).scores
    values = {score: _bounded(found[score].value, found[score].minimum, found[score].maximum) for score in found}
    missing = [score for score in all_scores(winning_score) if score not in values]
    if missing:
        raise KeyError(missing[0])
    return MatchFacts(winning_score, values, match_play(tree, strategies, winning_score))


def _bounded(value: float, least: float, most: float) -> Bounded:
    return Bounded(value, min(value, least), max(value, most))


def fairest(values: Iterable[tuple[Rules, Bounded]]) -> list[Rules]:
    """The rules that favour a seat least; several if the bounds overlap.

    >>> from tictactoe import Rules, fairest
    >>> even, uneven = Bounded(0.0, -0.1, 0.1), Bounded(-0.25, -0.26, -0.24)
    >>> [str(rules) for rules in fairest([(Rules(), uneven), (Rules("filled"), even)])]
    ['filled']
    """
    found = list(values)
    smallest = min(value.advantage[1] for _, value in found)
    return [rules for rules, value in found if value.advantage[0] <= smallest + VALUE_TOLERANCE]


EVEN_VALUE = 1e-4
"""The largest distance from 0 of a value that is called even. It is also the precision to which the values of the
fairest rules must be certain before several are called equally fair."""
UNKNOWN = "unknown"


def fairest_text(where: str, values: Mapping[Rules, Bounded], who: Callable[[Bounded], str], advice: str) -> str:
    """A sentence about the rules that favour a seat least.

    who: a function that describes their value.
    advice: what to do if the bounds are too wide.
    """
    fair = fairest(values.items())
    value = values[fair[0]]
    if favoured_text(value) == UNKNOWN or (len(fair) > 1 and value.most - value.least > EVEN_VALUE):
        return f"Fairest in a {where}: unknown; {advice}."
    names = " and ".join(rules.name for rules in fair) + (", equally fair" if len(fair) > 1 else "")
    return f"Fairest in a {where}: {names}; {who(value)}."


def favoured_text(value: Bounded) -> str:
    """The favoured seat, "neither" or "unknown"."""
    return value.favoured or ("neither" if value.advantage[1] <= EVEN_VALUE else UNKNOWN)


def who_wins(start: Bounded) -> str:
    if start.favoured is None:
        return "whoever moves first in the first round wins half of the matches"
    return f"whoever moves {start.favoured} in the first round wins {win_percentage(abs(start.value)):.3f} % of matches"


def who_gains(value: Bounded) -> str:
    if value.favoured is None:
        return "moving first is worth as much as moving second"
    return f"moving {value.favoured} gains {abs(value.value):.6f} points on average"
