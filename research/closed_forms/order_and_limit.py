"""The constants of the theorems on long matches, checked exactly: python research/closed_forms/order_and_limit.py

docs/paper/paper.pdf proves that V(n, n) is of the order of 1/sqrt(n), that sqrt(n) V(n, n) has a limit, and that the
formulas of the rules `filled` and `filled-none` hold at every length. Each function here checks one step of a proof,
in fractions or with enclosures; all take a second. A step that fails raises ArithmeticError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product, zip_longest
from math import comb, isqrt

from enclosures import points

from tictactoe.formulas.match_values import values_by_formula
from tictactoe.match.scores import Score

Numbers = Sequence[Fraction]
PI = (Fraction(314159, 100000), Fraction(314160, 100000))
"""Less than pi, and more."""
NOT_NEGATIVE = ([1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1])
"""a, g and l, of (a, G, g, L, l)."""


def check(holds: bool, what: str) -> None:
    if not holds:
        raise ArithmeticError(f"this does not hold: {what}")


def not_negative(coefficients: Numbers, start: Fraction, end: Fraction, depth: int = 30) -> bool:
    """Whether Bernstein coefficients show that the polynomial (constant first) is not negative from `start` to `end`.
    Where they do not, those of both halves may, down to `depth` halvings."""
    degree = len(coefficients) - 1
    moved = [
        sum((coefficients[k] * comb(k, i) * start ** (k - i) for k in range(i, degree + 1)), Fraction(0))
        * (end - start) ** i
        for i in range(degree + 1)
    ]
    bernstein = [
        sum((moved[i] * Fraction(comb(k, i), comb(degree, i)) for i in range(k + 1)), Fraction(0))
        for k in range(degree + 1)
    ]
    if min(bernstein) >= 0:
        return True
    middle = (start + end) / 2
    return depth > 0 and all(not_negative(coefficients, *part, depth - 1) for part in ((start, middle), (middle, end)))


def multiplied(one: Numbers, other: Numbers) -> list[Fraction]:
    result = [Fraction(0)] * (len(one) + len(other) - 1)
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            result[i + j] += a * b
    return result


def added(polynomials: Sequence[Numbers]) -> list[Fraction]:
    return [sum(terms, Fraction(0)) for terms in zip_longest(*polynomials, fillvalue=Fraction(0))]


def difference(one: Numbers, other: Numbers) -> list[Fraction]:
    return added([one, [-number for number in other]])


def check_two_rounds() -> None:
    """Check the step of two rounds: its law, its characteristic function in y = sin^2(t/2), and the bounds of that."""
    first, second = {1: 2, -1: 3, 0: 4}, {1: 3, -1: 2, 0: 4}
    law = {k: sum(first[a] * second[k - a] for a in first if k - a in second) for k in range(-2, 3)}
    check(law == {-2: 6, -1: 20, 0: 29, 1: 20, 2: 6}, "the law of two rounds, in 81ths")
    cosine = [Fraction(1), Fraction(-2)]
    double = difference(multiplied([Fraction(2)], multiplied(cosine, cosine)), [Fraction(1)])
    terms = [[Fraction(29)], multiplied([Fraction(40)], cosine), multiplied([Fraction(12)], double)]
    phi = multiplied([Fraction(1, 81)], added(terms))
    check(phi == [1, Fraction(-176, 81), Fraction(96, 81)], "the characteristic function")
    one_less = [Fraction(1), Fraction(-1)]
    powers = [[Fraction(1)]]
    for _ in range(5):
        powers.append(multiplied(powers[-1], one_less))
    zero, one, most = Fraction(0), Fraction(1), Fraction(14, 15)
    check(not_negative(difference(powers[2], phi), zero, most), "phi <= (1 - y)^2 for y <= 14/15")
    check(not_negative(difference([Fraction(1, 81)], phi), most, one), "phi <= 1/81 for y >= 14/15")
    check(not_negative(difference(multiplied(phi, phi), powers[5]), zero, one), "phi^2 >= (1 - y)^5")
    kernel = [[Fraction(6)], multiplied([Fraction(8)], cosine), multiplied([Fraction(2)], double)]
    check(added(kernel) == multiplied([Fraction(16)], powers[2]), "6 + 8 cos t + 2 cos 2t = 16 (1 - y)^2")


def root_of(number: Fraction, upwards: bool) -> Fraction:
    """The square root, rounded down or up to a multiple of 1e-12."""
    scaled = number * 10**24
    root = isqrt(scaled.numerator // scaled.denominator)
    return Fraction(root + upwards, 10**12)


def upper_bound(n: int) -> Fraction:
    """More than sqrt(n) v_n, if sqrt(m) v_m <= 2 for m < n; it falls with n."""
    survival = root_of(4 * n / (PI[0] * (n - 2)), True)
    late = root_of(4 * n / (PI[0] * (Fraction(n, 2) - 2)), True)
    return survival + (root_of(Fraction(8), True) + late) / 10


def lower_bound(n: int) -> Fraction:
    """Less than sqrt(n) v_n, if sqrt(m) v_m <= 2 for m < n; it grows with n."""
    survival = root_of(Fraction(16, 9) ** 2 * 2 * n / (Fraction(5, 2) * PI[1] * (3 * n + 1)), False)
    slow = Fraction(8, 3) / n / root_of(Fraction(n), False)
    late = root_of(4 * n / (PI[0] * (Fraction(n, 2) - 2)), True)
    return survival - slow - (root_of(Fraction(8), True) * Fraction(2, 3) + late) / 10


def check_leads_of_one(longest: int = 20) -> list[tuple[Fraction, Fraction]]:
    """Check 1/10 <= sqrt(n) v_n <= 2, where v_n = V(n - 1, n): bounds show it from n = 6 and n = 20 on, enclosures
    below. Returns the enclosures of v_n, n = 2, 3, ..., each a center and a radius."""
    check(upper_bound(6) <= 2 and upper_bound(5) > 2, "the upper bound begins with n = 6")
    check(lower_bound(20) >= Fraction(1, 10), "the lower bound begins with n = 20")
    found = {one.score: one for one in points(longest)}
    values = [found[Score(longest - n + 1, longest - n)] for n in range(2, longest + 1)]
    for n, one in enumerate(values, 2):
        low, high = one.value - one.error, one.value + one.error
        check(low > 0 and low * low * n >= Fraction(1, 100) and high * high * n <= 4, f"v_{n} in the bounds")
    return [(one.value, one.error) for one in values]


def check_room() -> Fraction:
    """Check the induction of every length: 2E - 3x - 5y is at least a part of E. Returns this part."""
    gain, loss = Fraction(14, 79), Fraction(64, 395)  # of 16 (2E - 3x - 5y), at least
    most_gain, most_loss = 5 + Fraction(24, 79), Fraction(56, 5)  # of 16 E, at most
    check(11 + Fraction(1, 5) <= most_loss, "16 E without the twin's correction")
    a_left = Fraction(40, 79) - Fraction(3, 10)
    check(a_left > 0 and 11 + Fraction(1, 5) - Fraction(24, 79) + a_left * 2 / 3 <= most_loss, "16 E with it")
    part = min(gain / most_gain, loss / most_loss)
    check(part == Fraction(8, 553), "8/553")
    return part


def check_limit() -> None:
    """Check the expansion: its seat's correction, its heat equation, what is left of kappa, and the share of visits."""
    shift = Fraction(1, 18)
    check(-9 * shift == 2 - 3 + 9 * shift, "moving first costs 1/18 of a point")
    second_order = Fraction(5, 2) + shift * (2 - 3)
    points_made = 3 * 2 + 2 + 3
    check(second_order == Fraction(44, 18) and points_made == 11, "g'' and g_m")
    half = Fraction(1, 2)
    rate = 2 * second_order / (2 * points_made - 2 * half)
    check(rate == Fraction(44, 189), "g_m = (44/189) g''")
    check(Fraction(5, 9) - Fraction(1, 81) == Fraction(44, 81), "the variance of a round")
    for slope in (Fraction(1), Fraction(-1)):  # g_m, up to a positive factor; g'' = g_m / rate
        seat = -abs(slope) / 36
        first = 9 * 2 * seat - (second_order / rate * slope - points_made * slope) + half * max(-2 * slope, Fraction(0))
        second = -9 * 2 * seat - (second_order / rate - points_made) * slope - half * max(2 * slope, Fraction(0))
        check(first == second == 0, "both equations of the expansion")
    check(2 * min(Fraction(4 + 9, 81), Fraction(2, 9)) == Fraction(26, 81), "what cancels at a visit")
    variance_per_point = 2 * rate
    check(Fraction(1, 18 * 18) * 2 / (2 * variance_per_point) == Fraction(189, 88) / 324, "the constant")


