"""The tower of fields that the values of a match to 5 generate: the proofs of research/closed_forms/tower.py."""

from __future__ import annotations

import random
from decimal import Decimal, localcontext
from fractions import Fraction

import balls
import conjugates
import enclosures
import equations
import field
import numpy as np
import polynomials
import pytest
import tower
import witnesses

from tictactoe.games.rules import RESULTS
from tictactoe.match.scores import Score, all_scores, continuation, pair_of

ROOTS = {
    (4, 4): 0, (4, 3): 1, (3, 3): 2, (4, 2): 2, (4, 1): 3, (3, 2): 4, (4, 0): 4, (3, 1): 6, (2, 2): 5, (3, 0): 8,
    (2, 1): 8, (2, 0): 11, (1, 1): 9, (1, 0): 13, (0, 0): 14,
}  # fmt: skip
"""The square roots that a score and its twin depend on, as Theorem 8 of docs/paper/paper.pdf says."""
POLYNOMIALS = {
    (4, 3): (100831, -162838, 13351),
    (3, 4): (18631, 35438, 13351),
    (3, 3): (34942371169, 1166736130924, 1280447657502, 360142530748, 21568153321),
    (2, 4): (287909115649, 5076706318996, 10063916644470, 6324884956468, 1112453263441),
    (4, 2): (-212438398328159, 399893908576396, -204041007229098, 24047901359404, 1112453263441),
}
"""The constant coefficient first."""


@pytest.fixture(name="many", scope="module")
def _many() -> dict:
    """The conjugates of all values."""
    return conjugates.conjugates(5)


def outcome_values(score: Score, values: dict) -> tuple:
    following = (continuation(score, *scored, 5) for scored in RESULTS)
    return tuple(sign if after is None else sign * values[after] for sign, after in following)


# Equations


def test_the_equations_are_the_formulas() -> None:
    """At fractions that have nothing to do with the values: an identity."""
    rng = random.Random(1)
    for pair in equations.pairs_with_roots(5):
        values = {score: Fraction(rng.randrange(-99, 100), 100) for score in all_scores(5)}
        y = Fraction(7 * rng.randrange(-9, 10) + 1, 7)
        values |= equations.values_of(pair, y, values, 5)
        if len(pair) == 2:
            both, first, second, neither = outcome_values(pair[1], values)
            assert 9 * y == 3 * both + 2 * first + 3 * second + neither
        both, first, second, neither = outcome_values(pair[0], values)
        quotient = (both - neither) * (first - neither) / (first - second + both - neither)
        nine = 3 * both + 2 * first + 3 * second + neither - quotient
        excess = (9 * values[pair[0]] - nine) * (first - second + both - neither)
        assert equations.equation(pair, values, 5).at(y) == (excess if len(pair) == 1 else -excess)


def test_which_roots_a_score_depends_on() -> None:
    assert {pair[0]: len(roots) for pair, roots in equations.roots_below(5).items()} == ROOTS


# Primes


def test_a_prime_for_every_root() -> None:
    found = witnesses.find_witnesses(5)
    assert [len(witness.residues) for witness in found] == list(range(14))
    assert all(witnesses.proves(witness, 5) for witness in found)


def test_what_is_no_witness() -> None:
    witness, proves = witnesses.Witness, witnesses.proves
    last = witnesses.find_witnesses(5)[-1]
    for number in range(13):  # a residue that is no root
        residues = [residue + (place == number) for place, residue in enumerate(last.residues)]
        assert not proves(witness(last.prime, tuple(residues)), 5)
    assert not any(proves(witness(prime, ()), 5) for prime in (1, 2, 9, 11, 13, 15, 79))
    # 670 is a square modulo 3, 0 modulo 5, none modulo 7.
    assert [proves(witness(prime, ()), 5) for prime in (3, 5, 7)] == [False, False, True]


