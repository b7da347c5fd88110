"""An exact equilibrium of a game that punishes mistakes, by double oracle on linear programs.

A game has many equilibria, and most of them play arbitrary moves once the opponent has blundered. So every player P
solves a linear program of its own. There the opponent Q is, now and then, a trembling player (`Trembling`), who makes
some moves at random and otherwise plays a reference strategy. What Q can get by the best answers counts `weight` times
as much as what the trembling player gets:

    minimise   weight * (what the best answers to the plan get)  +  (what the trembling player gets against the plan)

From some finite weight on, no best answer gets more than the value of the game: a program's optimum is a vertex, and
there are finitely many vertices (an exact penalty). Then both players' plans are an equilibrium, and of all its
equilibrium strategies P has the one that gets most from the trembling player. Best responses in the full game measure
whether the plans are an equilibrium. If they are not, the weight was too small and is raised.

The double oracle method (McMahan, Gordon and Blum 2003; for the sequence form Bosansky et al. 2014) keeps the programs
small: they begin with some moves of both players, and grow. If a program omits a move of Q, then only the trembling
player makes this move. Below it P plays the best response to that player. This response is computed beforehand and
enters the program as a cost. After every program, moves of best responses in the full game are added: Q's to the plan,
and P's to the program's dual solution, a plan of Q, mixed with the trembling player. The method terminates: every round
adds a move, and there are finitely many moves.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from ..errors import ProgramError
from .arrays import CHANCE, TYPES, FloatArray, make_workspace, rows_of
from .best_response import (
    BestResponse,
    Exploitability,
    best_response_of_rows,
    expected_value,
    exploitability,
    leaf_distribution,
)
from .game import Game
from .linear_program import ProgramSolution, solve_program
from .one_program import Equilibrium, exact_equilibrium
from .public_tree import PublicTree
from .sequence_form import Kept, Mask, SequenceForm, StartingBasis, behaviour
from .strategy import both_seats, uniform_strategy, with_root

TREMBLE_PROBABILITY = 0.2
"""The probability that the trembling player makes a move at random."""

RANDOM_ROUND_PROBABILITY = 0.05
"""The probability of a round in which the trembling player makes every move at random."""


class Trembling(NamedTuple):
    """How a player plays who makes mistakes. Both arrays are float64 (num_nodes, k), by node and the player's type."""

    reach: FloatArray
    """The realization plan: how likely it makes all its moves on the way to a node."""
    strategy: FloatArray
    """The probabilities of moves; only the player's own rows count."""


def trembling_player(tree: PublicTree, player: int, reference: FloatArray) -> Trembling:
    """The player who makes every move at random with TREMBLE_PROBABILITY, and otherwise plays the reference.

    reference: float64 (num_nodes, k); only the player's own rows count.

    >>> from tictactoe import kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> player = trembling_player(kuhn.tree, 0, uniform_strategy(kuhn.tree))
    >>> player.strategy[kuhn.tree.children(0)].tolist()
    [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]
    """
    random = uniform_strategy(tree)
    usually = (1.0 - TREMBLE_PROBABILITY) * reference + TREMBLE_PROBABILITY * random
    usual, at_random = (tree.own_reach_of_player(player, strategy) for strategy in (usually, random))
    reach = (1.0 - RANDOM_ROUND_PROBABILITY) * usual + RANDOM_ROUND_PROBABILITY * at_random
    return Trembling(reach, behaviour(tree, player, reach, usually))


TREMBLING_SHARE = 0.05
"""How often the trembling player is met in place of a population."""


def met_player(
    tree: PublicTree, player: int, reference: FloatArray, met: Sequence[tuple[float, FloatArray]]
) -> Trembling:
    """A player drawn from a population and, now and then, the trembling player, so that every move may come.

    reference: as for `trembling_player`.
    met: weights above 0 and strategies, float64 (num_nodes, k). Without any it is the trembling player.
    """
    trembling = trembling_player(tree, player, reference)
    if not met:
        return trembling
    total = sum(weight for weight, _ in met)
    reach = TREMBLING_SHARE * trembling.reach
    for weight, strategy in met:
        reach = reach + (1.0 - TREMBLING_SHARE) * (weight / total) * tree.own_reach_of_player(player, strategy)
    return Trembling(reach, behaviour(tree, player, reach, trembling.strategy))


PLAYED_IN_REFERENCE = 1e-3
"""Moves that the reference plays at least this often are in the first program."""

FIRST_WEIGHT = 1024.0
"""How much more the best answers count than the trembling player, at first."""

