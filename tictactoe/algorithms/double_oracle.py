"""An exact equilibrium of a game: double oracle on linear programs, then a second program for what they leave open.

First, the value. The double oracle method (McMahan, Gordon and Blum 2003; for the sequence form Bosansky et al. 2014)
solves the program restricted to the moves that a reference strategy plays, and plays the reference where the program
has nothing to say. Both players' best responses in the full game then say whether that is an equilibrium of it; if not,
their moves are added. It ends because the moves do, and what it ends with is an equilibrium because nobody gains.

Second, among the equilibrium strategies, the choice. A program's vertex plays anything where the opponent would have
blundered. So every player's strategy is chosen again: the one that gets most out of an opponent who makes every move at
random with a small probability, and otherwise plays the reference, among those against which nobody gets more than the
value. Only moves that look useful are allowed in this program: it is a choice, and no optimum is claimed for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ProgramError
from .arrays import NUM_TYPES, FloatArray
from .best_response import Exploitability, best_response, best_response_value, exploitability
from .game import Game
from .linear_program import AT_LOWER, BASIC, Basis, Program, ProgramSolution, solve_program
from .public_tree import PublicTree
from .sequence_form import NOISE, Kept, Mask, SequenceForm, behaviour
from .strategy import both_seats, uniform_strategy

PLAYED = 1e-3
"""The reference's moves that are played at least this often are in the first program."""

WORTH_TRYING = 0.05
"""The reference's moves that are played at least this often are in the second program."""

TREMBLE = 0.2
"""How often the opponent of the second program makes a move at random."""

SETTLED = 1e-13
"""Nobody gains more than this, in the payoffs' unit, from a best response in the full game: an equilibrium."""

ACCEPTED = 1e-11
"""A gain above this is no equilibrium, whatever the programs say."""

MAXIMUM_PROGRAMS = 200

