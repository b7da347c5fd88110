"""Moving second is better at every score of matches of every length: the proof's steps, checked exactly.

    python research/closed_forms/second_mover.py [--points N] [--rounds K]

docs/paper/paper.pdf has the proof by hand. Here its induction is checked once more, in fractions and by another way:
the induction's assumptions about a score's neighbours form a cone with finitely many corners, and its claim about the
score is linear; so it is enough to look at the corners (with the game's corrections at their worst). Then the same is
repeated with the found bounds, which gives bounds for b and n at all scores of all matches. At last the claims are
compared with the values of a match to N (200 by default).

A player who needs i points, the other j, is worth p when it moves first, q when it moves second: p = V(i, j) and q =
-V(j, i). s = (p + q)/2, delta = q - p. A step is a pair of scores (i, j - 1), (i, j) or (i - 1, j), (i, j), the second
of them the farther from the end; it is written (delta of the nearer, |difference of s|, delta of the farther).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from tictactoe.formulas.match_values import formula_table

Point = tuple[Fraction, Fraction]
"""Of a step, or of a score's outcome values: (delta nearer, delta farther) for a difference of 1, or (b, n)."""

TRIANGLE: Sequence[Point] = ((Fraction(0), Fraction(0)), (Fraction(2, 3), Fraction(0)), (Fraction(0), Fraction(2, 5)))
"""Corners of 0 <= x, 0 <= y, 3x + 5y <= 2: what the proof by hand claims of every step."""

LAST: Point = (Fraction(0), Fraction(2, 13))
"""The steps to 1-1 from the end of the match, as V(1, 1) = -1/13."""

GRID = 10_000
"""Bounds are rounded outwards to this fraction of 1, so that fractions stay short."""

FEWEST = 1e-280
"""Values that differ from 1 and -1 by less are not compared: the smallest floats are near."""


@dataclass(frozen=True)
class Block:
    """What is known of a score: its neighbours' values, with s = 0 at (i - 1, j - 1).

    gain: s at (i - 1, j); loss: -s at (i, j - 1); both, gained, lost: delta at these three.
    """

    both: Fraction
    gain: Fraction
    gained: Fraction
    loss: Fraction
    lost: Fraction

    def scaled(self, by: Fraction) -> Block:
        return Block(by * self.both, by * self.gain, by * self.gained, by * self.loss, by * self.lost)

    def plus(self, other: Block) -> Block:
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Block(*(one + two for one, two in pairs))

    def solved(self, share: Fraction, twin_share: Fraction) -> tuple[Fraction, Fraction]:
        """p and q, where the corrections are share (q11 - q) and twin_share (p - p11)."""
        first = (3 - share) * self.both / 2 + 2 * (self.gain + self.gained / 2) + 3 * (self.lost / 2 - self.loss)
        second = -(3 - twin_share) * self.both / 2 - 2 * (self.loss + self.lost / 2) + 3 * (self.gain - self.gained / 2)
        determinant = 81 - (1 + share) * (1 + twin_share)
        p = (9 * first + (1 + share) * second) / determinant
        return p, (9 * second + (1 + twin_share) * first) / determinant

    def leads(self) -> Fraction:
        """q11 - q without corrections. If this is not positive, the correction to p is 0."""
        return self.both / 2 - self.solved(Fraction(0), Fraction(0))[1]

    def twin_leads(self) -> Fraction:
        """p - p11 without corrections. If this is not positive, the correction to q is 0."""
        return self.solved(Fraction(0), Fraction(0))[0] + self.both / 2

    def undone(self, twin_share: Fraction) -> Fraction:
        """q - q11 with the correction to q alone. If this is negative, smaller shares make it negative, too."""
        return self.solved(Fraction(0), twin_share)[1] - self.both / 2

    def twin_undone(self, share: Fraction) -> Fraction:
        """p11 - p with the correction to p alone. If this is negative, smaller shares make it negative, too."""
        return -self.both / 2 - self.solved(share, Fraction(0))[0]


