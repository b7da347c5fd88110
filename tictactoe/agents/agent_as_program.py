"""Makes a program of an agent written in Python: the program's side of `program_agent`."""

from __future__ import annotations

import os
import sys
from typing import BinaryIO

from . import messages as said
from .agent import Agent
from .answering_messages import Hearing
from .lines import LONGEST_LINE


def run_agent(
    agent: Agent, name: str = "agent", *, source: BinaryIO | None = None, sink: BinaryIO | None = None
) -> None:
    """Let the agent play over this process's standard input and output, until it is told to quit.

    At the end of a file my_bot.py, this makes the agent playable as "cmd:python3 my_bot.py". Printed text goes to
    standard error meanwhile, to keep it apart from the messages. Raises ValueError for a line that is no message, and
    for an impossible message.

    >>> import io
    >>> from tictactoe.games.tic_tac_toe_tree import GameTree
    >>> from tictactoe.agents.strategy_agent import uniform_agent
    >>> lines, answers = io.BytesIO(b'{"type":"quit","reason":""}'), io.BytesIO()
    >>> run_agent(uniform_agent(GameTree.build()), "uniform", source=lines, sink=answers)
    >>> answers.getvalue()
    b'{"type":"join","name":"uniform","protocol":1,"token":null}\\n'
    """
    if sink is None:
        sink = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)
    hearing = Hearing(agent)
    _say(sink, said.Join(name))
    lines = source or sys.stdin.buffer
    while line := lines.readline(LONGEST_LINE + 2):  # enough to detect a line that is too long
        match message := said.from_referee(line):
            case said.Quit():
                return
            case said.Turn():
                _say(sink, hearing.answer(message))
            case _:
                hearing.tell(message)


def _say(sink: BinaryIO, message: said.FromPlayer) -> None:
    sink.write(said.line_of(message))
    sink.flush()
