"""A comparison of algorithms on several rounds or on another game, which can be stopped and continued."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from itertools import chain, count
from threading import Event
from typing import Any, Protocol

from ..algorithms import convergence
from ..algorithms.arrays import FloatArray
from ..algorithms.cfr import CFRSolver
from ..algorithms.convergence import Overall, Summary, by_threshold, over_all, summarize
from ..algorithms.game import Game
from ..algorithms.learning import LearningFigures, values_against
from ..algorithms.measured_run import Budget, Contender, Measurement, Run, Trial
from ..algorithms.update_rules import UpdateRule, registered_rules
from ..algorithms.user_code import digest_of_rules, faults_of_rules, faults_of_workers
from ..errors import ClusterError, Interrupted
from ..games.named_games import NamedGame
from ..games.payoffs import tic_tac_toe_round
from ..games.rules import SINGLE_ROUND, OutcomeValues, Rules, by_rules
from ..games.tic_tac_toe_tree import GameTree
from ..match.percentages import percentage_points
from ..run_control import RunControl
from ..storage.texts import latex_table, picked
from .comparison_journal import ComparisonJournal
from .versions import computed_with


@dataclass(frozen=True, eq=False)
class ComparedGame:
    """A round or another game on which algorithms are compared."""

    name: str
    """The score of a round, such as 4-3; empty without a score or for another game."""
    title: str
    build: Callable[[], Game]
    in_match_value: bool
    """Whether exploitabilities are differences of match values."""
    hidden: str
    """Words for what only one player knows."""
    of_all: Mapping[str, Any]
    """What all games of a comparison have in common, for JSON. The first item is the rules."""
    own: Mapping[str, Any]
    """What is specific to the game, for JSON."""
    columns: Mapping[str, str]
    """The columns of a table that tell games apart."""
    digest: Sequence[float] | str
    """Everything that runs depend on besides the rules."""


def compared_round(
    rules: Rules, outcome_values: OutcomeValues, winning_score: int | None, score: tuple[int, int] | None
) -> ComparedGame:
    """A round to compare on. winning_score, score: the origin of the outcome values; None without a match."""
    by, name = by_rules(rules), "" if score is None else f"{score[0]}-{score[1]}"
    if score is not None:
        title = f"The round at {name} of a match to {winning_score}{by}"
    elif outcome_values == SINGLE_ROUND:
        title = f"A round on its own{by}"
    else:
        shown = " ".join(f"{value:g}" for value in outcome_values)
        title = f"A round with outcome values {shown} (both score, first, second, neither){by}"
    return ComparedGame(
        name,
        title,
        build=lambda: tic_tac_toe_round(GameTree.build(rules), outcome_values),
        in_match_value=winning_score is not None,
        hidden="goals",
        of_all={"rules": str(rules), "winning_score": winning_score},
        own={"score": score, "outcome_values": outcome_values._asdict()},
        columns={"rules": str(rules), "score": name},
        digest=list(outcome_values),
    )


def compared_game(named: NamedGame) -> ComparedGame:
    """A named game of two players to compare on."""
    built, about = named.build(), {"game": named.name}
    return ComparedGame(
        "",
        named.title,
        build=lambda: built,
        in_match_value=False,
        hidden="types",
        of_all=about,
        own={},
        columns=about,
        digest=built.fingerprint,
    )


@dataclass(frozen=True)
class ComparisonPlan:
    """The runs on every round."""

    contenders: Sequence[Contender]
    budget: Budget
    """The length of every run."""
    num_seeds: int
    """The number of runs of a contender that draws random numbers."""
    num_perturbations: int
    """The number of runs of any other contender: one on the round itself, others with changed last bits of the outcome
    values."""

    def about(self, rounds: Sequence[ComparedGame], rules_of_user: Sequence[str] = ()) -> dict[str, Any]:
        """What runs depend on besides their own settings, as JSON types by description.

        A stopped comparison continues only if all of this is equal. rules_of_user: files and modules with update rules.
        """
        from .. import __version__

        return {
            "version of the program": __version__,
            "budget": [self.budget.amount, self.budget.unit.value],
            "rules": next(iter(rounds[0].of_all.values())),
            "rounds": {each.name: each.digest for each in rounds},
            "algorithms of your own": digest_of_rules(rules_of_user) if rules_of_user else None,
        }


class ComparisonReporter(Protocol):
    """A follower of a comparison on several rounds. A call reports a measurement of the current run.

    num_before: the number of runs of an earlier comparison, which are not reported. samples: whether the first
    contender samples. name: the name of the round; empty if it is the only one.
    """

    def begins(self, num_runs: int, num_before: int, samples: bool) -> None: ...
    def round_begins(self, name: str) -> None: ...
    def __call__(self, trial: Trial, measurement: Measurement) -> None: ...
    def run_ended(self, ended: Run) -> None: ...


Compared = list[tuple[ComparedGame, list[Run]]]
"""The finished runs on each round."""


@dataclass(frozen=True)
class ComparedRuns:
    """The runs of a comparison when it ends."""

    compared: Compared
    """The finished runs on each round that has any."""
    stopped: Interrupted | ClusterError | None
    """The error that stopped further runs."""
    num_before: int
    """The number of runs that an earlier comparison has made."""

    @cached_property
    def summaries(self) -> list[list[Summary]]:
        return [summarize(runs) for _, runs in self.compared]

    @cached_property
    def overall(self) -> list[Overall]:
        """The contenders over several rounds; empty for one round or a stopped comparison."""
        return over_all(self.summaries) if len(self.compared) > 1 and self.stopped is None else []


def compare_on_rounds(
    plan: ComparisonPlan,
    rounds: Sequence[ComparedGame],
    journal: ComparisonJournal,
    control: RunControl[ComparisonReporter],
) -> ComparedRuns:
    """Run all contenders on all rounds, which have the same rules, and save finished runs in the journal.

    Returns the finished runs after a stop or the loss of a cluster. Raises GameError and UserCodeError.
    """
    games = [each.build() for each in rounds]
    amounts = {"num_seeds": plan.num_seeds, "num_perturbations": plan.num_perturbations}
    trials = convergence.planned_trials(plan.contenders, **amounts)
    known = [journal.runs(each.name, trials) for each in rounds]
    reporter = control.reporter
    if reporter:
        reporter.begins(len(rounds) * len(trials), sum(map(len, known)), plan.contenders[0].rule.samples)
    compared: Compared = []
    stopped: Interrupted | ClusterError | None = None
    with faults_of_rules(), faults_of_workers():
        comparisons = [  # on a cluster, all runs begin here, otherwise in the loop below
            convergence.compare_algorithms(
                game,
                trials,
                plan.budget,
                known=before,
                keep=partial(_keep, partial(journal.append, each.name)),
                control=control,
            )
            for game, each, before in zip(games, rounds, known, strict=True)
        ]
        for each, before, comparison in zip(rounds, known, comparisons, strict=True):
            if reporter:
                reporter.round_begins(each.name if len(rounds) > 1 else "")
            runs: list[Run] = []
            compared.append((each, runs))
            try:
                for ended in comparison:
                    runs.append(ended)
                    if reporter and not any(ended is earlier for earlier in before):
                        reporter.run_ended(ended)
            except (Interrupted, ClusterError) as error:
                stopped = stopped or error
                control.stop.set()  # keep only the finished runs of the other rounds
    num_before = sum(len(before) for (_, runs), before in zip(compared, known, strict=True) if runs)
    return ComparedRuns([(each, runs) for each, runs in compared if runs], stopped, num_before)


def _keep(append: Callable[[Run], None], ended: Run) -> None:
    with contextlib.suppress(OSError):
        append(ended)


def comparison_as_dict(
    plan: ComparisonPlan,
    ended: ComparedRuns,
    *,
    jobs: int,
    cluster: str | None,
    seconds: float,
    rules_of_user: Sequence[str] = (),
) -> dict[str, Any]:
    """The settings and summaries of a comparison, without measurements.

    jobs: the number of simultaneous runs. cluster: its address. seconds: the time of the whole comparison.
    rules_of_user: files and modules with update rules.
    """
    from .. import __version__

    first = ended.compared[0][0]
    defaults = {name: dict(definition.defaults) for name, definition in registered_rules().items()}
    own = {"from": list(rules_of_user), "sha256": digest_of_rules(rules_of_user), "defaults": defaults}
    return {
        "version": __version__,
        "computed_with": computed_with(),
        "own_rules": own if rules_of_user else None,
        "budget": {"amount": plan.budget.amount, "unit": plan.budget.unit.value},
        "seeds": plan.num_seeds,
        "perturbations": plan.num_perturbations,
        "jobs": jobs,
        "cluster": cluster,
        **first.of_all,
        "rounds": [
            _round_as_dict(each, summaries, {contender.label: contender for contender in plan.contenders})
            for (each, _), summaries in zip(ended.compared, ended.summaries, strict=True)
        ],
        "overall": [asdict(each) | {"num_reached": by_threshold(each.num_reached)} for each in ended.overall],
        "earlier_runs": ended.num_before,
        "elapsed_seconds": seconds,
    }


def comparison_as_latex(record: dict[str, Any]) -> str:
    """LaTeX tables of the final results, one for each round and one over all rounds. record: from
    `comparison_as_dict`."""
    tables = []
    for each in record["rounds"]:
        rows = [
            (
                *(entry["label"], entry["num_runs"], round(entry["iterations"]), entry["nodes"]),
                *(entry["average_exploitability"][name] for name in _SPREAD),
                entry["current_exploitability"]["median"],
            )
            for entry in each["algorithms"]
        ]
        where = f", score {'-'.join(map(str, each['score']))}" if each.get("score") else ""
        headings = ("algorithm", "runs", "iterations", "nodes", *_SPREAD.values(), "current")
        caption = f"Exploitability (NashConv) of the average strategy{where}; medians of nodes, iterations and current."
        tables.append(latex_table(headings, rows, caption))
    if record["overall"]:
        limits = list(record["overall"][0]["num_reached"])
        rows = [
            (
                *(entry["label"], entry["num_first"], entry["exploitability"]["median"]),
                *(entry[name] for name in ("best", "worst", "worst_run")),
                *entry["num_reached"].values(),
            )
            for entry in record["overall"]
        ]
        headings = ("algorithm", "first at", "median", "best", "worst", "worst run", *(f"to {each}" for each in limits))
        tables.append(latex_table(headings, rows, "Over all scores: medians over the runs, and the worst of all runs."))
    return "\n".join(tables)


_SPREAD = {"median": "median", "lower_quartile": "25 %", "upper_quartile": "75 %", "worst": "worst"}


def _round_as_dict(
    each: ComparedGame, summaries: Sequence[Summary], contenders: Mapping[str, Contender]
) -> dict[str, Any]:
    algorithms = []
    for summary in summaries:
        entry, contender = asdict(summary), contenders[summary.label]
        entry |= {"rule": contender.rule.name, "updates": contender.updates}
        entry["parameters"] = dict(contender.rule.parameters)
        entry["reached"] = by_threshold(entry["reached"])
        if each.in_match_value:
            for name in ("average_exploitability", "current_exploitability"):
                points = {field: percentage_points(value) for field, value in entry[name].items()}
                entry[f"{name}_percentage_points"] = points
        algorithms.append(entry)
    return {**each.own, "algorithms": algorithms}


def run_as_dict(run: Run) -> dict[str, Any]:
    """A run with its measurements."""
    trial = picked(run.trial, "seed", "perturbation")
    return picked(run, "label", "algorithm") | trial | {"measurements": [asdict(each) for each in run.measurements]}


POINTS_PER_DECADE = 10
"""The number of judgements per factor of ten in iterations."""


def solver_figures(
    game: Game, rule: UpdateRule, nodes: int, opponents: Sequence[FloatArray], stop: Event | None = None
) -> list[list[LearningFigures]]:
    """Figures of a rule's average strategy up to `nodes` nodes touched: a list per opponent, then one against itself.

    The figures' `rounds` are iterations: 1 to 10, then ten for every factor of ten. Raises Interrupted after `stop`.

    >>> from tictactoe import kuhn_poker, update_rule
    >>> (alone,) = solver_figures(kuhn_poker(), update_rule("dcfr"), 500, [])
    >>> [figures.rounds for figures in alone][-2:], alone[-1].nodes >= 500, alone[-1].exploitability < 0.01
    ([60, 80], True, True)
    """
    solver, later = CFRSolver(game, rule), count(POINTS_PER_DECADE + 1)
    stops = chain(range(1, 11), (10 * round(10.0 ** (number / POINTS_PER_DECADE - 1.0)) for number in later))
    found: list[list[LearningFigures]] = [[] for _ in range(len(opponents) + 1)]
    while solver.num_visits < nodes:
        if stop is not None and stop.is_set():
            raise Interrupted
        solver.run(next(stop for stop in stops if stop > solver.iteration) - solver.iteration)
        judged, average = solver.evaluate(current=False), solver.average_strategy()
        for place, opponent in zip(found, [*opponents, average], strict=True):
            values = values_against(game, average, opponent)
            place.append(LearningFigures(solver.iteration, solver.num_visits, *values, judged.average_exploitability))
    return found