WEIGHT_FACTOR = 16.0
"""Factor by which `be_stricter` raises the weight."""

PLAN_TOLERANCE = 1e-3
"""A plan may be worth this much less than the best one against the trembling player, in the unit of payoffs from -1 to
1."""

SPREAD_PROBABILITY = 0.1
"""Best responses are sought to a plan, and to the plan mixed with all moves of the program. This is the probability of
these moves in the mixture."""

GAIN_TOLERANCE = 1e-13
"""In an equilibrium no best response in the full game gains more than this; payoffs are from -1 to 1."""

LARGEST_ACCEPTED_GAIN = 1e-11
"""When a greater weight does not help, gains up to this are accepted, never more; payoffs are from -1 to 1."""

PART_OF_SMALLEST = 1e-9
"""Gains above this part of the smallest payoff, times its chance, may be moves that the programs cannot tell apart."""

MAXIMUM_PROGRAMS = 200
"""Programs of one player for one game, at most."""

MAXIMUM_TRIALS = 5
"""Weights that are tried for one game, at most."""

LARGEST_SMALL_GAME = 1000
"""Nodes times types of a game that is solved in fractions, at most."""


@dataclass(frozen=True, eq=False)
class Plan:
    """One player's strategy."""

    strategy: FloatArray
    """float64 (num_nodes, k); only the player's own rows count."""
    num_programs: int
    """Linear programs that it took."""


class DoubleOracle:
    """Finds equilibria of games that share a tree and differ in their payoffs.

    Each game starts with the moves and the basis of the game before.

    reference: float64 (num_nodes, k), strategies of both players; better than random, or the search is slow.
    models: for each player, how it plays while the other one's plan is to get most from it; the trembling player by
        default.

    Raises ValueError for a reference of another shape.

    >>> from tictactoe import DoubleOracle, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> found = DoubleOracle(kuhn.tree, uniform_strategy(kuhn.tree)).solve(kuhn)
    >>> round(18 * found.value, 9), found.exploitability.total < 1e-12
    (-1.0, True)
    """

    def __init__(self, tree: PublicTree, reference: FloatArray, models: Sequence[Trembling] | None = None) -> None:
        shape = (tree.num_nodes, tree.num_types)
        if reference.shape != shape:
            raise ValueError(f"reference: shape {reference.shape}, expected {shape}")
        models = models or [trembling_player(tree, player, reference) for player in (0, 1)]
        self._planners = tuple(_Planner(tree, player, reference, models[1 - player]) for player in (0, 1))

    def solve(self, game: Game) -> Equilibrium:
        """An equilibrium of the game. Raises ProgramError when the programs do not lead to one."""
        return checked(self.approached(game), _unit(game))

    def approached(self, game: Game) -> Equilibrium:
        """What comes closest to an equilibrium of the game. Raises ProgramError when programs have no optimum.

        Where a gain that is left may be more than rounding, a small game is solved in fractions instead.
        """
        is_small = game.tree.num_nodes * game.tree.num_types <= LARGEST_SMALL_GAME
        try:
            found = self._by_programs(game)
        except ProgramError:
            if not is_small:
                raise
            return exact_equilibrium(game, self._planners[0].reference)
        worth = np.abs(game.payoffs * game.prior)
        if is_small and found.largest_gain > PART_OF_SMALLEST * worth[worth > 0.0].min(initial=np.inf):
            with contextlib.suppress(ProgramError):
                exact = exact_equilibrium(game, found.strategy)
                return exact if exact.largest_gain <= found.largest_gain else found
        return found

    def _by_programs(self, game: Game) -> Equilibrium:
        num_programs, before, unit = 0, np.inf, _unit(game)
        scaled = replace(game, payoffs=game.payoffs / unit)
        for _ in range(MAXIMUM_TRIALS):
            found = self.join(scaled, [plan() for plan in self.plans(scaled)])
            num_programs += found.num_programs
            if self.settles(found, before):
                break
            before = found.largest_gain
            self.be_stricter()
        measured = Exploitability(*(unit * number for number in found.exploitability))
        return Equilibrium(unit * found.value, found.strategy, measured, num_programs)

    def plans(self, game: Game) -> list[Callable[[], Plan]]:
        """The work for a game: a function for each player, which may be called at the same time."""
        return [partial(planner.solve, game) for planner in self._planners]

    def join(self, game: Game, plans: Sequence[Plan]) -> Equilibrium:
        """The plans of both players, measured against each other. They may not be an equilibrium: see `settles`."""
        strategy = both_seats(game.tree, *(plan.strategy for plan in plans))
        found = exploitability(game, strategy)
        return Equilibrium(found.value, strategy, found, sum(plan.num_programs for plan in plans))

    def settles(self, found: Equilibrium, before: float) -> bool:
        """Whether `found` is an equilibrium. If not, call `be_stricter` before the next plans for the same game.

        found: in a game whose payoffs are not far above 1.
        before: the largest gain with the previous plans for the same game; infinite for the first ones. If the greater
            weight has not even halved the gain, a gain up to LARGEST_ACCEPTED_GAIN is accepted.
        """
        gain = found.largest_gain
        return gain <= GAIN_TOLERANCE or before / 2.0 < gain <= LARGEST_ACCEPTED_GAIN

    def be_stricter(self) -> None:
        """Let the best answers count for more in the next plans."""
        for planner in self._planners:
            planner.be_stricter()


