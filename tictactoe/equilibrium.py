"""An exact equilibrium of one round: double oracle on linear programs, then a second program for what they leave open.

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

from .arrays import NUM_TYPES
from .game import FloatArray, RoundGame
from .linear_program import AT_LOWER, BASIC, Basis, ProgramError, ProgramSolution, solve_program
from .response import Exploitability, best_response, both_seats, exploitability, uniform_strategy
from .sequence_form import Kept, Levels, Mask, Program, SequenceForm
from .tree import PublicTree

PLAYED = 1e-3
"""The reference's moves that are played at least this often are in the first program."""
WORTH_TRYING = 0.05
"""The reference's moves that are played at least this often are in the second program."""
TREMBLE = 0.2
"""How often the opponent of the second program makes a move at random."""
NOISE = 1e-12
"""Probabilities below it are taken for rounding in a vertex."""
SETTLED = 1e-13
"""Nobody gains more than this, in the payoffs' unit, from a best response in the full game: an equilibrium."""
ACCEPTED = 1e-11
"""A gain above this is no equilibrium, whatever the programs say."""
MAXIMUM_PROGRAMS = 200
SCALES = (1.0, 4096.0)
"""Payoffs are multiplied by this in the second program, so that the solver's tolerance for the rows is divided by it.
The second scale is for when the first one leaves a gain; from where the first one ended, because it is slow."""


@dataclass(frozen=True, eq=False)
class RoundEquilibrium:
    """An equilibrium of one round. value: to player 0, in the payoffs' unit. strategy: float64 (num_nodes, 3).

    num_programs: linear programs solved. exploitability: of the strategies in the full game.
    """

    value: float
    strategy: FloatArray
    exploitability: Exploitability
    num_programs: int


class RoundPolisher:
    """Finds equilibria of rounds on one tree that differ in their payoffs only, which should be of the order of 1.

    reference: float64 (num_nodes, 3), a strategy for both players, better than random for it to be fast. What was
    found for one game is where the next one starts from. Raises ValueError for a reference of another shape.
    """

    def __init__(self, levels: Levels, reference: FloatArray) -> None:
        shape = (levels.tree.num_nodes, NUM_TYPES)
        if reference.shape != shape:
            raise ValueError(f"reference: shape {reference.shape}, expected {shape}")
        self._levels = levels
        self._reference = reference
        self._form = SequenceForm(levels, 0)
        self._moves: Mask = (reference >= PLAYED) | _favourites(levels, reference)
        self._basis = _blank_basis(self._form)

    @property
    def tree(self) -> PublicTree:
        return self._levels.tree

    def solve(self, game: RoundGame) -> RoundEquilibrium:
        """An equilibrium of the game. Raises ProgramError when the programs do not lead to one."""
        form, levels = self._form, self._levels
        for number in range(1, MAXIMUM_PROGRAMS + 1):
            kept = form.kept(self._moves)
            solution = self._solve(form.program(game, kept, form.worst_case(game)), kept)
            plan = _clean(form.plan(_expand(solution.columns, kept.columns)))
            answers = _clean(form.answers(_expand(solution.duals, kept.rows)))
            strategy = both_seats(
                levels.tree,
                levels.behaviour(0, plan, self._reference),
                levels.behaviour(1, answers, self._reference),
            )
            found = exploitability(game, strategy)
            new = np.zeros_like(self._moves)
            for player, gain in enumerate((found.first_gain, found.second_gain)):
                if gain > SETTLED:
                    response = best_response(game, player, strategy).strategy > 0.0
                    new |= response & (levels.mover == player)[:, None] & ~self._moves
            if not new.any():
                if max(found.first_gain, found.second_gain) > ACCEPTED:
                    raise ProgramError(f"no equilibrium: somebody still gains {found.total:.1e} by a best response")
                return RoundEquilibrium(found.value, strategy, found, number)
            self._moves |= new
        raise ProgramError(f"no equilibrium after {MAXIMUM_PROGRAMS} linear programs")

    def choose(self, game: RoundGame, equilibrium: RoundEquilibrium) -> RoundEquilibrium:
        """The equilibrium of the game whose strategies punish mistakes.

        In the full game nobody gains more than ACCEPTED by a best response to either of them.
        """
        chosen = [self._choose(game, equilibrium, player) for player in (0, 1)]
        strategy = both_seats(self.tree, *chosen)
        found = exploitability(game, strategy)
        return RoundEquilibrium(found.value, strategy, found, equilibrium.num_programs + 2)

    def _choose(self, game: RoundGame, equilibrium: RoundEquilibrium, player: int) -> FloatArray:
        levels, form = self._levels, SequenceForm(self._levels, player)
        random = uniform_strategy(self.tree)
        trembling = (1.0 - TREMBLE) * self._reference + TREMBLE * random
        own = (levels.mover == player)[:, None]
        useful = (levels.reach(player, equilibrium.strategy) > NOISE) & (equilibrium.strategy > 0.0)
        useful |= (self._reference >= WORTH_TRYING) | _favourites(levels, self._reference)
        for opponent in (random, trembling):
            seats = (self._reference, opponent) if player == 0 else (opponent, self._reference)
            useful |= best_response(game, player, both_seats(self.tree, *seats)).strategy > 0.0
        kept = form.kept(np.where(own, useful, True))
        value = equilibrium.value if player == 1 else -equilibrium.value  # to the opponent
        costs = form.against(game, trembling)
        best, least, basis = equilibrium.strategy, ACCEPTED, None
        for scale in SCALES:
            scaled = RoundGame(game.tree, game.payoffs * scale, game.prior)
            program = form.program(scaled, kept, costs)
            try:
                budget = form.worst_case(scaled)[kept.columns]
                solution = solve_program(_with_budget(program, budget, value * scale), basis)
            except ProgramError:  # the value, which is exact to rounding, may be too little by rounding
                break
            basis = solution.basis
            plan = _clean(form.plan(_expand(solution.columns, kept.columns)))
            chosen = levels.behaviour(player, plan, self._reference)
            seats = (chosen, equilibrium.strategy) if player == 0 else (equilibrium.strategy, chosen)
            gain = best_response(game, 1 - player, both_seats(self.tree, *seats)).value - value
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


def _favourites(levels: Levels, strategy: FloatArray) -> Mask:
    """bool (num_nodes, 3): the likeliest moves of every decision node."""
    result: Mask = strategy >= levels.spread(levels.largest(strategy))
    return result


def _blank_basis(form: SequenceForm) -> Basis:
    """Plans at 0, values and rows basic: what is new in a program begins like this."""
    columns = np.full(form.size, BASIC, np.int8)
    columns[: form.num_nodes * NUM_TYPES] = AT_LOWER
    return Basis(columns, np.full(form.size, BASIC, np.int8))


def _expand(values: FloatArray, kept: Mask) -> FloatArray:
    """The values of a restricted program at the indices of the full one, 0 elsewhere."""
    result = np.zeros(len(kept))
    result[kept] = values
    return result


def _clean(plan: FloatArray) -> FloatArray:
    return np.where(plan < NOISE, 0.0, plan)


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
