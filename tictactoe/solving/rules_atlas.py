"""The atlas of rules, which has facts about a round and a match by given rules."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Protocol

from ..algorithms.arrays import FloatArray
from ..algorithms.cfr import CFRSolver
from ..algorithms.linear_program import require_solver
from ..algorithms.punishing_double_oracle import DoubleOracle
from ..algorithms.update_rules import update_rule
from ..errors import Interrupted
from ..games.cursor import count_histories
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import SINGLE_ROUND, Rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.endless import check_that_it_ends
from ..match.fairness import MatchFacts, SingleRound, match_facts, single_round
from ..match.options import MatchOptions
from ..match.scores import part_for_shorter_match
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.open_saved import open_saved
from ..storage.shipped import shipped_for, shipped_match, shipped_solution
from ..storage.solution import Solution, load_solution
from .match_run import MatchReporter, solve_match
from .polish import PolishReporter, polish_solution

ROUND_CHECK_EVERY, MOST_ROUND_ITERATIONS = 20, 5000
"""The iterations on a round on its own between two checks, and their limit."""


@dataclass(frozen=True)
class RulesFacts:
    """An entry of the atlas."""

    rules: Rules
    num_nodes: int
    """The number of nodes of the game tree."""
    num_decision_nodes: int
    num_histories: int
    """The number of nodes of the tree of all histories, without reductions."""
    single_round: SingleRound
    match: MatchFacts
    shipped: str | None
    """The name of the match's shipped solution; None for a match solved here."""


class AtlasReporter(Protocol):
    """A follower of `rules_facts`, which calls these methods in its own thread."""

    @property
    def matches(self) -> MatchReporter: ...
    @property
    def polishing(self) -> PolishReporter: ...
    def single_round_begins(self) -> None: ...
    def polishing_begins(self) -> None: ...
    def judging_begins(self) -> None: ...


def solve_single_round(tree: GameTree, target: float, *, exact: bool = False, stop: Event | None = None) -> FloatArray:
    """A strategy of a round on its own, float64 (num_nodes, 3), with a NashConv of at most `target` points.

    After MOST_ROUND_ITERATIONS, it is the best so far. exact: whether to make it exact by linear programs. Raises
    MissingSolverError without highspy, ProgramError if a linear program fails, and Interrupted once `stop` is set.
    """
    game = tic_tac_toe_round(tree, SINGLE_ROUND)
    solver = CFRSolver(game, update_rule("rdcfr"))
    least, best = float("inf"), solver.average_strategy()
    while solver.iteration < MOST_ROUND_ITERATIONS and least > target:
        if stop is not None and stop.is_set():
            raise Interrupted
        solver.run(ROUND_CHECK_EVERY)
        found = solver.evaluate(current=False).average_exploitability
        if found < least:
            least, best = found, solver.average_strategy()
    return DoubleOracle(tree, best).solve(game).strategy if exact else best


def rules_facts(
    directory: Path,
    rules: Rules,
    options: MatchOptions,
    *,
    polish: bool = False,
    control: RunControl[AtlasReporter] = DEFAULT_CONTROL,
) -> RulesFacts:
    """An entry of the atlas, from a shipped solution or from one solved below `directory`.

    options: those of the match, which also give the target of a round on its own. Solving continues a stopped run.

    Raises the errors of `solve_single_round`, `solve_match` and `polish_solution`, and Interrupted, with everything
    saved.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import MatchOptions, Rules, rules_facts
    >>> options = MatchOptions(winning_score=2, maximum_subgame_exploitability=0.001)
    >>> with TemporaryDirectory() as directory:
    ...     facts = rules_facts(Path(directory), Rules("filled"), options)
    >>> facts.shipped, facts.match.start.favoured, facts.num_nodes, facts.num_histories
    ('filled', 'second', 47202, 986410)
    """
    if polish:
        require_solver()
    tree, points = GameTree.build(rules), options.winning_score
    check_that_it_ends(tree)
    target = options.maximum_subgame_exploitability
    single = single_round(tree, _round_strategy(tree, target, polish, control))
    name = shipped_match(rules, points)
    if name is not None:
        solution = load_solution(shipped_solution(name))
    else:
        place = directory / str(rules).replace(" ", "_").replace(":", "-") / f"match_to_{points}"
        solution = _solved(place, tree, options, polish, control)
    if control.reporter:
        control.reporter.judging_begins()
    strategies = part_for_shorter_match(solution.average_strategy, solution.winning_score, points)
    match = match_facts(tree, strategies, points)
    control.check_stop()
    return RulesFacts(
        rules, tree.num_nodes, tree.num_decision_nodes, count_histories(rules), single, match, shipped=name
    )


def _round_strategy(tree: GameTree, target: float, exact: bool, control: RunControl[AtlasReporter]) -> FloatArray:
    shipped = shipped_for(tree.rules, "single_round")
    if shipped is not None:
        return open_saved(shipped_solution(shipped)).load().average_strategy
    if control.reporter:
        control.reporter.single_round_begins()
    if control.elsewhere is None:
        return solve_single_round(tree, target, exact=exact, stop=control.stop)
    return control.elsewhere.submit(solve_single_round, tree, target, exact=exact).result()


def _solved(
    place: Path, tree: GameTree, options: MatchOptions, polish: bool, control: RunControl[AtlasReporter]
) -> Solution:
    place.parent.mkdir(parents=True, exist_ok=True)
    reporter = control.reporter
    solution = solve_match(place, tree, options, control=control.reporting_to(reporter.matches if reporter else None))
    if not polish:
        return solution
    if reporter:
        reporter.polishing_begins()
    exact = place.with_name(f"{place.name}_exact")
    following = control.reporting_to(reporter.polishing if reporter else None)
    return polish_solution(solution, exact, refined=False, control=following)  # mistakes do not matter here
