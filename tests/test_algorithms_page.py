"""docs/algorithms.md, research-notes.md, glossary.md: defaults, small tables and names, held to the code."""

import math
import re
import tomllib
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest
from support.pages import ROOT, rows_after

import tictactoe
from tictactoe import ALGORITHMS, SINGLE_ROUND, CFRSolver, GameTree, kuhn_poker, tic_tac_toe_round, update_rule
from tictactoe.algorithms.strategy import expected_values
from tictactoe.algorithms.update_rules import FULL_WIDTH_ALGORITHMS

# Minus sign, Greek letters and the raised plus, as a keyboard has them.
PLAIN = str.maketrans({"\u2212": "-", "\u03b1": "alpha", "\u03b2": "beta", "\u03b3": "gamma", "\u207a": "+"})


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8").translate(PLAIN)


PAGE, NOTES, GLOSSARY = page("algorithms"), page("research-notes"), page("glossary")


def family() -> dict[str, list[str]]:
    return {re.findall("`([^`]+)`", name)[0]: cells for name, *cells in rows_after(PAGE, "| `--algorithm` |")}


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_defaults_of_the_family(algorithm: str) -> None:
    """tests/algorithms has the formulas of the table, as the page gives them."""
    defaults = family()[algorithm][3]
    said = re.findall(r"(\w+) ([\d.,/]*\d)", re.sub(r"\bn ", "schedule_horizon ", defaults))
    discounts = {name: f"discount_{name}" for name in ("alpha", "beta", "gamma")}
    parameters = {discounts.get(name, name): float(Fraction(value.replace(",", ""))) for name, value in said}
    assert parameters.items() <= dict(update_rule(algorithm).parameters).items()


def test_the_table_of_the_family_is_complete() -> None:
    assert tuple(family()) == ALGORITHMS
    assert "alpha = 1 + 3p and beta = -1 - 2p with p = min((t-1)/n, 1)" in PAGE
    assert "product over u = 2 … t of (u/(u-1))^(30 - 5·min(u/n, 1))" in PAGE
    assert [name for name in ALGORITHMS if "since the restart" in family()[name][2]] == [
        name for name in ALGORITHMS if any(islice(update_rule(name).restarts(), 1))
    ]


def test_smooth_average_and_restarts() -> None:
    """tests/algorithms has restarts and averages themselves."""
    for name in ALGORITHMS:
        assert update_rule(name).averages_twice == ("(T-t)" in family()[name][2])
    for pattern, algorithm, number in (
        (r"after ([\d, ]+), … iterations `rdcfr`", "rdcfr", 4),
        (r"restarts twice, after ([\d,]+ and after [\d,]+) iterations", "rpcfr+", 3),
    ):
        (said,) = re.findall(pattern, PAGE.replace("\n", " "))
        iterations = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]*\d", said)]
        assert iterations == [after for after, _ in islice(update_rule(algorithm).restarts(), number)]


def test_the_condition_of_the_theorem() -> None:
    """Of the table of proofs: where the discounts stand to the averaging weights as the theorem wants."""
    proofs = {re.findall("`([^`]+)`", name)[0]: cells for name, *cells in rows_after(PAGE, "| rule | simultaneous")}
    assert tuple(proofs) == ALGORITHMS
    for name, (simultaneous, alternating) in proofs.items():
        rule = update_rule(name)
        positive, negative, floor, _, prediction, weights, *_ = rule.coefficients(1, 3000).T
        share, restarts = weights[:-1] / weights[1:], {after for after, _ in islice(rule.restarts(), 9)}
        assert {*np.flatnonzero(positive[1:] < share - 1e-15) + 1} <= restarts
        late = np.flatnonzero((negative[1:] > share + 1e-15) & (floor[1:] < 0)) + 1
        assert restarts or re.findall(r"from t = (\d+) on", simultaneous) == [str(late.max(initial=0) + 1)][: len(late)]
        assert ("no proof" in simultaneous) == (len(restarts) == 9)
        assert ("no proof" in alternating) == (bool(restarts) or prediction.any() or rule.samples)
    (shares,) = rows_after(PAGE, "| k | 1 | 2 |")
    kept = [math.exp(-np.log1p(np.arange(k, 1e6) ** -1.5).sum() - 2e-3) for k in (1, 2, 3, 10, 100, 1000)]
    assert shares[1:] == [f"{share:.3f}" for share in kept], "of a positive regret, for ever"


