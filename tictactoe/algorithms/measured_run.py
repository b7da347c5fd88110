"""One run of an algorithm: its exploitability by iterations, nodes touched, histories touched and seconds.

**Nodes touched** are the decision nodes that both players' sweeps have visited. **Histories touched** count a visit
once for each pair of types that it works on (see `CFRSolver`). **Seconds** are the time spent in updates alone.
Measurements are taken about ten times per factor of ten of the budget, at regular flushes if possible.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

import numpy as np

from ..checked_numbers import positive_number
from ..run_control import DEFAULT_CONTROL, RunControl
from .cfr import CFRSolver
from .game import Game
from .hidden_moves import HiddenMovesGame
from .ranked_game import RankedGame
from .update_rules import UpdateRule, parse_rule

MOST_UNITS = 8
"""The largest change of a payoff, in units of 2^-52 of the payoff."""


def perturbed(game: Game, number: int) -> Game:
    """The game with every payoff multiplied by 1 + k * 2^-52, with k from -8 to 8 but not 0; unchanged if `number` is
    0.

    Equal payoffs stay equal. The numbers k are drawn with `number` as the seed.
    """
    if number == 0:
        return game
    draw = np.random.default_rng(number)
    payoffs = game.payoffs
    if isinstance(game, RankedGame):
        payoffs = game.leaves.amount
    elif isinstance(game, HiddenMovesGame):
        payoffs = game.ends.paid
    values, places = np.unique(payoffs, return_inverse=True)
    units = draw.integers(1, MOST_UNITS + 1, len(values)) * draw.choice([-1, 1], len(values))
    changed = (values * (1.0 + units * np.finfo(np.float64).eps))[places].reshape(payoffs.shape)
    if isinstance(game, RankedGame):
        return replace(game, leaves=game.leaves._replace(amount=changed))
    if isinstance(game, HiddenMovesGame):
        return replace(game, ends=game.ends._replace(paid=changed))
    return replace(game, payoffs=changed)


SIMULTANEOUS = "simultaneous"
"""The word in brackets that asks for simultaneous updates."""

LONGEST_LABEL = 120
"""The largest number of characters of a label."""


@dataclass(frozen=True)
class Contender:
    """An update rule in a comparison.

    Raises ValueError for a rule that samples without alternation, and for a label that is empty, too long or cannot be
    printed.

    >>> from tictactoe import Contender, update_rule
    >>> Contender(update_rule("dcfr", discount_alpha=2.3), alternate_updates=False).label
    'dcfr(discount_alpha=2.3, simultaneous)'
    """

    rule: UpdateRule
    alternate_updates: bool = True
    """Whether the second player's update sees the first player's new strategy."""
    label: str = ""
    """The name in tables and pictures; by default, the settings, `str(contender)`."""

    def __post_init__(self) -> None:
        self.rule.check_use(self.alternate_updates, with_bonus=False)
        label = self.label or str(self)
        if len(label) > LONGEST_LABEL or not label.isprintable() or not label.strip():
            raise ValueError(f"label: {label[:60]!r} is not 1 to {LONGEST_LABEL} characters that can be printed")
        object.__setattr__(self, "label", label)

    def __str__(self) -> str:
        if self.alternate_updates:
            return str(self.rule)
        name, _, parameters = str(self.rule).removesuffix(")").partition("(")
        return f"{name}({parameters}{', ' if parameters else ''}{SIMULTANEOUS})"

    @property
    def updates(self) -> str:
        """ "alternating" or "simultaneous"."""
        return "alternating" if self.alternate_updates else SIMULTANEOUS

    def restarts_until(self, iteration: int) -> tuple[int, ...]:
        """The iterations after which the rule restarts in a run of `iteration` iterations, in order."""
        return tuple(takewhile(lambda last: last < iteration, (last for last, _ in self.rule.restarts())))


def parse_contender(text: str) -> Contender:
    """Read a contender, such as `bold = dcfr(discount_alpha=2.3, simultaneous)`: a rule as for `parse_rule`, perhaps
    with a label.

    Raises ValueError for a text of another form, and the errors of `parse_rule` and `Contender`.

    >>> from tictactoe import parse_contender
    >>> bold = parse_contender("bold = dcfr(discount_alpha=2.3, simultaneous)")
    >>> bold.label, str(bold), bold.alternate_updates
    ('bold', 'dcfr(discount_alpha=2.3, simultaneous)', False)
    """
    label, equals, rule = text.partition("=")
    if not equals or "(" in label:
        label, rule = "", text
    elif not label.strip():
        raise ValueError(f"algorithm: {text[:60]!r} has no label before the =")
    words = re.findall(rf"[(,]\s*{SIMULTANEOUS}\s*(?=[,)])", rule)
    if len(words) > 1:
        raise ValueError(f"{SIMULTANEOUS}: given twice in {text[:60]!r}")
    for word in words:
        rule = rule.replace(word, word[0])
    return Contender(parse_rule(rule), not words, label.strip())


def parse_contenders(text: str) -> list[Contender]:
    """Read contenders that are separated by commas. Raises the errors of `parse_contender`."""
    return [parse_contender(part) for part in re.split(r",(?![^(]*\))", text)]


def distinct(given: Iterable[Contender | UpdateRule]) -> list[Contender]:
    """The contenders without repetitions. A bare rule becomes a contender with alternating updates.

    Raises ValueError for two different contenders with the same label.
    """
    found: dict[str, Contender] = {}
    for each in given:
        contender = each if isinstance(each, Contender) else Contender(each)
        known = found.setdefault(contender.label, contender)
        if str(known) != str(contender):
            raise ValueError(
                f"label: {known} and {contender} are both called {contender.label!r}; "
                "give one of them another label, as in other=dcfr"
            )
    return list(found.values())


POINTS_PER_DECADE = 10
"""The number of measurements per factor of ten of the budget."""

_LONGEST_CALL_SECONDS = 0.2
"""The most seconds that a solver runs between two checks of the clock."""


class Unit(StrEnum):
    """The unit of a budget.

    >>> from tictactoe import Unit
    >>> list(map(str, Unit))
    ['iterations', 'nodes', 'histories', 'seconds']
    """

    ITERATIONS = "iterations"
    NODES = "nodes"
    HISTORIES = "histories"
    SECONDS = "seconds"


@dataclass(frozen=True)
class Budget:
    """The length of a run: an exact number of iterations, or until a measurement shows that the amount is used up.

    Raises ValueError for an amount that is not above 0, or iterations that are not whole.

    >>> from tictactoe import Budget, Unit
    >>> Budget(2e7, Unit.NODES).amount
    20000000.0
    """

    amount: float
    unit: Unit

    def __post_init__(self) -> None:
        positive_number("amount", self.amount)
        if self.unit is Unit.ITERATIONS and self.amount != int(self.amount):
            raise ValueError(f"amount: {self.amount} is not a whole number of iterations")


@dataclass(frozen=True)
class Measurement:
    """The effort of a run after an iteration, and the quality of its strategies."""

    iteration: int
    """The number of iterations so far."""
    nodes: int
    """The number of nodes touched."""
    histories: int
    """The number of histories touched."""
    seconds: float
    """The time spent in updates."""
    average_exploitability: float
    """NashConv of the average strategies, in payoff."""
    current_exploitability: float
    """NashConv of the current strategies, in payoff."""
    value: float
    """The value of the average strategies to player 0, in payoff."""


@dataclass(frozen=True)
class Trial:
    """A planned run."""

    contender: Contender
    seed: int | None = None
    """The seed of a sampling rule's draws; None for other rules."""
    perturbation: int = 0
    """The number of the perturbation of the payoffs (see `perturbed`); 0 for the unchanged game."""


