"""The engine behind the playing commands, against a referee that knows only the rules as people tell them."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import MATCH, call

from tictactoe.board import SYMMETRIES, Board, Outcome
from tictactoe.cursor import Cursor, IllegalMoveError, Position
from tictactoe.match import Goal, Score, Seat
from tictactoe.playing import (
    Match,
    MatchBook,
    Player,
    Round,
    RoundBook,
    commitment_hash,
    commitment_text,
    deal_goals,
    generator_for,
    new_nonce,
    replay,
    review,
)
from tictactoe.solution import Solution, load_solution
from tictactoe.tree import GameTree

NAMES = ("Ann", "Bot")


@pytest.fixture(scope="module")
def solution(tmp_path_factory: pytest.TempPathFactory) -> Solution:
    """A match to 2, solved roughly."""
    output = tmp_path_factory.mktemp("playing") / "two"
    target = ("--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "1e-2")
    assert call(MATCH, "-o", output, "--winning-score", 2, "--quiet", *target).code == 0
    return load_solution(output)


@pytest.fixture(scope="module")
def tree(solution: Solution) -> GameTree:
    return solution.tree


@pytest.fixture(scope="module")
def book(solution: Solution) -> RoundBook:
    return MatchBook(solution).book(Score(1, 0))


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
    """Of all ways to play on."""
    now = ending(grid)
    if now is not None:
        return frozenset((now,))
    letter = "X" if grid.count(".") % 2 == 1 else "O"
    after = (grid[:i] + letter + grid[i + 1 :] for i in range(9) if grid[i] == ".")
    return frozenset().union(*map(possible_endings, after))


def grid_of(board: Board) -> str:
    return "".join("X" if board.first >> i & 1 else "O" if board.second >> i & 1 else "." for i in range(9))


@pytest.mark.parametrize("seed", range(40))
def test_random_matches_agree_with_the_referee(tree: GameTree, seed: int) -> None:
    winning_score = 1 + seed % 4
    generator = random.Random(seed)
    match = Match(tree, winning_score, NAMES, Player(seed % 2), seed)
    referee = Referee(winning_score, NAMES[seed % 2])
    winner = None
    while winner is None:
        assert match.winner is None
        assert match.points == tuple(referee.points.values())
        played = match.deal()
        referee.start()
        goals = {name: played.goals[i].name.lower() for i, name in enumerate(NAMES)}
        assert played.score == (match.points if referee.first == "Ann" else match.points[::-1])
        while len(possible_endings(referee.grid)) > 1:
            number = 9 - referee.grid.count(".")
            names = (referee.first, "Bot" if referee.first == "Ann" else "Ann")
            assert played.mover is not None
            assert played.outcome is None
            assert NAMES[played.mover] == names[number % 2]
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
            node = Board()
            for move in tree.history(played.cursor.node):
                node = node.play(move)
            assert any(played.cursor.board.image(symmetry) == node for symmetry in SYMMETRIES)
        (end,) = possible_endings(referee.grid)
        assert played.mover is None
        assert played.outcome == {"X": Outcome.WIN, "O": Outcome.LOSE, "tie": Outcome.TIE}[end]
        assert played.is_cut == (ending(referee.grid) is None)
        with pytest.raises(IllegalMoveError, match="decided"):
            played.play(played.cursor.board.free_squares[0] if played.cursor.board.free_squares else 1)
        before = dict(referee.points)
        winner = referee.count(end, goals)
        both = match.finish(played)
        gained = [referee.points[name] > before[name] for name in NAMES]
        if both:
            assert played.scored == (True, True)
            assert set(referee.points.values()) == {winning_score - 1}
        else:
            assert list(played.scored) == gained
    assert match.winner is not None
    assert NAMES[match.winner] == winner
    assert match.points == tuple(referee.points.values())
    with pytest.raises(ValueError, match="over"):
        match.deal()


@pytest.mark.parametrize("moves", [(), (5,), (1,), (5, 2), (9, 5), (5, 1, 9), (3, 5, 7, 2)])
def test_the_bot_plays_its_strategy(book: RoundBook, moves: tuple[int, ...]) -> None:
    cursor = Cursor(book.tree, moves)
    generator = random.Random(1)
    num = 1500
    for goal in Goal:
        choices = book.choices(cursor, goal)
        assert sum(choice.probability for choice in choices) == pytest.approx(1.0)
        assert sorted(square for choice in choices for square in choice.squares) == list(cursor.board.free_squares)
        counts = Counter(book.choose(cursor, goal, generator) for _ in range(num))
        for choice in choices:
            for square in choice.squares:
                expected = choice.probability / len(choice.squares)
                spread = 5.0 * np.sqrt(expected * (1.0 - expected) / num)
                assert abs(counts[square] / num - expected) <= spread + 1e-12


def test_a_decided_round_has_no_choice(book: RoundBook) -> None:
    cursor = Cursor(book.tree, (1, 4, 2, 5, 3))
    assert book.choices(cursor, Goal.WIN) == []
    with pytest.raises(ValueError, match="decided"):
        book.choose(cursor, Goal.WIN, random.Random(1))


def test_beliefs(book: RoundBook) -> None:
    assert book.belief(0, Seat.FIRST) == pytest.approx((1 / 3,) * 3)
    for node in range(0, book.tree.num_nodes, 97):
        for seat in Seat:
            belief = book.belief(node, seat)
            assert belief is None or sum(belief) == pytest.approx(1.0)
    strategy = book.strategy.copy()
    child = book.tree.children(0)[0]
    strategy[child] = (0.5, 0.25, 0.0)
    changed = RoundBook(book.tree, strategy, book.values)
    assert changed.belief(child, Seat.FIRST) == pytest.approx((2 / 3, 1 / 3, 0.0))
    assert changed.belief(child, Seat.SECOND) == pytest.approx((1 / 3,) * 3)
    strategy[child] = 0.0
    assert changed.belief(child, Seat.FIRST) is None


def plain_value(book: RoundBook, node: int, goals: tuple[Goal, Goal]) -> float:
    """Worth to the first mover of going on by the strategy, by recursion."""
    outcome = book.tree.outcome(node)
    if outcome is not None:
        first = outcome.name == goals[0].name
        second = {"WIN": "LOSE", "LOSE": "WIN", "TIE": "TIE"}[outcome.name] == goals[1].name
        values = book.values
        return {(1, 1): values.both, (1, 0): values.first, (0, 1): values.second, (0, 0): values.neither}[first, second]
    goal = goals[book.tree.depth[node] % 2]
    return sum(book.strategy[child, goal] * plain_value(book, child, goals) for child in book.tree.children(node))


@pytest.mark.parametrize("moves", [(5, 1, 9, 6, 3, 7, 2), (1, 5, 2, 4, 3), (2, 3, 6, 9, 5, 7, 4)])
@pytest.mark.parametrize("goal", Goal)
def test_the_cost_of_a_move_by_hand(book: RoundBook, moves: tuple[int, ...], goal: Goal) -> None:
    """The third move or later: value of the best move minus that of the one played, opponent's goals weighed."""
    for seat in Seat:
        costs = book.costs(moves, seat, goal)
        for move in costs:
            assert move.square == moves[move.number - 1]
            assert move.number % 2 == (1 if seat is Seat.FIRST else 0)
            if move.number < 4:
                continue
            cursor = Cursor(book.tree, moves[: move.number - 1])
            weights = book.belief(cursor.node, Seat(1 - seat)) or (1 / 3,) * 3
            worth = {}
            for child, squares in cursor.squares_by_child().items():
                total = 0.0
                for other, weight in zip(Goal, weights, strict=True):
                    goals = (goal, other) if seat is Seat.FIRST else (other, goal)
                    total += weight * plain_value(book, child, goals)
                worth |= dict.fromkeys(squares, total if seat is Seat.FIRST else -total)
            assert move.cost == pytest.approx(max(worth.values()) - worth[move.square], abs=1e-12)
            assert max(worth.values()) == pytest.approx(worth[move.best[0]])


