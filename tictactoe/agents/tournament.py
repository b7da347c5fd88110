"""A round robin in this process: exact results for fixed policies, matches for programs."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from ..errors import AgentError, EndlessMatchError
from ..games.tic_tac_toe_tree import GameTree
from ..match.head_to_head import head_to_head
from ..play.bot import generator_for
from ..play.referee import Match
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.texts import csv_text, latex_table, picked
from .agent import Agent
from .match_play import play_or_forfeit, transcript_of
from .named import NamedAgent
from .program_agent import ProgramAgent
from .ratings import Rating
from .results import Agreed, MatchResult, PairResult, Results, SavedResults


class Pairing(NamedTuple):
    number: int
    """The number of the match in the tournament, from 1."""
    names: tuple[str, str]
    """The names of players 0 and 1, in alphabetical order."""
    first: int
    """The player, 0 or 1, who moves first in the first round."""
    game: int
    """The number of earlier matches of these two players."""

    def result(self, winner: int | None, points: tuple[int, int], reason: str) -> MatchResult:
        """The result of this match. winner: player 0 or 1; None if there is none."""
        return MatchResult(self.number, self.names, None if winner is None else self.names[winner], points, reason)

    def seed(self, tournament_seed: int | None, purpose: str = "match") -> int | None:
        """The seed of this match's draws for a purpose; None for a tournament without a seed."""
        if tournament_seed is None:
            return None
        return generator_for(tournament_seed, f"{purpose} {self.names} {self.game}").getrandbits(62)


def round_robin(names: Sequence[str], num_matches: int) -> list[Pairing]:
    """The matches of a round robin, by the circle method. The players of a pair take turns at moving first.

    Raises ValueError unless there are at least two names, all different.

    >>> [(each.names, each.first) for each in round_robin(["Bob", "Ann"], 2)]
    [(('Ann', 'Bob'), 0), (('Ann', 'Bob'), 1)]
    """
    if len(names) < 2 or len(set(names)) != len(names):
        raise ValueError("names: at least two different ones are needed")
    circle: list[str | None] = [*sorted(names)]
    if len(circle) % 2:
        circle.append(None)
    half = len(circle) // 2
    found: list[Pairing] = []
    for game in range(num_matches):
        for _ in range(len(circle) - 1):
            for one, other in zip(circle[:half], reversed(circle[half:]), strict=True):
                if one is not None and other is not None:
                    pair = (one, other) if one < other else (other, one)
                    found.append(Pairing(len(found) + 1, pair, game % 2, game))
            circle = [circle[0], circle[-1], *circle[1:-1]]
    return found


@dataclass(frozen=True, eq=False)
class TournamentSettings:
    """The settings of a tournament."""

    tree: GameTree
    winning_score: int
    matches: int = 1000
    """The number of matches of every pair that plays."""
    seed: int = 1
    """The seed of all draws."""
    sample: bool = False
    """Whether fixed policies play matches, too, instead of being computed exactly."""
    anew: bool = False
    """Whether a program is started again for every match."""


def needs_matches(agents: Sequence[NamedAgent], settings: TournamentSettings) -> list[Pairing]:
    """The matches to play: those of pairs with a program, or all matches with `settings.sample`."""
    policies = {agent.name for agent in agents if agent.is_policy}
    every = round_robin([agent.name for agent in agents], settings.matches)
    return [pairing for pairing in every if settings.sample or not policies.issuperset(pairing.names)]


def exact_results(agents: Sequence[NamedAgent], settings: TournamentSettings) -> Iterator[PairResult]:
    """The exact results of all pairs of fixed policies; none with `settings.sample`.

    Raises the errors of `head_to_head`, and ValueError for an agent that cannot play such a match.
    """
    tree, points = settings.tree, settings.winning_score
    fixed = [] if settings.sample else [agent for agent in agents if agent.is_policy]
    policies = {agent.name: agent.policy(tree, points) for agent in fixed} if len(fixed) > 1 else {}
    for a, b in combinations(policies, 2):
        yield PairResult((a, b), head_to_head(tree, policies[a], policies[b], points))


