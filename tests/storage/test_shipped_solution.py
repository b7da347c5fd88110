"""The solutions that ship: their figures, their sizes, and compact copies of them."""

import hashlib
import lzma
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from oracle.refined import Trembles, break_of_bayes, break_of_trembles, costs_of, trembles_of, weights_of
from support.slowness import slow

from tictactoe import Score, Solution, exploitability, load_solution, read_certificate, verify, verify_round
from tictactoe.algorithms.strategy import rounded_strategy
from tictactoe.games.payoffs import tic_tac_toe_round
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.match.scores import all_scores
from tictactoe.storage.compact import CompactOptions, compact_solution
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.population import CONSTANT_PLAYERS, careless_strategy, constant_strategy
from tictactoe.storage.shipped import SHIPPED, shipped_solution

BEFORE = Path(__file__).parent / "shipped_before"
README = (shipped_solution().parent / "README.md").read_text()


def section(name: str) -> str:
    _, _, text = README.partition(f"\n## {SHIPPED[name]}\n")
    return " ".join(text.partition("\n## ")[0].split())


def num_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


EVERY_ROUND = [(name, score) for name in ("shipped", "filled") for score in all_scores(5)]


@pytest.mark.parametrize(("name", "score"), slow(*EVERY_ROUND))
def test_it_is_a_sequential_equilibrium(name: str, score: Score) -> None:
    solution = load_solution(name)
    game, strategy = tic_tac_toe_round(solution.tree, solution.outcome_values(score)), solution.average_strategy[score]
    beliefs = solution.snapshot(score).beliefs
    assert beliefs is not None
    weights = weights_of(game, strategy, beliefs)
    assert break_of_bayes(game, strategy, weights) < 1e-9
    assert 50.0 * costs_of(game, strategy, weights).max() < 0.0001
    trembles = trembles_of(game, strategy, weights)
    assert isinstance(trembles, Trembles)
    assert break_of_trembles(game, strategy, weights, trembles) < 1e-6


WON_BEFORE = {
    "shipped": {"learner-100": 52.64, "learner-10": 67.41, "learner-1": 79.26, "uniform": 96.72}
    | {"naive-a": 84.99, "naive-b": 92.90, "careless": 69.89},
    "filled": {"learner-100": 51.17, "learner-10": 60.17, "learner-1": 74.29, "uniform": 96.21}
    | {"naive-a": 85.28, "naive-b": 91.84, "careless": 70.72},
}
"""The percentages of matches that what shipped before won from each player of the population."""


@pytest.mark.parametrize("name", slow("shipped", "filled"))
def test_it_wins_more_from_everybody_than_what_shipped_before(name: str) -> None:
    """The careless player slips in what shipped before; `shipped_before` has it, in steps of 1/255."""
    solution, scores = load_solution(name), sorted(all_scores(5))
    tree, packed = solution.tree, BEFORE / f"{solution.tree.rules}.xz"
    steps = np.frombuffer(lzma.decompress(packed.read_bytes()), np.uint8).reshape(len(scores), tree.num_nodes, 3)
    before = {score: rounded_strategy(tree, each / 255.0, 0.0, 52) for score, each in zip(scores, steps, strict=True)}
    players = {player: dict.fromkeys(scores, constant_strategy(player, tree)) for player in CONSTANT_PLAYERS}
    players["careless"] = {score: careless_strategy(tree, before[score]) for score in scores}
    for player, strategy in players.items():
        assert 100.0 * head_to_head(tree, solution.average_strategy, strategy, 5).wins > WON_BEFORE[name][player]


