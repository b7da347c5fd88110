"""A match between two players of any kind as a course of events that never waits."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator
from typing import Any, NamedTuple

from ..errors import AgentError, EndlessMatchError
from ..games.rules import Goal, Seat
from ..games.tic_tac_toe_tree import GameTree
from ..play.referee import Match, Round, commitment_text
from ..play.transcript import Setup, match_lines
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts

MOST_ROUNDS = 10_000
"""The most rounds of a match, because some players never score against each other."""


class Tell(NamedTuple):
    player: int
    event: MatchFacts | RoundFacts | RoundEnd | MatchEnd


class Ask(NamedTuple):
    """A question: the square to mark after these moves."""

    player: int
    moves: tuple[int, ...]


Course = Generator[Tell | Ask, int | None, None]


def course_of(match: Match) -> Course:
    """The course of a match that has not begun. `send` answers an Ask.

    Raises IllegalMoveError for an illegal square, and EndlessMatchError after MOST_ROUNDS rounds; both end the course.
    """
    for player in (0, 1):
        opponent = match.names[1 - player]
        yield Tell(player, MatchFacts(match.winning_score, str(match.tree.rules), opponent))
    while match.winner is None:
        if len(match.rounds) >= MOST_ROUNDS:
            raise EndlessMatchError(f"nobody has won after {MOST_ROUNDS} rounds")
        played = match.deal()
        for player in (0, 1):
            points = _own_first(match.points, player)
            yield Tell(player, RoundFacts(played.number, played.seat(player), played.goals[player], points))
        while (mover := played.mover) is not None:
            square = yield Ask(mover, played.cursor.moves)
            if square is None:
                raise ValueError("an Ask must be answered with a square")
            played.play(square)
        match.finish(played)
        for player in (0, 1):
            yield Tell(player, _end_of(played, player, match.points))
    for player in (0, 1):
        yield Tell(player, MatchEnd(match.winner == player, _own_first(match.points, player)))


def play_match(agents: tuple[Agent, Agent], match: Match) -> None:
    """Play a match between agents in this process to its end. Raises the errors of `course_of`.

    >>> from tictactoe import GameTree, uniform_agent
    >>> tree = GameTree.build()
    >>> match = Match(tree, 2, ("Ann", "Bob"), first=0, seed=1)
    >>> play_match((uniform_agent(tree, 1), uniform_agent(tree, 2)), match)
    >>> match.names[match.winner], match.points, len(match.rounds)
    ('Ann', (2, 0), 3)
    """
    course, answer = course_of(match), None
    while (event := _next(course, answer)) is not None:
        answer = _told(agents, event)


def _next(course: Course, answer: int | None) -> Tell | Ask | None:
    try:
        return course.send(answer)
    except StopIteration:
        return None


def _told(agents: tuple[Agent, Agent], event: Tell | Ask) -> int | None:
    if isinstance(event, Ask):
        return agents[event.player].choose(event.moves)
    tell(agents[event.player], event.event)
    return None


class Forfeit(NamedTuple):
    player: int
    """The loser, 0 or 1."""
    reason: str
    """The failure in words."""


def play_or_forfeit(agents: tuple[Agent, Agent], match: Match) -> Forfeit | None:
    """Play a match to its end and return None, unless a player fails by AgentError or an illegal square.

    After a forfeit, the match has no winner, and both agents are told its end. Raises EndlessMatchError like
    `course_of`.

    >>> from tictactoe import GameTree, uniform_agent
    >>> class AlwaysFive:
    ...     def begin_match(self, facts): ...
    ...     begin_round = end_round = end_match = begin_match
    ...     def choose(self, moves):
    ...         return 5
    >>> tree = GameTree.build()
    >>> match = Match(tree, 2, ("Ann", "Bob"), first=0, seed=1)
    >>> play_or_forfeit((AlwaysFive(), uniform_agent(tree, 1)), match)
    Forfeit(player=0, reason='Ann marked square 5, which is not free')
    """
    course, answer = course_of(match), None
    while (event := _next(course, answer)) is not None:
        try:
            answer = _told(agents, event)
            if isinstance(event, Ask) and (answer not in range(1, 10) or answer in event.moves):
                what = "is not free" if answer in event.moves else "does not exist"
                raise AgentError(f"{match.names[event.player]} marked square {answer!r}, which {what}")
        except AgentError as error:
            if isinstance(event, Tell) and isinstance(event.event, MatchEnd):  # a broken agent fails in its next match
                continue
            forfeit = Forfeit(event.player, str(error))
            for player, agent in enumerate(agents):
                with contextlib.suppress(AgentError):
                    end = MatchEnd(player != event.player, _own_first(match.points, player), forfeit.reason)
                    agent.end_match(end)
            return forfeit
    return None


def tell(agent: Agent, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
    """Call the agent's method for an event."""
    match event:
        case MatchFacts():
            agent.begin_match(event)
        case RoundFacts():
            agent.begin_round(event)
        case RoundEnd():
            agent.end_round(event)
        case MatchEnd():
            agent.end_match(event)


def _own_first(pair: tuple[int, int], player: int) -> tuple[int, int]:
    return pair[player], pair[1 - player]


def _end_of(played: Round, player: int, points: tuple[int, int]) -> RoundEnd:
    outcome = played.outcome
    assert outcome is not None
    other = 1 - player
    goals, scored = played.goals, played.scored
    both = (goals[player], goals[other]), (scored[player], scored[other])
    return RoundEnd(played.cursor.moves, outcome, *both, _own_first(points, player))


def transcript_of(match: Match) -> list[dict[str, Any]]:
    points, rules = match.winning_score, str(match.tree.rules)
    setup = Setup(names=match.names, seed=match.seed, winning_score=points, solved_winning_score=points, rules=rules)
    return match_lines(setup, match)


class SeenRound:
    """A round as its player 0 sees it. played: the round, with an arbitrary goal of the opponent."""

    def __init__(self, facts: RoundFacts, tree: GameTree) -> None:
        self._facts, self._tree = facts, tree
        self.played = self._round(Goal.WIN)

    def _round(self, goal: Goal) -> Round:
        facts = self._facts
        text = commitment_text(facts.number, goal, "00")
        return Round(facts.number, facts.score, int(facts.seat is not Seat.FIRST), (facts.goal, goal), text, self._tree)

    def mark(self, square: int) -> int:
        """Play a move and return its player. Raises ValueError after the end, and IllegalMoveError."""
        player = self.played.mover
        if player is None:
            raise ValueError("a move after the end of the round")
        self.played.play(square)
        return player

    def follow(self, moves: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Play the new moves and yield each with its player. Raises ValueError if they do not continue the round."""
        known = self.played.cursor.moves
        if moves[: len(known)] != known:
            if known[: len(moves)] != moves:
                raise ValueError(f"moves {moves} after {known}")
            while len(self.played.cursor.moves) > len(moves):
                self.played.cursor.undo()
        for square in moves[len(known) :]:
            yield self.mark(square), square

    def ended(self, end: RoundEnd) -> Round:
        """The round with both goals. Raises ValueError if it has not ended."""
        played = self._round(end.goals[1])
        for square in end.moves:
            played.play(square)
        if played.outcome is None:
            raise ValueError("the round has not ended")
        return played
