"""What is said of how long a match will take."""

from itertools import count
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.matches import SHORT_RULE

from tictactoe import GameTree, MatchOptions
from tictactoe.match.scores import Score, pair_of
from tictactoe.solving import dry_run, pair_work
from tictactoe.solving.dry_run import makespan, measure_pair, most_useful_workers
from tictactoe.solving.match_run import dependencies

TREE = GameTree.build()


@given(st.integers(1, 9), st.integers(1, 12), st.data())
def test_work_is_never_done_faster_than_it_can_be(points: int, workers: int, data: st.DataObject) -> None:
    graph = dependencies(points)
    lengths = data.draw(st.lists(st.floats(0.1, 10.0), min_size=len(graph), max_size=len(graph)))
    seconds = dict(zip(graph, lengths, strict=True))
    chain: dict[object, float] = {}
    for pair, before in graph.items():  # in solve order
        chain[pair] = seconds[pair] + max((chain[other] for other in before), default=0.0)
    found, total, longest = makespan(graph, seconds, workers), sum(lengths), max(chain.values())
    assert max(total / workers, longest) <= found * (1 + 1e-9)
    assert found <= (total / workers + longest) * (1 + 1e-9)  # Graham's bound
    useful, shortest = most_useful_workers(graph, seconds)
    assert shortest == pytest.approx(longest)
    assert makespan(graph, seconds, useful) == pytest.approx(shortest)
    assert useful == 1 or makespan(graph, seconds, useful - 1) > shortest * (1 + 1e-9)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reading of the processor time is a second later than the one before. The wall clock stands still."""
    seconds = map(float, count())
    monkeypatch.setattr(dry_run, "time", SimpleNamespace(process_time=seconds.__next__, monotonic=float))
    monkeypatch.setattr(pair_work, "monotonic", lambda: 0.0)


@pytest.mark.usefixtures("clock")
def test_a_pair_is_measured() -> None:
    tree = GameTree.build(SHORT_RULE)
    quick = measure_pair(tree, MatchOptions(winning_score=3, maximum_subgame_exploitability=1e-2))
    assert (quick.pair, quick.whole) == (pair_of(Score(2, 1)), True)
    assert (quick.seconds, quick.seconds_per_score) == (1.0, 0.5)
    alone = measure_pair(tree, MatchOptions(winning_score=1, maximum_subgame_exploitability=1e-2))
    assert (alone.pair, alone.whole) == ((Score(0, 0),), True)
    limited = measure_pair(tree, MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-12), 40)
    assert (limited.pair, limited.whole) == (pair_of(Score(1, 0)), True)


def test_a_pair_that_takes_long_is_forecast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "MEASURING_SECONDS", 0.0)
    found = measure_pair(TREE, MatchOptions(maximum_subgame_exploitability=1e-9))
    assert (found.pair, found.whole) == ((Score(4, 4),), False)
    assert found.seconds > 0.0


@pytest.mark.usefixtures("clock")
def test_a_pair_is_measured_until_it_is_exact() -> None:
    pytest.importorskip("highspy")
    options = MatchOptions(winning_score=2, maximum_subgame_exploitability=1e-3)
    tree = GameTree.build(SHORT_RULE)
    assert measure_pair(tree, options, polish=True).seconds == measure_pair(tree, options).seconds + 1.0
