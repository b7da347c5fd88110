"""Matches and tournaments in this process; names, schedules, standings, ratings; no seat learns a secret."""

import contextlib
import math
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from oracle.lifting import game_tree
from support.killing import killed_everywhere
from support.network import Recorder
from support.programs import contents

from tictactoe import MatchEnd, MatchFacts, RoundEnd, RoundFacts, UniformStrategy, head_to_head, open_saved
from tictactoe.agents import tournament
from tictactoe.agents.match_play import Forfeit, play_match, play_or_forfeit
from tictactoe.agents.named import parse_agents
from tictactoe.agents.player_names import looks, require_name
from tictactoe.agents.ratings import rate
from tictactoe.agents.results import Agreed, MatchResult, PairResult, Results, SavedResults, standings, wilson_interval
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.agents.tournament import TournamentSettings, exact_results, needs_matches, round_robin, sampled_results
from tictactoe.errors import AgentError
from tictactoe.match.head_to_head import HeadToHead
from tictactoe.play.referee import Match
from tictactoe.play.transcript import replay

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
LOWEST = f"cmd:{sys.executable} -S {EXAMPLES / 'lowest_square.py'}"


def settings(matches: int = 4, winning_score: int = 1, **more: bool) -> TournamentSettings:
    return TournamentSettings(game_tree(), winning_score, matches, 3, **more)


def agreed(texts: list[str], chosen: TournamentSettings) -> Agreed:
    return Agreed(chosen.winning_score, "three-in-a-row", chosen.matches, chosen.seed, tuple(texts))


def played(texts: list[str], chosen: TournamentSettings, results: Results | None = None) -> Results:
    results = results or Results(agreed(texts, chosen))
    list(tournament.play_matches(parse_agents(texts), chosen, results))
    return results


def test_the_bot_that_adapts_repeats_itself() -> None:
    """It begins every match anew: the second half of a tournament is the same without the first."""
    texts, chosen = ["adaptive", "learner-1"], settings(4)
    whole, rest = played(texts, chosen), Results(agreed(texts, chosen))
    for number in (1, 2):
        rest.add(whole.matches[number], [])
    played(texts, chosen, rest)
    assert len(whole.matches) == 4
    assert rest.matches == whole.matches


def test_exact_results() -> None:
    agents = parse_agents(["match_to_1", "uniform", "cmd:cat", "learner-1"])
    found = {result.names: result for result in exact_results(agents, settings())}
    assert list(found) == [("match_to_1", "uniform"), ("match_to_1", "learner-1"), ("uniform", "learner-1")]
    solution = open_saved("match_to_1").solution
    expected = head_to_head(game_tree(), solution.average_strategy, UniformStrategy(game_tree(), 1), 1)
    assert found["match_to_1", "uniform"].exact == expected
    assert {pairing.names for pairing in needs_matches(agents, settings())} == {
        ("cat", name) for name in ("match_to_1", "uniform", "learner-1")
    }


def test_matches_that_are_played_agree_with_what_is_computed() -> None:
    texts, chosen = ["match_to_1", "uniform"], settings(100, sample=True)
    (found,) = sampled_results(played(texts, chosen).matches.values())
    (exact,) = exact_results(parse_agents(texts), settings())
    assert found.matches == 100
    assert abs(found.share - exact.share) < 4.0 * (exact.share * (1.0 - exact.share) / 100) ** 0.5
    assert list(exact_results(parse_agents(texts), chosen)) == []
    assert [pairing.first for pairing in needs_matches(parse_agents(texts), chosen)] == [0, 1] * 50


def test_the_same_seed_gives_the_same_matches() -> None:
    texts = ["match_to_1", "uniform", LOWEST]
    one, again = (played(texts, settings(6, sample=True)) for _ in range(2))
    assert one.matches == again.matches
    two = played(texts[:2], settings(6, sample=True)).matches.values()
    same = [result for result in one.matches.values() if result.names == ("match_to_1", "uniform")]
    assert [(r.winner, r.points) for r in two] == [(r.winner, r.points) for r in same]
    other = TournamentSettings(game_tree(), 1, 6, seed=4, sample=True)
    assert [r.winner for r in played(texts, other).matches.values()] != [r.winner for r in one.matches.values()]


