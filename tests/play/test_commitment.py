"""Commitments to a goal, and what is drawn by a seed."""

from __future__ import annotations

from collections import Counter

import pytest
from support.playing import NAMES

from tictactoe.games.goals import Goal, Seat
from tictactoe.games.rules import Rules
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.match.scores import Score
from tictactoe.play.commitment import commitment_hash, commitment_text, new_commitment
from tictactoe.play.randomness import deal_goals, draw_first
from tictactoe.play.referee import COMMITTED_PLAYER, Match, Round


def test_commitments(tree: GameTree) -> None:
    """Each names the round and the goal, no two are the same, and the hash is SHA-256."""
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


def test_seeds() -> None:
    """The same draws for the same seed, others for another; every pair of goals is equally likely."""
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
