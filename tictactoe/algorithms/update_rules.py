"""Update rules of counterfactual regret minimization by name: the library's rules, and your own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from ..checked_numbers import finite_number
from ..number_text import name_and_parameters, range_text, read_number, shortest
from .arrays import FloatArray
from .built_in_rules import BUILT_IN_RULES
from .rule_definition import (
    AVERAGING_WEIGHT,
    EXPLORATION,
    Coefficients,
    Fill,
    Parameters,
    Restart,
    Restarts,
    RuleDefinition,
    Sweep,
    no_restarts,
)

ALGORITHMS = tuple(BUILT_IN_RULES)
"""The names of the rules that come with the library."""

FULL_WIDTH_ALGORITHMS = tuple(name for name, rule in BUILT_IN_RULES.items() if not rule.sweep.samples)
"""The names of the library's rules that do not sample."""

_RULES = dict(BUILT_IN_RULES)
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9+*._-]{0,39}", re.ASCII)


@dataclass(frozen=True)
class UpdateRule:
    """An update rule with its parameters, made by `update_rule`.

    `str(rule)` is text for `parse_rule`, with the parameters that differ from the defaults.

    >>> from tictactoe import update_rule
    >>> update_rule("cfr+").coefficients(1, 4)[:, 5].tolist()  # weights in the average
    [1.0, 2.0, 3.0, 4.0]
    >>> str(update_rule("dcfr", discount_alpha=2.3)), str(update_rule("dcfr"))
    ('dcfr(discount_alpha=2.3)', 'dcfr')
    """

    name: str
    parameters: Parameters
    _definition: RuleDefinition = field(repr=False, compare=False)

    def __str__(self) -> str:
        usual = self._definition.defaults
        changed = [f"{name}={shortest(value)}" for name, value in self.parameters.items() if value != usual[name]]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    @property
    def samples(self) -> bool:
        """Whether a sweep follows only drawn moves."""
        return self._definition.sweep.samples

    @property
    def full_average(self) -> bool:
        """For a rule that samples: whether an iteration adds to the average at all nodes, not only at drawn ones."""
        return self._is_on("full_average")

    @property
    def draw_own_type(self) -> bool:
        """For a rule that samples: whether a sweep works on one drawn own type, not on all types."""
        return self._is_on("draw_own_type")

    @property
    def exploration(self) -> float:
        """For a rule that samples outcomes: the part of its draws of own moves that is spread evenly. -1 for other
        rules."""
        return self.parameters.get("exploration", EXPLORATION) if self._definition.sweep is Sweep.OUTCOME else -1.0

    def _is_on(self, switch: str) -> bool:
        return switch not in self._definition.switches or self.parameters[switch] == 1.0

    def check_use(self, alternate_updates: bool, with_bonus: bool) -> None:
        """Raise ValueError for a rule that samples without alternation, or with a bonus."""
        if self.samples and not alternate_updates:
            raise ValueError(f"alternate_updates: {self.name} always alternates")
        if self.samples and with_bonus:
            raise ValueError(f"small_move_epsilon: {self.name} does not support a bonus")

    @property
    def averages_twice(self) -> bool:
        """Whether the average strategy uses the running sum of the strategy sums, which grows at every flush.

        Iteration t of T then has the weight (T - t) * averaging_weight, in steps of a flush.
        """
        return self._definition.sweep is Sweep.AVERAGED_TWICE

    @property
    def warm_start_at(self) -> int | None:
        """The number of iterations that a warm start counts for: those before the first restart. None for a rule that
        always starts cold.
        """
        return next((last for last, _ in self.restarts()), None) if self.averages_twice else None

    def restarts(self) -> Iterator[tuple[int, Restart]]:
        """The iterations after which the rule restarts, in order, each with its restart. They may be endless.

        Raises ValueError if a registered rule yields them out of order.
        """
        before = 0
        for last, restart in self._definition.restarts(self.parameters):
            if last <= before:
                raise ValueError(f"restarts: {self} has one after {before} iterations, then one after {last}")
            before = last
            yield last, restart

    def restart_after(self, iteration: int) -> Restart | None:
        """The restart after that iteration, or None."""
        last, restart = next((each for each in self.restarts() if each[0] >= iteration), (None, None))
        return restart if last == iteration else None

    def coefficients(self, first_iteration: int, num_iterations: int) -> FloatArray:
        """float64 (num_iterations, NUM_RULE_COLUMNS): a row per iteration from `first_iteration` (1 or more).

        Raises ValueError if a registered rule sets a coefficient out of its limits, or samples and sets a coefficient
        other than averaging_weight.
        """
        t = age = np.arange(first_iteration, first_iteration + num_iterations, dtype=np.float64)
        for last, _ in takewhile(lambda restart: restart[0] < first_iteration + num_iterations, self.restarts()):
            age = np.where(t > last, t - last, age)
        coefficients = Coefficients(t, age)
        try:
            self._definition.fill(coefficients, self.parameters)
        except (AttributeError, KeyError) as error:
            fields, parameters = ", ".join(Coefficients.__dataclass_fields__), ", ".join(self.parameters) or "none"
            error.add_note(f"in the rule {self}, which can use fields: {fields}; parameters: {parameters}")
            raise
        try:
            table = coefficients.as_table()
        except ValueError as error:
            raise ValueError(f"{self}: {error}") from error
        if self.samples and np.any(
            table[:, :AVERAGING_WEIGHT] != Coefficients(t, age).as_table()[:, :AVERAGING_WEIGHT]
        ):
            raise ValueError(f"{self}: a rule that samples can set averaging_weight, and no other coefficient")
        return table


