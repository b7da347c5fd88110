"""Programs as agents: real processes that play, die, hang, talk too much or nonsense."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from oracle.lifting import game_tree
from support.network import lowest
from support.waiting import wait_until

from tictactoe import Goal, MatchEnd, MatchFacts, RoundFacts, Seat
from tictactoe.agents.match_play import Forfeit, play_or_forfeit
from tictactoe.agents.messages import LONGEST_LINE
from tictactoe.agents.program_agent import ProgramAgent
from tictactoe.agents.strategy_agent import uniform_agent
from tictactoe.errors import AgentError
from tictactoe.play.referee import Match

BOT = """
import json, os, sys, time
def say(**message): print(json.dumps(message), flush=True)
say(type="join", name="bot", protocol=1)
while True:
    heard = json.loads(input())
    if heard["type"] == "quit": break
    {seen}
    if heard["type"] == "turn":
        turns = heard["turn"]
        square = min(set(range(1, 10)) - set(heard["moves"]))
        {turn}
"""
PLAYS = 'say(type="move", square=square, turn=turns)'
TWICE = "Bot said something that nobody asked for"
THIRD = "\n        if turns == 3: {}\n        " + PLAYS

Make = Callable[..., ProgramAgent]


@pytest.fixture
def shown() -> list[str]:
    return []


@pytest.fixture
def program(tmp_path: Path, shown: list[str]) -> Iterator[Make]:
    made: list[ProgramAgent] = []

    def make(text: str, **options: float) -> ProgramAgent:
        path = tmp_path / f"bot{len(made)}.py"
        path.write_text(text)
        command = [sys.executable, "-S", "-E", str(path)]
        made.append(ProgramAgent(command, "Bot", show=shown.append, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for agent in made:
        agent.close()


def played(agent: ProgramAgent, seed: int = 1) -> tuple[Match, Forfeit | None]:
    match = Match(game_tree(), 2, ("Bot", "uniform"), first=0, seed=seed)
    return match, play_or_forfeit((agent, uniform_agent(game_tree(), seed)), match)


def bot(turn: str = PLAYS, seen: str = "pass") -> str:
    return BOT.format(turn=turn, seen=seen)


def test_matches_with_a_program(program: Make, shown: list[str]) -> None:
    agent = program(bot(seen="print('\\x1b[31m' + heard['type'], file=sys.stderr, flush=True)"))
    match, forfeit = played(agent)
    assert forfeit is None
    assert match.winner is not None
    for each in match.rounds:
        moves = each.cursor.moves
        assert moves[each.first] == lowest({"moves": moves[: each.first]})
    first_rounds = len(match.rounds)
    assert played(agent)[0].points == match.points
    agent.close()
    assert not any("\x1b" in line for line in shown)
    heard = [line.removeprefix("Bot: \\x1b[31m") for line in shown]
    assert heard[-1] == "Bot: (more of what it writes to standard error is not shown)"
    first_match = heard[: heard.index("end")]
    assert first_match[:3] == ["welcome", "begin", "goal"]
    assert first_match.count("reveal") == first_match.count("goal") == first_rounds


@pytest.mark.parametrize(
    ("turn", "why"),
    [
        (THIRD.format("sys.exit(3)"), "Bot has ended, with exit code 3"),
        (THIRD.format("os.kill(os.getpid(), 9)"), "Bot was ended by signal 9"),
        (THIRD.format("time.sleep(10_000)"), "Bot has not answered within 0.5 seconds"),
        (THIRD.format("print('hello', flush=True)"), "Bot said something that is not a message: not JSON at byte 1"),
        (THIRD.format(f"print('x' * {LONGEST_LINE + 1}, flush=True)"), "Bot said a line of more than 4096 bytes"),
        (THIRD.format("print('hello\\n' * 1000, flush=True)"), "Bot writes too much that nobody asked for"),
        (THIRD.format("say(type='join', name='x')"), "Bot said join where a move was asked for"),
        (THIRD.format("say(type='quit', reason='tired')"), "Bot has quit: 'tired'"),
        (THIRD.format("say(type='move', square=0, turn=3)"), "Bot said something that is not a message: square: "),
        (THIRD.format("say(type='move', square=square, turn=1)"), "Bot answered turn 1, not 3"),
        ("os.write(1, b'{\"type\":\"move\",\"square\":%d,\"turn\":%d}\\n' % (square, turns) * 2)", TWICE),
    ],
)  # fmt: skip
def test_programs_that_fail(turn: str, why: str, program: Make) -> None:
    agent = program(bot(turn), seconds=0.5 if "sleep" in turn else 30.0)
    match, forfeit = played(agent, seed=2)
    assert forfeit is not None
    assert (forfeit.player, match.winner) == (0, None)
    assert forfeit.reason.startswith(why)
    assert forfeit.reason.isprintable()


def test_a_program_that_failed_plays_the_next_match(program: Make, tmp_path: Path) -> None:
    once = f"{tmp_path}/once"
    agent = program(bot(f"if not os.path.exists({once!r}): open({once!r}, 'w'); sys.exit(1)\n        {PLAYS}"))
    assert played(agent)[1] == Forfeit(0, "Bot has ended, with exit code 1")
    match, forfeit = played(agent)
    assert forfeit is None
    assert match.winner is not None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "Bot has ended, with exit code 0"),
        ("print('hello')", "Bot said something that is not a message"),
        ('print(\'{"type":"move","square":5,"turn":1}\')', "Bot said move before join"),
        ('print(\'{"type":"join","name":"x","protocol":9}\')', "Bot speaks version 9 of the protocol, not 1"),
    ],
)
def test_programs_that_do_not_join(text: str, why: str, program: Make) -> None:
    with pytest.raises(AgentError) as error:
        program(text).start()
    assert str(error.value).startswith(why)


def test_a_program_that_does_not_read(program: Make) -> None:
    """We do not wait for it, which would be for hours, when there is no room left in the pipe."""
    agent = program('import time\nprint(\'{"type":"join","name":"x"}\', flush=True)\ntime.sleep(10_000)')
    agent.begin_match(MatchFacts(5, "three-in-a-row", "x"))
    facts = RoundFacts(1, Seat.FIRST, Goal.WIN, (0, 0))
    with pytest.raises(AgentError, match="Bot does not read what it is told"):
        deque((agent.begin_round(facts) for _ in range(100_000)), maxlen=0)


def test_nothing_of_a_program_is_left(program: Make, tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    agent = program(
        "import os, signal, subprocess, sys, time\n"
        "for name in ('SIGTERM', 'SIGINT', 'SIGHUP'): signal.signal(getattr(signal, name), signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(10_000)'])\n"
        f"open({str(numbers)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        'print(\'{"type":"join","name":"x"}\', flush=True)\n'
        "time.sleep(10_000)"
    )
    agent.start()
    agent.close()
    wait_until(lambda: not any(_runs(number) for number in numbers.read_text().split()))


@pytest.mark.parametrize("missing", ["waitid", "waitid set_blocking killpg"], ids=["macOS", "Windows"])
def test_systems_with_fewer_calls(
    missing: str, program: Make, shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in missing.split():
        monkeypatch.delattr(os, name)
    begin = "import os, sys; sys.stdout.reconfigure(newline='\\r\\n'); print(os.getpid(), file=sys.stderr)"
    assert played(program(begin + bot()))[1] is None
    assert played(program(begin + bot(THIRD.format("sys.exit(3)"))))[1] == Forfeit(0, "Bot has ended, with exit code 3")
    silent = program(begin + bot("time.sleep(10_000)"), seconds=0.2)
    assert played(silent)[1] == Forfeit(0, "Bot has not answered within 0.2 seconds")
    assert not _runs(shown[-1].removeprefix("Bot: "))


def _runs(number: str) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_whoever_lost_by_an_illegal_move_hears_why(program: Make, shown: list[str]) -> None:
    says_why = "if heard['type'] == 'end': print(heard['reason'], file=sys.stderr)"
    agent = program(bot("say(type='move', square=5, turn=turns)", says_why))
    _, forfeit = played(agent)
    assert forfeit == Forfeit(0, "Bot marked square 5, which is not free")
    agent.end_match(MatchEnd(False, (0, 0)))
    agent.close()
    assert shown[0] == "Bot: Bot marked square 5, which is not free"