def test_a_killed_tournament_goes_on(tmp_path: Path) -> None:
    texts, chosen = ["match_to_1", "uniform"], settings(5, sample=True)

    def run(directory: Path) -> None:
        with contextlib.closing(SavedResults(directory, agreed(texts, chosen))) as results:
            played(texts, chosen, results)

    whole = tmp_path / "whole"
    run(whole)
    expected = contents(whole)
    for directory in killed_everywhere(tmp_path, 3, run):
        run(directory)
        assert contents(directory).items() >= expected.items()  # beside half a file of the killed one
    matches = re.split(r'^(?=\{"format")', (whole / "transcripts.jsonl").read_text(), flags=re.MULTILINE)[1:]
    assert len(matches) == 5
    for match in matches:
        assert replay(match.splitlines(), game_tree()).match is not None


def test_programs_that_start_anew(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    bot = tmp_path / "bot.py"
    text = (EXAMPLES / "lowest_square.py").read_text()
    writes = f"import os\nopen({str(seen)!r}, 'a').write(os.environ['TICTACTOE_SEED'] + ' ')\n"
    bot.write_text(writes + text)
    texts = [f"cmd:{sys.executable} -S {bot}", "uniform"]
    results = played(texts, settings(3, anew=True))
    seeds = seen.read_text().split()
    assert len(set(seeds[-3:])) == 3
    assert len(seeds) <= 4, "one may be started before to see whether that works"
    seen.unlink()
    assert played(texts, settings(3)).matches == results.matches
    assert len(seen.read_text().split()) == 1


def test_matches_that_nobody_wins_and_forfeits() -> None:
    pairing = round_robin(["a", "b"], 1)[0]
    (found,) = sampled_results([MatchResult(1, pairing.names, None, (0, 0), "nobody has won after 10000 rounds")])
    assert (found.share, found.undecided, found.forfeits) == (0.5, 1, (0, 0))

    def fail(turn: dict[str, Any]) -> int:
        raise AgentError("Ann is tired")

    ann = Recorder(fail)
    match = Match(game_tree(), 1, ("Bob", "Ann"), first=0, seed=1)
    assert play_or_forfeit((uniform_agent(game_tree()), ann), match) == Forfeit(1, "Ann is tired")
    assert ann.heard[-1] == (False, (0, 0), "Ann is tired")


@pytest.mark.parametrize("seed", range(5))
def test_what_both_are_told(seed: int) -> None:
    agents, match = (Recorder(), Recorder()), Match(game_tree(), 3, ("Ann", "Bob"), first=0, seed=seed)
    play_match(agents, match)
    assert match.winner is not None
    for player, agent in enumerate(agents):
        assert agent.heard[0] == MatchFacts(3, "three-in-a-row", match.names[1 - player])
        begun = [one for one in agent.heard if isinstance(one, RoundFacts)]
        ended = [one for one in agent.heard if isinstance(one, RoundEnd)]
        assert len(begun) == len(ended) == len(match.rounds)
        for played, start, end in zip(match.rounds, begun, ended, strict=True):
            assert start.goal == end.goals[0] == played.goals[player]
            assert end.goals[1] == played.goals[1 - player]
            assert (start.seat, start.score) == (played.seat(player), played.score)
            assert end.moves == played.cursor.moves
            assert end.scored == (played.scored[player], played.scored[1 - player])
        assert [one.seat for one in begun[1:]] == [1 - one.seat for one in begun[:-1]]
        last = agent.heard[-1]
        assert isinstance(last, MatchEnd)
        assert last.won == (match.winner == player)
        assert last.points == ended[-1].points == (match.points[player], match.points[1 - player])


def test_matches_that_an_agent_cannot_play() -> None:
    (short,) = parse_agents(["match_to_1"])
    for agent, rules, why in (
        (short.agent(game_tree()), "three-in-a-row", "winning_score: 2 is not from 1 to 1"),
        (uniform_agent(game_tree()), "filled", "cannot play by filled"),
    ):
        with pytest.raises(ValueError, match=why):
            agent.begin_match(MatchFacts(2, rules, "Bob"))


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
    def won(*pairs: str) -> list[MatchResult]:
        return [MatchResult(number, (a, b), a, (1, 0)) for number, (a, b) in enumerate(pairs, 1)]

    undecided = MatchResult(9, ("a", "d"), None, (0, 0))
    rows = standings(["d", "a", "b", "c"], [*won("ab", "ba", "ca", "cb", "cb"), undecided])
    expected = [(1, "c", 3, 0), (2, "a", 1, 2), (3, "b", 1, 3), (4, "d", 0, 0)]
    assert [(row.place, row.name, row.won, row.lost) for row in rows] == expected
    assert [row.place for row in standings(["a", "b"], won("ab", "ba"))] == [1, 1]
    with pytest.raises(ValueError, match="at least two"):
        round_robin(["a"], 1)
    with pytest.raises(ValueError, match="at least two different"):
        round_robin(["a", "a"], 1)
