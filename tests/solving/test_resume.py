"""A command that Ctrl-C or SIGTERM interrupts prints the command that continues it; test_durability.py has the rest."""

import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from threading import Event

import pytest
from oracle.matches import SHORT_RULE, short_rounds
from support.programs import MATCH, PROGRAMS, ROUND, call, command_to_continue, contents

from tictactoe import GameTree, Interrupted, MatchOptions, RoundOptions, RunControl, solve_match, solve_round
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.solving.checkpoint_clock import CheckpointClock

LONG = {
    MATCH: ("--winning-score", "2", "--algorithm", "cfr", "--maximum-subgame-exploitability", "1e-3", "--jobs", "2"),
    ROUND: ("--algorithm", "pdcfr+", "--iterations", "3000"),
}


@pytest.fixture(autouse=True, scope="module")
def _short_rounds() -> Iterator[None]:
    with short_rounds(DEFAULT_RULES), short_rounds():
        yield


@pytest.mark.parametrize(("number", "more"), [(signal.SIGINT, ["--restart"]), (signal.SIGTERM, [])])
@pytest.mark.parametrize("name", PROGRAMS)
def test_an_interrupted_run_prints_the_command_that_continues_it(
    name: str, number: signal.Signals, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed command does not restart the run, even if the interrupted one did."""
    output, saves = tmp_path / "it's here", count(1)

    def due(clock: CheckpointClock) -> bool:
        if next(saves) == 5:
            signal.raise_signal(number)
        return True

    with monkeypatch.context() as patch:
        patch.setattr(CheckpointClock, "is_due", due)
        interrupted = call(name, "-o", output, *LONG[name], *more)
    assert (interrupted.code, interrupted.out) == (130, ""), interrupted
    assert interrupted.err.count(": interrupted; ") == 1
    assert list(output.glob("checkpoint*"))
    assert not list(output.rglob(".*"))
    words = command_to_continue(interrupted.err.splitlines()[-1], name)
    assert "--restart" not in words
    done = call(name, *words, "--resume", "--quiet")
    assert (done.code, done.err) == (0, "")
    assert call(name, "-o", tmp_path / "whole", "--quiet", *LONG[name]).code == 0
    assert contents(output) == contents(tmp_path / "whole")


def test_rare_checks_do_not_delay_the_interruption(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do they delay the checkpoints: a kill loses seconds of work, whatever the options."""
    tree, rare, stop = GameTree.build(SHORT_RULE), {"check_exploitability_every": 10**9, "snapshot_at": ()}, Event()
    monkeypatch.setattr(CheckpointClock, "is_due", lambda _: stop.set() or True)
    for solve, options in (
        (solve_match, MatchOptions(winning_score=1, **rare)),
        (solve_round, RoundOptions(iterations=10**9, **rare)),
    ):
        stop.clear()
        with pytest.raises(Interrupted):
            solve(tmp_path / solve.__name__, tree, options, control=RunControl(stop=stop))
        assert list((tmp_path / solve.__name__).glob("checkpoint*"))