@dataclass(frozen=True)
class Ray:
    """A corner of a cone of blocks, and which of the cone's sides it lies on."""

    block: Block
    sides: frozenset[tuple[str, int]]


@dataclass(frozen=True)
class Found:
    """What follows at a score: the two new steps, and its outcome values (b, n), where b >= n and where b <= n."""

    steps: list[Point]
    more: list[Point]
    less: list[Point]

    def add(self, rays: Sequence[Ray], shares: Sequence[Fraction], twin_shares: Sequence[Fraction]) -> None:
        """What follows in a cone with these corners; a correction that is not there has the share 0 alone."""
        for ray, share, twin_share in product(rays, shares, twin_shares):
            block = ray.block
            p, q = block.solved(share, twin_share)
            self.steps.extend(steps_to(block, p, q))
            first, second = block.gain + block.gained / 2, block.lost / 2 - block.loss
            middle, spread = (first + second) / 2, (first - second) / 2
            point = ((block.both / 2 - middle) / spread, (q - middle) / spread)
            (self.more if max(shares) > 0 else self.less).append(point)


def corner_rays(corners: Sequence[Point]) -> list[Ray]:
    """The corners of the cone of blocks whose two steps are in the cone with these corners, in order around it."""
    one, zero = Fraction(1), Fraction(0)
    count = len(corners)

    def sides(name: str, corner: int) -> frozenset[tuple[str, int]]:
        return frozenset({(name, corner), (name, (corner - 1) % count)})

    found = []
    for k, (x, y) in enumerate(corners):
        if x == 0:  # the other step is 0: the apex, on all sides of its cone
            no_loss, no_gain = (frozenset((name, side) for side in range(count)) for name in ("loss", "gain"))
            found.append(Ray(Block(zero, one, y, zero, zero), sides("gain", k) | no_loss))
            found.append(Ray(Block(zero, zero, zero, one, y), sides("loss", k) | no_gain))
    for (k, (x, y)), (k2, (x2, y2)) in product(enumerate(corners), repeat=2):
        if x > 0 and x2 > 0:
            found.append(Ray(Block(one, 1 / x, y / x, 1 / x2, y2 / x2), sides("gain", k) | sides("loss", k2)))
    return found


def cut(rays: Sequence[Ray], height: Callable[[Block], Fraction], name: str) -> list[Ray]:
    """The corners of the part of the cone where the linear function `height` is not negative: old corners, and points
    of edges with height 0. Two corners are joined by an edge if no third corner lies on all their common sides."""
    new_side = frozenset({(name, 0)})
    heights = [height(ray.block) for ray in rays]
    kept = [
        Ray(ray.block, ray.sides | new_side) if value == 0 else ray
        for ray, value in zip(rays, heights, strict=True)
        if value >= 0
    ]
    for (one, more), (two, less) in product(zip(rays, heights, strict=True), repeat=2):
        common = one.sides & two.sides
        if more > 0 > less and sum(common <= ray.sides for ray in rays) == 2:
            block = one.block.scaled(-less).plus(two.block.scaled(more))
            kept.append(Ray(block, common | new_side))
    return kept


def follow(corners: Sequence[Point], least: Fraction, most: Fraction) -> Found:
    """All that can follow when both steps are in the cone and a correction's share, where there is one, is from `least`
    to `most`. Everything is monotone in each share, up to a common positive factor, so that these two will do.

    Which corrections there are: not one of p without `leads`, nor one of q without `twin leads`, as they only make
    either smaller. But where both would be, one of them may be enough to undo the other (`undone`): then that is 0."""
    rays = corner_rays(corners)
    found = Found([], [], [])
    some, none = [least, most], [Fraction(0)]
    for leads, twin_leads in product((True, False), repeat=2):
        half = cut(rays, Block.leads if leads else lambda block: -block.leads(), "leads")
        part = cut(half, Block.twin_leads if twin_leads else lambda block: -block.twin_leads(), "twin leads")
        found.add(part, some if leads else none, some if twin_leads else none)
        if leads and twin_leads:
            found.add(cut(part, lambda block: block.undone(most), "undone"), none, some)
            found.add(cut(part, lambda block: block.twin_undone(most), "twin undone"), some, none)
    return found


