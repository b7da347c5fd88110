"""Rounds and matches against a referee that counts points as people do; rounds as they are dealt."""

import random
from collections import Counter
from functools import reduce

import pytest
from oracle.lifting import possible_outcomes
from support.playing import NAMES

from tictactoe import Board, Cursor, GameTree, Goal, Outcome, Position, RoundBot, Rules, Score, Seat
from tictactoe.errors import IllegalMoveError
from tictactoe.games.board import SYMMETRIES
from tictactoe.play.bot import deal_goals, draw_first
from tictactoe.play.recorded_play import Practice
from tictactoe.play.referee import COMMITTED_PLAYER, Match, Round, commitment_hash, commitment_text, new_commitment
from tictactoe.play.transcript import footer

TRUE = {Outcome.WIN: (Goal.WIN, Goal.LOSE), Outcome.LOSE: (Goal.LOSE, Goal.WIN), Outcome.TIE: (Goal.TIE, Goal.TIE)}
"""By the end of a round, the goals of the first and of the second mover that have come true."""


class Referee:
    """Keeps the points of a match by name."""

    def __init__(self, winning_score: int, first: str) -> None:
        self.winning_score = winning_score
        self.points = {"Ann": 0, "Bot": 0}
        self.first = first

    @property
    def order(self) -> tuple[str, str]:
        return self.first, "Bot" if self.first == "Ann" else "Ann"

    def count(self, end: Outcome, goals: dict[str, Goal]) -> str | None:
        """Points for a round; the winner's name when the match is over."""
        for name, goal in zip(self.order, TRUE[end], strict=True):
            self.points[name] += goals[name] is goal
        self.first = self.order[1]
        done = [name for name, points in self.points.items() if points >= self.winning_score]
        if len(done) == 2:
            self.points = dict.fromkeys(self.points, self.winning_score - 1)
        return done[0] if len(done) == 1 else None


def test_random_matches_agree_with_the_referee(tree: GameTree) -> None:
    assert sum(both_get_there_at_once(tree, seed) for seed in range(5, 17)) > 0


def both_get_there_at_once(tree: GameTree, seed: int) -> bool:
    """Plays a random match. Whether the players ever reach the winning score in the same round."""
    winning_score, at_once, generator = 1 + seed % 4, False, random.Random(seed)
    match = Match(tree, winning_score, NAMES, seed % 2, seed)
    referee, winner = Referee(winning_score, NAMES[seed % 2]), None
    while winner is None:
        assert match.winner is None
        assert match.points == tuple(referee.points.values())
        played = match.deal()
        assert played.score == tuple(referee.points[name] for name in referee.order)
        end = play_a_round(played, referee.order, generator)
        assert (played.mover, played.outcome) == (None, end)
        with pytest.raises(IllegalMoveError, match="decided"):
            played.play(played.cursor.board.free_squares[0] if played.cursor.board.free_squares else 1)
        before = dict(referee.points)
        winner = referee.count(end, dict(zip(NAMES, played.goals, strict=True)))
        if match.finish(played):
            at_once = True
            assert played.scored == (True, True)
            assert set(referee.points.values()) == {winning_score - 1}
        else:
            assert played.scored == tuple(referee.points[name] > before[name] for name in NAMES)
    assert match.winner is not None
    assert NAMES[match.winner] == winner
    assert match.points == tuple(referee.points.values())
    with pytest.raises(ValueError, match="over"):
        match.deal()
    return at_once


def play_a_round(played: Round, order: tuple[str, str], generator: random.Random) -> Outcome:
    """Random moves, of both alike, until the end is certain; the round refuses all other squares."""
    moves, board = list[int](), Board()
    while len(possible_outcomes(Rules(), board)) > 1:
        assert played.mover is not None
        assert played.outcome is None
        assert NAMES[played.mover] == order[len(moves) % 2]
        free = sorted(set(range(1, 10)).difference(moves))
        assert played.cursor.board.free_squares == tuple(free)
        for square in set(range(-1, 11)).difference(free):
            with pytest.raises(IllegalMoveError):
                played.play(square)
        moves.append(generator.choice(free))
        played.play(moves[-1])
        board = board.play(moves[-1])
        assert (played.cursor.moves, played.cursor.board) == (tuple(moves), board)
        assert played.cursor.outcome is Rules().outcome(board)
        at_node = reduce(Board.play, played.cursor.tree.history(played.cursor.node), Board())
        assert any(board.image(symmetry) == at_node for symmetry in SYMMETRIES)
    (end,) = possible_outcomes(Rules(), board)
    return end