def known_algorithms() -> tuple[str, ...]:
    """The names that `update_rule` knows: ALGORITHMS, then registered rules.

    >>> from tictactoe import ALGORITHMS, known_algorithms
    >>> known_algorithms()[:len(ALGORITHMS)] == ALGORITHMS
    True
    """
    return tuple(_RULES)


def registered_rules() -> dict[str, RuleDefinition]:
    """The definitions of registered rules, by name."""
    return {name: definition for name, definition in _RULES.items() if name not in BUILT_IN_RULES}


def update_rule(algorithm: str, **parameters: float | None) -> UpdateRule:
    """The rule of that name. A parameter that is None or missing has its default value.

    Raises ValueError for an unknown algorithm or parameter, and for a parameter out of range.

    >>> from tictactoe import update_rule
    >>> update_rule("dcfr", discount_beta=0.5)
    UpdateRule(name='dcfr', parameters={'discount_alpha': 1.5, 'discount_beta': 0.5, 'discount_gamma': 2.0})
    """
    if algorithm not in _RULES:
        raise ValueError(f"algorithm: unknown {algorithm[:40]!r}; known: {', '.join(_RULES)}")
    definition = _RULES[algorithm]
    chosen = dict(definition.defaults)
    given = {name: value for name, value in parameters.items() if value is not None}
    for name, value in given.items():
        if name not in definition.defaults:
            has = f"it has {', '.join(definition.defaults)}" if definition.defaults else "it has none"
            raise ValueError(f"{name}: {algorithm} has no such parameter; {has}")
        smallest, largest = definition.limits.get(name, (-math.inf, math.inf))
        is_switch = name in definition.switches
        chosen[name] = finite_number(name, int(value) if is_switch and value is True else value, smallest, largest)
        if is_switch and value not in (0, 1):
            raise ValueError(f"{name}: {value} is neither 0 nor 1")
    next(definition.restarts(chosen), None)  # raises for parameters that contradict each other
    return UpdateRule(algorithm, chosen, definition)


def parse_rule(text: str) -> UpdateRule:
    """Read a rule: a name, or a name with parameters in brackets. The inverse of `str(rule)`.

    Raises ValueError for a text of another form, and the errors of `update_rule`.

    >>> from tictactoe import parse_rule
    >>> parse_rule("dcfr(discount_alpha=2.3, discount_gamma=5)").parameters
    {'discount_alpha': 2.3, 'discount_beta': 0.0, 'discount_gamma': 5.0}
    """
    try:
        algorithm, given = name_and_parameters(text, "dcfr(discount_alpha=2.3)")
    except ValueError as error:
        raise ValueError(f"algorithm: {error}") from None
    parameters: dict[str, float] = {}
    for name, value in given.items():
        try:
            parameters[name] = read_number(value)
        except ValueError as error:
            raise ValueError(f"algorithm: {name[:60]}: {value[:40]!r} {error}") from None
    return update_rule(algorithm, **parameters)


def register_rule(
    name: str,
    fill: Fill,
    defaults: Mapping[str, float] | None = None,
    *,
    limits: Mapping[str, tuple[float, float]] | None = None,
    restarts: Restarts = no_restarts,
    sweep: Sweep = Sweep.FULL_WIDTH,
) -> None:
    """Add an update rule, for `update_rule`, `parse_rule` and everything that takes a rule.

    A name may be registered again. Existing rules keep their old definition.

    name: 1 to 40 letters, digits or + * . _ -
    fill: called with the Coefficients of some iterations and the parameters. It sets the fields in which the rule
        differs from CFR, and depends only on its arguments.
    defaults: all parameters, with their default values.
    limits: the smallest and largest value of each parameter; by default, any finite number.
    restarts: called with the parameters. It yields iterations in increasing order, each with the Restart after it.
    sweep: the kind of sweep.

    The next strategy is always in proportion to predicted regrets, of which there is one per move: Hedge cannot be
    added.

    Raises ValueError for another name, for the name of a rule of the library, and for limits and defaults that
    contradict each other.

    >>> from tictactoe import CFRSolver, kuhn_poker, register_rule, update_rule
    >>> def fill(table, parameters):
    ...     table.floor = 0.0
    ...     table.averaging_weight = table.t ** parameters["gamma"]
    >>> register_rule("cfr+gamma", fill, {"gamma": 2.0})
    >>> solver = CFRSolver(kuhn_poker(), update_rule("cfr+gamma", gamma=3))
    >>> solver.run(1000)
    >>> solver.evaluate().average_exploitability < 1e-3
    True
    """
    defaults, limits = dict(defaults or {}), dict(limits or {})
    if not _NAME.fullmatch(name):
        raise ValueError(f"name: {name[:60]!r} is not 1 to 40 letters, digits or + * . _ -")
    if name in BUILT_IN_RULES:
        raise ValueError(f"name: {name} is a rule of the library; take another name")
    for parameter, value in defaults.items():
        smallest, largest = limits.get(parameter, (-math.inf, math.inf))
        if not parameter.isidentifier():
            raise ValueError(f"defaults: {parameter[:60]!r} is not a name for a parameter")
        if not (smallest <= value <= largest and math.isfinite(value)):
            raise ValueError(f"defaults: {parameter}: {value} is not {range_text(smallest, largest)}")
    for parameter in limits:
        if parameter not in defaults:
            raise ValueError(f"limits: {parameter} has no default")
    floats = {parameter: float(value) for parameter, value in defaults.items()}
    _RULES[name] = RuleDefinition(fill, floats, limits, restarts, sweep)
