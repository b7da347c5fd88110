"""Figures of docs/certificate.md about the certificates that ship. tests/storage shows that these hold."""

from fractions import Fraction
from pathlib import Path

import pytest

from tictactoe import read_certificate
from tictactoe.proof.checker import BotRound, probabilities
from tictactoe.proof.checker_tree import read_rules, reduced_tree
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.shipped import shipped_solution

SOLUTIONS = shipped_solution().parent
MATCHES_TO_5 = [SOLUTIONS / "match_to_5", SOLUTIONS / "filled" / "match_to_5"]
CERTIFICATES = {path.parent: read_certificate(path) for path in sorted(SOLUTIONS.rglob(CERTIFICATE_FILE))}


def test_values_of_scores() -> None:
    """The matches to 5 have a value by Corollary 2; the other certificates need none. By filled-tie twins are equal."""
    assert len(CERTIFICATES) == 10
    for directory, certificate in CERTIFICATES.items():
        entries = certificate.get("scores", [certificate])
        if directory not in MATCHES_TO_5:
            assert all(entry["lower"] == entry["upper"] for entry in entries)
            continue
        upper = {tuple(entry["score"]): Fraction(entry["upper"]) for entry in entries}
        assert len(upper) == 25
        assert Fraction(-18, 10_000) < max(upper[a, b] + upper[b, a] for a, b in upper) < Fraction(-16, 10_000)
    (entry,) = CERTIFICATES[SOLUTIONS / "closed_forms" / "filled-tie" / "match_to_1"]["scores"]
    assert Fraction(entry["upper"]) + Fraction(entry["lower"]) == 0
    assert max(Fraction(least) for least in entry["progress"].values()) == Fraction(4, 9)


def test_the_shipped_denominators() -> None:
    entries = [entry for certificate in CERTIFICATES.values() for entry in certificate.get("scores", [certificate])]
    ways = [way for entry in entries for way in entry["arithmetic"].values()]
    assert all(way["exact"] for way in ways)
    denominators = {int(way["denominator"]) for way in ways}
    assert denominators <= {2**power for power in (0, *range(49, 53))}
    assert {min(denominators), max(denominators)} == {1, 2**52}


@pytest.mark.parametrize(("seat", "most"), [(0, "667/1440"), (1, "6481/11340")])
def test_the_first_check_of_a_program_of_your_own(seat: int, most: str) -> None:
    """An adversary in that seat gets so much against a bot all of whose weights are 0."""
    tree = reduced_tree(read_rules("three-in-a-row"))
    bot = probabilities(tree, [[0] * tree.num_nodes] * 3, 1 - seat)
    sign = 1 - 2 * seat
    assert BotRound(tree, bot).best_response([Fraction(sign * value) for value in (0, 1, -1, 0)]) == Fraction(most)
    assert most in (Path(__file__).parents[2] / "docs" / "certificate.md").read_text()
