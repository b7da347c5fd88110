"""The opponents to choose from: their names, descriptions, play and strengths. This is plain data, quick to import.

docs/opponents.md says how their strengths were measured.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..games.rules import DEFAULT_RULES

DEFAULT_OPPONENT = "perfect"


class Wins(NamedTuple):
    """Rounded percentages of the matches that others win against an opponent."""

    simple: tuple[int, int, int, int, int]
    """The mean of both players of `games/naive_players.py`, in matches to 1, 2, 3, 4 and 5."""
    perfect: tuple[int, int, int, int, int]
    """The percentages of the perfect player, in matches to 1, 2, 3, 4 and 5."""
    expert: int
    """The percentage of the best responder, in matches to 5."""


Mix = Mapping[str, float]
"""The players that are mixed (`perfect`, or one of `storage.population.CONSTANT_PLAYERS`) and how often each moves."""


@dataclass(frozen=True)
class Opponent:
    """An opponent, described for somebody who has never played the game.

    >>> print(OPPONENTS["learner-10"].text(winning_score=3))
    Has practised for 10 steps against itself. Simple players win 27 of 100 matches to 3, a perfect one 66.
    """

    title: str
    """The opponent's name for people, which `opponent_named` reads."""
    description: str
    """One sentence about how the opponent plays."""
    plays: tuple[Mix, Mix, Mix]
    """The opponent's play when it wants to win, to lose, and to tie."""
    wins: Mapping[str, Wins]
    """Wins against the opponent, by the text of the rules."""

    @property
    def uses_solution(self) -> bool:
        """Whether the opponent plays from a solution. Others have one strategy for every score."""
        return any(DEFAULT_OPPONENT in mix for mix in self.plays)

    def text(self, rules: str = DEFAULT_RULES, winning_score: int = 5) -> str:
        """The description and the strength. Raises KeyError for other rules, IndexError for a winning score above 5."""
        simple, perfect, _ = self.wins[rules]
        won = f"{simple[winning_score - 1]} of 100 matches to {winning_score}"
        return f"{self.description} Simple players win {won}, a perfect one {perfect[winning_score - 1]}."


def _always(mix: Mix) -> tuple[Mix, Mix, Mix]:
    return mix, mix, mix


# Printed by benchmarks/opponents.py.
_WINS = {
    "three-in-a-row": {
        "perfect": Wins((20, 17, 14, 12, 10), (50, 50, 50, 50, 50), 50),
        "learner-100": Wins((28, 25, 21, 18, 16), (51, 52, 52, 53, 53), 56),
        "learner-1": Wins((33, 30, 27, 24, 22), (80, 81, 83, 86, 88), 100),
        "learner-10": Wins((33, 30, 27, 25, 23), (62, 64, 66, 68, 70), 85),
        "careless": Wins((34, 33, 32, 30, 28), (63, 65, 66, 68, 70), 80),
        "sore-loser": Wins((37, 36, 35, 33, 32), (71, 73, 76, 78, 80), 93),
        "dabbler": Wins((47, 47, 47, 47, 46), (78, 81, 84, 86, 88), 96),
        "rookie": Wins((56, 57, 58, 59, 60), (81, 84, 87, 89, 91), 99),
        "dreamer": Wins((65, 69, 72, 74, 76), (87, 89, 92, 94, 96), 99),
        "uniform": Wins((74, 79, 83, 86, 89), (89, 91, 94, 96, 97), 99),
    },
    "filled": {
        "perfect": Wins((19, 15, 12, 9, 7), (50, 50, 50, 50, 50), 50),
        "learner-100": Wins((29, 25, 22, 19, 17), (51, 51, 51, 52, 52), 55),
        "learner-1": Wins((37, 34, 32, 30, 28), (71, 73, 78, 81, 84), 98),
        "learner-10": Wins((33, 30, 27, 24, 22), (59, 60, 62, 63, 64), 79),
        "careless": Wins((32, 29, 25, 23, 21), (62, 63, 66, 68, 70), 84),
        "sore-loser": Wins((34, 31, 29, 26, 24), (65, 68, 71, 73, 75), 89),
        "dabbler": Wins((45, 43, 43, 42, 41), (78, 80, 84, 87, 89), 96),
        "rookie": Wins((56, 57, 59, 60, 61), (82, 86, 89, 91, 93), 99),
        "dreamer": Wins((63, 65, 68, 71, 73), (84, 88, 91, 94, 95), 98),
        "uniform": Wins((71, 76, 80, 83, 85), (86, 90, 93, 95, 97), 98),
    },
}


def _wins(name: str) -> Mapping[str, Wins]:
    return {rules: wins[name] for rules, wins in _WINS.items()}


