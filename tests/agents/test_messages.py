"""The messages: as lines and back, and what is none."""

from __future__ import annotations

import pytest

from tictactoe.agents import messages as said

REFEREE = [
    said.Welcome("ann", "secret", 60.0),
    said.Begin(7, "bob", 5, "filled 2:1:1"),
    said.GoalDrawn(1, "second", "tie", (0, 4)),
    said.Turn(3, (5, 1)),
    said.Result((5, 1, 9), "both_lines", (True, False), (1, 0)),
    said.Reveal(("win", "lose")),
    said.End(True, (5, 3)),
    said.Error("no"),
    said.Quit("over"),
]
PLAYER = [said.Join("ann"), said.Join("ann", token="secret"), said.Move(9, 3), said.Quit()]


def test_there_and_back() -> None:
    for message in REFEREE:
        line = said.line_of(message)
        assert line.count(b"\n") == 1
        assert said.from_referee(line) == message
    for answer in PLAYER:
        assert said.from_player(said.line_of(answer)) == answer


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\n",
        b'{"type":"move"}',
        b'{"type":"move","square":5}',
        b'{"type":"move","square":0,"turn":1}',
        b'{"type":"move","square":10,"turn":1}',
        b'{"type":"move","square":5.0,"turn":1}',
        b'{"type":"move","square":true,"turn":1}',
        b'{"type":"move","square":"5","turn":1}',
        b'{"type":"move","square":5,"more":1,"turn":1}',
        b'{"type":"turn","moves":[]}',
        b'{"type":"nonsense"}',
        b'{"square":5}',
        b"[1]",
        b"\xff\xfe",
        b"[" * 5000,
        b'{"type":"join","name":"' + b"x" * 5000 + b'"}',
    ],
)
def test_what_no_player_says(line: bytes) -> None:
    """Also what only the referee may say."""
    with pytest.raises(ValueError, match=r"not a message|a line of more than"):
        said.from_player(line)
