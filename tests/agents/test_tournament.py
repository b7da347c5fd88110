"""Tournaments in this process: exact and sampled results agree, equal seeds give equal matches, failures count."""

import contextlib
import re
import sys
from pathlib import Path
from typing import Any

from oracle.lifting import game_tree
from support.killing import killed_everywhere
from support.network import Recorder
from support.programs import contents

from tictactoe import UniformStrategy, head_to_head, open_saved
from tictactoe.agents.match_play import Forfeit, play_or_forfeit
from tictactoe.agents.named import parse_agents
from tictactoe.agents.player_names import round_robin
from tictactoe.agents.results import Agreed, MatchResult, Results, SavedResults
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.agents.tournament import TournamentSettings, exact_results, needs_matches, play_matches, sampled_results
from tictactoe.errors import AgentError
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
    list(play_matches(parse_agents(texts), chosen, results))
    return results


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
    texts, chosen = ["match_to_1", "uniform"], settings(400, sample=True)
    (found,) = sampled_results(played(texts, chosen).matches.values())
    (exact,) = exact_results(parse_agents(texts), settings())
    assert found.matches == 400
    assert abs(found.share - exact.share) < 4.0 * (exact.share * (1.0 - exact.share) / 400) ** 0.5
    assert list(exact_results(parse_agents(texts), chosen)) == []
    assert [pairing.first for pairing in needs_matches(parse_agents(texts), chosen)] == [0, 1] * 200


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
