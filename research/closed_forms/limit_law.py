"""The limit law: sqrt(n) times the value of a match to n tends to -sqrt(189/(88 pi))/18 = -0.0459348...

    python research/closed_forms/limit_law.py [--longest N] [--picture FILE.svg]

computes the values of all matches to N (10,000 unless told; some ten seconds) from the formula for a round, prints
sqrt(n) V(n, n) beside the limit, fits the limit and the next term to the numbers without knowing them, and compares the
value of a lead with the normal distribution and its correction. Then it does the same for the rules that fill the
board. docs/paper/paper.pdf proves the limit and the next term, and says which of the rest is a conjecture.
"""

from __future__ import annotations

import argparse
from math import ceil, erf, erfc, exp, pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WEIGHTS = {
    "three-in-a-row": (3, 2, 3, 1),
    "filled": (3, 1, 3, 2),
    "filled-none": (2, 0, 1, 6),
    "filled-tie": (1, 2, 2, 4),
}
"""By rules: nine times the value of a round is these times B, F, S, N, and a correction (`nine_times`)."""

SECOND = -1 / 704
"""The limit of n V(n, n) - sqrt(n) LIMIT: Theorem 6 of the paper."""


def spread(rules: str = "three-in-a-row") -> float:
    """The variance of the lead in a round, divided by the points that the round brings to both players together. (With
    three in a row the correction takes half a ninth from "both" when the player moves first who leads, else nothing.)
    """
    both, first, second, _ = WEIGHTS[rules]
    points = 2 * both + first + second - (0.5 if rules == "three-in-a-row" else 0)
    return ((first + second) / 9 - ((first - second) / 9) ** 2) / (points / 9)


def limit(rules: str = "three-in-a-row") -> float:
    """Of sqrt(n) V(n, n): half of what a single round is worth, by the value of a point."""
    _, first, second, _ = WEIGHTS[rules]
    return (first - second) / 18 / sqrt(pi * spread(rules))


LIMIT = limit()

WIDEST = 13
"""Leads that are followed, in square roots of the points: beyond, the leader has won but for less than 1e-17."""


class Band:
    """The values V(i, j) along the lines on which i + j is constant, from the end of the match backwards.

    values: by the lead j - i from -width to width, to the first mover. A lead has the parity of i + j, so two lines fit
    into one array: the places that the present line leaves out hold the line before it.
    """

    def __init__(self, width: int, rules: str = "three-in-a-row") -> None:
        self.width = width
        self.rules = rules
        self.total = 1
        self.values: Floats = np.sign(np.arange(-width, width + 1)).astype(np.float64)

    def step(self) -> None:
        """Go to the next line, that of one more point needed in all."""
        self.total += 1
        one, two, three, four = WEIGHTS[self.rules]
        if self.total == 2:  # both and neither scoring lead back here: with three in a row 9 V = 2 - 3 - 4 V
            self.values[self.width] = (two - three) / (9 + one + four)
            return
        last = min(self.total - 2, self.width - 1)
        last -= (self.total - last) % 2
        here = slice(self.width - last, self.width + last + 1, 2)
        worse = slice(self.width - last - 1, self.width + last, 2)
        better = slice(self.width - last + 1, self.width + last + 2, 2)
        second = -self.values[::-1]  # to the same player, when it moves second
        both, first, alone = second[here], second[better], second[worse]
        known = one * both + two * first + three * alone
        found = self.values[here]
        for _ in range(40 if four < 6 else 100):
            new = nine_times(known, both, first, alone, -found[::-1], self.rules) / 9
            settled = np.abs(new - found).max() < 1e-17
            found = new
            if settled:
                break
        self.values[here] = found

    def lead_values(self) -> tuple[NDArray[np.int64], Floats]:
        """The leads of the present line, and what they are worth, the mean of moving first and moving second."""
        last = min(self.total - 1, self.width)
        last -= (self.total - last) % 2
        here = slice(self.width - last, self.width + last + 1, 2)
        mean = (self.values - self.values[::-1]) / 2
        return np.arange(-last, last + 1, 2), mean[here]