@pytest.mark.parametrize(("name", "histories"), [("shipped", 549_946), *slow(("filled", 986_410))])
def test_the_readme_is_right(name: str, histories: int) -> None:
    solution, directory = load_solution(name), shipped_solution(name)
    assert solution.winning_score == 5
    assert solution.missing_scores == solution.unconverged_scores == []
    total = best_response_over_match(solution.tree, solution.average_strategy, 5).scores[Score(0, 0)].exploitability
    assert total <= 1e-12
    wins = head_to_head(solution.tree, solution.average_strategy, UniformStrategy(solution.tree, 5), 5).wins
    assert f"wins {100 * wins:.2f} % of the matches" in section(name)
    for score, result in solution.results.items():
        game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
        gained = exploitability(game, solution.average_strategy[score]).total
        assert gained == pytest.approx(result.exploitability, abs=1e-12)
    assert solution.iterations(Score(4, 4))[:4] == [0, 1, 10, 100]
    certificate = read_certificate(directory / CERTIFICATE_FILE)
    assert len(certificate["files"]) == len(certificate["scores"]) + 1 == 26
    for file, digest in certificate["files"].items():
        assert hashlib.sha256((directory / file).read_bytes()).hexdigest() == digest
    bound = Fraction(certificate["total"]["exploitability"])
    assert bound < 1e-12
    shown = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(bound.numerator), Decimal(bound.denominator))
    assert f"at most {float(shown):.2e} in match value" in section(name)
    assert f"the tree of all {histories:,} histories" in section(name)
    assert certificate["nodes"]["unreduced"] == histories
    assert f"takes {num_bytes(directory) / 1e6:.1f} MB" in section(name)
    assert num_bytes(shipped_solution().parent) < 7_000_000


@pytest.mark.parametrize("name", slow("shipped", "filled"))
def test_its_certificate_holds(name: str) -> None:
    directory = shipped_solution(name)
    verify(read_certificate(directory / CERTIFICATE_FILE), directory)


EXACT = {"": ((-1, 13), (-1, 9)), "filled_": ((-1, 7), (-2, 9)), "filled-none_": ((-1, 17), (-1, 9))}
EXACT |= {"filled-tie_": ((0, 1), (0, 1))}


@pytest.mark.parametrize(("rules", "unreduced"), [("filled_", False), *slow(*product(EXACT, [False, True]))])
def test_the_closed_forms_are_proved_to_be_exact(rules: str, unreduced: bool) -> None:
    for name, check, value in zip(("match_to_1", "single_round"), (verify, verify_round), EXACT[rules], strict=True):
        directory = shipped_solution(f"{rules}{name}")
        certificate = read_certificate(directory / CERTIFICATE_FILE)
        check(certificate, directory, unreduced=unreduced)
        assert certificate["nodes"]["unreduced"] == (986_410 if rules else 549_946)
        (claim,) = certificate.get("scores", [certificate])
        assert Fraction(claim["lower"]) == Fraction(claim["upper"]) == Fraction(*value)


def copied(solution: Solution, directory: Path, strategy: str = "average", bits: int = 52) -> Solution:
    compact_solution(solution, directory, CompactOptions(smallest=0.0, bits=bits, strategy=strategy))
    return load_solution(directory)


def test_a_compact_copy_plays_the_same_within_rounding(tmp_path: Path) -> None:
    shipped = load_solution(shipped_solution())
    for score, bits, most in ((Score(4, 4), 52, 0.0), (Score(1, 3), 10, 2.0**-9 * 5)):
        solution = replace(shipped, results={score: shipped.results[score]})
        copy = copied(solution, tmp_path / str(bits), bits=bits)
        strategy, is_exact = copy.average_strategy[score], bits == 52
        assert ("refined" in copy.options) is (copy.snapshot(score).beliefs is not None) is is_exact
        assert np.all(solution.tree.sums_over_children(strategy) == 1.0)
        assert np.all(strategy * 2.0**bits == np.round(strategy * 2.0**bits))
        assert np.abs(strategy - solution.average_strategy[score]).max() <= most


def test_a_copy_may_play_the_current_strategy_or_the_better_one(tmp_path: Path) -> None:
    """Of 4-4 after 10 iterations: the current strategy is far better than the average there, or the other way round."""
    shipped, score = load_solution(shipped_solution()), Score(4, 4)
    solution = replace(shipped, results={score: replace(shipped.results[score], iteration=10)})
    copies = {name: copied(solution, tmp_path / name, name) for name in ("average", "current", "better")}
    measured = {name: copy.exploitability[score] for name, copy in copies.items()}
    snapshot = solution.snapshot(score)
    strategies = {"average": snapshot.average_strategy(solution.tree), "current": snapshot.current_strategy}
    for name, strategy in strategies.items():
        game = tic_tac_toe_round(solution.tree, copies[name].outcome_values(score))  # by the copy's own values
        assert measured[name] == pytest.approx(exploitability(game, strategy).total)
    least, largest = sorted((measured["average"], measured["current"]))
    assert measured["better"] == least < 0.99 * largest
    with pytest.raises(ValueError, match="strategy"):
        copied(solution, tmp_path / "other", "best")