@dataclass(frozen=True)
class Run:
    """A run, with its measurements."""

    trial: Trial
    measurements: tuple[Measurement, ...]

    @property
    def label(self) -> str:
        return self.trial.contender.label

    @property
    def algorithm(self) -> str:
        """The contender's settings as text."""
        return str(self.trial.contender)


RunReporter = Callable[[Trial, Measurement], None]
"""A function called with the trial and each new measurement, perhaps in another thread."""


def run_algorithm(
    game: Game, rule: Trial | UpdateRule, budget: Budget, *, control: RunControl[RunReporter] = DEFAULT_CONTROL
) -> Run:
    """Make one run, measured on the way and at its end.

    Unless the budget is in seconds, all figures but the seconds depend only on the arguments. Raises Interrupted once
    `control.stop` is set.

    rule: a trial, or an update rule, which alternates and draws with the seed 0.
    control: its reporter is called with every measurement. One thread does the work.
    """
    trial = rule if isinstance(rule, Trial) else Trial(Contender(rule), 0 if rule.samples else None)
    game, alternate = perturbed(game, trial.perturbation), trial.contender.alternate_updates
    meter = _Meter(CFRSolver(game, trial.contender.rule, alternate_updates=alternate, seed=trial.seed or 0), budget)
    measurements: list[Measurement] = []
    while not measurements or meter.spent < budget.amount:
        meter.run_to(meter.next_target(), control)
        measurements.append(meter.measure())
        if control.reporter:
            control.reporter(trial, measurements[-1])
    # Early iterations are computed more than once, and the first time may be slow; the seconds must increase.
    for index in reversed(range(len(measurements) - 1)):
        seconds = min(measurements[index].seconds, measurements[index + 1].seconds)
        measurements[index] = replace(measurements[index], seconds=seconds)
    return Run(trial, tuple(measurements))