def check_filled() -> Fraction:
    """Check the induction of the rules `filled`. All claims are linear, so the edges of a cone are enough. Returns the
    least of n - (b - 1)/2 that it proves."""
    corners = cone_corners()

    def least(form: Callable[[Numbers], Fraction]) -> Fraction:
        return min(form(corner) for corner in corners)

    def delta(c: Numbers) -> Fraction:
        a, gain, gained, loss, lost = c
        return (2 * (gain + loss) - 2 * (gained + lost) - 3 * a) / 11

    def mean(c: Numbers) -> Fraction:
        _, gain, gained, loss, lost = c
        return (2 * (gain - loss) + (lost - gained) / 2) / 7

    def room(c: Numbers) -> Fraction:
        return 4 * (mean(c) + c[3]) - 3 * c[4] - 4 * delta(c)

    def margin(c: Numbers) -> Fraction:
        a, gain, gained, loss, lost = c
        both, first, second = a / 2, gain + gained / 2, -loss + lost / 2
        return (2 * (mean(c) + delta(c) / 2) - both - second) / (first - second)

    check(least(delta) >= 0 and least(room) > 0 and least(margin) > 0, "the induction for filled")
    shift = Fraction(1, 9)
    rate = (Fraction(4, 2) + shift * (1 - 3)) / (3 * 2 + 1 + 3)
    check(-9 * shift == 1 - 3 + 9 * shift and rate == Fraction(8, 45), "the limit for filled")
    return least(margin)