@pytest.mark.parametrize(("algorithm", "loses"), [("cfr", 0.0), ("dcfr", 0.0), ("pcfr+", 0.004)])
def test_no_update_without_prediction_loses(algorithm: str, loses: float) -> None:
    game, worst = kuhn_poker(), 0.0
    solver = CFRSolver(game, update_rule(algorithm), alternate_updates=False)
    for _ in range(200):
        old = solver.state().current_strategy.copy()
        solver.run(1)
        for player, sign in ((0, 1), (1, -1)):
            new = np.where((game.tree.mover == player)[:, None], solver.state().current_strategy, old)
            after, before = (expected_values(game.tree, each, game.payoffs)[0] for each in (new, old))
            worst = min(worst, sign * float((game.prior * (after - before)).sum()))
    assert -worst == pytest.approx(loses, abs=5e-4 if loses else 1e-12)


def same_figure(measured: float, said: str) -> bool:
    """To the digits that stand there; what is nearly nothing, which rounding decides, by a factor of a hundred."""
    if float(said) < 1e-9:
        return measured < 100 * float(said)
    return math.isclose(measured, float(said), rel_tol=0.051 / float(said[0]) + 0.01)


def test_the_table_of_kuhn_poker() -> None:
    for name, *figures in rows_after(NOTES, "| iterations | 100 | 200 | 400 | 800 | 1,600 | 3,200 |"):
        algorithm, _, updates = name.partition(", ")
        solver = CFRSolver(kuhn_poker(), update_rule(algorithm), alternate_updates=updates != "simultaneous updates")
        for doublings, said in enumerate(figures):
            solver.run(100 * 2**doublings - solver.iteration)
            assert same_figure(solver.evaluate().average_exploitability, said), (name, solver.iteration)


def test_current_strategies_on_the_round_on_its_own() -> None:
    """One of the rows of the table after 2,000 iterations; cfr+ is where average and current are furthest apart."""
    rows = {name.strip("`"): figures for name, *figures in rows_after(PAGE, "| | average | current |")}
    assert tuple(rows) == FULL_WIDTH_ALGORITHMS
    solver = CFRSolver(tic_tac_toe_round(GameTree.build(), SINGLE_ROUND), update_rule("cfr+"))
    solver.run(2000)
    measured = solver.evaluate()
    average, current = rows["cfr+"]
    assert same_figure(measured.average_exploitability, average)
    assert same_figure(measured.current_exploitability, current)


def test_names_of_the_glossary_exist() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    source = (ROOT / "tictactoe" / "algorithms" / "kernels.py").read_text(encoding="utf-8")
    cells = [line.strip("|").split("|")[-1] for line in GLOSSARY.splitlines() if line.startswith("|")]
    names = [name for cell in cells for name in re.findall("`([^`]+)`", cell)]
    assert len(names) > 40
    for name in names:
        if name in ("discount_alpha", "discount_beta", "discount_gamma", "schedule_horizon"):
            assert any(name in update_rule(algorithm).parameters for algorithm in ALGORITHMS)
        elif name.endswith(".py"):
            assert (ROOT / "tictactoe" / name).exists(), name
        elif name in ("reach", "value", "regret", "predicted"):
            assert re.search(rf"\b{name}\b", source), name
        else:
            assert name in scripts or exists(name), name
    tree = GameTree.build()
    for number in (tree.num_nodes, tree.num_decision_nodes, 3 * tree.num_decision_nodes):
        assert f"{number:,}" in GLOSSARY


def exists(name: str) -> bool:
    first, *rest = name.split(".")
    if not rest:
        return hasattr(tictactoe, first)
    owner = getattr(tictactoe, first)
    return hasattr(owner, rest[0]) or rest[0] in getattr(owner, "__annotations__", {})


def test_players_have_the_names_of_the_glossary() -> None:
    for name in ("algorithms", "how-it-works", "certificate", "closed-forms", "rules", "opponents", "research-notes"):
        text = re.sub("^    .*$", "", page(name).lower(), flags=re.MULTILINE)  # without what commands print
        assert re.findall(r"players? (?:1|2|one|two)\b|(?:first|second) player\b", text) == [], name