@pytest.mark.parametrize(("prime", "residues"), [(5, (1, 2)), (31, (16, 9)), (67, (2, 40))])
def test_a_discriminant_that_is_0_proves_nothing_about_later_ones(prime: int, residues: tuple[int, ...]) -> None:
    """The residues are roots, and the next discriminant is no square: all is well, but for a 0 on the way."""
    pairs = equations.pairs_with_roots(5)
    values, discriminants = witnesses.last_value_modulo(prime, 5), []
    for pair, y in zip(pairs, (*residues, None), strict=False):
        equation = equations.equation(pair, values, 5)
        discriminants.append(equation.discriminant % prime)
        if y is not None:
            assert equation.at(y) % prime == 0
            values |= equations.values_of(pair, y, values, 5)
    assert 0 in discriminants[:-1]
    assert pow(discriminants[-1], prime // 2, prime) == prime - 1
    assert not witnesses.proves(witnesses.Witness(prime, residues), 5)


# Conjugates


def test_the_conjugates_of_every_value_are_different(many: dict) -> None:
    for score, points in many.items():
        assert conjugates.number_of(points) == 2 ** ROOTS[pair_of(score)[0]]
        if score != (4, 4):
            assert 0 < conjugates.least_distance(points) < 12


def test_conjugates_that_are_not_real(many: dict) -> None:
    """They come in pairs. That there are 4 at 2-2 says Sturm's theorem, too, for its polynomial of degree 32."""
    assert all(conjugates.number_not_real(points) % 2 == 0 for points in many.values())
    assert conjugates.number_not_real(many[Score(2, 2)]) == 4
    assert conjugates.number_not_real(many[Score(3, 1)]) == 0


def test_conjugates_that_are_the_same_are_noticed(many: dict) -> None:
    one = many[Score(2, 2)]
    assert conjugates.least_distance(one) > 0
    twice = balls.Ball(*(np.stack([part, part]) for part in (one.real, one.imaginary, one.radius)))
    with pytest.raises(balls.Undecided):
        conjugates.least_distance(twice)


def test_the_least_distance() -> None:
    """The first and the last point are closest, though others are closer in their real parts."""
    points = [(0, 0), (1, 50), (2, -50), (3, 90), (4, 3)]
    parts = [np.array(part, dtype=object) << 400 for part in zip(*points, strict=True)]
    distance = conjugates.least_distance(balls.Ball(*parts, 1 << 399))
    assert abs(distance - 4) < Fraction(1, 10**100)


@pytest.mark.parametrize("score", POLYNOMIALS)
def test_the_conjugates_are_the_roots_of_the_polynomial(many: dict, score: tuple[int, int]) -> None:
    polynomial, product = POLYNOMIALS[score], [1]
    for root in conjugates.as_list(many[Score(*score)]):
        product = [low - root * high for low, high in zip([0, *product], [*product, 0], strict=True)]
    for found, coefficient in zip(product[:-1], polynomial, strict=False):
        center, radius = found.enclosed()
        assert abs(center - Fraction(coefficient, polynomial[-1])) <= radius < Fraction(1, 10**100)


# Polynomials and radicals


def test_minimal_polynomials_and_radicals() -> None:
    roots, values = field.exact_values(5, 3)
    for score, polynomial in POLYNOMIALS.items():
        value = values[Score(*score)]
        assert polynomials.minimal_polynomial(value) == list(polynomial)
        assert polynomials.at(polynomial, value) == 0
        assert polynomials.at([polynomial[0] + 1, *polynomial[1:]], value) != 0
    radicals = {score: polynomials.radical(values[Score(*score)], roots[0]) for score in [*POLYNOMIALS][:-1]}
    assert radicals == {
        (4, 3): (670, 6263, -216, 0, 0, 1027),
        (3, 4): (670, -1363, 24, 0, 0, 1027),
        (3, 3): (670, -47159, 1512, 1351890684, -49954320, 11297),
        (2, 4): (670, -115321, 1020, 9424829808, -355463136, 81133),
    }
    with localcontext() as context:
        context.prec = 60
        for point in enclosures.points(5):
            if point.score in radicals:
                m, rational, by_root, under, under_root, denominator = map(Decimal, radicals[point.score])
                value = rational + by_root * m.sqrt() + (under + under_root * m.sqrt()).sqrt()
                assert abs(Fraction(value / denominator) - point.value) < Fraction(1, 10**48)


def test_degrees_without_any_balls() -> None:
    """A product of all conjugates is a power of the minimal polynomial, and those here have no root twice: not even
    modulo a prime, where Euclid's algorithm for them and their derivatives ends with a constant."""
    prime = 10**9 + 7
    _, values = field.exact_values(5, 6)
    for score, value in values.items():
        polynomial = polynomials.minimal_polynomial(value)
        assert len(polynomial) == 1 + 2 ** ROOTS[pair_of(score)[0]]
        assert degree_of_common_divisor(polynomial, derivative(polynomial), prime) == 0
        twice = polynomials.product(polynomial, polynomial)
        assert degree_of_common_divisor(twice, derivative(twice), prime) == len(polynomial) - 1


def derivative(polynomial: list) -> list:
    return [degree * int(coefficient) for degree, coefficient in enumerate(polynomial)][1:]


def degree_of_common_divisor(one: list, two: list, prime: int) -> int:
    one, two = ([int(coefficient) % prime for coefficient in polynomial] for polynomial in (one, two))
    while any(two):
        while two[-1] == 0:
            two.pop()
        while len(one) >= len(two):
            factor = one.pop() * pow(two[-1], -1, prime)
            for place in range(1, len(two)):
                one[-place] = (one[-place] - factor * two[-1 - place]) % prime
        one, two = two, one
    return len(one) - 1


def test_the_equations_hold_in_the_field() -> None:
    """Of 4-1, whose degree is 8: the round's formula in exact numbers."""
    _, values = field.exact_values(5, 5)
    both, first, second, neither = outcome_values(Score(4, 1), values)
    nine = 3 * both + 2 * first + 3 * second + neither
    denominator = first - second + both - neither
    assert (nine - 9 * values[Score(4, 1)]) * denominator == (both - neither) * (first - neither)
    assert len(polynomials.minimal_polynomial(values[Score(1, 4)])) == 9


# The script


def test_the_script_prints_it_all(capsys: pytest.CaptureFixture[str]) -> None:
    tower.main()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines[1 : 1 + 25]) == 25
    assert lines[25].split()[:3] == ["0-0", "14", "16384"]
    assert lines[25].endswith(" -0.0219320996683130820391747008606103407253")
    assert "4-3: a root of 13351 x^2 - 162838 x + 100831" in lines
    start = next(number for number, line in enumerate(lines) if "the other root" in line)
    roots = [[float(number) for number in line.split()[-3:]] for line in lines[start + 1 : start + 15]]
    assert all(other < between < value for other, between, value in roots)
    assert roots[-1] == [-0.78657, -0.024952, -0.021932]
