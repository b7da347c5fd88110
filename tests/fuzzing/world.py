"""A directory that holds a file of every kind that the program reads, small."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

from fuzzing.uses import A_ROUND, ATLAS, CONFIGURATION, LEFT, ONE, REFEREE, TWO
from oracle.matches import SHORT_RULE, short_rounds, solve
from support.certifying import CLOSED_FORMS
from support.event_loops import without_running_loop
from support.measured import two_seconds_a_pair
from support.programs import MATCH, ROUND, call, verb_and_words
from support.storage_files import bincode, entries_of, publish

from tictactoe import GameTree, load_solution
from tictactoe.agents import card_player
from tictactoe.agents.messages import Quit, Welcome
from tictactoe.algorithms import update_rules
from tictactoe.algorithms.built_in_rules import BUILT_IN_RULES

COIN = """EFG 2 R "A hidden coin" { "hides" "guesses" }
p "" 1 1 "" { "head" "tail" } 0
p "" 2 1 "" { "head" "tail" } 0
t "" 1 "" { -1, 1 }
t "" 2 "" { 3, -3 }
p "" 2 1 0
t "" 3 "" { 1, -1 }
t "" 1
"""
"""A file of Gambit."""


def unchanged() -> dict[str, str]:
    """Variables that commands get. matplotlib's fonts are looked for once, in a directory outside of the world."""
    return {"MPLCONFIGDIR": str(Path(tempfile.gettempdir(), "fuzzing-matplotlib")), "COLUMNS": "100"}


def build(world: Path) -> None:
    world.mkdir()
    here = Path.cwd()
    os.chdir(world)
    try:
        with replaced_parts():
            _build()
    finally:
        os.chdir(here)


def _build() -> None:
    def must(line: str, *codes: int, typed: str = "") -> None:
        name, *words = verb_and_words(line)
        result = call(name, *words, typed=typed, XDG_CONFIG_HOME=CONFIGURATION, **unchanged())
        assert result.code in (codes or (0,)), (line, result)

    must(f"{MATCH} -o match --quiet {ONE} --jobs 1")
    must("best-response-multiround -s match --save")
    must(f"{MATCH} -o two --quiet {TWO} --jobs 1")
    must(f"{MATCH} -o started --quiet {TWO} --jobs 1 --max-iterations 20", 1)
    must(f"{ROUND} -o round --quiet {A_ROUND}")
    must("best-response-multiround -s round --save")
    must(f"{ROUND} -o begun --quiet {A_ROUND} --max-iterations 20")
    Path("begun/snapshot_000020.msgpack").rename("begun/checkpoint.msgpack")
    must("game solve kuhn -o game --quiet --max-iterations 30 --check-exploitability-every 10")
    tree = GameTree.build(SHORT_RULE)
    solve(tree, Path("short"), 1, 1e-3)
    must("convert short -o polished")
    must("solve-multiround --polish -s short -o polished --jobs 1 --restart --quiet")
    must("convert short -o table.csv --quiet")
    must("convert short -o table.csv.gz --quiet")
    must("convert short -o table.jsonl --quiet")
    _publish(tree)
    must(f"rules-atlas -o atlas {ATLAS} --quiet")
    must("play-multiround -s match --auto --transcript match.jsonl --seed 1")
    must("play-multiround -s match --transcript unfinished.jsonl --seed 1 --names Ann,Bot", typed="5\n")
    Path(LEFT).parent.mkdir(parents=True)
    shutil.copyfile("unfinished.jsonl", LEFT)  # at a terminal a match can be left
    must("play-multiround -s match/subgame_0_0 --seed 1 --transcript practice.jsonl", typed="5\n")
    must("train-agent -o agent.msgpack --quiet --episodes 150 --opponent uniform --seed 1")
    must("tournament match uniform --sample --matches 2 -o tournament --quiet")
    must(f"{REFEREE} --matches 1 -o refereed --quiet")
    must("network join 127.0.0.1:8080 q.csv --game twenty-one --name Ann --train --seed 1")
    must("compare-algorithms -o comparison --algorithm pdcfr+ --budget 2 --no-plot --quiet")
    must("plot -s match -o figures --quiet")
    shutil.rmtree("figures")
    must("page -s match -o page --quiet")
    shutil.copytree(CLOSED_FORMS / "match_to_1", "closed")
    shutil.copytree(CLOSED_FORMS / "single_round", "closed_round")
    _add_odd_paths()


def _publish(tree: GameTree) -> None:
    (strategy,) = load_solution(Path("short")).average_strategy.values()
    publish(Path("published"), {"subgame_0_0/strategy_100.bincode": bincode(entries_of(tree, strategy))})


def _add_odd_paths() -> None:
    Path("afile").write_bytes(b"mine")
    Path("adirectory").mkdir()
    Path("adirectory/afile").write_bytes(b"mine")
    Path("dangling").symlink_to("nowhere/at all")
    Path("loop").symlink_to("loop")
    Path("to_match").symlink_to("match")
    Path("to_record").symlink_to("match/solution.msgpack")
    os.mkfifo("pipe")
    Path("coin.efg").write_text(COIN)
    Path("rule.py").write_text("raise ValueError('one\\ntwo \\x1b[31m')\n")


def _ended_tournament(*arguments: object) -> SimpleNamespace:
    """In place of a connection: a referee that says hello and goodbye, or a dealer that deals a game."""
    cards = ("CARD Six of Clubs", "CARD Ten of Hearts", "DEALER Ace of Spades")
    game = ("BEGIN", *cards, "DECISION", "RESULT WIN", "QUIT")
    is_dealer = arguments[-1] is card_player.PLAYER_WIRE
    says = iter(game if is_dealer else [Welcome("Ann", "token", 60.0), Quit("the tournament is over")])
    return SimpleNamespace(send=lambda message: None, receive=lambda seconds: next(says), close=lambda: None)


@contextlib.contextmanager
def replaced_parts() -> Iterator[None]:
    """Short rounds are known, no rule that a test has registered. No pair is measured, no page served."""
    with (
        without_running_loop(),
        short_rounds(),
        two_seconds_a_pair(),
        mock.patch.dict(update_rules._RULES, BUILT_IN_RULES, clear=True),
        mock.patch("tictactoe.browser.server.PageServer.serve_forever"),
        mock.patch("tictactoe.agents.client.Line", _ended_tournament),
    ):
        yield
