"""An agent that is a program and speaks docs/protocol.md on its standard input and output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import BinaryIO, NoReturn

from ..checked_numbers import positive_number
from ..errors import AgentError
from . import messages as said
from .agent import Agent, MatchEnd, MatchFacts, RoundEnd, RoundFacts
from .messages import LONGEST_LINE, Hearing, messages_of
from .program_process import Program, to_stderr

DEFAULT_SECONDS = 10.0
"""The default time, in seconds, for a program's answer."""
START_SECONDS = 30.0
"""The least time, in seconds, for a program to say `join`."""
SEED_VARIABLE = "TICTACTOE_SEED"
"""The environment variable with a program's seed."""


class ProgramAgent:
    """An agent that lets a program play. Raises AgentError, with its name, if the program fails; the next match
    restarts it.

    command: the program's path and arguments. seconds: its time for every answer. seed: passed in SEED_VARIABLE. show:
    called with every line of its standard error.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        *,
        seconds: float = DEFAULT_SECONDS,
        seed: int | None = None,
        show: Callable[[str], None] = to_stderr,
    ) -> None:
        seconds = positive_number("seconds", seconds)
        self.name = name
        self._command, self._seconds, self._show = list(command), seconds, show
        self._environment = {} if seed is None else {SEED_VARIABLE: str(seed)}
        self._program: Program | None = None
        self._matches = self._turns = 0

    def start(self) -> None:
        """Start the program unless it is running."""
        if self._program is not None:
            return
        try:
            self._program = Program(self._command, self.name, self._show, self._environment)
        except AgentError as error:
            raise AgentError(f"{self.name} {error}") from error
        joined = self._answered(max(self._seconds, START_SECONDS))
        if not isinstance(joined, said.Join):
            self._fail(f"said {joined.__struct_config__.tag} before join")
        if joined.protocol != said.PROTOCOL_VERSION:
            self._fail(f"speaks version {joined.protocol} of the protocol, not {said.PROTOCOL_VERSION}")
        self._tell(said.Welcome(name=self.name, token="", seconds=self._seconds))

    def begin_match(self, facts: MatchFacts) -> None:
        self.start()
        self._matches, self._turns = self._matches + 1, 0
        self._hear(facts)

    def begin_round(self, facts: RoundFacts) -> None:
        self._hear(facts)

    def choose(self, moves: tuple[int, ...]) -> int:
        """Ask the program for a move. Raises AgentError for any other answer."""
        self._turns += 1
        self._tell(said.Turn(turn=self._turns, moves=moves), in_silence=True)
        answer = self._answered(self._seconds)
        if isinstance(answer, said.Quit):
            self._fail(f"has quit{f': {answer.reason[:60]!a}' if answer.reason else ''}")
        if not isinstance(answer, said.Move):
            self._fail(f"said {answer.__struct_config__.tag} where a move was asked for")
        if answer.turn != self._turns:
            self._fail(f"answered turn {answer.turn}, not {self._turns}")
        return answer.square

    def end_round(self, end: RoundEnd) -> None:
        self._hear(end)

    def end_match(self, end: MatchEnd) -> None:
        self._hear(end)

    def close(self) -> None:
        """Tell the program to quit, and kill it after a second."""
        if self._program is not None:
            program, self._program = self._program, None
            program.close(said.line_of(said.Quit()))

    def __enter__(self) -> ProgramAgent:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @property
    def _running(self) -> Program:
        if self._program is None:
            raise AgentError("does not run")
        return self._program

    def _hear(self, event: MatchFacts | RoundFacts | RoundEnd | MatchEnd) -> None:
        for message in messages_of(event, self._matches):
            self._tell(message)

    def _tell(self, message: said.FromReferee, *, in_silence: bool = False) -> None:
        try:
            if in_silence:
                self._running.require_silence()
            self._running.tell(said.line_of(message))
        except AgentError as error:
            self._fail(str(error), error)

    def _answered(self, seconds: float) -> said.FromPlayer:
        try:
            return said.from_player(self._running.answer(seconds))
        except (AgentError, ValueError) as error:
            self._fail(f"said something that is {error}" if isinstance(error, ValueError) else str(error), error)

    def _fail(self, why: str, cause: Exception | None = None) -> NoReturn:
        if self._program is not None:
            program, self._program = self._program, None
            program.close()
        raise AgentError(f"{self.name} {why}") from cause


def run_agent(
    agent: Agent, name: str = "agent", *, source: BinaryIO | None = None, sink: BinaryIO | None = None
) -> None:
    """Let the agent play over this process's standard input and output, until it is told to quit.

    This makes the agent playable as "cmd:python3 my_bot.py" if it is called at the end of a file my_bot.py. Printed
    text goes to standard error meanwhile. Raises ValueError for an impossible message.

    >>> import io
    >>> from tictactoe import GameTree, uniform_agent
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
