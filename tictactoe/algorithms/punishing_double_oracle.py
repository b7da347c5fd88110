"""An exact equilibrium that punishes mistakes, by the double oracle method on linear programs.

Each player P solves a program against the opponent Q and a trembling Q (`Trembling`), who makes some moves at random:

    minimise   weight * (what the best answers to the plan get)  +  (what the trembling player gets against the plan)

From some finite weight on (an exact penalty), the plans are an equilibrium in which P gains most from the trembling
player. If best responses in the full game still gain, the weight is raised. Programs begin with some moves and grow by
best responses in the full game (McMahan, Gordon and Blum 2003; for the sequence form Bosansky et al. 2014). Only the
trembling player makes moves of Q that are not in the program.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
from .sequence_form import Kept, Mask, StartingBasis, behaviour, sequence_form
from .strategy import both_seats, uniform_strategy, with_root

TREMBLE_PROBABILITY = 0.2
"""The probability that the trembling player makes a move at random."""

RANDOM_ROUND_PROBABILITY = 0.05
"""The probability of a round in which the trembling player makes every move at random."""


class Trembling(NamedTuple):
    """A player who makes mistakes. Both arrays are float64 (num_nodes, k), by node and the player's type."""

    reach: FloatArray
    """The player's realization plan."""
    strategy: FloatArray
    """The probabilities of moves. Only the player's own rows are used."""


def trembling_player(tree: PublicTree, player: int, reference: FloatArray) -> Trembling:
    """The player who makes every move at random with TREMBLE_PROBABILITY, and otherwise plays the reference.

    reference: float64 (num_nodes, k); only the player's own rows are used.

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
"""The probability of meeting the trembling player in place of a population."""


def met_player(
    tree: PublicTree, player: int, reference: FloatArray, met: Sequence[tuple[float, FloatArray]]
) -> Trembling:
    """A player drawn from a population or, with probability TREMBLING_SHARE, the trembling player.

    reference: as for `trembling_player`.
    met: weights above 0 and strategies, float64 (num_nodes, k). If there are none, it is the trembling player.
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
"""The least probability in the reference of a move that is in the first program."""

FIRST_WEIGHT = 1024.0
"""The first weight of the best answers."""

WEIGHT_FACTOR = 16.0
"""The factor by which `be_stricter` raises the weight."""

PLAN_TOLERANCE = 1e-3
"""The largest shortfall of a plan against the trembling player from the best plan; payoffs are from -1 to 1."""

SPREAD_PROBABILITY = 0.1
"""Best responses are sought to a plan, and to a mixture in which all moves of the program together have this
probability."""

GAIN_TOLERANCE = 1e-13
"""The largest gain of a best response in an equilibrium, in the full game; payoffs are from -1 to 1."""

LARGEST_ACCEPTED_GAIN = 1e-11
"""The largest gain that is accepted when a greater weight does not help; payoffs are from -1 to 1."""

PART_OF_SMALLEST = 1e-9
"""The gain above which a small game is solved in fractions, in parts of the smallest payoff times its probability."""

MAXIMUM_PROGRAMS = 200
"""The most programs of one player for one game."""

MAXIMUM_TRIALS = 5
"""The most weights that are tried for one game."""

LARGEST_SMALL_GAME = 1000
"""The largest product of nodes and types of a game that is solved in fractions."""


@dataclass(frozen=True, eq=False)
class Plan:
    """One player's strategy."""

    strategy: FloatArray
    """float64 (num_nodes, k): the strategy. Only the player's own rows are used."""
    num_programs: int
    """The number of linear programs solved."""


class DoubleOracle:
    """Finds equilibria of games that share a tree. Each game starts with the moves and basis of the previous one.

    reference: float64 (num_nodes, k), strategies of both players. With random strategies, the search is slow.
    models: for each player, the player from whom the other's plan should gain most; by default, the trembling player.

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
        """An equilibrium of the game. Raises ProgramError if the programs do not lead to one."""
        return checked(self.approached(game), _unit(game))

    def approached(self, game: Game) -> Equilibrium:
        """The closest approach to an equilibrium of the game. Raises ProgramError if programs have no optimum."""
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
        """A function for each player that finds its plan. Both may be called at the same time."""
        return [partial(planner.solve, game) for planner in self._planners]

    def join(self, game: Game, plans: Sequence[Plan]) -> Equilibrium:
        """Join both players' plans and measure them. They may not be an equilibrium (see `settles`)."""
        strategy = both_seats(game.tree, *(plan.strategy for plan in plans))
        found = exploitability(game, strategy)
        return Equilibrium(found.value, strategy, found, sum(plan.num_programs for plan in plans))

    def settles(self, found: Equilibrium, before: float) -> bool:
        """Whether `found` is an equilibrium. If it is not, call `be_stricter` before the next plans for the same game.

        found: an equilibrium of a game whose payoffs are not far above 1.
        before: the largest gain with the previous plans; infinite at first. If the gain has not halved since, a gain up
            to LARGEST_ACCEPTED_GAIN is accepted.
        """
        gain = found.largest_gain
        return gain <= GAIN_TOLERANCE or before / 2.0 < gain <= LARGEST_ACCEPTED_GAIN

    def be_stricter(self) -> None:
        """Raise the weight of the best answers."""
        for planner in self._planners:
            planner.be_stricter()