def measured_margin(longest: int = 40) -> tuple[float, tuple[int, int]]:
    """The least of n - (b - 1)/2 at the scores of a match by `filled`, in floats, and the state (i, j) that has it.
    Scores at which F and S are so close that floats do not tell are left out."""
    table = values_by_formula(longest, "filled")

    def value(i: int, j: int) -> float:
        return 1.0 if i == 0 else -1.0 if j == 0 else float(table[longest - i, longest - j])

    found = []
    for i, j in product(range(1, longest + 1), repeat=2):
        if i + j > 2:
            both, first, second, neither = (-value(*at) for at in ((j - 1, i - 1), (j, i - 1), (j - 1, i), (j, i)))
            if first - second > 1e-7:
                found.append(((2 * neither - both - second) / (first - second), (i, j)))
    return min(found)


def cone_corners() -> list[list[Fraction]]:
    """The edges (a, G, g, L, l) of the cone 3a + 4g <= 4G, 3a + 4l <= 4L with a, g, l >= 0."""
    return edges([[-3, 4, -4, 0, 0], [-3, 0, 0, 4, -4], *NOT_NEGATIVE])


def edges(sides: Sequence[Sequence[Fraction | int]]) -> list[list[Fraction]]:
    """The edges of the cone of (a, G, g, L, l) where all `sides` are at least 0, each as its point with G + L = 1.
    On an edge four sides are 0. (In the cones here G + L is 0 at the apex alone.)"""
    found = []
    for chosen in combinations(sides, 4):
        point = solve([*chosen, [0, 1, 0, 1, 0]], [0, 0, 0, 0, 1])
        if point is not None and all(dot(side, point) >= 0 for side in sides):
            found.append(point)
    return found


def dot(one: Sequence[Fraction | int], other: Sequence[Fraction | int]) -> Fraction:
    return sum((Fraction(x) * y for x, y in zip(one, other, strict=True)), Fraction(0))


def check_filled_none() -> list[tuple[str, list[Fraction]]]:
    """Check the induction of the rules `filled-none`, 7x + 12y <= 4E, in four cases: each of the two corrections is 0
    or not. In a case all is linear, so the edges of its cone are enough. Returns the edges (a, G, g, L, l), each after
    its case: whether kappa and kappa' are 0 there, such as "0+"."""
    a, gain, gained, loss, lost = (Form([int(k == place) for k in range(5)]) for place in range(5))
    half = Fraction(1, 2)
    q11, p11, q10, p10 = half * a, -half * a, gain + half * gained, gain - half * gained
    q01, p01 = half * lost - loss, -half * lost - loss
    found = []
    for first, second in product((0, 1), repeat=2):
        right_p = 2 * q11 + q01 + first * (q10 + 2 * q01)
        right_q = 2 * p11 + p10 + second * (p01 + 2 * p10)
        of_q, of_p = 6 - 3 * first, 6 - 3 * second  # 9p = right_p + of_q q, 9q = right_q + of_p p
        p = Fraction(1, 81 - of_q * of_p) * (9 * right_p + of_q * right_q)
        q = Fraction(1, 81 - of_q * of_p) * (9 * right_q + of_p * right_p)
        kappa, twin_kappa = q10 + 2 * q01 - 3 * q, 3 * p - p01 - 2 * p10
        sides = [4 * gain - 7 * a - 12 * gained, 4 * loss - 7 * a - 12 * lost, *map(Form, NOT_NEGATIVE)]
        sides += [kappa if first else -kappa, twin_kappa if second else -twin_kappa]
        mean, delta = half * (p + q), q - p
        steps = [4 * (mean + loss) - 7 * lost - 12 * delta, 4 * (gain - mean) - 7 * gained - 12 * delta]
        for edge in edges([side.terms for side in sides]):
            found.append(("0+"[first] + "0+"[second], edge))
            check(min(dot(one.terms, edge) for one in (delta, mean + loss, gain - mean)) > 0, "strictly monotone")
            check(min(dot(one.terms, edge) for one in steps) >= 0, "the new steps")
        for more, enough in ((q11 - q, 6 * q - 3 * q11 - q10 - 2 * q01), (p - p11, 3 * p11 + p01 + 2 * p10 - 6 * p)):
            for edge in edges([*(side.terms for side in sides), more.terms]):
                check(dot(enough.terms, edge) > 0, "6N > 3B + F + 2S where B >= N")
    return found


