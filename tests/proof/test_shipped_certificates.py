"""What docs/certificate.md says, in figures, of the certificates that ship. That they hold tests/storage shows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tictactoe.proof.certificate_format import read_certificate
from tictactoe.proof.checker import BotRound, probabilities
from tictactoe.proof.checker_rules import read_rules
from tictactoe.proof.checker_tree import reduced_tree
from tictactoe.storage.directory_layout import CERTIFICATE_FILE
from tictactoe.storage.shipped import shipped_solution

SOLUTIONS = shipped_solution().parent
MATCHES_TO_5 = [SOLUTIONS / "match_to_5", SOLUTIONS / "filled" / "match_to_5"]
CERTIFICATES = sorted(SOLUTIONS.rglob(CERTIFICATE_FILE))


def by_score(path: Path, name: str) -> dict[tuple[int, ...], Fraction]:
    """One field of a certificate of a match."""
    return {tuple(entry["score"]): Fraction(entry[name]) for entry in read_certificate(path)["scores"]}


@pytest.mark.parametrize("directory", MATCHES_TO_5, ids=lambda path: str(path.relative_to(SOLUTIONS)))
def test_the_matches_to_5_have_a_value_by_corollary_3(directory: Path) -> None:
    """upper(a, b) + upper(b, a) < 0: moving first twice, once from either side, is a loss."""
    upper = by_score(directory / CERTIFICATE_FILE, "upper")
    assert len(upper) == 25
    largest = max(upper[a, b] + upper[b, a] for a, b in upper)
    assert Fraction(-18, 10_000) < largest < Fraction(-16, 10_000)


def test_no_other_certificate_that_ships_needs_a_corollary() -> None:
    """Of the others every score, or the round, has lower = upper."""
    others = [path for path in CERTIFICATES if path.parent not in MATCHES_TO_5]
    assert len(others) == 8
    for path in others:
        certificate = read_certificate(path)
        for entry in certificate.get("scores", [certificate]):
            assert entry["lower"] == entry["upper"]


def test_the_shipped_denominators() -> None:
    """Everything is exact, over 1 or over a power of two of at most 53 bits."""
    found: set[int] = set()
    for path in CERTIFICATES:
        certificate: dict[str, Any] = read_certificate(path)
        for entry in certificate.get("scores", [certificate]):
            assert all(way["exact"] for way in entry["arithmetic"].values())
            found |= {int(way["denominator"]) for way in entry["arithmetic"].values()}
    assert found <= {2**power for power in (0, *range(49, 53))}
    assert {min(found), max(found)} == {1, 2**52}


def test_twins_are_equal_by_filled_tie() -> None:
    """Which is why the checker asks for progress, and not, with Corollary 1, for W(x) != W(x')."""
    path = SOLUTIONS / "closed_forms" / "filled-tie" / "match_to_1" / CERTIFICATE_FILE
    assert by_score(path, "upper")[0, 0] + by_score(path, "lower")[0, 0] == 0
    (entry,) = read_certificate(path)["scores"]
    assert max(Fraction(least) for least in entry["progress"].values()) == Fraction(4, 9)


@pytest.mark.parametrize(("seat", "most"), [(0, "667/1440"), (1, "6481/11340")])
def test_the_first_check_of_a_program_of_your_own(seat: int, most: str) -> None:
    """What an adversary in that seat gets against a bot all of whose weights are 0."""
    tree = reduced_tree(read_rules("three-in-a-row"))
    bot = probabilities(tree, [[0] * tree.num_nodes] * 3, 1 - seat)
    sign = 1 - 2 * seat
    found = BotRound(tree, bot).best_response([Fraction(sign * value) for value in (0, 1, -1, 0)])
    assert found == Fraction(most)
    assert most in (Path(__file__).parents[2] / "docs" / "certificate.md").read_text()