def _unit(game: Game) -> float:
    return 2.0 ** min(math.frexp(float(np.abs(game.payoffs).max()))[1], 1023)


def checked(found: Equilibrium, unit: float = 1.0) -> Equilibrium:
    """Return `found`. Raises ProgramError if a player gains more than LARGEST_ACCEPTED_GAIN, times `unit`."""
    if not found.largest_gain <= LARGEST_ACCEPTED_GAIN * unit:
        gain = found.exploitability.total
        raise ProgramError(f"no equilibrium: somebody still gains {gain:.1e} by a best response")
    return found


class _Planner:
    def __init__(self, tree: PublicTree, player: int, reference: FloatArray, model: Trembling) -> None:
        self._tree = tree
        self._player = player
        self.reference = reference
        self._trembling_reach, self._trembling = model
        self._form = sequence_form(tree, player)
        self._moves: Mask = (reference >= PLAYED_IN_REFERENCE) | _favourites(tree, reference)
        self._own: Mask = (tree.mover == player)[:, None]
        self._others: Mask = (tree.mover == 1 - player)[:, None]
        self._basis = StartingBasis(self._form)
        self._work = make_workspace(tree.sweep_arrays)
        self._weight, self._enough = FIRST_WEIGHT, PLAN_TOLERANCE

    def be_stricter(self) -> None:
        self._weight *= WEIGHT_FACTOR
        self._enough /= WEIGHT_FACTOR

    def solve(self, game: Game) -> Plan:
        if not np.any(self._own | self._others):
            return Plan(self.reference, 0)  # only chance moves
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
        moves = np.where(own & self._moves, 1.0, 0.0)
        totals = self._tree.at_children(self._tree.sums_over_children(moves))
        even = np.divide(moves, totals, out=np.zeros_like(totals), where=totals > 0.0)
        return np.where(own, (1.0 - SPREAD_PROBABILITY) * strategy + SPREAD_PROBABILITY * even, strategy)

    def _better_moves(
        self, game: Game, kept: Kept, solution: ProgramSolution, strategy: FloatArray
    ) -> tuple[Mask, FloatArray]:
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
        tree, player = self._tree, self._player
        reach = self._weight * tree.own_reach_of_player(1 - player, strategy) + self._trembling_reach
        return behaviour(tree, 1 - player, np.where(self._others, reach, 0.0), self._trembling)

    def _within_reach(self, new: Mask) -> Mask:
        reached = self._tree.reached(self._moves | new)
        own, others = reached[self._player], reached[1 - self._player]
        result: Mask = new & np.where(
            self._own, own & np.any(others, axis=1, keepdims=True), others & np.any(own, axis=1, keepdims=True)
        )
        return result

    def _seats(self, own: FloatArray, others: FloatArray) -> FloatArray:
        return np.where(self._own, own, others)


def magnified(game: Game) -> Game:
    """The game with payoffs stretched to -1 to 1 if they are closer together. Equilibria stay the same."""
    largest, smallest = game.payoffs.max(), game.payoffs.min()
    if CHANCE in game.tree.owner:  # payoffs include the chance and cannot be shifted
        largest = max(largest, -smallest)
        smallest = -largest
    half = (largest - smallest) / 2.0
    if not 0.0 < half < 1.0:
        return game
    return Game(game.tree, (game.payoffs - (largest + smallest) / 2.0) / half, game.prior)


def _favourites(tree: PublicTree, strategy: FloatArray) -> Mask:
    result: Mask = strategy >= with_root(tree.all_families.at_nodes(tree.all_families.largest(strategy[1:])))
    return result
