"""The record of convergence: bounded however long a run takes, and the same however often it is stopped."""

import numpy as np
import pytest

from tictactoe.algorithms.arrays import FloatArray
from tictactoe.algorithms.cfr.solver import FLUSH_EVERY
from tictactoe.algorithms.comparing import convergence_log
from tictactoe.algorithms.comparing.convergence_log import MOST_CHECKS, ConvergenceLog


def row(iteration: int) -> tuple[int, float, float, float]:
    return iteration, 1.0 / iteration, -1.0, 0.1 * iteration


def log_of(every: int, end: int) -> ConvergenceLog:
    log = ConvergenceLog(every)
    for iteration in range(every, end + 1, every):
        log.add(*row(iteration))
    return log


def all_rows(every: int, end: int) -> FloatArray:
    return np.array([row(iteration) for iteration in range(every, end + 1, every)], np.float64).reshape(-1, 4)


def test_every_check_is_kept_of_a_usual_run_and_few_of_a_long_one() -> None:
    assert ConvergenceLog(1).rows.shape == (0, 4)
    for every, end in ((1, MOST_CHECKS), (100, 7_000), (7, 20)):
        np.testing.assert_array_equal(log_of(every, end).rows, all_rows(every, end))
    end = 4 * MOST_CHECKS + 77
    rows = log_of(1, end).rows
    assert MOST_CHECKS / 2 < len(rows) <= MOST_CHECKS + 201
    settled = end // 200 * 200
    expected = [*range(8, settled + 1, 8), *range(settled + 1, end + 1)]
    assert rows[:, 0].tolist() == expected
    np.testing.assert_array_equal(rows, [row(iteration) for iteration in expected])


@pytest.mark.parametrize("every", [3, 20])
def test_stopping_changes_nothing(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(convergence_log, "MOST_CHECKS", 16)
    generator = np.random.default_rng(every)
    end = 200 * every
    whole, expected = ConvergenceLog(every), {}
    for at in range(every, end + 1, every):
        whole.add(*row(at))
        expected[at] = whole.rows.copy()
    log, iteration = ConvergenceLog(every), 0
    while iteration < end:
        stop = min(end, iteration + int(generator.integers(1, 90)) * every)
        for at in range(iteration // every * every + every, stop + 1, every):
            log.add(*row(at))
            np.testing.assert_array_equal(log.rows, expected[at])
        saved, iteration = log.rows, stop
        if stop < end:
            iteration = stop // FLUSH_EVERY * FLUSH_EVERY
            log = ConvergenceLog(every)
            log.go_on_from(saved, iteration)
    assert len(log.rows) < 16 + 201
    np.testing.assert_array_equal(log.rows, expected[end])
