"""Many transcripts in files and directories; files that are none, or are made to do harm."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest
from support.playing import played_match

from tictactoe.errors import FormatError
from tictactoe.games.tic_tac_toe_tree import GameTree
from tictactoe.play.bot import MatchBot
from tictactoe.play.transcript import Setup, match_lines
from tictactoe.play.transcript_files import transcript_paths, written_matches
from tictactoe.storage.solution import load_solution


@pytest.fixture(scope="module")
def bot() -> MatchBot:
    return MatchBot(load_solution("shipped"), 2)


@pytest.fixture(scope="module")
def tree(bot: MatchBot) -> GameTree:
    return bot.tree


@pytest.fixture(scope="module")
def texts(bot: MatchBot) -> list[bytes]:
    """Of three matches."""
    result = []
    for seed in range(3):
        match = played_match(bot, seed)
        setup = Setup(names=match.names, seed=seed, winning_score=match.winning_score)
        result.append(b"".join(json.dumps(line).encode() + b"\n" for line in match_lines(setup, match)))
    return result


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("last_newline", [False, True])
def test_one_after_the_other(
    texts: list[bytes], tree: GameTree, tmp_path: Path, zipped: bool, last_newline: bool
) -> None:
    """Each with its own lines, numbered as in the file, whatever the file is called."""
    data = b"".join(texts) if last_newline else b"".join(texts)[:-1]
    path = tmp_path / "matches"
    path.write_bytes(gzip.compress(data) if zipped else data)
    found = list(written_matches(path))
    lines = [len(text.splitlines()) for text in texts]
    assert [one.first_line for one in found] == [1, 1 + lines[0], 1 + lines[0] + lines[1]]
    assert [b"\n".join(one.lines) for one in found] == [text.rstrip() for text in texts]
    assert [one.setup().seed for one in found] == [0, 1, 2]
    assert all(match is not None and match.winner is not None for match in (one.replay(tree).match for one in found))


def test_a_damaged_one_between_others(texts: list[bytes], tree: GameTree, tmp_path: Path) -> None:
    """The line is that of the file; the others can be read."""
    path = tmp_path / "matches.jsonl"
    damaged = texts[1].replace(b'"score": [0, 0]', b'"score": [0, 1]')
    path.write_bytes(texts[0] + damaged + texts[2])
    first, second, third = written_matches(path)
    assert first.replay(tree).match is not None
    assert third.replay(tree).match is not None
    with pytest.raises(FormatError, match=rf"line {second.first_line + 1}: score: \[0, 1\] where \[0, 0\] is right"):
        second.replay(tree)


def test_directories(texts: list[bytes], tmp_path: Path) -> None:
    """All below them, in order, each file once; other files are left alone, unless they are named."""
    (tmp_path / "sub").mkdir()
    names = ("b.jsonl", "a.jsonl.gz", "sub/c.jsonl", "notes.txt")
    for name in names:
        (tmp_path / name).write_bytes(texts[0])
    expected = [tmp_path / name for name in ("a.jsonl.gz", "b.jsonl", "sub/c.jsonl")]
    assert transcript_paths([tmp_path]) == expected
    assert transcript_paths([tmp_path / "b.jsonl", tmp_path, tmp_path / "notes.txt"]) == [
        expected[1],
        expected[0],
        expected[2],
        tmp_path / "notes.txt",
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(FormatError, match="no transcripts in this directory"):
        transcript_paths([tmp_path / "empty"])


def hostile(texts: list[bytes]) -> dict[str, tuple[bytes, str]]:
    """By name a file, and what is said of it."""
    header, *rest = texts[0].splitlines(keepends=True)
    about = json.loads(header)

    def with_header(**changes: object) -> bytes:
        return json.dumps(about | changes).encode() + b"\n" + b"".join(rest)

    return {
        "empty": (b"", "line 1: the header is missing"),
        "blank lines": (b"\n" * 10, "line 1: not JSON: nothing is there"),
        "zero bytes": (bytes(1000), "line 1: not JSON at character 1"),
        "a long line": (b"x" * 3_000_000, "line 1: longer than 1 MiB"),
        "deep": (b'{"format":' + b"[" * 200_000, "line 1: "),
        "a bomb": (gzip.compress(bytes(20_000_000)), "line 1: longer than 1 MiB"),
        "a bomb of lines": (gzip.compress(b"\n" * 1_000_000), "a transcript of more than 16 MiB"),
        "cut off": (gzip.compress(b"".join(texts))[:-100], "not a whole gzip file"),
        "two bytes": (b"\x1f\x8b", "not a whole gzip file"),
        "another encoding": (texts[0].decode().encode("utf-16"), "line 1: not JSON: a byte that is no UTF-8"),
        "bytes in the middle": (header + b'{"a": "\xff"}\n', "line 2: not JSON: a byte that is no UTF-8"),
        "an escape": (with_header(names=["\x1b[31m", "Bot"]), "unprintable"),
        "a huge number": (with_header(winning_score=-(10**30)), "line 1: "),
        "no rules": (with_header(rules="x" * 10_000), "unknown rules"),
        "moves of another kind": (header + rest[0].replace(b'"moves": [', b'"moves": [null, '), "line 2: moves"),
        "a line twice": (header + rest[0] + rest[0], "line 3: "),
    }


def read_all(path: Path, tree: GameTree) -> None:
    for one in written_matches(path):
        one.setup()
        one.replay(tree)


NAMES = list(hostile([b'{"format": 1}\n{"moves": []}\n']))


@pytest.mark.parametrize("name", NAMES)
def test_files_that_do_harm(name: str, texts: list[bytes], tree: GameTree, tmp_path: Path) -> None:
    """A short line, at once, and little memory."""
    path = tmp_path / "file.jsonl"
    data, said = hostile(texts)[name]
    path.write_bytes(data)
    with pytest.raises(FormatError) as raised:
        read_all(path, tree)
    assert said in str(raised.value)
    assert len(str(raised.value)) < 500
    assert str(raised.value).isprintable()


def test_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("pipe.jsonl", "circle", "absent", "x" * 5000):
        with pytest.raises(FormatError):
            list(written_matches(tmp_path / name))
    assert transcript_paths([tmp_path]) == [tmp_path / "pipe.jsonl"]