def test_a_position_hides_the_goal_of_a_player(tree: GameTree) -> None:
    about = Score(1, 0), 1, (Goal.LOSE, Goal.TIE), commitment_text(1, Goal.TIE, "00"), tree, (5, 1)
    played = Round(1, *about)
    shown = (played.position(hidden=1), played.position(), played.position(0, 2, Score(3, 2)))
    assert [*map(str, shown)] == ["1-0 ?l 51", "1-0 tl 51", "3-2 t? 5"]


def test_matches_that_cannot_be(tree: GameTree) -> None:
    with pytest.raises(ValueError, match="winning_score"):
        Match(tree, 0, NAMES, 1)
    with pytest.raises(ValueError, match="both players are called"):
        Match(tree, 1, ("A", "A"), 1)
    match = Match(tree, 2, NAMES, 1, 1)
    played = match.deal()
    for early in (lambda: match.finish(played), lambda: played.scored, lambda: footer(match)):
        with pytest.raises(ValueError, match="goes on"):
            early()
    with pytest.raises(ValueError, match="not the one"):
        match.finish(Round(2, Score(0, 0), 1, (Goal.WIN, Goal.WIN), commitment_text(2, Goal.WIN, "00"), tree))


def test_goals_that_are_wanted_and_goals_that_are_dealt(bot: RoundBot) -> None:
    practice = Practice(bot, Score(1, 0), Seat.SECOND, 5, (Goal.TIE, None))
    for number in range(1, 20):
        played = practice.deal(number)
        assert played.goals == (Goal.TIE, deal_goals(Rules(), 5, number)[1])
        assert (played.number, played.score, played.first, played.cursor.moves) == (number, Score(1, 0), 1, ())
    assert {Practice(bot, Score(1, 0), None, 5).deal(number).first for number in range(1, 20)} == {0, 1}


@pytest.mark.parametrize("seat", Seat)
def test_goals_that_are_unknown_are_drawn_by_what_the_moves_tell(bot: RoundBot, seat: Seat) -> None:
    """As often as an observer believes: within 5 standard deviations. The goal that is known stays that of its seat."""
    start = Position(Score(1, 0), (None, Goal.LOSE), (2, 1))
    practice = Practice(bot, start.score, seat, 3, start=start)
    num = 600
    rounds = [practice.deal(number) for number in range(1, num + 1)]
    assert {played.goals_by_seat[1] for played in rounds} == {Goal.LOSE}
    assert {played.cursor.moves for played in rounds} == {(2, 1)}
    belief = bot.belief(Cursor(bot.tree, start.moves).node, Seat.FIRST)
    assert belief is not None
    counts = Counter(played.goals_by_seat[0] for played in rounds)
    for goal, probability in zip(Goal, belief, strict=True):
        assert abs(counts[goal] - num * probability) <= 5.0 * (num * probability * (1.0 - probability)) ** 0.5 + 1e-9


def test_commitments_and_seeds(tree: GameTree) -> None:
    match = Match(tree, 1, NAMES, first=0)
    texts = set()
    for _ in range(20):
        played = match.deal()
        start, _, nonce = played.commitment.rpartition(" ")
        assert start == f"smbc-tictactoe round 1 goal {played.goals[COMMITTED_PLAYER].name.lower()} nonce"
        assert len(nonce) == 32
        assert int(nonce, 16) >= 0
        texts.add(played.commitment)
    assert len(texts) == 20
    assert commitment_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(ValueError, match="commitment"):
        Round(1, Score(0, 0), 1, (Goal.WIN, Goal.WIN), commitment_text(1, Goal.LOSE, "00"), tree)
    assert [deal_goals(Rules(), 7, n) for n in range(1, 9)] == [deal_goals(Rules(), 7, n) for n in range(1, 9)]
    assert len({tuple(deal_goals(Rules(), seed, n) for n in range(9)) for seed in range(50)}) == 50
    texts = [new_commitment(seed, number, Goal.TIE) for seed, number in ((7, 1), (7, 1), (7, 2), (None, 1), (None, 1))]
    assert texts[0] == texts[1]
    assert len(set(texts)) == 4
    assert [draw_first(seat, 7) for seat in Seat] == [0, 1]
    assert {draw_first(None, seed) for seed in range(8)} == {0, 1}
    counts = Counter(deal_goals(Rules(), 1, number) for number in range(9000))
    assert len(counts) == 9
    assert max(abs(count - 1000) for count in counts.values()) < 160
