"""A match between two fixed players as a Markov chain over seat and score.

Everything here is seen from one of the two players, called "our" player: values are match values (-1 to 1) to that
player in either seat. A round leads from one state to the next with the probabilities of its four results. States are
solved from the last score backwards. "Neither scores" leads from a state to its twin, and so does "both score" at the
last score. So a state and its twin are solved together, as a 2x2 linear system.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ..algorithms.arrays import FloatArray
from ..errors import EndlessMatchError
from ..games.goals import RESULTS, OutcomeValues, Seat
from ..games.payoffs import ResultProbabilities
from .scores import Pair, Score, continuation


class MatchState(NamedTuple):
    """A round about to be played: the seat of our player, and the score (of the first mover, of the second)."""

    seat: Seat
    score: Score


MatchStrategy = Mapping[Score, FloatArray]
"""How to play: by score float64 (num_nodes, 3), the moves of both seats."""

Group = tuple[MatchState, ...]
"""States that lead to each other: our player first at a score, and second at its twin."""


def next_state_or_winner(state: MatchState, result: tuple[bool, bool], winning_score: int) -> MatchState | int:
    """The state after a round with a result of RESULTS, or +1 or -1 when our player has won or lost."""
    sign, score = continuation(state.score, *result, winning_score)
    if score is None:
        return sign if state.seat is Seat.FIRST else -sign
    return MatchState(Seat(1 - state.seat), score)


def groups_of(pairs: Iterable[Pair]) -> list[Group]:
    """The groups of states at the scores of `pairs`. From pairs in solve order, groups come in solve order, too."""
    return [(MatchState(Seat.FIRST, score), MatchState(Seat.SECOND, score.twin)) for pair in pairs for score in pair]


def outcome_values_at(state: MatchState, values: Mapping[MatchState, float], winning_score: int) -> OutcomeValues:
    """What the results of the round at `state` are worth to its first mover.

    values: to our player, of the states after the round.

    Raises KeyError for a missing value.
    """
    sign = 1.0 if state.seat is Seat.FIRST else -1.0
    ours = (next_state_or_winner(state, result, winning_score) for result in RESULTS)
    return OutcomeValues(*(sign * (values[item] if isinstance(item, MatchState) else float(item)) for item in ours))


def solve_group(
    group: Group,
    probabilities: Mapping[MatchState, ResultProbabilities],
    known: Mapping[MatchState, float],
    winning_score: int,
    reward: Callable[[MatchState], float] | None = None,
) -> dict[MatchState, float]:
    """The values of a group's states when the rounds' results have these probabilities.

    known: the values of later states.
    reward: what each visit of a state adds. With rewards the end of the match is worth 0: a reward of 1 gives the
        expected number of rounds. Without them the end is worth +1 or -1, and a match that never ends 0.

    Raises EndlessMatchError for a reward in a match that never ends.
    """
    # Each state of a group leads to the other state or out of the group. `out` sums products of probabilities, so that
    # nothing cancels, however seldom somebody scores.
    stay, leave, constant = [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]
    for row, state in enumerate(group):
        constant[row] = reward(state) if reward else 0.0
        for probability, result in zip(probabilities[state], RESULTS, strict=True):
            next_state = next_state_or_winner(state, result, winning_score)
            if isinstance(next_state, MatchState) and next_state in group:
                stay[row] += probability
            else:
                leave[row] += probability
                if isinstance(next_state, MatchState):
                    constant[row] += probability * known[next_state]
                elif not reward:
                    constant[row] += probability * next_state
    values = {}
    for row, state in enumerate(group):
        other = stay[1 - row] + leave[1 - row]
        out = leave[row] * other + stay[row] * leave[1 - row]
        if out <= 0.0:
            if reward:
                raise EndlessMatchError(f"at {state.score} neither player ever scores alone: the match never ends")
            values[state] = 0.0
            continue
        values[state] = (constant[row] * other + stay[row] * constant[1 - row]) / out
    return values


def pair_self_play_values(
    pair: Pair, results: Mapping[Score, ResultProbabilities], following: Mapping[Score, float], winning_score: int
) -> dict[Score, float]:
    """The values of a pair of scores, to the player who moves first, when the same strategies are played for ever.

    results: by score, how likely each result of a round is with these strategies.
    following: the values of the scores that the pair leads to.
    """
    known = {MatchState(Seat.FIRST, score): value for score, value in following.items()}
    known |= {MatchState(Seat.SECOND, score): -value for score, value in following.items()}
    values = {}
    for group in groups_of([pair]):
        probabilities = {state: results[state.score] for state in group}
        values[group[0].score] = solve_group(group, probabilities, known, winning_score)[group[0]]
    return values


def largest_difference(one: Iterable[float], other: Iterable[float]) -> float:
    """How far two lists of values are apart where they differ most."""
    return max(abs(a - b) for a, b in zip(one, other, strict=True))