def test_costs_are_not_negative_and_the_best_moves_cost_nothing(book: RoundBook) -> None:
    generator = random.Random(3)
    for goal in Goal:
        for seat in Seat:
            for best in (False, True):
                cursor = Cursor(book.tree)
                while cursor.forced_outcome is None:
                    square = generator.choice(cursor.board.free_squares)
                    if best and cursor.mover is seat:
                        square = book.costs((*cursor.moves, square), seat, goal)[-1].best[0]
                    cursor.play(square)
                costs = book.costs(cursor.moves, seat, goal)
                assert len(costs) == (len(cursor.moves) + (seat is Seat.FIRST)) // 2
                assert min((move.cost for move in costs), default=0.0) >= 0.0
                if best:
                    assert all(move.cost == 0.0 for move in costs)


def test_the_equilibrium_costs_nearly_nothing(solution: Solution) -> None:
    """What the solver plays often is nearly best in its own eyes."""
    books = MatchBook(solution)
    total = []
    for seed in range(20):
        match = played_match(books, seed)
        costs = review(match.rounds, {one.number: books.book(one.score) for one in match.rounds}, Player.PERSON)
        total += [move.cost for one in costs for move in one.costs]
    assert len(total) > 100
    assert 0.0 <= np.mean(total) < 0.02