def play_matches(
    agents: Sequence[NamedAgent], settings: TournamentSettings, results: Results
) -> Generator[MatchResult, None, None]:
    """Play the matches that `results` lacks. Add each result to `results`, then yield it.

    A program that fails forfeits the match. Raises AgentError for a program that cannot be started.
    """
    missing = [pairing for pairing in needs_matches(agents, settings) if pairing.number not in results.matches]
    programs: dict[str, ProgramAgent] = {}

    def started(agent: NamedAgent, seed: int | None) -> ProgramAgent:
        if agent.name in programs:
            programs[agent.name].close()
        made = agent.agent(settings.tree, seed)
        assert isinstance(made, ProgramAgent)
        programs[agent.name] = made
        return made

    def player(pairing: Pairing, number: int) -> Agent:
        agent, seed = by_name[pairing.names[number]], pairing.seed(settings.seed, f"agent {number}")
        if agent.program is None:
            return agent.agent(settings.tree, seed)
        return started(agent, seed) if settings.anew else programs[agent.name]

    by_name = {agent.name: agent for agent in agents}
    try:
        for agent in agents if missing else ():
            if agent.program is not None:  # finds a program that cannot be started before the first match
                started(agent, generator_for(settings.seed, f"program {agent.name}").getrandbits(62)).start()
        if results.players is None:
            results.begin(())
        for pairing in missing:
            match = Match(
                settings.tree, settings.winning_score, pairing.names, pairing.first, pairing.seed(settings.seed)
            )
            try:
                forfeit = play_or_forfeit((player(pairing, 0), player(pairing, 1)), match)
                reason = "" if forfeit is None else forfeit.reason
                winner = match.winner if forfeit is None else 1 - forfeit.player
            except EndlessMatchError as error:
                winner, reason = None, str(error)
            result = pairing.result(winner, match.points, reason)
            results.add(result, transcript_of(match))
            yield result
    finally:
        for program in programs.values():
            program.close()


def sampled_results(results: Iterable[MatchResult]) -> list[PairResult]:
    """The results of the pairs that played these matches."""
    by_pair: dict[tuple[str, str], list[MatchResult]] = {}
    for result in results:
        by_pair.setdefault(result.names, []).append(result)
    found = []
    for names, played in by_pair.items():
        a, b = ([bool(result.reason) for result in played if result.winner == name] for name in names)
        found.append(PairResult(names, None, (len(a), len(b)), (sum(b), sum(a)), len(played) - len(a) - len(b)))
    return found


class TournamentReporter(Protocol):
    """A follower of a tournament."""

    def preparing(self, agent: NamedAgent) -> None:
        """Called while the agent's strategy is computed."""

    def computed(self, pair: PairResult) -> None:
        """Called with an exact result."""

    def played(self, result: MatchResult, num_played: int, num_matches: int) -> None:
        """Called with a result. num_played: the number of results so far. num_matches: the number of all matches."""


