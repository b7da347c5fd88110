"""Rounds and matches against a referee that knows only the rules as people tell them."""

import random
from functools import cache, reduce

import pytest
from support.playing import NAMES

from tictactoe import Board, GameTree, Goal, Outcome, Position, Score
from tictactoe.errors import IllegalMoveError
from tictactoe.games.board import SYMMETRIES
from tictactoe.play.commitment import commitment_text
from tictactoe.play.referee import Match, Round
from tictactoe.play.transcript import footer


class Referee:
    """Keeps a match by the rules: a grid of letters, and points by name."""

    def __init__(self, winning_score: int, first: str) -> None:
        self.winning_score = winning_score
        self.points = {"Ann": 0, "Bot": 0}
        self.first = first
        self.start()

    def start(self) -> None:
        self.grid = "." * 9

    def mark(self, square: int) -> None:
        assert self.grid[square - 1] == "."
        letter = "X" if self.grid.count(".") % 2 == 1 else "O"
        self.grid = self.grid[: square - 1] + letter + self.grid[square:]

    def count(self, ending: str, goals: dict[str, str]) -> str | None:
        """Points for a round that ended with "X", "O" or "tie"; the winner's name when the match is over."""
        second = "Bot" if self.first == "Ann" else "Ann"
        for name, mine, yours in ((self.first, "X", "O"), (second, "O", "X")):
            if ending == {"win": mine, "lose": yours, "tie": "tie"}[goals[name]]:
                self.points[name] += 1
        self.first = second
        done = [name for name, points in self.points.items() if points >= self.winning_score]
        if len(done) == 2:
            self.points = dict.fromkeys(self.points, self.winning_score - 1)
        return done[0] if len(done) == 1 else None


def ending(grid: str) -> str | None:
    rows = [grid[0:3], grid[3:6], grid[6:9], grid[0::3], grid[1::3], grid[2::3], grid[0::4], grid[2:7:2]]
    for letter in "XO":
        if letter * 3 in rows:
            return letter
    return None if "." in grid else "tie"


@cache
def possible_endings(grid: str) -> frozenset[str]:
    now = ending(grid)
    if now is not None:
        return frozenset((now,))
    letter = "X" if grid.count(".") % 2 == 1 else "O"
    after = (grid[:i] + letter + grid[i + 1 :] for i in range(9) if grid[i] == ".")
    return frozenset().union(*map(possible_endings, after))


def grid_of(board: Board) -> str:
    return "".join("X" if board.first >> i & 1 else "O" if board.second >> i & 1 else "." for i in range(9))


@pytest.mark.parametrize("seed", range(12))
def test_random_matches_agree_with_the_referee(tree: GameTree, seed: int) -> None:
    winning_score = 1 + seed % 4
    generator = random.Random(seed)
    match = Match(tree, winning_score, NAMES, seed % 2, seed)
    referee, winner = Referee(winning_score, NAMES[seed % 2]), None
    while winner is None:
        assert match.winner is None
        assert match.points == tuple(referee.points.values())
        played = match.deal()
        referee.start()
        assert played.score == (match.points if referee.first == "Ann" else match.points[::-1])
        play_a_round(played, referee, generator)
        (end,) = possible_endings(referee.grid)
        assert played.mover is None
        assert played.outcome == {"X": Outcome.WIN, "O": Outcome.LOSE, "tie": Outcome.TIE}[end]
        assert (played.cursor.outcome is None) == (ending(referee.grid) is None)
        with pytest.raises(IllegalMoveError, match="decided"):
            played.play(played.cursor.board.free_squares[0] if played.cursor.board.free_squares else 1)
        before = dict(referee.points)
        winner = referee.count(end, {name: played.goals[i].name.lower() for i, name in enumerate(NAMES)})
        if match.finish(played):
            assert played.scored == (True, True)
            assert set(referee.points.values()) == {winning_score - 1}
        else:
            assert played.scored == tuple(referee.points[name] > before[name] for name in NAMES)
    assert match.winner is not None
    assert NAMES[match.winner] == winner
    assert match.points == tuple(referee.points.values())
    with pytest.raises(ValueError, match="over"):
        match.deal()


def play_a_round(played: Round, referee: Referee, generator: random.Random) -> None:
    """Random moves, of both alike, until the end is certain; the round refuses all other squares."""
    while len(possible_endings(referee.grid)) > 1:
        names = (referee.first, "Bot" if referee.first == "Ann" else "Ann")
        assert played.mover is not None
        assert played.outcome is None
        assert NAMES[played.mover] == names[(9 - referee.grid.count(".")) % 2]
        free = [i + 1 for i in range(9) if referee.grid[i] == "."]
        assert played.cursor.board.free_squares == tuple(free)
        for square in set(range(-1, 11)) - set(free):
            with pytest.raises(IllegalMoveError):
                played.play(square)
        square = generator.choice(free)
        played.play(square)
        referee.mark(square)
        assert grid_of(played.cursor.board) == referee.grid
        assert played.cursor.moves[-1] == square
        board = reduce(Board.play, played.cursor.tree.history(played.cursor.node), Board())
        assert any(played.cursor.board.image(symmetry) == board for symmetry in SYMMETRIES)


def test_a_position_hides_the_goal_of_a_player(tree: GameTree) -> None:
    goals = (Goal.LOSE, Goal.TIE)
    text = commitment_text(1, Goal.TIE, "00")
    first = Round(1, Score(1, 0), 0, goals, text, tree, (5, 1))
    second = Round(1, Score(1, 0), 1, goals, text, tree)
    assert str(first.position(hidden=1)) == "1-0 l? 51"
    assert str(second.position(hidden=1)) == "1-0 ?l -"
    assert second.position() == Position(Score(1, 0), (Goal.TIE, Goal.LOSE), ())


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