def played_match(books: MatchBook, seed: int) -> Match:
    """The bot against itself."""
    match = Match(books.tree, books.winning_score, NAMES, Player(seed % 2), seed)
    while match.winner is None:
        played = match.deal()
        generator = generator_for(seed, f"moves {played.number}")
        while played.mover is not None:
            square = books.book(played.score).choose(played.cursor, played.goals[played.mover], generator)
            played.play(square)
        match.finish(played)
    return match


def transcript(match: Match) -> list[str]:
    lines = [match.header(), *(played.as_dict(match.names) for played in match.rounds), match.footer()]
    return [json.dumps(line) for line in lines]


@pytest.mark.parametrize("seed", range(8))
def test_transcripts_replay(solution: Solution, tree: GameTree, seed: int) -> None:
    match = played_match(MatchBook(solution), seed)
    lines = transcript(match)
    again = replay(lines, tree)
    assert transcript(again) == lines
    for length in range(1, len(lines)):
        assert len(replay(lines[:length], tree).rounds) == min(length, len(lines) - 1) - 1
    assert transcript(played_match(MatchBook(solution), seed)) == lines


def test_a_changed_transcript_is_found_out(solution: Solution, tree: GameTree) -> None:
    lines = transcript(played_match(MatchBook(solution), 2))
    content = [json.loads(line) for line in lines]

    def rejected(number: int, changed: Any) -> None:
        with pytest.raises(ValueError, match=r"^line \d+: "):
            replay([*lines[: number - 1], json.dumps(changed), *lines[number:]], tree)

    for name in content[1]:
        for value in (None, 0, "x", [], {}, [1, 2, 3], ["win", "win", "win"], -1, 1e300):
            if value != content[1][name]:
                rejected(2, content[1] | {name: value})
        rejected(2, {key: value for key, value in content[1].items() if key != name})
    rejected(2, content[1] | {"more": 1})
    rejected(2, content[1] | {"moves": content[1]["moves"][:-1]})
    text = content[1]["commitment"]["text"]
    other = text[:-1] + ("0" if text[-1] != "0" else "1")
    rejected(2, content[1] | {"commitment": {"text": other, "sha256": content[1]["commitment"]["sha256"]}})
    rejected(len(lines), content[-1] | {"winner": NAMES[content[-1]["winner"] == "Ann"]})
    rejected(len(lines), content[-1] | {"points": [9, 9]})
    for bad in ([], ["{"], ["[]"], ["null"], ['{"format": "x"}'], [lines[0], lines[0]], [*lines, lines[-1]],
                [lines[0], lines[-1]], ["[" * 100_000], [lines[0].replace('"Bot"', '"Ann"')]):  # fmt: skip
        with pytest.raises(ValueError, match=r"^line \d+: "):
            replay(bad, tree)


