"""Transcripts replay, and a changed one is found out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.playing import NAMES, played_match

from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.play.bot import MatchBot
from tictactoe.play.referee import Match
from tictactoe.play.transcript import footer, header, replay, round_line
from tictactoe.storage.solution import Solution


def transcript(match: Match) -> list[str]:
    lines = [header(match), *(round_line(played, match.names) for played in match.rounds), footer(match)]
    return [json.dumps(line) for line in lines]


@pytest.mark.parametrize("seed", range(8))
def test_transcripts_replay(solution: Solution, tree: GameTree, seed: int) -> None:
    match = played_match(MatchBot(solution), seed)
    lines = transcript(match)
    again = replay(lines, tree)
    assert transcript(again) == lines
    for length in range(1, len(lines)):
        assert len(replay(lines[:length], tree).rounds) == min(length, len(lines) - 1) - 1
    assert transcript(played_match(MatchBot(solution), seed)) == lines


def test_a_changed_transcript_is_found_out(solution: Solution, tree: GameTree) -> None:
    lines = transcript(played_match(MatchBot(solution), 2))
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
    broken = (["{"], ["[]"], ["null"], ['{"format": "x"}'], ["[" * 100_000], [lines[0].replace('"Bot"', '"Ann"')])
    for bad in ([], *broken, [lines[0], lines[0]], [*lines, lines[-1]], [lines[0], lines[-1]]):
        with pytest.raises(ValueError, match=r"^line \d+: "):
            replay(bad, tree)