SCALES = (1.0, 4096.0)
"""Payoffs are multiplied by this in the second program, so that the solver's tolerance for the rows is divided by it.
The second scale is for when the first one leaves a gain; from where the first one ended, because it is slow."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """An equilibrium of a game. value: to player 0, in the payoffs' unit. strategy: float64 (num_nodes, 3).

    num_programs: linear programs solved. exploitability: of the strategies in the full game.
    """

    value: float
    strategy: FloatArray
    exploitability: Exploitability
    num_programs: int


class DoubleOracle:
    """Finds equilibria of games on one tree that differ in their payoffs only, which should be of the order of 1.

    reference: float64 (num_nodes, 3), a strategy for both players, better than random for it to be fast. What was
    found for one game is where the next one starts from. Raises ValueError for a reference of another shape.

    >>> from tictactoe import DoubleOracle, kuhn_poker, uniform_strategy
    >>> kuhn = kuhn_poker()
    >>> found = DoubleOracle(kuhn.tree, uniform_strategy(kuhn.tree)).solve(kuhn)
    >>> round(18 * found.value, 9), found.exploitability.total < 1e-12
    (-1.0, True)
    """

    def __init__(self, tree: PublicTree, reference: FloatArray) -> None:
        shape = (tree.num_nodes, NUM_TYPES)
        if reference.shape != shape:
            raise ValueError(f"reference: shape {reference.shape}, expected {shape}")
        self._tree = tree
        self._reference = reference
        self._form = SequenceForm(tree, 0)
        self._moves: Mask = (reference >= PLAYED) | _favourites(tree, reference)
        self._basis = _blank_basis(self._form)

    def solve(self, game: Game) -> Equilibrium:
        """An equilibrium of the game. Raises ProgramError when the programs do not lead to one."""
        form, tree = self._form, self._tree
        for number in range(1, MAXIMUM_PROGRAMS + 1):
            kept = form.kept(self._moves)
            solution = self._solve(form.program(game, kept, form.worst_case(game)), kept)
            strategy = behaviour(tree, 0, form.plan(solution, kept), self._reference)
            strategy = behaviour(tree, 1, form.answers(solution, kept), strategy)
            found = exploitability(game, strategy)
            new = np.zeros_like(self._moves)
            for player, gain in enumerate((found.first_gain, found.second_gain)):
                if gain > SETTLED:
                    response = best_response(game, player, strategy).strategy > 0.0
                    new |= response & (tree.mover == player)[:, None] & ~self._moves
            if not new.any():
                if max(found.first_gain, found.second_gain) > ACCEPTED:
                    raise ProgramError(f"no equilibrium: somebody still gains {found.total:.1e} by a best response")
                return Equilibrium(found.value, strategy, found, number)
            self._moves |= new
        raise ProgramError(f"no equilibrium after {MAXIMUM_PROGRAMS} linear programs")

    def choose(self, game: Game, equilibrium: Equilibrium) -> Equilibrium:
        """The equilibrium of the game whose strategies punish mistakes.

        In the full game nobody gains more than ACCEPTED by a best response to either of them.
        """
        chosen = [self._choose(game, equilibrium, player) for player in (0, 1)]
        strategy = both_seats(self._tree, *chosen)
        found = exploitability(game, strategy)
        return Equilibrium(found.value, strategy, found, equilibrium.num_programs + 2)

    def _choose(self, game: Game, equilibrium: Equilibrium, player: int) -> FloatArray:
        tree, form = self._tree, SequenceForm(self._tree, player)
        random = uniform_strategy(tree)
        trembling = (1.0 - TREMBLE) * self._reference + TREMBLE * random
        own = (tree.mover == player)[:, None]
        useful = (tree.own_reach(equilibrium.strategy)[player] > NOISE) & (equilibrium.strategy > 0.0)
        useful |= (self._reference >= WORTH_TRYING) | _favourites(tree, self._reference)
        for opponent in (random, trembling):
            useful |= best_response(game, player, opponent).strategy > 0.0
        kept = form.kept(np.where(own, useful, True))
        value = equilibrium.value if player == 1 else -equilibrium.value  # to the opponent
        costs = form.against(game, trembling)
        best, least, basis = equilibrium.strategy, ACCEPTED, None
        for scale in SCALES:
            scaled = Game(game.tree, game.payoffs * scale, game.prior)
            program = form.program(scaled, kept, costs)
            try:
                budget = form.worst_case(scaled)[kept.columns]
                solution = solve_program(_with_budget(program, budget, value * scale), basis)
            except ProgramError:  # the value, which is exact to rounding, may be too little by rounding
                break
            basis = solution.basis
            chosen = behaviour(tree, player, form.plan(solution, kept), self._reference)
            gain = best_response_value(game, 1 - player, chosen) - value
            if gain <= least:
                best, least = chosen, gain
            if gain <= SETTLED:
                break
        return best

    def _solve(self, program: Program, kept: Kept) -> ProgramSolution:
        """Solve from what the last program's basis says of the columns and rows that it had, too."""
        start = Basis(self._basis.columns[kept.columns], self._basis.rows[kept.rows])
        solution = solve_program(program, start)
        self._basis.columns[kept.columns] = solution.basis.columns
        self._basis.rows[kept.rows] = solution.basis.rows
        return solution


def _favourites(tree: PublicTree, strategy: FloatArray) -> Mask:
    """bool (num_nodes, 3): the likeliest moves of every decision node."""
    result: Mask = strategy >= tree.at_children(tree.largest_over_children(strategy))
    return result


def _blank_basis(form: SequenceForm) -> Basis:
    """Plans at 0, values and rows basic: what is new in a program begins like this."""
    columns = np.full(form.size, BASIC, np.int8)
    columns[: form.num_nodes * NUM_TYPES] = AT_LOWER
    return Basis(columns, np.full(form.size, BASIC, np.int8))


def _with_budget(program: Program, coefficients: FloatArray, budget: float) -> Program:
    """The program with one more row: coefficients @ z <= budget."""
    columns = np.flatnonzero(coefficients).astype(np.int32)
    return program._replace(
        row_lower=np.append(program.row_lower, -np.inf),
        row_upper=np.append(program.row_upper, budget),
        starts=np.append(program.starts, program.starts[-1] + np.int32(len(columns))),
        columns=np.concatenate([program.columns, columns]),
        entries=np.concatenate([program.entries, coefficients[columns]]),
    )
