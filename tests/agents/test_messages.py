"""Messages as lines, and what a player makes of them: a real match, and every message that contradicts it."""

import io
import re
from typing import Any

import pytest
from msgspec.structs import replace
from support.network import Recorder

from tictactoe import Agent, run_agent
from tictactoe.agents import messages as said
from tictactoe.agents.agent import MatchEnd, MatchFacts, RoundEnd, RoundFacts
from tictactoe.agents.messages import LONGEST_LINE, Begin, End, FromReferee, GoalDrawn, Hearing, Result, Reveal, Turn
from tictactoe.errors import AgentError


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "not JSON"),
        (b'{"type":"quit","reason":"\xff"}', "not JSON: a byte that is not UTF-8"),
        (b"[1]", "expected map, got list"),
        (b'{"square":5}', "missing required field type"),
        (b'{"type":"nonsense"}', "type: invalid value 'nonsense'"),
        (b'{"type":"turn","moves":[]}', "type: invalid value 'turn'"),
        (b'{"type":"move","square":5}', "missing required field turn"),
    ],
    ids=ascii,
)
def test_what_no_player_says(line: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^not a message: {problem}"):
        said.from_player(line)


@pytest.mark.parametrize("message", [said.Quit("over"), said.Quit()])
@pytest.mark.parametrize("parts", [1, 7, LONGEST_LINE, 10**6])
def test_the_longest_line(message: said.Quit, parts: int) -> None:
    line = said.line_of(message).rstrip(b"\n").rjust(LONGEST_LINE)
    assert said.from_referee(line + b"\n") == said.from_player(line) == message
    for sent, found in ((line + b"\n" + line, [line]), (b"\n" + line + b"\n" + line + b"\n", [b"", line, line])):
        lines = said.Lines()
        heard = [each for at in range(0, len(sent), parts) for each in lines.of(sent[at : at + parts])]
        assert heard == found
    for sent in (b" " + line, b" " + line + b"\n"):
        with pytest.raises(ValueError, match="a line of more than 4096 bytes"):
            said.from_referee(sent)
        lines = said.Lines()
        with pytest.raises(ValueError, match="a line of more than 4096 bytes"):
            [each for at in range(0, len(sent), parts) for each in lines.of(sent[at : at + parts])]


def test_the_longest_line_that_a_program_hears() -> None:
    line = said.line_of(said.Quit()).rstrip(b"\n")
    nobody: Agent = None  # type: ignore[assignment]
    run_agent(nobody, source=io.BytesIO(line.rjust(LONGEST_LINE) + b"\n"), sink=io.BytesIO())
    source = io.BytesIO(line.rjust(LONGEST_LINE + 1) + b"\n" + bytes(10_000))
    with pytest.raises(ValueError, match="a line of more than 4096 bytes"):
        run_agent(nobody, source=source, sink=io.BytesIO())
    assert source.tell() == LONGEST_LINE + 2


BEGIN = Begin(1, "Bob", 2, "three-in-a-row")
FIRST = GoalDrawn(1, "first", "win", (0, 0))
SECOND = GoalDrawn(2, "second", "tie", (1, 0))
THIRD = GoalDrawn(3, "first", "tie", (1, 1))
ROUND_1 = [
    FIRST,
    *(Turn(number, moves) for number, moves in enumerate([(), (1, 4), (1, 4, 2, 5)], 1)),
    Result((1, 4, 2, 5, 3), "win", (True, False), (1, 0)),
    Reveal(("win", "win")),
]
ROUND_2 = [SECOND, Turn(4, (5,)), Turn(5, (5, 1, 4))]
ROUND_2 += [Result((5, 1, 4, 2, 6), "win", (False, True), (1, 1)), Reveal(("tie", "win"))]
MATCH: list[FromReferee] = [BEGIN, *ROUND_1, *ROUND_2, THIRD, End(False, (1, 1), "you are out")]


def hear(hearing: Hearing, *messages: FromReferee) -> None:
    for message in messages:
        if isinstance(message, Turn):
            hearing.answer(message)
        else:
            hearing.tell(message)


@pytest.mark.parametrize("at", range(len(MATCH)))
def test_a_connection_that_is_lost_at_any_time(at: int) -> None:
    agent, undisturbed = Recorder(), Recorder()
    hearing = Hearing(agent)
    hear(hearing, *MATCH[:at])
    hearing.come_back()
    last = MATCH[:at][-1:]
    if last and not isinstance(last[0], (Result, Reveal)):  # between rounds nobody waits
        rounds = [message for message in MATCH[:at] if isinstance(message, GoalDrawn)]
        hear(hearing, BEGIN, *rounds[-1:], *(message for message in last if isinstance(message, Turn)), *MATCH[at:])
        hear(Hearing(undisturbed), *MATCH)
        assert agent.heard == undisturbed.heard
        kinds = [type(event) for event in agent.heard]
        assert kinds == [MatchFacts, *[RoundFacts, RoundEnd] * 2, RoundFacts, MatchEnd]


def test_a_match_that_begins_anew() -> None:
    """As after a referee was killed: with another goal in the same round, or the same one with no moves."""
    agent = Recorder()
    hearing = Hearing(agent)
    hear(hearing, BEGIN, *ROUND_1[:3])
    hearing.come_back()
    hear(hearing, BEGIN, replace(FIRST, goal="tie"), Turn(1, ()))
    assert agent.heard[1:] == [
        RoundFacts(1, agent.heard[1].seat, goal, (0, 0)) for goal in (agent.heard[1].goal, agent.heard[2].goal)
    ]
    assert agent.heard[2].goal.name == "TIE"
    hear(hearing, *ROUND_1[2:4])
    hearing.come_back()
    hear(hearing, BEGIN, *ROUND_1)


GOAL_2 = len(ROUND_1) + 1
CANNOT_BE: list[tuple[int, FromReferee, str]] = [
    (0, ROUND_1[1], "turn where begin is due"),
    (1, ROUND_1[1], "turn where goal or end is due"),
    (1, BEGIN, "begin where goal or end is due"),
    (2, FIRST, "goal where turn, result or end is due"),
    (3, ROUND_1[5], "reveal where turn, result or end is due"),
    (6, ROUND_1[3], "turn where reveal is due"),
    (6, End(True, (2, 0), "so"), "end where reveal is due"),
    (len(MATCH), BEGIN, "match 1 begins twice"),
    (0, replace(BEGIN, rules="misere"), "unknown rules 'misere'"),
    (1, replace(FIRST, points=(2, 0)), "points 2 0 in a match to 2"),
    (1, replace(FIRST, points=(0, 1)), "points 0 1 after 0 0"),
    (1, replace(FIRST, round=2), "round 2 after 0"),
    (GOAL_2, replace(SECOND, seat="first"), "the seat first twice running"),
    (GOAL_2, replace(SECOND, round=3), "round 3 after 1"),
    (2, Turn(1, (5,)), "a turn after 1 moves, where it is the opponent's"),
    (2, Turn(1, (5, 6)), "moves 5 6 after none"),
    (3, Turn(1, (1, 4)), "turn 1 after 1"),
    (3, Turn(2, (1, 1)), "a square is marked twice"),
    (3, Turn(2, (1, 4, 5, 6)), "moves 1 4 5 6 after 1"),
    (5, Turn(4, (1, 4, 2, 5, 3, 6)), "a turn after the end of the round"),
    (5, replace(ROUND_1[4], outcome="lose"), "the outcome lose of a round that is win"),
    (3, Result((1, 4), "win", (True, False), (1, 0)), "the outcome win of a round that is open"),
    (5, replace(ROUND_1[4], moves=(1, 4, 2, 5, 3, 6)), "a move after the end of the round"),
    (5, replace(ROUND_1[4], moves=(1, 4, 2, 5, 6)), "moves 1 4 2 5 6 after 1 4 2 5 3"),
    (6, Reveal(("tie", "win")), "your goal was win, not tie"),
    (6, Reveal(("win", "lose")), "the wrong player scores with win for win and lose"),
    (GOAL_2, End(True, (1, 0)), "points 1 0 at the end, after 1 0"),
    (3, End(False, (0, 0)), "end in the middle of a round, without a reason"),
]


@pytest.mark.parametrize(("at", "message", "problem"), CANNOT_BE)
def test_what_cannot_be(at: int, message: FromReferee, problem: str) -> None:
    agent = Recorder()
    hearing = Hearing(agent)
    hear(hearing, *MATCH[:at])
    before = list(agent.heard)
    with pytest.raises(ValueError, match=problem):
        hear(hearing, message)
    assert agent.heard == before


def test_points_that_are_not_right() -> None:
    hearing = Hearing(Recorder())
    hear(hearing, BEGIN, *ROUND_1[:-2], replace(ROUND_1[4], points=(2, 0)))
    with pytest.raises(ValueError, match="points 2 0 where 1 0 are right"):
        hear(hearing, ROUND_1[-1])


@pytest.mark.parametrize("answer", [None, "5", 5.0])
def test_an_agent_that_answers_with_no_number(answer: Any) -> None:
    hearing = Hearing(Recorder(lambda turn: answer))
    hear(hearing, BEGIN, *ROUND_1[:1])
    problem = re.escape(f"choose returned {answer!r}, not the number of a free square: 1 2 3 4 5 6 7 8 9")
    with pytest.raises(AgentError, match=problem):
        hearing.answer(Turn(1, ()))