def nine_times(
    known: Floats, both: Floats, first: Floats, second: Floats, neither: Floats, rules: str = "three-in-a-row"
) -> Floats:
    """9 V by the formula; known is the part of B, F and S (3 B + 2 F + 3 S with three in a row)."""
    if rules == "filled-none":
        return np.asarray(known + 6 * neither + np.maximum(first + 2 * second - 3 * neither, 0))
    if rules != "three-in-a-row":
        return np.asarray(known + WEIGHTS[rules][3] * neither)
    more = np.maximum(both - neither, 0)
    spread = first - second + more
    share = np.divide(first - neither, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(known + neither - more * share)


def diagonal(longest: int, rules: str = "three-in-a-row") -> Floats:
    """V(n, n) for n from 0 (where it is 0) to `longest`."""
    band = Band(width(longest), rules)
    values = np.zeros(longest + 1)
    for total in range(2, 2 * longest + 1):
        band.step()
        if total % 2 == 0:
            values[total // 2] = band.values[band.width]
    return values


def width(points: int) -> int:
    return int(WIDEST * sqrt(points)) + 10


def fitted(values: Floats, shortest: int, terms: int = 5) -> Floats:
    """Coefficients a0, a1, ... of sqrt(n) V(n, n) = a0 + a1 n^(-1/2) + a2 n^(-1) + ..., by least squares."""
    n = np.unique(np.geomspace(shortest, len(values) - 1, 400).round().astype(int))
    powers = np.array([n ** (-k / 2) for k in range(terms)]).T
    found: Floats = np.linalg.lstsq(powers, values[n] * np.sqrt(n), rcond=None)[0]
    return found


def fitted_second(values: Floats, shortest: int) -> Floats:
    """Coefficients of n V(n, n) - sqrt(n) LIMIT by 1, s, s log n, s^2, s^2 log n, where s = n^(-1/2): least squares."""
    n = np.unique(np.geomspace(shortest, len(values) - 1, 400).round().astype(int))
    s, logarithm = n**-0.5, np.log(n)
    columns = np.array([s**0, s, s * logarithm, s**2, s**2 * logarithm]).T
    found: Floats = np.linalg.lstsq(columns, values[n] * n - np.sqrt(n) * LIMIT, rcond=None)[0]
    return found


def value_of_lead(lead: float, points: float) -> float:
    """What the normal distribution says a lead is worth, `points` points before the end."""
    return erf(lead / sqrt(4 * spread() * points))


def correction(lead: float, points: float, steps: int = 400) -> float:
    """Z, what the paper adds to `value_of_lead` (section 8); its integral by Simpson's rule."""
    total = 2 * points
    x = lead / sqrt(spread() * total)
    at = np.linspace(0, x, 2 * steps + 1)
    tail = np.array([sqrt(pi / 2) * exp(t * t / 2) * erfc(t / sqrt(2)) for t in np.abs(at)])
    slope = 11 / 18 * np.abs(at) + tail / 2  # of psi
    integral = x / (6 * steps) * (slope[0] + 4 * slope[1::2].sum() + 2 * slope[2:-1:2].sum() + slope[-1])
    return float(sqrt(2 / (pi * spread())) / 21 / sqrt(total) * exp(-x * x / 2) * integral)


def both_seats(lead: float, total: float) -> tuple[float, float]:
    """P and Q in the proof of Proposition 2, without E and the constant: a lead's value, moving first and second."""

    def law(lead: float, total: float) -> float:
        return value_of_lead(lead, total / 2) + correction(lead, total / 2)

    variance = spread() * total
    slope = sqrt(2 / (pi * variance)) * exp(-(lead**2) / (2 * variance))  # g_d
    later = -lead / (2 * total) * slope  # g_m
    third = (1 / (18 * variance) - 5 / (12 * total)) * (lead**2 / variance - 1) * slope + lead / variance * later / 2
    half = (law(lead + 0.02, total) - law(lead - 0.02, total)) / 0.04 / 18
    half += third / 36 - (law(lead, total + 0.5) - law(lead, total - 0.5)) / 36
    return law(lead, total) - half, law(lead, total) + half


def residuals(x: float, total: float) -> Floats:
    """By how much `both_seats` miss the equations of a round at the lead x sqrt(spread() total), times total^2."""
    lead = x * sqrt(spread() * total)
    here, less, up, down = (
        np.array(both_seats(lead + step, total - points)).reshape(2, 1)
        for step, points in ((0, 0), (0, 2), (1, 1), (-1, 1))
    )
    first = 9 * here[0] - nine_times(3 * less[1] + 2 * up[1] + 3 * down[1], less[1], up[1], down[1], here[1])
    second = 9 * here[1] + nine_times(-(3 * less[0] + 2 * down[0] + 3 * up[0]), -less[0], -down[0], -up[0], -here[0])
    return total**2 * np.concatenate([first, second])


def third_term(total: float = 3200) -> float:
    """The coefficient of n^(-3/2) log n in V(n, n), by the formal expansion in the paper."""
    x = np.linspace(0.05, 8, 160)
    integral = x[0] * sum(at * residuals(at, total).mean() for at in x.tolist())
    return float(2 / 21 * sqrt(2 / pi) * integral / (18 * sqrt(spread()) * 2**1.5))


def lead_values(points: int) -> tuple[NDArray[np.int64], Floats]:
    """The leads d, and what they are worth where the players need 2 `points` points together."""
    band = Band(width(points))
    while band.total < 2 * points:
        band.step()
    return band.lead_values()


def largest_difference(points: int, corrected: bool = False) -> float:
    """Between the value of a lead and the normal distribution (with its correction), over all leads."""
    leads, worth = lead_values(points)
    law = [value_of_lead(lead, points) + (correction(lead, points) if corrected else 0) for lead in leads.tolist()]
    return float(np.abs(worth - np.array(law)).max())


def draw(values: Floats, path: Path) -> None:
    """Two panels: sqrt(n) V(n, n) with its limit, and the value of a lead with the normal distribution."""
    from matplotlib.figure import Figure

    from tictactoe.figures.style import COLOURS, MARKERS, WIDTH, plot_style, save_figure, set_margins

    with plot_style():
        figure = Figure(figsize=(WIDTH, WIDTH * 0.46))
        left, right = figure.subplots(1, 2)
        longest = len(values) - 1
        n = np.unique(np.geomspace(2, longest, 60).round().astype(int))
        left.plot(n, np.sqrt(n) * values[n], MARKERS[0], color=COLOURS[0], markersize=3, label="√n V(n, n)")
        left.axhline(LIMIT, color=COLOURS[1], label=f"the limit, {LIMIT:.6f}")
        _, one, two, *_ = fitted(values, max(50, longest // 50))
        smooth = np.geomspace(4, longest, 100)
        label = f"the limit {one:+.4f}/√n {two:+.3f}/n (fitted)"
        left.plot(smooth, LIMIT + one / np.sqrt(smooth) + two / smooth, "--", color=COLOURS[2], label=label)
        left.set_xscale("log")
        left.set_xlabel("n, points that both players need")
        left.set_title("Moving first in a match to n", loc="left")
        left.legend(frameon=False, loc="lower right")
        for place, points in enumerate((4, 25, 400)):
            leads, worth = lead_values(points)
            near = np.abs(leads) <= 3.2 * sqrt(points)
            scaled = leads[near] / sqrt(points)
            every = max(1, near.sum() // 32)
            style: dict[str, Any] = {"color": COLOURS[place], "markersize": 5 - place, "linestyle": "none"}
            right.plot(scaled[::every], worth[near][::every], MARKERS[place], label=f"n = {points}", **style)
        x = np.linspace(-3.2, 3.2, 200)
        right.plot(x, [value_of_lead(lead, 1) for lead in x], color=COLOURS[6], linewidth=0.8, label="normal")
        right.set_xlabel("lead d, divided by √n")
        right.set_title("Value of a lead, mean of both seats", loc="left")
        right.legend(frameon=False, loc="upper left")
        for axes in (left, right):
            axes.grid(True)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        set_margins(figure, 0.55, 0.1, 0.28, 0.42, wspace=0.2)
        save_figure(figure, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--longest", type=int, default=10_000, help="points of the longest match (50 or more)")
    parser.add_argument("--picture", type=Path, help="draw it (SVG or PNG; needs matplotlib)")
    options = parser.parse_args()
    if options.longest < 50:
        parser.error("--longest: at least 50")
    values = diagonal(options.longest)
    print(f"limit {LIMIT:.10f}\n\n       n     sqrt(n) V(n, n)     less the limit, times sqrt(n)")
    for n in sorted({*(10**k for k in range(7) if 10**k < options.longest), options.longest}):
        scaled = sqrt(n) * values[n]
        print(f"{n:8}     {scaled:.12f}     {(scaled - LIMIT) * sqrt(n):.8f}")
    found = fitted(values, max(50, options.longest // 20))
    print(
        f"\nfitted: {' '.join(f'{one:.10f}' for one in found[:2])} ...; the limit is missed by {found[0] - LIMIT:.1e}"
    )
    second = fitted_second(values, max(50, options.longest // 60))
    print(f"the next term, fitted with the limit known: 1/{1 / second[0]:.3f}; proved 1/{1 / SECOND:.0f}")
    print(f"the coefficient of log(n)/sqrt(n) after it: {second[2]:.2e}; formally {third_term():.2e}")
    print("\nvalue of a lead less the normal distribution's, at most, times sqrt(n); with the correction, times n:")
    for points in (25, 100, 400, 1600):
        off, less = largest_difference(points), largest_difference(points, corrected=True)
        print(f"{points:8}     {ceil(1e4 * off * sqrt(points)) / 1e4:.4f}     {ceil(1e4 * less * points) / 1e4:.4f}")
    print("\nrules that fill the board: sqrt(n) V(n, n) less its limit, times sqrt(n) and times n")
    for rules in ("filled", "filled-none"):
        others = diagonal(min(600, options.longest), rules)
        for n in (100, len(others) - 1):
            off = sqrt(n) * others[n] - limit(rules)
            print(f"{rules:12} limit {limit(rules):.10f}  {n:6}     {off * sqrt(n):.6f}     {off * n:.6f}")
    if options.picture:
        draw(values, options.picture)


if __name__ == "__main__":
    main()
