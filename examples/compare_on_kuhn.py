"""Compare algorithms on Kuhn poker with the library: python examples/compare_on_kuhn.py [--iterations N] [RULE ...]

A rule is written as for compare-algorithms, with parameters and a label if you like. Prints a table in Markdown: the
exploitability (NashConv, in antes) of the average and of the current strategy, medians over runs whose payoffs differ
in their last bits, and over seeds for rules that sample. Another game in place of `kuhn_poker()` is all it takes to
compare on that; see docs/checking-a-game.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tictactoe import (
    ALGORITHMS,
    Budget,
    Unit,
    compare_algorithms,
    kuhn_poker,
    parse_contender,
    planned_trials,
    summarize,
)

VARIANTS = ("es-mccfr(full_average=0)", "es-mccfr(draw_own_type=0)", "es-mccfr(full_average=0, draw_own_type=0)",
            "hs-dcfr(schedule_horizon=10000)")  # fmt: skip


def table(rules: Sequence[str], iterations: int, runs: int) -> str:
    """A row per rule."""
    lines = ["| | average | middle half | current | histories |", "|---|---|---|---|---|"]
    contenders = [parse_contender(rule) for rule in rules]
    budget = Budget(iterations, Unit.ITERATIONS)
    planned = planned_trials(contenders, num_seeds=runs, num_perturbations=runs)
    found = list(compare_algorithms(kuhn_poker(), planned, budget))
    for each in summarize(found):
        average, current = each.average_exploitability, each.current_exploitability
        lines.append(
            f"| `{each.label}` | {average.median:.1e} | {average.lower_quartile:.1e} to {average.upper_quartile:.1e} "
            f"| {current.median:.1e} | {each.histories:,.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", nargs="*", default=[*ALGORITHMS, *VARIANTS])
    parser.add_argument("--iterations", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=20)
    arguments = parser.parse_args()
    print(table(arguments.rules, arguments.iterations, arguments.runs))


if __name__ == "__main__":
    main()
