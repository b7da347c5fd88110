"""Messages become lines, lines become messages, and other lines are refused."""

import io

import pytest

from tictactoe import Agent, run_agent
from tictactoe.agents import messages as said
from tictactoe.agents.messages import LONGEST_LINE, Lines


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"", "not JSON"),
        (b'{"type":"quit","reason":"\xff"}', "not JSON: a byte that is no UTF-8"),
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
        lines = Lines()
        heard = [each for at in range(0, len(sent), parts) for each in lines.of(sent[at : at + parts])]
        assert heard == found
    for sent in (b" " + line, b" " + line + b"\n"):
        with pytest.raises(ValueError, match="a line of more than 4096 bytes"):
            said.from_referee(sent)
        lines = Lines()
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