def play_tournament(
    agents: Sequence[NamedAgent],
    settings: TournamentSettings,
    directory: Path | None = None,
    control: RunControl[TournamentReporter] = DEFAULT_CONTROL,
) -> list[PairResult]:
    """The results of all pairs: first exact results, then results of played matches.

    directory: the directory that keeps every match. A stopped tournament continues there; Existing.RESTART replaces it.
    Raises AgentError for an agent that cannot play, the errors of `SavedResults`, and Interrupted once `control.stop`
    is set.

    >>> from tictactoe import parse_agent
    >>> agents = [parse_agent("learner-10"), parse_agent("uniform")]
    >>> (result,) = play_tournament(agents, TournamentSettings(GameTree.build(), winning_score=1))
    >>> result.names, round(result.exact.wins_as_first, 6)
    (('learner-10', 'uniform'), 0.803588)
    """
    reporter = control.reporter
    for agent in agents:
        if agent.program is None:
            if reporter:
                reporter.preparing(agent)
            try:
                agent.check(settings.tree, settings.winning_score)
            except ValueError as error:  # before files are written
                raise AgentError(f"{agent.name}: {error}") from error
    texts, rules = tuple(agent.text for agent in agents), str(settings.tree.rules)
    agreed = Agreed(settings.winning_score, rules, settings.matches, settings.seed, texts)
    made = Results(agreed) if directory is None else SavedResults(directory, agreed, control.existing)
    with contextlib.closing(made) as results:
        found: list[PairResult] = []
        for pair in exact_results(agents, settings):
            found.append(pair)
            if reporter:
                reporter.computed(pair)
            control.check_stop()
        wanted = needs_matches(agents, settings)
        with contextlib.closing(play_matches(agents, settings, results)) as playing:
            while not control.stop.is_set() and (result := next(playing, None)) is not None:
                if reporter:
                    reporter.played(result, len(results.matches), len(wanted))
        numbers = sorted(pairing.number for pairing in wanted)
        if not results.matches.keys() >= set(numbers):
            control.check_stop()
        results.complete()
        return found + sampled_results(results.matches[number] for number in numbers)


def tournament_as_dict(
    agents: Sequence[NamedAgent], settings: TournamentSettings, ratings: Sequence[Rating], results: Sequence[PairResult]
) -> dict[str, Any]:
    """The ratings, best first, and the results of all pairs. Probabilities and shares are 0 to 1."""
    texts = {agent.name: agent.text for agent in agents}
    forfeits = forfeits_of(results)
    return {
        "rules": str(settings.tree.rules),
        **picked(settings, "winning_score", "matches", "seed"),
        "agents": [
            {"place": place, "name": row.name, "agent": texts[row.name]}
            | picked(row, "rating", "rating_interval_95=interval", "expected_score=score")
            | {"forfeits": forfeits[row.name]}
            for place, row in enumerate(ratings, 1)
        ],
        "pairs": [_pair(result) for result in results],
    }


def _pair(result: PairResult) -> dict[str, Any]:
    (low, high), exact = result.interval or (None, None), result.exact
    about = {"a": result.names[0], "b": result.names[1], "exact": exact is not None, "a_wins": result.share}
    by_seat = (None, None) if exact is None else (exact.wins_as_first, exact.wins_as_second)
    rounds = (None, None) if exact is None else (exact.rounds_as_first, exact.rounds_as_second)
    about |= {"low_95": low, "high_95": high, "a_wins_moving_first": by_seat[0], "a_wins_moving_second": by_seat[1]}
    about |= {"expected_rounds_a_moving_first": rounds[0], "expected_rounds_a_moving_second": rounds[1]}
    about |= {"matches": result.matches, "a_won": result.wins[0], "b_won": result.wins[1]}
    forfeits = {"a_forfeited": result.forfeits[0], "b_forfeited": result.forfeits[1]}
    return about | {"undecided": result.undecided} | forfeits


def pairs_as_text(content: dict[str, Any], path: Path) -> str:
    """A row for every pair of `tournament_as_dict`, as CSV, or as LaTeX if the path ends with .tex."""
    if path.suffix != ".tex":
        return csv_text(content["pairs"])
    ratings = [(row["name"], row["rating"], 100.0 * row["expected_score"]) for row in content["agents"]]
    shares = ("a_wins", "low_95", "high_95")
    pairs = [
        (row["a"], row["b"], *(None if row[name] is None else 100.0 * row[name] for name in shares), row["matches"])
        for row in content["pairs"]
    ]
    headings = ("agent", "against", "wins, %", "from", "to", "matches")
    first = latex_table(("agent", "rating", "wins, %"), ratings, f"Matches to {content['winning_score']}.")
    return f"{first}\n{latex_table(headings, pairs, 'Exact where from and to are missing.')}"


def forfeits_of(results: Sequence[PairResult]) -> Counter[str]:
    """The numbers of forfeited matches by agent, without zeros."""
    return +sum((Counter(dict(zip(each.names, each.forfeits, strict=True))) for each in results), Counter[str]())