OPPONENTS = {
    "perfect": Opponent(
        "Perfect",
        "Plays so well that nobody can win more than half of the matches in the long run.",
        _always({"perfect": 1.0}),
        _wins("perfect"),
    ),
    "learner-100": Opponent(
        "Expert",
        "Has practised for 100 steps against itself: nearly perfect.",
        _always({"learner-100": 1.0}),
        _wins("learner-100"),
    ),
    "learner-1": Opponent(
        "First try",
        "Has practised for one step: its first move shows when it wants to win.",
        _always({"learner-1": 1.0}),
        _wins("learner-1"),
    ),
    "learner-10": Opponent(
        "Student", "Has practised for 10 steps against itself.", _always({"learner-10": 1.0}), _wins("learner-10")
    ),
    "careless": Opponent(
        "Careless",
        "Plays like the perfect bot, but marks a square at random in one move out of five.",
        _always({"perfect": 0.8, "uniform": 0.2}),
        _wins("careless"),
    ),
    "sore-loser": Opponent(
        "Sore loser",
        "Plays perfectly when it wants to win or to tie; when it wants to lose, it sulks and marks any square.",
        ({"perfect": 1.0}, {"uniform": 1.0}, {"perfect": 1.0}),
        _wins("sore-loser"),
    ),
    "dabbler": Opponent(
        "Dabbler",
        "Sees rows and little else, but makes one move in four like the perfect bot.",
        _always({"naive-b": 0.75, "perfect": 0.25}),
        _wins("dabbler"),
    ),
    "rookie": Opponent(
        "Rookie",
        "Completes rows and blocks yours, but looks away in three moves of ten.",
        _always({"naive-a": 0.7, "uniform": 0.3}),
        _wins("rookie"),
    ),
    "dreamer": Opponent(
        "Dreamer",
        "Completes a row when it wants to win, unless it is dreaming, which it does in half of its moves.",
        _always({"naive-b": 0.5, "uniform": 0.5}),
        _wins("dreamer"),
    ),
    "uniform": Opponent(
        "Random", "Marks any free square at random, whatever its goal.", _always({"uniform": 1.0}), _wins("uniform")
    ),
}
"""The opponents by name, in the order of how often simple players win against them in matches to 3 by the default
rules."""

ADAPTIVE = "adaptive"
"""The bot that adapts to its opponent (`adaptive.py`), in matches only."""

LADDER = ("uniform", "dreamer", "rookie", "dabbler", "sore-loser", "learner-10", "perfect", ADAPTIVE)
"""The rungs of the ladder that a person climbs, easiest first. OPPONENTS has the strengths of all but the last."""

MEASURED_RULES = tuple(_WINS)
"""The rules by which a solution and learners ship."""


def title_of(name: str) -> str:
    """An opponent's name for people; an unknown name is returned as it is."""
    return OPPONENTS[name].title if name in OPPONENTS else "Adaptive" if name == ADAPTIVE else name


_BY_TITLE = {opponent.title.lower().replace(" ", "-"): name for name, opponent in OPPONENTS.items()}
TYPED_NAMES = tuple(_BY_TITLE)
"""The titles as people type them, such as sore-loser."""


def opponent_named(text: str, *, files_first: bool = False) -> str | None:
    """The name in OPPONENTS of the opponent with this name or title; None if there is none.

    files_first: whether a file or directory takes precedence over a title of the same name.

    >>> opponent_named("Student"), opponent_named("learner-10"), opponent_named("Sore loser"), opponent_named("nobody")
    ('learner-10', 'learner-10', 'sore-loser', None)
    """
    if text in OPPONENTS or (files_first and os.path.exists(text)):
        return text if text in OPPONENTS else None
    return _BY_TITLE.get(text.strip().lower().replace(" ", "-"))


IN_A_ROW = 2
"""The number of wins in a row after which the next rung of the ladder is offered, or of losses for the previous one."""


def offered_next(results: Sequence[tuple[str, bool]], ladder: Sequence[str] = LADDER) -> str | None:
    """The opponent to offer a person next: one rung up or down the ladder, or None.

    results: the opponent's name and whether the person won, for finished matches, newest first.
    ladder: LADDER, or the part of it that can play.

    >>> offered_next([("rookie", True), ("rookie", True)]), offered_next([("rookie", False), ("rookie", True)])
    ('dabbler', None)
    """
    last = list(results[:IN_A_ROW])
    if len(last) < IN_A_ROW or len(set(last)) > 1 or last[0][0] not in ladder:
        return None
    name, won = last[0]
    step = ladder.index(name) + (1 if won else -1)
    return ladder[step] if 0 <= step < len(ladder) else None