def steps_to(block: Block, p: Fraction, q: Fraction) -> list[Point]:
    """The steps from (i, j - 1) and from (i - 1, j), unless nothing differs any more."""
    s, delta = (p + q) / 2, q - p
    steps = [(block.lost, s + block.loss), (block.gained, block.gain - s)]
    if any(difference <= 0 and (difference or nearer or delta) for nearer, difference in steps):
        raise ArithmeticError(f"no step: {block} is followed by {p}, {q}")
    return [(nearer / difference, delta / difference) for nearer, difference in steps if difference]


def hull(points: Sequence[Point]) -> list[Point]:
    """The corners of the convex hull, anticlockwise."""

    def chain(ordered: Sequence[Point]) -> list[Point]:
        kept: list[Point] = []
        for x, y in ordered:
            while len(kept) > 1 and turn(kept[-2], kept[-1], (x, y)) <= 0:
                kept.pop()
            kept.append((x, y))
        return kept[:-1]

    ordered = sorted(set(points))
    return chain(ordered) + chain(ordered[::-1])


def turn(a: Point, b: Point, c: Point) -> Fraction:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def narrowed(corners: Sequence[Point], points: Sequence[Point]) -> list[Point]:
    """A polygon within `corners` that contains all `points`, which are in it, with short fractions: cut along the
    sides of their convex hull, rounded outwards."""
    kept = list(corners)
    around = hull(points)
    for (x, y), (x2, y2) in zip(around, [*around[1:], around[0]], strict=True):
        length = max(abs(x2 - x), abs(y2 - y))
        normal = (round((y - y2) / length * 100), round((x2 - x) / length * 100))  # to the inside
        least = min(normal[0] * px + normal[1] * py for px, py in points)
        kept = cut_polygon(kept, normal, Fraction(least * GRID // 1, GRID))
    return kept


def cut_polygon(corners: Sequence[Point], normal: tuple[int, int], least: Fraction) -> list[Point]:
    """The part where normal . point >= least."""
    kept: list[Point] = []
    heights = [normal[0] * x + normal[1] * y - least for x, y in corners]
    for (one, high), (two, other) in zip(
        zip(corners, heights, strict=True),
        zip([*corners[1:], corners[0]], [*heights[1:], heights[0]], strict=True),
        strict=True,
    ):
        if high >= 0:
            kept.append(one)
        if high * other < 0:
            part = high / (high - other)
            kept.append((one[0] + part * (two[0] - one[0]), one[1] + part * (two[1] - one[1])))
    return list(dict.fromkeys(kept))


def check_induction() -> Fraction:
    """That steps follow from steps, in the triangle, whatever shares from 0 to 1 the corrections are. Returns the least
    of 2 - 3x - 5y; raises ArithmeticError if a step is not in the triangle."""
    steps = [*follow(TRIANGLE, Fraction(0), Fraction(1)).steps, LAST]
    spare = min(2 - 3 * x - 5 * y for x, y in steps)
    if min(min(step) for step in steps) < 0 or spare <= 0:
        raise ArithmeticError("the induction does not hold")
    return spare


@dataclass(frozen=True)
class Bounds:
    """Of all scores of all matches: a polygon with all steps; points whose convex hull has all (b, n) where b > n, and
    where b <= n; the least and the most of r = (1 - n)/(2 + b - n) where b > n."""

    steps: Sequence[Point]
    more: Sequence[Point]
    less: Sequence[Point]
    least_share: Fraction
    most_share: Fraction


def narrow(rounds: int) -> Bounds:
    """Bounds after `rounds` of narrowing, from the triangle, which is proved to hold all steps. If a polygon holds all
    steps, so does the polygon that follows from it. r is a quotient of linear functions of b and n, so it is largest
    and least in corners."""
    bounds = Bounds(TRIANGLE, [], [], Fraction(0), Fraction(1))
    for _ in range(rounds):
        found = follow(bounds.steps, bounds.least_share, bounds.most_share)
        shares = [(1 - n) / (2 + b - n) for b, n in found.more]
        steps = narrowed(bounds.steps, [*found.steps, LAST])
        least, most = Fraction(min(shares) * GRID // 1, GRID), Fraction(-(-max(shares) * GRID // 1), GRID)
        bounds = Bounds(steps, hull(found.more), hull(found.less), least, most)
    return bounds


def off_the_line(b: Fraction, n: Fraction) -> Fraction:
    return n - Fraction(37, 100) * b


def least_and_most(of: Callable[[Fraction, Fraction], Fraction], points: Sequence[Point]) -> str:
    values = [of(*point) for point in points]
    return f"{float(min(values)):.4f} to {float(max(values)):.4f}"


@dataclass(frozen=True)
class Measured:
    """The same in a match: how many scores' values are there to be compared (others are too close to 1 and -1 for
    floats), the least and the most of delta(i, j)/(p(i - 1, j) - q(i, j - 1)), and at how many of these scores it is
    not so that b > n where the first mover is not behind and b < n where it is; and the most of (3x + 5y)/E of the
    steps that lead from such scores to such scores."""

    scores: int
    least: float
    most: float
    other_signs: int
    most_of_step: float


def measured(points: int) -> Measured:
    """Of all scores of a match but the last. Values near 1 and -1 are kept less 1 and plus 1: no digits are lost."""
    moved = formula_table(points).moved_values
    needed = np.arange(1, points + 1)
    i, j = needed[:, None], needed[None, :]
    moved_by = np.sign(i - 1 - j) + np.sign(j - 1 - i)
    spread = (moved[:-1, 1:] + moved[:-1, 1:].T) - moved_by
    delta = -(moved + moved.T)[1:, 1:]
    there = (np.minimum(abs(moved), abs(moved.T)) > FEWEST)[1:, 1:]
    there[0, 0] = False
    more = (moved.T[1:, 1:] - moved.T[:-1, :-1]) > 0
    ratios = delta[there] / spread[there]
    other_signs = there & (more != (i <= j))
    size = abs((moved - moved.T)[1:, :-1] - (moved - moved.T)[1:, 1:] + 2 * (np.sign(j - 1 - i) - np.sign(j - i))) / 2
    inner = (there[:, 1:] & there[:, :-1], size[:, 1:])  # from (i, j - 1); the steps from (i - 1, j) are their mirrors
    steps = ((3 * delta[:, :-1] + 5 * delta[:, 1:]) / np.where(*inner, 1))[inner[0]]
    return Measured(
        int(there.sum()), float(ratios.min()), float(ratios.max()), int(other_signs.sum()), float(steps.max())
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=16, help="how often the bounds are narrowed")
    parser.add_argument("--points", type=int, default=200, help="the match that the claims are compared with")
    options = parser.parse_args()
    print(f"The induction holds, with 2 - 3x - 5y >= {float(check_induction()):.4f} at every new step.")
    bounds = narrow(options.rounds)
    show = partial(map, lambda point: f"({float(point[0]):.5f}, {float(point[1]):.5f})")
    print("Every step (x, y) is within", *show(bounds.steps))
    for name, points in (("b > n", bounds.more), ("b <= n", bounds.less)):
        print(f"Every (b, n) with {name} is within", *show(points))
        print(f"    n is {least_and_most(lambda b, n: n, points)}, n - 0.37 b {least_and_most(off_the_line, points)}")
    print(f"r is {float(bounds.least_share):.4f} to {float(bounds.most_share):.4f} where b > n")
    seen = measured(options.points)
    print(
        f"Measured at {seen.scores} scores of a match to {options.points}: delta divided by p(i-1, j) - q(i, j-1) is",
        end=" ",
    )
    print(f"{seen.least:.5f} to {seen.most:.5f}, b - n has the other sign {seen.other_signs} times,", end=" ")
    print(f"and (3x + 5y)/E is at most {seen.most_of_step:.4f}")


if __name__ == "__main__":
    main()
