"""Transcripts replay, and a changed one is refused; many of them in files and directories; files made to do harm."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from support.playing import NAMES, played_match, transcript

from tictactoe import FormatError, GameTree, Goal, MatchBot, Position, RoundBot, Score, Seat, Solution
from tictactoe.play.recorded_play import Practice
from tictactoe.play.referee import Match, commitment_hash
from tictactoe.play.transcript import Setup, practice_lines, replay, transcript_paths, written_matches


@pytest.mark.parametrize("seed", range(4))
def test_transcripts_replay(solution: Solution, tree: GameTree, seed: int) -> None:
    match, options = played_match(MatchBot(solution), seed), {"opponent": "uniform", "average_strategy": False}
    lines = transcript(match, solution="there", **options)
    again = replay(lines, tree)
    assert again.match is not None
    assert (again.setup.opponent, again.setup.solution, again.setup.average_strategy) == ("uniform", "there", False)
    assert transcript(again.match, solution="there", **options) == lines
    for length in range(1, len(lines)):
        assert len(replay(lines[:length], tree).rounds) == min(length, len(lines) - 1) - 1
    assert transcript(played_match(MatchBot(solution), seed)) == transcript(match)
    more = {"review": {"player": "Ann"}, "help": {"hints": 2, "looked": True}}
    lines[1] = json.dumps(json.loads(lines[1]) | more)
    assert len(replay(lines, tree).rounds) == len(lines) - 2


def test_a_match_that_was_left(tree: GameTree) -> None:
    match = Match(tree, 2, NAMES, 0, 4)
    texts = []
    for moves in ((), (5,), (5, 1, 9)):
        played = match.deal()
        texts.append(played.commitment)
        for move in moves:
            played.play(move)
        lines = transcript(match, played)
        again = replay(lines, tree)
        assert again.match is not None
        assert again.current is not None
        assert (again.current.cursor.moves, again.current.goals) == (moves, played.goals)
        assert transcript(again.match, again.current) == lines
        match.abandon(played)
    assert len(set(texts)) == 3
    assert replay(transcript(match), tree).match is not None
    lines = transcript(match)
    assert [json.loads(line).get("abandoned") for line in lines] == [None, True, True, True]
    again = replay(lines, tree)
    assert again.match is not None
    assert again.match.deal().commitment == match.deal().commitment
    assert again.current is None
    goes_on = {name: value for name, value in json.loads(lines[1]).items() if name != "abandoned"}
    with pytest.raises(ValueError, match="line 3: comes after the end"):
        replay([lines[0], json.dumps(goes_on), lines[2]], tree)


def test_practice(bot: RoundBot, tree: GameTree) -> None:
    start = Position(Score(1, 0), (None, Goal.TIE), (5, 1))
    practice = Practice(bot, start.score, Seat.SECOND, 3, start=start)
    setup = Setup(names=NAMES, seed=3, position=str(start))
    rounds = [practice.deal(number) for number in (1, 2)]
    for move in (9, 3, 7, 2, 8, 6):
        if rounds[0].mover is not None:
            rounds[0].play(move)
    assert rounds[0].outcome is not None
    lines = [json.dumps(line) for line in practice_lines(setup, rounds)]
    again = replay(lines, tree)
    assert again.match is None
    assert [one.cursor.moves for one in again.rounds] == [rounds[0].cursor.moves]
    assert again.current is not None
    assert again.current.goals == rounds[1].goals
    assert replay(lines[:1], tree).setup.position == "1-0 ?t 51"
    other = json.dumps(json.loads(lines[0]) | {"position": "1-0 ?t 52"})
    with pytest.raises(ValueError, match=r"line 2: does not continue from the position 1-0 \?t 52"):
        replay([other, lines[1]], tree)


def test_a_changed_transcript_is_refused(solution: Solution, tree: GameTree) -> None:
    lines = transcript(played_match(MatchBot(solution), 2))
    header, first, *_, footer = map(json.loads, lines)
    text, sha256 = first["commitment"]["text"], first["commitment"]["sha256"]
    other = text[:-1] + ("0" if text[-1] != "0" else "1")
    values = (None, 0, "x", [], {}, [1, 2, 3], ["win", "win", "win"], -1, 1e300, "x" * 10_000, ["x" * 10_000, "win"])
    of_header = (0, -1, 1.5, [], ["Ann"], ["Ann", "Ann"], ["Ann", "\x1b[2J"], ["Ann", "x" * 21], "\x07")
    names = ("names", "winning_score", "opponent", "average_strategy", "position")
    changes: list[tuple[int, dict[str, Any]]] = [
        *((2, first | {name: value}) for name in first for value in values if value != first[name]),
        *((2, {key: value for key, value in first.items() if key != name}) for name in first),
        *((1, header | {name: value}) for name in names for value in of_header),
        (1, header | {"solution": "a\0b"}),
        *((1, header | more) for more in ({"more": 1}, {"format": "smbc-tictactoe transcript 2"}, {"x" * 10_000: 1})),
        (2, first | {"more": 1}),
        *((2, first | {"help": help}) for help in (1, {"hints": 1}, {"hints": -1, "looked": True}, {"looked": 1})),
        (2, first | {"abandoned": True}),
        (2, first | {"moves": first["moves"][:-1]}),
        (2, first | {"commitment": {"text": other, "sha256": sha256}}),
        (len(lines), footer | {"winner": NAMES[footer["winner"] == "Ann"]}),
        (len(lines), footer | {"points": [9, 9]}),
    ]
    damaged = [[*lines[: number - 1], json.dumps(changed), *lines[number:]] for number, changed in changes]
    damaged += [["{"], ["[]"], ["null"], ['{"format": "x"}'], ["[" * 100_000], [lines[0].replace('"Bot"', '"Ann"')]]
    damaged += [[], [lines[0], lines[0]], [*lines, lines[-1]], [lines[0], lines[-1]]]
    for bad in damaged:
        with pytest.raises(ValueError, match=r"^line \d+: .{1,300}$"):
            replay(bad, tree)
    for more in ("\x1b[2J", "\n", "g", "0" * 100):
        forged = first | {"commitment": {"text": text + more, "sha256": commitment_hash(text + more)}}
        with pytest.raises(ValueError, match=r"^line 2: commitment: .* is not about this round and goal$"):
            replay([lines[0], json.dumps(forged)], tree)


def test_rounds_that_cannot_have_been_left(tree: GameTree, bot: RoundBot) -> None:
    """A round for practice is not dealt anew. An abandoned round has the same first mover as the next."""
    match = Match(tree, 2, NAMES, 1, 1)
    lines = transcript(match, match.deal())
    left = json.loads(lines[1]) | {"abandoned": True}
    other = left | {"first_mover": NAMES[0], "goals": left["goals"][::-1]}
    with pytest.raises(ValueError, match=r"^line 3: first_mover: "):
        replay([lines[0], json.dumps(left), json.dumps(other)], tree)
    practice = Practice(bot, Score(1, 0), None, 1).deal(1)
    lines = [json.dumps(line) for line in practice_lines(Setup(names=NAMES, seed=1), [practice])]
    with pytest.raises(ValueError, match=r"^line 2: abandoned: only a round of a match can be abandoned$"):
        replay([lines[0], json.dumps(json.loads(lines[1]) | {"abandoned": True})], tree)


def test_a_solution_of_any_name() -> None:
    for name in ("a\nb", "caf\udce9"):
        setup = Setup(names=NAMES, seed=None, winning_score=1, solution=name)
        assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(setup))), Setup) == setup


@pytest.fixture(scope="module")
def texts(solution: Solution) -> list[bytes]:
    matches = (played_match(MatchBot(solution), seed) for seed in range(3))
    return ["".join(f"{line}\n" for line in transcript(match)).encode() for match in matches]


@pytest.mark.parametrize("zipped", [False, True])
def test_one_after_the_other(texts: list[bytes], tree: GameTree, tmp_path: Path, zipped: bool) -> None:
    mark = b"\xef\xbb\xbf"  # of the order of bytes, with which some editors begin a file
    data = mark + (mark if zipped else b"").join(texts).rstrip()
    path = tmp_path / "matches"
    path.write_bytes(gzip.compress(data) if zipped else data)
    found = list(written_matches(path))
    lines = [len(text.splitlines()) for text in texts]
    assert [one.first_line for one in found] == [1, 1 + lines[0], 1 + lines[0] + lines[1]]
    assert [b"\n".join(one.lines).removeprefix(mark) for one in found] == [text.rstrip() for text in texts]
    assert [one.setup().seed for one in found] == [0, 1, 2]
    assert all(match is not None and match.winner is not None for match in (one.replay(tree).match for one in found))


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
        "empty": (b"", "not a transcript: the file is empty"),
        "zero bytes": (bytes(1000), "line 1: not JSON at character 1"),
        "a long line": (b"x" * 3_000_000, "line 1: longer than 1 MiB"),
        "deep": (b'{"format":' + b"[" * 200_000, "line 1: "),
        "a bomb": (gzip.compress(bytes(20_000_000)), "line 1: longer than 1 MiB"),
        "a bomb of lines": (gzip.compress(b"\n" * 1_000_000), "a transcript of more than 16 MiB"),
        "cut off": (gzip.compress(b"".join(texts))[:-100], "not a whole gzip file"),
        "another encoding": (texts[0].decode().encode("utf-16"), "line 1: not JSON: a byte that is not UTF-8"),
        "bytes in the middle": (header + b'{"a": "\xff"}\n', "line 2: not JSON: a byte that is not UTF-8"),
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


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a call of POSIX")
def test_paths_that_are_no_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "circle").symlink_to("circle")
    for name in ("pipe.jsonl", "circle", "absent", "x" * 5000):
        with pytest.raises(FormatError):
            list(written_matches(tmp_path / name))
    assert transcript_paths([tmp_path]) == [tmp_path / "pipe.jsonl"]
