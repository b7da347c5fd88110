"""The verb solve-multiround."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import tictactoe
from tictactoe.games.rules import Rules
from tictactoe.match.percentages import at_most, exploitability_text
from tictactoe.number_text import counted, listed

from ..options.common import (
    existing_of,
    json_option,
    one_value,
    quiet_option,
    refuse,
    refuse_all_but,
    restart_option,
    scores_option,
    seed_option,
    target_option,
    winning_score_option,
)
from ..options.parameters import ITERATIONS, NAME, Count, Directory, SolutionDirectory
from ..options.rules_options import WantedRules, errors_of_formulas, require_end, rules_option
from ..options.solving_options import (
    FORMULA,
    ChosenRound,
    UpdateOptions,
    errors_of_options,
    round_options,
    start_option,
    starting_values,
    update_options,
)
from ..options.workers import THREADS, Workers, cluster_of, connected, control_of, followed, workers_options
from ..program import EXIT_FAILURE, Program, print_json, remark, say, shown_path
from ..progress import MatchProgress, PolishProgress, SolverLine, StatusLine

if TYPE_CHECKING:
    from tictactoe.solving import dry_run
    from tictactoe.storage.population import Met

UNREFINED = "unrefined"
MANY_ROUNDS = 100
"""The number of rounds at a score above which the exploitability in one round says little about a match."""
TABLE_UP_TO = 10
"""The largest winning score up to which all scores of a match by formula are printed."""

_PRINTING = ("output", "restart", "quiet", "as_json")
_POLISHING = ("polish", "against", "keep", "jobs", "cluster")
_UPDATES = tuple(UpdateOptions.__annotations__)
_ROUND = ("one_round", "score", "outcome_values", "values_from", "seed")
TAKEN = {
    "--algorithm formula": ("algorithm", "winning_score", "rules", "jobs", *_PRINTING),
    "--polish with --solution": ("solution", *_POLISHING, *_PRINTING),
    "one round": (
        *("rules", "max_iterations", "check_exploitability_every", "snapshot_at"),
        *(*_ROUND, *_UPDATES, *_PRINTING),
    ),
}
"""The parameters of each use that is not solving a match."""
OF_OTHER_WAYS = {"keep": "--solution", "seed": "one round"}
"""The parameters that solving a match does not take, each with its use."""


@dataclass(frozen=True)
class Given:
    """The options of solving a match or a round, except those that are grouped elsewhere."""

    output: Path | None
    target: float | None
    check_exploitability_every: int | None
    start_from: str | Path | None
    snapshot_at: tuple[int, ...] | None
    max_iterations: int | None
    seed: int | None
    polish: str | None
    """Whether the match is made exact, and whether it is refined or unrefined."""
    against: str | None
    """The players from whom a polished match wins most; None for the default population."""
    dry_run: bool
    quiet: bool
    as_json: bool

    def directory(self, default: str) -> Path:
        return self.output or Path(default)

    @property
    def refined(self) -> bool:
        return self.polish != UNREFINED

    @property
    def prints(self) -> bool:
        return self.as_json or not self.quiet


@click.command(cls=Program)
@one_value(
    "given",
    Given,
    click.option(
        "-o",
        "--output",
        type=Directory(),
        help="Directory for the solution. A stopped run continues.  [default: my_solution; with --solution, "
        "exact_solution; by formula, by_formula; for one round, my_subgame]",
    ),
    target_option(
        "Solve every score until nobody can gain more than this in its round (match value, both seats together).  "
        "[default: 1e-06; with --polish, 0.0001]",
        None,
    ),
    click.option(
        "--check-exploitability-every",
        type=Count(1),
        help="Iterations between two checks of the exploitability.  [default: 20, because a check also improves the "
        "values of the scores, but checking every 10 takes a third more time; for one round, 100]",
    ),
    start_option,
    click.option(
        "--snapshot-at",
        type=ITERATIONS,
        metavar="N,N,...|none",
        help="Iterations to save besides the last one, in full.  [default: 0,1,10,100,... in single precision; if "
        "--winning-score is above 5, only the last, without regrets; for one round, in full]",
    ),
    click.option(
        "--max-iterations",
        type=Count(1),
        help="Stop every score after this many iterations, converged or not. The exit code is 1 if one has not "
        "converged, unless --polish makes up for it.  [default: no limit; for one round, 2000]",
    ),
    seed_option("Seed of es-mccfr and os-mccfr, for one round; the same seed gives the same bits.  [default: 0]"),
    click.option(
        "--polish",
        type=click.Choice(["refined", UNREFINED]),
        is_flag=False,
        flag_value="refined",
        metavar="[refined|unrefined]",
        help="Make the match exact afterwards, by linear programs; OUTPUT/unpolished keeps what it was made from. "
        "unrefined saves time by leaving play after mistakes as it is. Needs highspy: pip install highspy.",
    ),
    click.option(
        "--against",
        type=NAME,
        metavar="NAME[:WEIGHT],...",
        help="With --polish: choose the exact equilibrium that wins most from these players, each met as often as its "
        "weight says: opponents, solutions, or files of learnt tables.  [default: careless, uniform and the opponents "
        "that have learnt these rules, and naive-a:2 and naive-b:2, who play like beginners]",
    ),
    click.option(
        "--dry-run",
        is_flag=True,
        help="Measure one pair of scores, and print only what would be solved and the time, memory and disk it needs.",
    ),
    quiet_option("Show no progress and no table, only errors."),
    json_option,
)
@winning_score_option()
@rules_option("three-in-a-row, or those of --start-from or --values-from")
@update_options
@workers_options(THREADS)
@restart_option
@click.option(
    "-s",
    "--solution",
    type=SolutionDirectory(),
    help="With --polish: the solved match to start from; an exploitability of 0.0001 in every round is enough.",
)
@scores_option(
    "With --polish -s: copy the earlier snapshots of this score, for exploring its iterations; may be repeated.",
    "--keep",
)
@click.option("--one-round", is_flag=True, help="Solve one round on its own, in which scoring is worth a point.")
@round_options
def command(
    given: Given,
    winning_score: int,
    rules: WantedRules,
    updates: UpdateOptions,
    workers: Workers,
    restart: bool,
    solution: Path | None,
    keep: tuple[tictactoe.Score, ...],
    one_round: bool,
    chosen: ChosenRound,
) -> int:
    """Solve the whole match, backwards from the last score, and save the strategy.

    Without options, this solves the match to 5 by discounted CFR into my_solution/. Scores that lead to each other are
    solved together, independent ones at the same time. Press Ctrl-C to stop: finished work is saved, and the same
    command continues.

    --polish makes the match exact: an equilibrium to the last digits. It solves every pair of scores again, backwards,
    and refines it: even after a mistake of either player, every move is best, given a belief about the opponent's goal.
    Of all such strategies, it takes those that win most from the players of --against.

    --algorithm formula solves nothing: values come from formulas, and strategies from tables, one to three for each set
    of rules. docs/closed-forms.md explains both. The result is not refined: after a mistake, it may play badly.

    --one-round solves one round, with 2,000 iterations by default; --score and --outcome-values imply it. A larger
    --max-iterations continues a finished run.

    \b
    solve-multiround -o my_solution/
    solve-multiround -o quick/ --maximum-subgame-exploitability 0.0001
    solve-multiround -o to_three/ --winning-score 3 --json
    solve-multiround -o exact/ --polish
    solve-multiround -s quick/ --polish -o exact/
    solve-multiround -o comic/ --rules filled
    solve-multiround -o sooner/ --start-from formula
    solve-multiround -o to_ten/ --winning-score 10 --algorithm formula
    solve-multiround -o four_three/ --score 4-3 --values-from my_solution/ --algorithm pdcfr+
    """
    existing = existing_of(restart)
    if updates.algorithm == FORMULA:
        refuse_all_but(TAKEN["--algorithm formula"], "--algorithm formula")
        _solve_by_formula(given, winning_score, rules, workers, existing)
    elif solution is not None:
        if not given.polish:
            raise click.UsageError("--solution requires --polish: nothing else starts from a solution")
        refuse_all_but(TAKEN["--polish with --solution"], "--polish with --solution")
        with control_of(workers, existing, quiet=given.quiet, exact=True) as control:
            source, output = tictactoe.load_solution(solution), given.directory("exact_solution")
            exact = _polish(
                given, source, output, control, _against(given, source.tree.rules, source.winning_score), keep
            )
        _report(given, exact, total=True)
    elif one_round or chosen.is_given:
        refuse_all_but(TAKEN["one round"], "one round")
        _solve_round(given, rules, updates, existing, chosen)
    else:
        for name, way in OF_OTHER_WAYS.items():
            refuse([name], f"applies only to {way}")
        return _solve_match(given, winning_score, rules, updates, workers, existing)
    return 0


def _report(given: Given, solution: tictactoe.Solution, *, total: bool) -> None:
    from ..reports.report import report

    if given.prints:
        report(solution, as_json=given.as_json, total=total)


def _solve_match(
    given: Given,
    winning_score: int,
    wanted: WantedRules,
    updates: UpdateOptions,
    workers: Workers,
    existing: tictactoe.Existing,
) -> int:
    from tictactoe.algorithms import linear_program
    from tictactoe.match import endless
    from tictactoe.solving import polish as polishing

    from ..reports.solution_report import print_plan

    start, output = starting_values(given.start_from, wanted, winning_score), given.directory("my_solution")
    against = _against(given, start.rules, winning_score)
    with errors_of_options():
        options = tictactoe.MatchOptions(
            winning_score=winning_score,
            maximum_subgame_exploitability=given.target or (1e-4 if given.polish else 1e-6),
            check_exploitability_every=given.check_exploitability_every or 20,
            snapshot_at=given.snapshot_at,
            start_from=start.values,
            **updates.settings(),
        )
        if given.max_iterations is None:
            options.check_target()
    require_end([start.rules])
    if given.dry_run:
        plan = _plan(given, output, start.rules, options, workers, existing)
        if given.prints:
            print_plan(output, plan, as_json=given.as_json)
        return 0
    with control_of(workers, existing, quiet=given.quiet, exact=given.polish is not None) as control:
        if given.polish:
            linear_program.require_solver()
            unpolished = polishing.prepare_polish_output(output, control.existing, given.refined)
            solution = _solve(given, unpolished, start.rules, options, control)
            exact = _polish(given, solution, output, control, against)
        else:
            solution = _solve(given, output, start.rules, options, control)
    if given.polish:
        _report(given, exact, total=True)
        return 0
    if given.prints:
        rounds = endless.rounds_at_last_score(solution.tree, solution.average_strategy, winning_score)
        _report(given, solution, total=rounds > MANY_ROUNDS)
        if rounds > MANY_ROUNDS:
            _complain_of_rounds(rounds)
    return _complain_of_unconverged(solution) if solution.unconverged_scores else 0


def _solve(
    given: Given, output: Path, rules: Rules, options: tictactoe.MatchOptions, control: tictactoe.RunControl[Any]
) -> tictactoe.Solution:
    from tictactoe.algorithms import user_code
    from tictactoe.solving import time_left

    jobs = control.workers if isinstance(control.workers, int) else 1
    num_pairs = options.winning_score * (options.winning_score + 1) // 2
    expected = time_left.MatchForecast(num_pairs, jobs, given.max_iterations)
    progress = MatchProgress(expected, cluster_of(control), quiet=given.quiet)
    with user_code.faults_of_rules(), user_code.faults_of_workers(), followed(progress, control) as control:
        progress.starting()
        tree = tictactoe.GameTree.build(rules)
        return tictactoe.solve_match(output, tree, options, max_iterations=given.max_iterations, control=control)


def _polish(
    given: Given,
    source: tictactoe.Solution,
    output: Path,
    control: tictactoe.RunControl[Any],
    against: tuple[Met, ...] | None,
    keep: tuple[tictactoe.Score, ...] = (),
) -> tictactoe.Solution:
    progress = PolishProgress(source.winning_score, cluster_of(control), quiet=given.quiet)
    with followed(progress, control) as control:
        return tictactoe.polish_solution(
            source, output, keep=keep, refined=given.refined, against=against, control=control
        )


def _against(given: Given, rules: Rules, winning_score: int) -> tuple[Met, ...] | None:
    from tictactoe.agents.named import parse_population

    if given.against is None:
        return None
    if not given.polish:
        raise click.UsageError("--against requires --polish")
    try:
        return parse_population(given.against, tictactoe.GameTree.build(rules), winning_score)
    except ValueError as error:
        raise click.UsageError(f"--against: {error}") from error


def _complain_of_rounds(rounds: float) -> None:
    what = f"with these odds, it takes {rounds:,.0f} rounds at the last score until somebody scores alone"
    remark(f"{what}, and in a match, best responders gain more than in a round; a smaller --target helps")


def _complain_of_unconverged(solution: tictactoe.Solution) -> int:
    unconverged = solution.unconverged_scores
    most, named = max(solution.results[score].iteration for score in unconverged), listed(unconverged, 5)
    remark(
        f"not converged within {counted(most, 'iteration')}: {len(unconverged)} of "
        f"{counted(len(solution.results), 'score')} ({named}); a higher --max-iterations continues"
    )
    return EXIT_FAILURE


def _plan(
    given: Given,
    output: Path,
    rules: Rules,
    options: tictactoe.MatchOptions,
    workers: Workers,
    existing: tictactoe.Existing,
) -> dry_run.MatchPlan:
    from tictactoe.solving import cluster as clusters
    from tictactoe.solving import dry_run

    jobs, address, quiet = workers.threads, workers.cluster, given.quiet or given.as_json
    if address is not None:
        jobs = clusters.local_workers(address) or 0
        if not jobs:
            with connected(address, quiet=quiet, exact=given.polish is not None) as cluster:
                assert cluster is not None
                jobs = max(1, cluster.state().threads)
    with StatusLine("measuring how long a pair of scores takes, {elapsed} elapsed", quiet=quiet).showing():
        return dry_run.plan_match(
            output,
            rules,
            options,
            control=tictactoe.RunControl(jobs, existing),
            on_cluster=address is not None,
            polish=given.polish is not None,
            refined=given.refined,
            max_iterations=given.max_iterations,
        )


def _solve_by_formula(
    given: Given, winning_score: int, rules: WantedRules, workers: Workers, existing: tictactoe.Existing
) -> None:
    from tictactoe.solving import results_as_data

    from ..reports import report

    status = StatusLine("computing the values", quiet=given.quiet)

    def told(done: int, pairs: int, most: float) -> None:
        written = f"{done} of {counted(pairs, 'pair of scores', 'pairs of scores')} written"
        status.set(f"{written}, {{elapsed}} elapsed, exploitability {at_most(most)}")

    begun: tictactoe.RunControl[Any] = tictactoe.RunControl(workers.threads, existing)
    with errors_of_formulas(), followed(status, begun, told) as control:
        output = given.directory("by_formula")
        solution = tictactoe.solve_by_formula(output, winning_score, rules.over(), control=control)
    if given.as_json:
        print_json(results_as_data.solved_match(solution))
    elif not given.quiet:
        if winning_score <= TABLE_UP_TO:
            report.print_solution(solution)
        else:
            say(results_as_data.favourite(solution))
        most = exploitability_text(max(solution.exploitability.values()), up=True)
        say(f"Written to {shown_path(solution.directory)}; in no round can anybody gain more than {most}.")


def _solve_round(
    given: Given, wanted: WantedRules, updates: UpdateOptions, existing: tictactoe.Existing, chosen: ChosenRound
) -> None:
    from tictactoe.algorithms import user_code
    from tictactoe.solving import results_as_data

    from ..reports import solution_report

    rules, values, winning_score = chosen.round(wanted)
    output, iterations = given.directory("my_subgame"), given.max_iterations or 2000
    with errors_of_options():
        options = tictactoe.GameOptions(
            iterations=iterations,
            outcome_values=values,
            score=chosen.score,
            winning_score=winning_score,
            check_exploitability_every=given.check_exploitability_every or 100,
            snapshot_at=given.snapshot_at,
            seed=given.seed,
            **updates.settings(),
        )
    tree, progress = tictactoe.GameTree.build(rules), SolverLine(iterations, given.quiet)
    control: tictactoe.RunControl[Any] = tictactoe.RunControl(existing=existing)
    with user_code.faults_of_rules(), followed(progress, control) as control:
        progress.starting(samples=options.algorithm.samples)
        snapshot = tictactoe.solve_game(output, tree, options, control=control)
    if given.as_json:
        print_json(results_as_data.solved_round(snapshot))
    elif not given.quiet:
        solution_report.print_solved(snapshot, output, iterations)