def _unit(game: Game) -> float:
    """A power of two, so that nothing is rounded: the payoffs divided by it are from -1 to 1, and not all small."""
    return 2.0 ** min(math.frexp(float(np.abs(game.payoffs).max()))[1], 1023)


def checked(found: Equilibrium, unit: float = 1.0) -> Equilibrium:
    """Returns `found`. Raises ProgramError if somebody gains more than LARGEST_ACCEPTED_GAIN, times `unit`."""
    if not found.largest_gain <= LARGEST_ACCEPTED_GAIN * unit:
        gain = found.exploitability.total
        raise ProgramError(f"no equilibrium: somebody still gains {gain:.1e} by a best response")
    return found


class _Planner:
    """The programs of one player P; Q is the opponent."""

    def __init__(self, tree: PublicTree, player: int, reference: FloatArray, model: Trembling) -> None:
        self._tree = tree
        self._player = player
        self.reference = reference
        self._trembling_reach, self._trembling = model
        self._form = _sequence_form(tree, player)
        self._moves: Mask = (reference >= PLAYED_IN_REFERENCE) | _favourites(tree, reference)
        self._own: Mask = (tree.mover == player)[:, None]
        self._others: Mask = (tree.mover == 1 - player)[:, None]
        self._basis = StartingBasis(self._form)
        self._work = make_workspace(tree.sweep_arrays)
        self._weight, self._enough = FIRST_WEIGHT, PLAN_TOLERANCE

    def be_stricter(self) -> None:
        """Let the best answers count for more, and come closer to the optimum."""
        self._weight *= WEIGHT_FACTOR
        self._enough /= WEIGHT_FACTOR

    def solve(self, game: Game) -> Plan:
        """P's plan in the game. Raises ProgramError when the programs do not lead to one."""
        if not np.any(self._own | self._others):
            return Plan(self.reference, 0)  # chance alone moves
        form, tree, player, game = self._form, self._tree, self._player, magnified(game)
        trembling_gets = form.values_below(game, player, self._trembling_reach)
        punishing = self._response(game, player, self._trembling).strategy
        self._moves |= (punishing > 0.0) & self._own
        answers = self._response(game, 1 - player, self._seats(punishing, self.reference)).strategy
        preferred = self._seats(punishing, answers)
        worst_case = form.worst_case(game, self._weight)
        for number in range(1, MAXIMUM_PROGRAMS + 1):
            kept = form.kept(self._moves)
            costs = worst_case + form.costs_beyond(kept, trembling_gets)
            solution = solve_program(form.program(game, kept, costs, self._weight), self._basis.of(kept, preferred))
            self._basis.learn(kept, solution)
            strategy = behaviour(tree, player, form.plan(solution, kept), punishing)
            terms = worst_case[kept.columns] * solution.columns
            # without BLAS, whose threads change the bits
            guaranteed = float(terms.sum()) / self._weight + form.constant(game)
            new, answers = self._better_answers(game, kept, solution, strategy, guaranteed)
            better, replies = self._better_moves(game, kept, solution, strategy)
            new = self._within_reach((new | better) & ~self._moves)
            if not new.any():
                return Plan(strategy, number)
            self._moves |= new
            preferred = self._seats(replies, answers)
        raise ProgramError(f"no equilibrium after {MAXIMUM_PROGRAMS} linear programs")

    def _better_answers(
        self, game: Game, kept: Kept, solution: ProgramSolution, strategy: FloatArray, guaranteed: float
    ) -> tuple[Mask, FloatArray]:
        """Q's moves that get more against P's strategy than the answers in the program, and Q's best response.

        guaranteed: what Q gets by the best answers in the program.
        """
        form, tree, player, weight = self._form, self._tree, self._player, self._weight
        response = self._response(game, 1 - player, strategy)
        if response.value - guaranteed <= GAIN_TOLERANCE:
            return np.zeros_like(self._moves), response.strategy
        values = form.values_below(game, 1 - player, tree.own_reach_of_player(player, strategy))
        before = np.maximum(tree.parent, 0)
        asked = kept.columns[form.size // 2 :].reshape(-1, tree.num_types)
        new = asked[before] & (values > form.values(solution, kept)[before] / weight + GAIN_TOLERANCE)
        new |= (response.strategy > 0.0) | (
            self._response(game, 1 - player, self._spread(self._own, strategy)).strategy > 0.0
        )
        return new & self._others, response.strategy

    def _response(self, game: Game, player: int, strategy: FloatArray) -> BestResponse:
        value, response = best_response_of_rows(game, player, rows_of(strategy), self._work)
        return BestResponse(value, response[TYPES])

    def _spread(self, own: Mask, strategy: FloatArray) -> FloatArray:
        """The strategy, mixed with an even choice among a player's moves in the program.

        A best response to the mixture answers all these moves.

        own: bool (num_nodes, 1), the moves of that player.
        """
        moves = np.where(own & self._moves, 1.0, 0.0)
        totals = self._tree.at_children(self._tree.sums_over_children(moves))
        even = np.divide(moves, totals, out=np.zeros_like(totals), where=totals > 0.0)
        return np.where(own, (1.0 - SPREAD_PROBABILITY) * strategy + SPREAD_PROBABILITY * even, strategy)

    def _better_moves(
        self, game: Game, kept: Kept, solution: ProgramSolution, strategy: FloatArray
    ) -> tuple[Mask, FloatArray]:
        """P's moves that get more against Q's plan mixed with the trembling player, and P's best response to both."""
        form, tree, player, weight = self._form, self._tree, self._player, self._weight
        plan = behaviour(tree, 1 - player, form.answers(solution, kept), self.reference)
        mixed = self._mixed(plan)
        response = self._response(game, player, mixed)
        rows = rows_of(self._seats(strategy, mixed))
        value = expected_value(game, leaf_distribution(tree, rows, self._work))
        gain = response.value - (value if player == 0 else -value)
        if gain * (weight + 1.0) <= self._enough:
            return np.zeros_like(self._moves), response.strategy
        spread = self._response(game, player, self._mixed(self._spread(self._others, plan))).strategy
        return ((response.strategy > 0.0) | (spread > 0.0)) & self._own, response.strategy

    def _mixed(self, strategy: FloatArray) -> FloatArray:
        """Q's given strategy, with its weight, mixed with the trembling player's."""
        tree, player = self._tree, self._player
        reach = self._weight * tree.own_reach_of_player(1 - player, strategy) + self._trembling_reach
        return behaviour(tree, 1 - player, np.where(self._others, reach, 0.0), self._trembling)

    def _within_reach(self, new: Mask) -> Mask:
        """The moves of `new` that players can reach by moves of the program and of `new`."""
        reached = self._tree.reached(self._moves | new)
        own, others = reached[self._player], reached[1 - self._player]
        result: Mask = new & np.where(
            self._own, own & np.any(others, axis=1, keepdims=True), others & np.any(own, axis=1, keepdims=True)
        )
        return result

    def _seats(self, own: FloatArray, others: FloatArray) -> FloatArray:
        """Both players' strategies in one array: P's rows from `own`, Q's rows from `others`."""
        return np.where(self._own, own, others)


def magnified(game: Game) -> Game:
    """The game with its payoffs stretched to -1 to 1 if they lie closer together.

    The equilibria are the same, and the simplex method can tell the payoffs apart.
    """
    largest, smallest = game.payoffs.max(), game.payoffs.min()
    if CHANCE in game.tree.owner:  # a shift of all payoffs is no longer one of what they are with the chance
        largest = max(largest, -smallest)
        smallest = -largest
    half = (largest - smallest) / 2.0
    if not 0.0 < half < 1.0:
        return game
    return Game(game.tree, (game.payoffs - (largest + smallest) / 2.0) / half, game.prior)


@lru_cache(maxsize=2)
def _sequence_form(tree: PublicTree, player: int) -> SequenceForm:
    """The sequence form of a tree, for all its games. It is large: only the two of the last tree are kept."""
    return SequenceForm(tree, player)


def _favourites(tree: PublicTree, strategy: FloatArray) -> Mask:
    """bool (num_nodes, k): the likeliest moves of every decision node, by the mover's type."""
    result: Mask = strategy >= with_root(tree.all_families.at_nodes(tree.all_families.largest(strategy[1:])))
    return result
