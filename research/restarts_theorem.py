"""Check the bounds in the proof of docs/restarts.md, step by step, and print its tables.

    python research/restarts_theorem.py

Regret matching+ in a matrix game, restarted from the average with regrets lambda * average; letters as on the page.
The program uses NumPy and SciPy, nothing of the library, and takes a minute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from scipy.optimize import linprog
except ModuleNotFoundError:
    raise SystemExit("There is no SciPy here: pip install scipy") from None

Real = NDArray[Any]
ROUNDING = 1e-16
"""What a distance may be wrong by: the numbers have 64 bits after the point."""


@dataclass
class MatrixGame:
    """A game with a single equilibrium, its value subtracted; moves of the supports first."""

    payoffs: Real
    x: Real
    y: Real
    k: int
    """Moves in each support."""

    def __post_init__(self) -> None:
        a, k = self.payoffs.astype(float), self.k
        self.norm = float(np.linalg.norm(a, 2))
        ones = np.full((k, 1), self.norm)
        self.sigma = float(np.linalg.svd(np.block([[a[:k, :k], -ones], [ones.T, np.zeros((1, 1))]]))[1][-1])
        costs = np.concatenate([-(self.payoffs @ self.y)[k:], (self.x @ self.payoffs)[k:], [np.inf]])
        self.least_cost, self.least_share = float(costs.min()), float(min(self.x[:k].min(), self.y[:k].min()))

    def distance(self, x: Real, y: Real) -> float:
        return float(np.sqrt(((x - self.x) ** 2).sum() + ((y - self.y) ** 2).sum()))


def solved(payoffs: NDArray[np.float64]) -> MatrixGame | None:
    """The game of these payoffs, or None unless a program finds supports of one size that give one equilibrium."""
    plans, num_rows = [], len(payoffs)
    for matrix in (payoffs, -payoffs.T):
        num_moves, num_others = matrix.shape
        rows = np.hstack([-matrix.T, np.ones((num_others, 1))])
        once = np.append(np.ones(num_moves), 0.0)[None]
        bounds = [(0.0, None)] * num_moves + [(None, None)]
        result = linprog(np.append(np.zeros(num_moves), -1.0), rows, np.zeros(num_others), once, [1.0], bounds)
        plans.append(result.x[:-1])
    first, second = (np.flatnonzero(plan > 1e-7) for plan in plans)
    k = len(first)
    if len(second) != k:
        return None
    order = [
        np.append(own, np.setdiff1d(range(size), own)) for own, size in ((first, num_rows), (second, payoffs.shape[1]))
    ]
    a = payoffs[np.ix_(*order)].astype(np.longdouble)
    exact = []
    for matrix in (a[:k, :k].T, a[:k, :k]):  # x from the other's columns, y from the rows
        system = np.zeros((k + 1, k + 1), np.longdouble)
        system[:k, :k], system[:k, k], system[k, :k] = matrix, -1.0, 1.0
        if abs(np.linalg.det(system.astype(float))) < 1e-12:
            return None
        solution, right = np.zeros(k + 1, np.longdouble), np.append(np.zeros(k, np.longdouble), 1.0)
        for _ in range(4):
            left = right - system @ solution
            solution += np.linalg.solve(system.astype(float), left.astype(float))
        exact.append(solution)
    x, y = (np.append(solution[:k], np.zeros(size - k)) for solution, size in zip(exact, a.shape, strict=True))
    game = MatrixGame(a - exact[0][k], x, y, k)
    return game if game.least_share > 0.0 and game.least_cost > 0.0 else None


def share(regrets: Real) -> Real:
    """Regret matching."""
    total = regrets.sum(-1, keepdims=True)
    return np.asarray(np.where(total > 0.0, regrets / np.where(total > 0.0, total, 1.0), 1.0 / regrets.shape[-1]))


def iterations(a: Real, r: Real, s: Real, alternating: bool) -> Iterator[tuple[Real, Real, Real, Real]]:
    """Regret matching+ from regrets r and s: R and S before each iteration, and the plans that its regrets are against.

    >>> next(iterations(np.eye(2), np.ones(2), np.ones(2), True))[2].tolist()
    [0.5, 0.5]
    """
    while True:
        x, y = share(r), share(s)
        payoffs = np.einsum("...ij,...j->...i", a, y)
        new_r = np.maximum(r + payoffs - (x * payoffs).sum(-1, keepdims=True), 0.0)
        if alternating:
            x = share(new_r)
        payoffs = np.einsum("...ij,...i->...j", a, x)
        yield r, s, x, y
        r, s = new_r, np.maximum(s - payoffs + (y * payoffs).sum(-1, keepdims=True), 0.0)


def at_most(left: float, right: float, what: str) -> None:
    if not left <= right * (1.0 + 1e-9) + ROUNDING:
        raise AssertionError(f"{what}: {left} is more than {right}")


def check(game: MatrixGame, alternating: bool, draw: np.random.Generator, epochs: int = 3) -> list[float]:
    """Check every step of the proof, from the edge of the neighbourhood; the new d of later epochs, by its bound."""
    a, k, norm, sigma = game.payoffs, game.k, game.norm, game.sigma
    length = math.ceil(14.0 * norm / sigma if alternating else (8.0 * norm / sigma) ** 2) + 1
    size = norm if alternating else norm * math.sqrt(length + 1.0)
    q = norm / size
    eps = min(1 / 40, 1 / (15 * q * (length + 1)), game.least_share, game.least_cost / (9 * norm))
    radius = min(eps / (80 * k**2), game.least_cost / (20 * k * size))
    growth, theta = (3.5, 7.0 * size / (sigma * length)) if alternating else (2.0, 4.0 * size / (sigma * length))

    def quadratic(u: Real, v: Real) -> float:
        """Q of the proof; with simultaneous updates the square of the length."""
        return float(u @ u + v @ v + ((u @ a @ v) / size if alternating else 0.0))

    directions = [draw.normal(size=len(plan)) for plan in (game.x, game.y)]
    for direction in directions:
        direction[k:] = np.abs(direction[k:])
        direction[:k] -= direction.sum() / k
    scale = radius / math.sqrt(sum(float(direction @ direction) for direction in directions))
    x, y = (plan + scale * direction for plan, direction in zip((game.x, game.y), directions, strict=True))
    kept = []
    for epoch in range(epochs):
        d = game.distance(x, y)
        run = iterations(a, size * x, size * y, alternating)
        sums = np.zeros_like(x), np.zeros_like(y)
        start, before = 0.0, 0.0
        for t in range(1, length + 3):
            r, s, against_x, against_y = next(run)
            u, v = r - size * game.x, s - size * game.y
            long = math.sqrt(float(u @ u + v @ v))
            if t == 1:
                at_most(abs(long - size * d), 1e-12 * size * d, "D = lambda d at the start")
            if t == 2:
                start = long
                at_most(start, (15 * k**1.5 if epoch == 0 else growth) * size * d, "the first iteration")
            if t >= 2:
                at_most(max(r[k:].max(initial=0.0), s[k:].max(initial=0.0)), 0.0, "moves outside of the supports")
                at_most(math.sqrt(k) * long, eps * size * 2 / 3, "D stays small")
                at_most(long, growth * start, "D grows by a constant at most")
                now = quadratic(u, v)
                at_most(long**2 * (1 - q / 2 if alternating else 1), now, "Q is at least")
                factor = 1 + 10 * eps * q if alternating else math.sqrt(1 + q * q) + 2.1 * eps * q
                if t > 2:
                    at_most(math.sqrt(now), factor * before, "one iteration")
                before = math.sqrt(now)
                new_u = u + a @ v / size
                linear = quadratic(new_u, v - (new_u if alternating else u) @ a / size)
                at_most(linear, now * (1 if alternating else 1 + q * q), "the linear part")
            if 2 <= t <= length + 1:
                for total, plan in zip(sums, (against_x, against_y), strict=True):
                    total += plan
        x, y = (total / length for total in sums)
        new = game.distance(x, y)
        at_most(new, (start + long) / (sigma * length), "the mean")
        if epoch == 0:
            at_most(new, 68 * k**1.5 * size / (sigma * length) * d, "the first epoch")
        else:
            at_most(new, theta * d, "an epoch")
            kept.append(new / (theta * d) if d > 1e4 * ROUNDING else 0.0)
        best = float((a @ y).max() - (x @ a).min())
        at_most(best, math.sqrt(2) * norm * new, "exploitability")
    return kept


def restarted(
    payoffs: NDArray[np.float64], size: float, length: int, total: int, alternating: bool
) -> NDArray[np.float64]:
    """Exploitability after `total` iterations from uniform plans, by game (g, m, n); size in units of its norm."""
    norms = np.linalg.norm(payoffs, 2, axis=(1, 2))[:, None]
    x, y = (np.full((len(payoffs), moves), 1.0 / moves) for moves in payoffs.shape[1:])
    for _ in range(total // length):
        run = iterations(payoffs, size * norms * x, size * norms * y, alternating)
        x, y = np.zeros_like(x), np.zeros_like(y)
        for t in range(length):
            _, _, against_x, against_y = next(run)
            if t > 0:
                x += against_x / (length - 1)
                y += against_y / (length - 1)
    best: NDArray[np.float64] = np.einsum("gij,gj->gi", payoffs, y).max(1) - np.einsum("gij,gi->gj", payoffs, x).min(1)
    return best


def small_numbers(delta: float) -> dict[str, NDArray[np.float64]]:
    """Games that get harder as delta falls: matching pennies with a move that loses delta, and with a rare move."""
    return {
        "a cost": np.array([[1.0, -1.0], [-1.0, 1.0], [-delta, -delta]]),
        "a share": np.array([[1.0, -1.0], [-delta, delta]]),
    }


def needed(payoffs: NDArray[np.float64], length: int, least: float = 1e-9, most: int = 1_000_000) -> int:
    """Iterations until the average's exploitability is at most `least`, from uniform plans, alternating, lambda = L."""
    x, y = (np.full(moves, 1.0 / moves) for moves in payoffs.shape)
    size = float(np.linalg.norm(payoffs, 2))
    for epoch in range(1, most // length + 1):
        run = iterations(payoffs, size * x, size * y, True)
        next(run)
        plans = [next(run)[2:] for _ in range(length - 1)]
        x, y = (np.mean([pair[player] for pair in plans], axis=0) for player in (0, 1))
        if (payoffs @ y).max() - (x @ payoffs).min() <= least:
            return epoch * length
    raise AssertionError(f"not below {least} after {most} iterations")


def main() -> None:
    draw = np.random.default_rng(1)
    for alternating, number, limit in ((True, 40, 200.0), (False, 10, 12.0)):
        kept: list[float] = []
        conditions: list[float] = []
        while len(kept) < number:
            game = solved(draw.uniform(-1.0, 1.0, draw.integers(2, 6, 2)))
            if game is not None and game.k > 1 and game.norm / game.sigma <= limit:
                kept.append(max(check(game, alternating, draw)))
                conditions.append(game.norm / game.sigma)
        print(
            f"{'alternating' if alternating else 'simultaneous'}: every inequality holds in {number} games, L/sigma "
            f"{min(conditions):.1f} to {max(conditions):.1f}; of the bound of an epoch {max(kept):.2f} is used at most"
        )
    payoffs = draw.uniform(-1.0, 1.0, (200, 5, 5))
    for alternating, sizes in ((True, (0.3, 1.0, 3.0, 10.0)), (False, (1.0, 3.0, 10.0, 30.0))):
        for size in sizes:
            quartiles = np.quantile(restarted(payoffs, size, 100, 10_000, alternating), (0.5, 0.9, 1.0))
            print(
                f"| {'alternating' if alternating else 'simultaneous'} | {size:g} L |",
                *(f"{max(q, 1e-15):.0e} |" for q in quartiles),
            )
    for largest, shape in ((1, (3, 3)), (1, (4, 4)), (2, (4, 5))):
        payoffs = draw.integers(-largest, largest + 1, (600, *shape)).astype(float)
        payoffs[~payoffs.any((1, 2)), 0, 0] = 1.0
        worst = restarted(payoffs, 1.0, 100, 10_000, True).max()
        print(f"600 games of {shape[0]} x {shape[1]} integers from -{largest} to {largest}: at most {worst:.0e}")
    for name in small_numbers(1.0):
        print(f"| {name} |", *(f"{needed(small_numbers(delta)[name], 100)} |" for delta in (1e-1, 1e-2, 1e-3)))


if __name__ == "__main__":
    main()
