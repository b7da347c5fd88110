"""Names of players, the schedule of matches, standings, and ratings: known in closed form, and by simulation."""

import math
from collections import Counter

import pytest

from tictactoe.agents.player_names import looks, require_name, round_robin
from tictactoe.agents.ratings import rate
from tictactoe.agents.results import PairResult, standings, wilson_interval, wins_of
from tictactoe.match.head_to_head import HeadToHead


def exact(a: str, b: str, wins: float) -> PairResult:
    return PairResult((a, b), HeadToHead(wins, wins, 9.0, 9.0))


def test_wilson_from_a_published_example() -> None:
    """Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    published = {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }
    for (seen, trials), ends in published.items():
        assert wilson_interval(seen, trials) == pytest.approx(ends, abs=5e-5)
    with pytest.raises(ValueError, match="trials"):
        wilson_interval(0, 0)


def test_expected_scores_are_met() -> None:
    """The condition of the maximum: what the model expects each to win is what it has won; ratings need no model."""
    shares = {"ab": 0.9, "bc": 0.8, "ca": 0.7, "da": 0.5, "db": 0.2, "cd": 1.0}
    rows = rate(list("abcd"), [exact(x, y, wins) for (x, y), wins in shares.items()])
    for row in rows:
        others = (other.rating for other in rows if other is not row)
        expected = sum(1.0 / (1.0 + 10.0 ** ((other - row.rating) / 400.0)) for other in others)
        assert expected == pytest.approx(3.0 * row.score, abs=1e-5)
    ratings = [row.rating for row in rows]
    assert (ratings, sum(ratings)) == (sorted(ratings, reverse=True), pytest.approx(0.0, abs=1e-8))
    assert {row.interval for row in rows} == {None}


def test_who_wins_always_has_a_finite_rating() -> None:
    rows = rate(["a", "b", "c"], [exact("a", "b", 1.0), exact("a", "c", 1.0), exact("b", "c", 1.0)])
    assert all(math.isfinite(row.rating) for row in rows)
    assert [row.name for row in rows] == ["a", "b", "c"]
    rows = rate(["a", "b"], [PairResult(("a", "b"), wins=(10, 0))])
    assert rows[0].interval is not None
    assert rows[0].rating == pytest.approx(200.0 * math.log10(10.5 / 0.5), abs=1e-9), "half a match for each side"


def test_pairs_that_are_missing_or_undecided() -> None:
    for results in ([], [exact("a", "b", 0.5)], [exact("a", "b", 0.5), exact("b", "a", 0.5), exact("b", "c", 0.5)]):
        with pytest.raises(ValueError, match="every pair"):
            rate(["a", "b", "c"], results)
    with pytest.raises(ValueError, match="a and b have not played"):
        _ = PairResult(("a", "b")).share
    result = PairResult(("a", "b"), wins=(3, 1), undecided=4)
    assert (result.share, result.interval) == (5.0 / 8.0, wilson_interval(5, 8))


def test_names_that_nobody_may_have_and_others() -> None:
    for name in [
        "Ann", "ANN", " Ann", "\u0410nn", "Ann\u200b", "A\u0301nn", "\u00c5nn", "Ann.", "A n n", "\uff21nn",
        "\u202eAnn", "An\u0578\n", "", " ", "x" * 21, "\x1b[31mAnn", "a\u0300\u0301\u0302b", "...", "\u2800",
        "\u3164", "A\ufe0fnna", "Y\u043eu", "referee", "B0b", "B\u043eb", "\u0412\u043e\u0432", "Cornelia\u00ad",
        "Ne1l", "Bem", "nu\0l", "A\u200bnn", "Dan ",
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=r"name|longer than|unprintable|begins or ends with a space") as refused:
            require_name(name, ["Ann", "Bob", "Neil", "Bern"])
        assert str(refused.value).isprintable()
    for name in ["Anna", "bot 7", "\u0410\u043d\u043d\u0430", "\u5f20\u4f1f", "Zo\u00eb", "shipped"]:
        require_name(name, ["Ann", "Bob", "bot 8", "\u0416\u0430\u043d\u043d\u0430"])
        assert looks(name)


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("matches", [1, 2, 3])
def test_a_round_robin(players: int, matches: int) -> None:
    names = [f"P{number}" for number in range(players)]
    schedule = round_robin(names, matches)
    assert [each.number for each in schedule] == list(range(1, len(schedule) + 1))
    pairs = Counter(each.names for each in schedule)
    assert list(pairs.values()) == [matches] * (players * (players - 1) // 2)
    for pair in pairs:
        assert [each.first for each in schedule if each.names == pair] == [game % 2 for game in range(matches)]
    for start in range(0, len(schedule), players // 2):
        at_once = Counter(name for each in schedule[start : start + players // 2] for name in each.names)
        assert set(at_once.values()) == {1}
    again = round_robin(names[::-1], matches)
    assert {(each.names, each.game) for each in again} == {(each.names, each.game) for each in schedule}


def test_seeds_differ_by_match_and_purpose() -> None:
    schedule = round_robin(["a", "b", "c"], 3)
    seeds = [each.seed(5, purpose) for each in schedule for purpose in ("match", "agent 0", "agent 1")]
    assert len(set(seeds)) == 27
    assert {each.seed(None) for each in schedule} == {None}
    more = {(each.names, each.game): each.seed(5) for each in round_robin(["a", "b", "c", "d"], 4)}
    assert all(more[each.names, each.game] == each.seed(5) for each in schedule)


def test_standings() -> None:
    decided = [("a", "b"), ("b", "a"), ("c", "a"), ("c", "b"), ("c", "b")]
    rows = standings(["d", "a", "b", "c"], wins_of(decided))
    expected = [(1, "c", 3, 0), (2, "a", 1, 2), (3, "b", 1, 3), (4, "d", 0, 0)]
    assert [(row.place, row.name, row.won, row.lost) for row in rows] == expected
    assert [row.place for row in standings(["a", "b"], wins_of([("a", "b"), ("b", "a")]))] == [1, 1]
    with pytest.raises(ValueError, match="at least two"):
        round_robin(["a"], 1)
    with pytest.raises(ValueError, match="at least two different"):
        round_robin(["a", "a"], 1)