class _Meter:
    def __init__(self, solver: CFRSolver, budget: Budget) -> None:
        self._solver = solver
        self._flush_every = solver.flush_every
        self._budget = budget
        # A warm-up iteration, because the system allocates memory at the first write to it, which takes a while.
        state = solver.state()
        solver.run(1)
        solver.set_state(state)

    @property
    def _used(self) -> tuple[int, int, int, float]:
        solver = self._solver
        return solver.iteration, solver.num_visits, solver.num_histories, solver.seconds

    @property
    def spent(self) -> float:
        return dict(zip(Unit, self._used, strict=True))[self._budget.unit]

    def next_target(self) -> float:
        spent, amount = self.spent, self._budget.amount
        if spent == 0.0:
            return 0.0  # measure after the first iteration
        exponent = math.floor(POINTS_PER_DECADE * math.log10(spent))
        target = 0.0
        while target <= spent * (1.0 + 1e-9):
            exponent += 1
            target = 10.0 ** (exponent / POINTS_PER_DECADE)
            if self._budget.unit is Unit.ITERATIONS:
                step = self._flush_every if target >= self._flush_every else 1
                target = step * round(target / step)
        return amount if target > 0.95 * amount else target

    def run_to(self, target: float, control: RunControl[RunReporter]) -> None:
        while self._solver.iteration == 0 or self.spent < target:
            control.check_stop()
            self._solver.run(self._next_stop(target) - self._solver.iteration)

    def measure(self) -> Measurement:
        found = self._solver.evaluate()
        return Measurement(*self._used, found.average_exploitability, found.current_exploitability, found.value)

    def _next_stop(self, target: float) -> int:
        iteration, spent = self._solver.iteration, self.spent
        if iteration == 0:
            return 1
        # Later iterations may take more than earlier ones, so do not run all of them at once.
        share = 1.0 if self._budget.unit is Unit.ITERATIONS else 0.9
        most = _LONGEST_CALL_SECONDS * iteration / max(self._solver.seconds, 1e-9)
        more = min(share * (target - spent) * iteration / spent, most)
        step = self._flush_every if iteration + more >= self._flush_every else 1
        goal = max(int(iteration + more), iteration + 1)
        goal = max(goal // step, iteration // step + 1) * step
        return min(goal, int(self._budget.amount)) if self._budget.unit is Unit.ITERATIONS else goal
