"""Many transcripts in files and directories; other files, and files made to do harm."""

import gzip
import json
import os
from pathlib import Path

import pytest
from support.playing import played_match

from tictactoe import FormatError, GameTree, MatchBot, Solution
from tictactoe.play.transcript import Setup, match_lines
from tictactoe.play.transcript_files import transcript_paths, written_matches


@pytest.fixture(scope="module")
def texts(solution: Solution) -> list[bytes]:
    bot, result = MatchBot(solution), []
    for seed in range(3):
        match = played_match(bot, seed)
        setup = Setup(names=match.names, seed=seed, winning_score=match.winning_score)
        result.append(b"".join(json.dumps(line).encode() + b"\n" for line in match_lines(setup, match)))
    return result


@pytest.mark.parametrize("zipped", [False, True])
def test_one_after_the_other(texts: list[bytes], tree: GameTree, tmp_path: Path, zipped: bool) -> None:
    data = b"".join(texts)[:-1] if zipped else b"".join(texts)
    path = tmp_path / "matches"
    path.write_bytes(gzip.compress(data) if zipped else data)
    found = list(written_matches(path))
    lines = [len(text.splitlines()) for text in texts]
    assert [one.first_line for one in found] == [1, 1 + lines[0], 1 + lines[0] + lines[1]]
    assert [b"\n".join(one.lines) for one in found] == [text.rstrip() for text in texts]
    assert [one.setup().seed for one in found] == [0, 1, 2]
    assert all(match is not None and match.winner is not None for match in (one.replay(tree).match for one in found))


def test_a_damaged_one_between_others(texts: list[bytes], tree: GameTree, tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    damaged = texts[1].replace(b'"score": [0, 0]', b'"score": [0, 1]')
    path.write_bytes(texts[0] + damaged + texts[2])
    first, second, third = written_matches(path)
    assert first.replay(tree).match is not None
    assert third.replay(tree).match is not None
    with pytest.raises(FormatError, match=rf"line {second.first_line + 1}: score: \[0, 1\] where \[0, 0\] is right"):
        second.replay(tree)


def test_directories(texts: list[bytes], tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "empty").mkdir()
    gz, jsonl, sub, notes = (tmp_path / name for name in ("a.jsonl.gz", "b.jsonl", "sub/c.jsonl", "notes.txt"))
    for path in (gz, jsonl, sub, notes):
        path.write_bytes(texts[0])
    assert transcript_paths([tmp_path]) == [gz, jsonl, sub]
    assert transcript_paths([jsonl, tmp_path, notes]) == [jsonl, gz, sub, notes]
    with pytest.raises(FormatError, match="no transcripts in this directory"):
        transcript_paths([tmp_path / "empty"])


def hostile(texts: list[bytes]) -> dict[str, tuple[bytes, str]]:
    header, *rest = texts[0].splitlines(keepends=True)
    about = json.loads(header)

    def with_header(**changes: object) -> bytes:
        return json.dumps(about | changes).encode() + b"\n" + b"".join(rest)

    return {
        "empty": (b"", "line 1: the header is missing"),
        "zero bytes": (bytes(1000), "line 1: not JSON at character 1"),
        "a long line": (b"x" * 3_000_000, "line 1: longer than 1 MiB"),
        "deep": (b'{"format":' + b"[" * 200_000, "line 1: "),
        "a bomb": (gzip.compress(bytes(20_000_000)), "line 1: longer than 1 MiB"),
        "a bomb of lines": (gzip.compress(b"\n" * 1_000_000), "a transcript of more than 16 MiB"),
        "cut off": (gzip.compress(b"".join(texts))[:-100], "not a whole gzip file"),
        "another encoding": (texts[0].decode().encode("utf-16"), "line 1: not JSON: a byte that is no UTF-8"),
        "bytes in the middle": (header + b'{"a": "\xff"}\n', "line 2: not JSON: a byte that is no UTF-8"),
        "an escape": (with_header(names=["\x1b[31m", "Bot"]), "unprintable"),
        "no rules": (with_header(rules="x" * 10_000), "unknown rules"),
        "moves of another kind": (header + rest[0].replace(b'"moves": [', b'"moves": [null, '), "line 2: moves"),
        "a line twice": (header + rest[0] + rest[0], "line 3: "),
    }


def test_files_that_do_harm(texts: list[bytes], tree: GameTree, tmp_path: Path) -> None:
    for name, (data, message) in hostile(texts).items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(data)
        with pytest.raises(FormatError) as raised:
            [one.replay(tree) for one in written_matches(path) if one.setup()]
        assert message in str(raised.value), name
        assert len(str(raised.value)) < 500
        assert str(raised.value).isprintable()


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("pipe.jsonl", "circle", "absent", "x" * 5000):
        with pytest.raises(FormatError):
            list(written_matches(tmp_path / name))
    assert transcript_paths([tmp_path]) == [tmp_path / "pipe.jsonl"]