def test_commitments(tree: GameTree) -> None:
    match = Match(tree, 1, NAMES, Player.PERSON)
    texts = set()
    for _ in range(20):
        played = match.deal()
        start, _, nonce = played.commitment.rpartition(" ")
        assert start == f"smbc-tictactoe round 1 goal {played.goals[Player.BOT].name.lower()} nonce"
        assert len(nonce) == 32
        assert int(nonce, 16) >= 0
        texts.add(played.commitment)
    assert len(texts) == 20
    assert commitment_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    with pytest.raises(ValueError, match="commitment"):
        Round(1, Score(0, 0), Player.BOT, (Goal.WIN, Goal.WIN), commitment_text(1, Goal.LOSE, "00"), tree)


def test_seeds() -> None:
    assert [deal_goals(7, n) for n in range(1, 9)] == [deal_goals(7, n) for n in range(1, 9)]
    assert len({tuple(deal_goals(seed, n) for n in range(9)) for seed in range(50)}) == 50
    assert new_nonce(7, 1) == new_nonce(7, 1) != new_nonce(7, 2)
    assert new_nonce(None, 1) != new_nonce(None, 1)
    counts = Counter(deal_goals(1, number) for number in range(9000))
    assert len(counts) == 9
    assert max(abs(count - 1000) for count in counts.values()) < 160


def test_the_position_hides_the_goal_of_the_bot(tree: GameTree) -> None:
    goals = (Goal.LOSE, Goal.TIE)
    text = commitment_text(1, Goal.TIE, "00")
    first = Round(1, Score(1, 0), Player.PERSON, goals, text, tree, (5, 1))
    second = Round(1, Score(1, 0), Player.BOT, goals, text, tree)
    assert first.position(hide_bot=True) == "1-0 l? 51"
    assert second.position(hide_bot=True) == "1-0 ?l -"
    assert second.position(hide_bot=True, score=Score(4, 3)) == "4-3 ?l -"
    assert Position.parse(second.position(hide_bot=False)) == Position(Score(1, 0), Goal.TIE, Goal.LOSE, ())


def test_a_shorter_match_is_the_end_of_a_longer_one(solution: Solution) -> None:
    short = MatchBook(solution, 1)
    assert short.solved_score(Score(0, 0)) == Score(1, 1)
    assert np.array_equal(short.book(Score(0, 0)).strategy, solution.average_strategy[Score(1, 1)])
    assert short.book(Score(0, 0)).values == solution.outcome_values(Score(1, 1))
    current = MatchBook(solution, average=False).book(Score(1, 1)).strategy
    assert np.array_equal(current, solution.snapshot(Score(1, 1)).current_strategy)
    for bad in (0, 3, -1):
        with pytest.raises(ValueError, match="winning_score"):
            MatchBook(solution, bad)


def test_a_solution_that_is_not_finished(solution: Solution, tmp_path: Path) -> None:
    results = {score: result for score, result in solution.results.items() if score != (0, 0)}
    part = Solution(tmp_path, 2, solution.options, solution.end_rule, solution.tree_fingerprint, results)
    with pytest.raises(ValueError, match="not solved yet: 1 scores, such as 0-0"):
        MatchBook(part)
    assert MatchBook(part, 1).winning_score == 1


def test_matches_that_cannot_be(tree: GameTree) -> None:
    with pytest.raises(ValueError, match="winning_score"):
        Match(tree, 0, NAMES, Player.BOT)
    with pytest.raises(ValueError, match="names"):
        Match(tree, 1, ("A", "A"), Player.BOT)
    match = Match(tree, 2, NAMES, Player.BOT, 1)
    played = match.deal()
    for early in (lambda: match.finish(played), lambda: played.scored, match.footer):
        with pytest.raises(ValueError, match="goes on"):
            early()
    with pytest.raises(ValueError, match="not the one"):
        match.finish(Round(2, Score(0, 0), Player.BOT, (Goal.WIN, Goal.WIN), commitment_text(2, Goal.WIN, ""), tree))