def measured_corrections(longest: int = 60) -> tuple[float, tuple[int, int]]:
    """The least of (i - j)/(i + j) at the scores of a match by `filled-none` whose correction, F + 2S - 3N, is more
    than 0, and the state (i, j) that has it. In floats; scores at which F and S are too close are left out."""
    table = values_by_formula(longest, "filled-none")

    def value(i: int, j: int) -> float:
        return 1.0 if i == 0 else -1.0 if j == 0 else float(table[longest - i, longest - j])

    found = []
    for i, j in product(range(1, longest + 1), repeat=2):
        first, second, neither = (-value(*at) for at in ((j, i - 1), (j - 1, i), (j, i)))
        if i + j > 2 and first - second > 1e-7 and first + 2 * second - 3 * neither > 1e-7 * (first - second):
            found.append(((i - j) / (i + j), (i, j)))
    return min(found)


class Form:
    """A linear function of (a, G, g, L, l)."""

    def __init__(self, terms: Sequence[Fraction | int]) -> None:
        self.terms = list(map(Fraction, terms))

    def __add__(self, other: Form) -> Form:
        return Form([x + y for x, y in zip(self.terms, other.terms, strict=True)])

    def __neg__(self) -> Form:
        return Form([-x for x in self.terms])

    def __sub__(self, other: Form) -> Form:
        return self + -other

    def __rmul__(self, number: Fraction | int) -> Form:
        return Form([number * x for x in self.terms])


def solve(rows: Sequence[Sequence[Fraction | int]], right: Sequence[int]) -> list[Fraction] | None:
    """Solve a square system of equations by elimination. Returns None for a system without a unique solution."""
    table = [[*map(Fraction, row), Fraction(value)] for row, value in zip(rows, right, strict=True)]
    size = len(table)
    for k in range(size):
        pivot = next((row for row in range(k, size) if table[row][k]), None)
        if pivot is None:
            return None
        table[k], table[pivot] = table[pivot], table[k]
        table[k] = [value / table[k][k] for value in table[k]]
        for row in range(size):
            if row != k:
                table[row] = [x - table[row][k] * y for x, y in zip(table[row], table[k], strict=True)]
    return [row[-1] for row in table]


def main() -> None:
    check_two_rounds()
    values = check_leads_of_one()
    roots = [float(value) * n**0.5 for n, (value, _) in enumerate(values, 2)]
    print(f"1/10 <= sqrt(n) v_n <= 2: bounds at n = 6, 20: {float(upper_bound(6)):.3f}, {float(lower_bound(20)):.3f};")
    print(f"enclosed for n = 2 ... {len(values) + 1}: sqrt(n) v_n falls from {roots[0]:.4f} to {roots[-1]:.4f}")
    print(f"2E - 3x - 5y >= {check_room()} E at every step but those to (1, 1), which have 16/13")
    check_limit()
    print("the expansion of the limit law, its constants and the share of visits that cancel hold")
    print(f"filled: the induction holds, and n - (b - 1)/2 >= {check_filled()} at every score")
    print(f"filled-none: the induction holds at all {len(check_filled_none())} edges")
    least, state = measured_margin()
    print(f"measured to 40 points: n - (b - 1)/2 >= {least:.4f}, which is that of the state {state}")
    least, state = measured_corrections()
    print(f"filled-none, measured to 60: F + 2S > 3N only where i - j >= {least:.4f} (i + j), as at the state {state}")


if __name__ == "__main__":
    main()
