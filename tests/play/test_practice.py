"""Rounds as they are dealt: goals and seats for practice, draws by a seed, commitments to a goal."""

from collections import Counter

import pytest
from support.playing import NAMES

from tictactoe import Cursor, GameTree, Goal, Position, RoundBot, Rules, Score, Seat
from tictactoe.play.commitment import commitment_hash, commitment_text, new_commitment
from tictactoe.play.practice import Practice
from tictactoe.play.randomness import deal_goals, draw_first
from tictactoe.play.referee import COMMITTED_PLAYER, Match, Round


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
