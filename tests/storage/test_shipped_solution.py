"""The solution that ships: its figure, its size, and that it comes with the program."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tictactoe import StoreError, load_solution
from tictactoe.algorithms.best_response import exploitability
from tictactoe.games.goals import OutcomeValues
from tictactoe.games.tic_tac_toe import tic_tac_toe_round
from tictactoe.match.best_response_over_match import best_response_over_match
from tictactoe.match.head_to_head import UniformStrategy, head_to_head
from tictactoe.match.scores import Score, outcome_values, pairs_in_solve_order
from tictactoe.proof.certificate import verify
from tictactoe.proof.certificate_format import read_certificate
from tictactoe.proof.round_certificate import verify_round
from tictactoe.storage.compact import CompactOptions, compact_solution
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.shipped import SHIPPED, shipped_solution

README = (shipped_solution().parent / "README.md").read_text()


def section(name: str) -> str:
    """What the README says of a solution, on one line."""
    _, _, text = README.partition(f"\n## {SHIPPED[name]}\n")
    return " ".join(text.partition("\n## ")[0].split())


@pytest.mark.parametrize("name", ["shipped", "filled"])
def test_it_is_exact_and_punishes_mistakes_as_its_readme_says(name: str) -> None:
    solution = load_solution(name)
    assert solution.winning_score == 5
    assert solution.missing_scores == solution.unconverged_scores == []
    total = best_response_over_match(solution.tree, solution.average_strategy, 5).scores[Score(0, 0)].exploitability
    assert total <= 1e-12
    uniform = UniformStrategy(solution.tree, 5)
    wins = head_to_head(solution.tree, solution.average_strategy, uniform, 5).wins
    assert f"wins {100 * wins:.2f} % of the matches" in section(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["shipped", "filled"])
def test_its_certificate_holds(name: str) -> None:
    """By default those of the closed forms do: a test below."""
    directory = shipped_solution(name)
    verify(read_certificate(directory / CERTIFICATE_FILE), directory)


@pytest.mark.parametrize(("name", "histories"), [("shipped", 549_946), ("filled", 986_410)])
def test_its_certificate_is_of_its_files_and_is_what_its_readme_says(name: str, histories: int) -> None:
    directory = shipped_solution(name)
    certificate = read_certificate(directory / CERTIFICATE_FILE)
    assert len(certificate["files"]) == len(certificate["scores"]) + 1 == 26
    for file, digest in certificate["files"].items():
        assert hashlib.sha256((directory / file).read_bytes()).hexdigest() == digest
    total = Fraction(certificate["total"]["exploitability"])
    assert total < 1e-12
    shown = Context(prec=3, rounding=ROUND_CEILING).divide(Decimal(total.numerator), Decimal(total.denominator))
    assert f"at most {float(shown):.2e} in match value" in section(name)
    assert f"the tree of all {histories:,} histories" in section(name)
    assert certificate["nodes"]["unreduced"] == histories


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("match_to_1", Fraction(-1, 13)),
        ("single_round", Fraction(-1, 9)),
        ("filled_match_to_1", Fraction(-1, 7)),
        ("filled_single_round", Fraction(-2, 9)),
        ("filled-none_match_to_1", Fraction(-1, 17)),
        ("filled-none_single_round", Fraction(-1, 9)),
        ("filled-tie_match_to_1", Fraction(0)),
        ("filled-tie_single_round", Fraction(0)),
    ],
)
def test_the_closed_forms_are_proved_to_be_exact(name: str, value: Fraction) -> None:
    directory, is_match = shipped_solution(name), name.endswith("match_to_1")
    certificate = read_certificate(directory / CERTIFICATE_FILE)
    (verify if is_match else verify_round)(certificate, directory, unreduced=not name.startswith("filled"))
    assert certificate["nodes"]["unreduced"] == (986_410 if name.startswith("filled") else 549_946)
    claim = certificate["scores"][0] if is_match else certificate
    assert Fraction(claim["lower"]) == Fraction(claim["upper"]) == value


def test_the_values_are_those_of_the_closed_form() -> None:
    """docs/closed-forms.md: two formulas give the values of all scores, from the last one backwards."""
    values: dict[Score, float] = {Score(4, 4): -1 / 13}
    for pair in pairs_in_solve_order(5)[1:]:
        values |= dict.fromkeys(pair, 0.0)
        for _ in range(200):  # the formulas contract: the chance that nobody scores is below 1/2
            values |= {score: closed_form(outcome_values(score, values, 5)) for score in pair}
    found = load_solution(shipped_solution()).value
    assert {score: found[score] for score in values} == pytest.approx(values, abs=1e-14)
    assert values[Score(4, 3)] == pytest.approx((6263 - 216 * 670**0.5) / 1027, abs=1e-14)


def test_the_values_of_filled_are_those_of_its_closed_form() -> None:
    """docs/closed-forms.md: one linear formula, hence fractions."""
    values: dict[Score, float] = {}
    for pair in pairs_in_solve_order(5):
        values |= dict.fromkeys(pair, 0.0)
        for _ in range(100):
            for score in pair:
                both, first, second, neither = outcome_values(score, values, 5)
                values[score] = (3 * both + first + 3 * second + 2 * neither) / 9
    assert load_solution("filled").value == pytest.approx(values, abs=1e-14)
    assert values[Score(0, 0)] == pytest.approx(-61530479341063 / 1235736291547681, abs=1e-15)


def closed_form(values: OutcomeValues) -> float:
    both, first, second, neither = values
    result = 3 * both + 2 * first + 3 * second + neither
    if both > neither:
        result -= (both - neither) * (first - neither) / (first - second + both - neither)
    return result / 9


@pytest.mark.parametrize("name", ["shipped", "filled"])
def test_every_round_is_as_good_as_it_claims(name: str) -> None:
    solution = load_solution(name)
    for score, result in solution.results.items():
        game = tic_tac_toe_round(solution.tree, solution.outcome_values(score))
        found = exploitability(game, solution.average_strategy[score]).total
        assert found == pytest.approx(result.exploitability, abs=1e-12)


@pytest.mark.parametrize("name", ["shipped", "filled"])
def test_it_has_the_iterations_of_the_last_score(name: str) -> None:
    assert load_solution(name).iterations(Score(4, 4))[:4] == [0, 1, 10, 100]


def num_bytes(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def test_all_that_ships_is_small() -> None:
    assert num_bytes(shipped_solution().parent) < 6_000_000
    for name in ("shipped", "filled"):
        assert f"takes {num_bytes(shipped_solution(name)) / 1e6:.1f} MB" in section(name)


def test_a_compact_copy_plays_the_same_within_rounding(tmp_path: Path) -> None:
    """From the shipped one: with as many bits nothing changes, with fewer a little."""
    shipped = load_solution(shipped_solution())
    for score, bits, most in ((Score(4, 4), 52, 0.0), (Score(1, 3), 10, 2.0**-9 * 5)):
        solution = replace(shipped, results={score: shipped.results[score]})
        compact_solution(solution, tmp_path / str(bits), CompactOptions(smallest=0.0, bits=bits))
        strategy = load_solution(tmp_path / str(bits)).average_strategy[score]
        assert np.all(solution.tree.sums_over_children(strategy) == 1.0)
        assert np.all(strategy * 2.0**bits == np.round(strategy * 2.0**bits))
        assert np.abs(strategy - solution.average_strategy[score]).max() <= most
    with pytest.raises(StoreError, match="--restart"):
        compact_solution(solution, tmp_path / "52", CompactOptions(smallest=0.0, bits=52))


def test_a_copy_may_play_the_current_strategy_or_the_better_one(tmp_path: Path) -> None:
    """Of 4-4 after 10 iterations: the current strategy is far better than the average there, or the other way round."""
    shipped, score = load_solution(shipped_solution()), Score(4, 4)
    solution = replace(shipped, results={score: replace(shipped.results[score], iteration=10)})
    measured, games = [], []
    for strategy in ("average", "current", "better"):
        compact_solution(solution, tmp_path / strategy, CompactOptions(smallest=0.0, bits=52, strategy=strategy))
        copied = load_solution(tmp_path / strategy)
        measured.append(copied.exploitability[score])
        games.append(tic_tac_toe_round(solution.tree, copied.outcome_values(score)))  # by the copy's own values
    average, current, better = measured
    snapshot = solution.snapshot(score)
    assert average == pytest.approx(exploitability(games[0], snapshot.average_strategy(solution.tree)).total)
    assert current == pytest.approx(exploitability(games[1], snapshot.current_strategy).total)
    assert better == min(average, current) < 0.99 * max(average, current)
    with pytest.raises(ValueError, match="strategy"):
        compact_solution(solution, tmp_path / "other", CompactOptions(smallest=0.0, bits=52, strategy="best"))
