"""The history keeps finished matches beside unfinished ones, and `review` finds them by number, whatever the files
hold, and however the disk fails."""

import errno
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.programs import ANYTHING, call, complaint, json_of, text_of
from support.slowness import by_default
from support.terminal import Terminal

from tictactoe.play import match_history
from tictactoe.play.match_history import MOST_KEPT, TranscriptFile, history, kept_matches, left_matches

PLAY = "play-multiround"


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The directory of kept matches, not made yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings" / "smbc-tictactoe"


def play(*options: object, typed: str = ANYTHING) -> str:
    return text_of(PLAY, "--winning-score", 1, *options, typed=typed)


def listed() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json_of("review", "--list")["matches"]
    return found


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def older(path: Path, seconds: float) -> None:
    """Make the file say nothing of when it was kept, as in earlier versions, and its time an earlier one."""
    if path.is_file():
        path.write_bytes(re.sub(rb', "kept_at": \d+', b"", path.read_bytes()))
    os.utime(path, (time.time() - seconds, time.time() - seconds))


def test_what_is_over_is_kept_the_newest_first(kept: Path, tmp_path: Path) -> None:
    assert text_of("review", "--list") == "No match has been played yet.\n"
    line = complaint(call("review"), 1, "review")
    assert line == "tictactoe review: no match has been played yet; name a transcript: review match.jsonl"
    file = tmp_path / "match.jsonl"
    play("--seed", 1, "--transcript", file)
    older(kept_matches()[0], 20)
    assert kept_matches()[0].read_text() == file.read_text()
    play("--seed", 2, "--opponent", "learner-10", "--rules", "filled")
    older(kept_matches()[0], 10)
    text_of(PLAY, "--seed", 3, "--rounds", 2, typed=ANYTHING)
    facts = [(one["number"], one["opponent"], one["rules"]) for one in listed()]
    assert facts == [(1, "perfect", "three-in-a-row"), (2, "learner-10", "filled"), (3, "perfect", "three-in-a-row")]
    assert [one["state"] == "practice" for one in listed()] == [True, False, False]
    assert all(one["state"] in ("won", "lost") for one in listed()[1:])
    assert text_of("review", 3) == text_of("review", file)
    assert text_of("review") == text_of("review", 1)
    assert text_of("review").startswith("Practice, 2 rounds played: ")
    rows = text_of("review", "--list").splitlines()
    assert re.fullmatch(r" *1 +\d{4}-\d\d-\d\d \d\d:\d\d +Perfect +three-in-a-row +practice \d-\d *", rows[1])
    assert re.search(r"Student +filled +(won 1-0|lost 0-1) *$", rows[2])


def test_a_step_of_the_ladder_is_offered_after_two_matches_that_went_alike(kept: Path) -> None:
    up = "2 wins in a row: next on the ladder is Dabbler: play-multiround --opponent dabbler"
    down = "2 losses in a row: a step down the ladder is Dreamer: play-multiround --opponent dreamer"
    ways = {True: up, False: down}
    results: list[bool] = []
    for seed in range(1, 9):
        said = " ".join(play("--seed", seed, "--opponent", "rookie").split())
        results.append(listed()[0]["state"] == "won")
        same = results[-2:] in ([True, True], [False, False])
        assert [way in said for way in (ways[True], ways[False])] == [same and results[-1], same and not results[-1]]
        assert not same or f"{ways[results[-1]]} --winning-score 1." in said
    assert {True, False} == set(results)
    assert "on the ladder" not in play("--seed", 1, "--opponent", "careless")


def test_a_number_and_a_file_of_that_name(kept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    play("--seed", 1)
    (tmp_path / "1").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert text_of("review", "1").startswith("A match to 1, over: ")
    assert complaint(call("review", "./1"), 1, "review").startswith("tictactoe review: 1: not a transcript: format: ")
    line = complaint(call("review", "2"), 1, "review")
    assert line == "tictactoe review: there is no match 2: 1 match is in the list; review --list shows them"
    line = complaint(call("review", "--list", "--player", "You"), 2, "review")
    assert line == "tictactoe review: --list shows only the list: leave out --player (see tictactoe review --help)"


def test_no_history(kept: Path) -> None:
    assert "save" not in play("--seed", 1, "--no-history")
    text_of(PLAY, "--rounds", 1, "--no-history", typed=ANYTHING)
    for more in (("--no-history",), ()):
        terminal = Terminal(PLAY, "--seed", 3, *more, XDG_CONFIG_HOME=str(kept.parent))
        terminal.asked()
        terminal.enter("5", "O2")
        assert terminal.interrupt()[0] == 130
        assert bool(left_matches()) is not bool(more)
    assert [(one["state"], one["points"]) for one in listed()] == [("left", [0, 0])]
    assert re.search(r"left at 0-0 *\n", text_of("review", "--list"))
    text_of(PLAY, "--resume", "--no-history", typed=ANYTHING)
    assert kept_matches() == listed() == []


def test_the_last_hundred_are_kept_in_the_order_of_the_files_whatever_the_clock_said(kept: Path) -> None:
    play("--seed", 1)
    older(kept_matches()[0], -5000)  # kept by an earlier version, and then the clock went back
    text = kept_matches()[0].read_bytes()
    for number in range(MOST_KEPT):
        (kept / f"finished_match_{number}.jsonl").write_bytes(text)
        older(kept / f"finished_match_{number}.jsonl", 1000 - number)
    (kept / "unfinished_match.jsonl").write_bytes(text)
    older(kept / "unfinished_match.jsonl", 5000)
    (kept / "mine.jsonl").write_text("mine")
    play("--seed", 2, "--opponent", "uniform")
    play("--seed", 3, "--opponent", "learner-1")
    expected = ["learner-1", "uniform", "perfect"]
    assert [one["opponent"] for one in listed()[:3]] == expected
    now = time.strftime("%Y-%m-%d %H:%M")
    assert [one["date"] <= now for one in listed()[:3]] == [True, True, False]
    assert len(list(kept.glob("finished_match_*"))) == MOST_KEPT
    there = [(kept / f"finished_match_{number}.jsonl").exists() for number in range(MOST_KEPT)]
    assert there == sorted(there), "the oldest went"
    assert len(kept_matches()) == MOST_KEPT + 1
    assert (kept / "mine.jsonl").exists()
    for number, path in enumerate(kept_matches()[:2]):  # as after copying the directory
        os.utime(path, (number, number))
    assert [one["opponent"] for one in listed()[:3]] == expected


DAMAGES = {
    "empty line": b"\n",
    "not text": b"\xff\xfe\n",
    "no JSON": b"{",
    "deep": b"[" * 100_000,
    "escape": b'{"format": "\x1b[31m"}',
    "odd rules": b'{"format": "smbc-tictactoe transcript 3", "names": ["A", "B"], "seed": null, "rules": "\\u001b"}',
}


@pytest.mark.parametrize("name", by_default(DAMAGES, "empty line", "no JSON", "odd rules"))
def test_damaged_files_have_a_line(name: str, kept: Path) -> None:
    play("--seed", 1)
    older(kept_matches()[0], 100)
    damaged = kept / "finished_match_bad\x1b[31m.jsonl"
    damaged.write_bytes(DAMAGES[name])
    (kept / "finished_match_a_directory.jsonl").mkdir()
    older(kept / "finished_match_a_directory.jsonl", 200)
    bad, good, directory = listed()
    assert [one["state"] for one in (bad, directory)] == ["damaged", "damaged"]
    assert good["state"] in ("won", "lost")
    assert directory["problem"] == "not a regular file"
    text = text_of("review", "--list")
    assert "\x1b" not in text
    assert re.search(r"^1 is damaged: .*finished_match_bad\\x1b\[31m\.jsonl: .+$", text, re.M)
    assert complaint(call("review"), 1, "review")
    assert call("review", 2).code == 0


def test_a_footer_that_lies_is_damage(kept: Path) -> None:
    play("--seed", 1)
    (file,) = kept_matches()
    *lines, last = file.read_text().splitlines()
    file.write_text("\n".join([*lines, json.dumps(json.loads(last) | {"points": [9, 9]})]))
    (one,) = history()
    assert (one.state, one.replayed) == ("damaged", None)
    assert re.fullmatch(r"line \d: points: \[9, 9\] should be \[.*\]", one.problem)


def test_a_match_that_cannot_be_kept_is_played_all_the_same(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.parent.mkdir()
    kept.write_text("a file")
    for out in (play("--seed", 1), text_of(PLAY, "--rounds", 1, typed=ANYTHING)):
        assert f"The program could not keep this for review: {kept}: " in out
    kept.unlink()

    with monkeypatch.context() as patched:
        patched.setattr(match_history, "replacing", full)
        assert "The program could not keep this for review: No space left on device.\n" in play("--seed", 1)
    assert listed() == []


def test_a_full_disk_loses_no_left_match(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = TranscriptFile.of_a_new_match()
    with monkeypatch.context() as patched:
        patched.setattr(match_history, "json_text", lambda line: "x" * 10)
        file.save([{}])

        def refused(*_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(file.path))

        patched.setattr(match_history.os, "replace", refused)
        assert file.settle_over([{}]) == f"{file.path}: No space left on device"
    assert kept_matches() == [file.path]


def test_two_programs_at_once(kept: Path) -> None:
    one, other = TranscriptFile.of_a_new_match(), TranscriptFile.of_a_new_match()
    assert one.path != other.path
    assert kept_matches() == []  # names alone
    one.save([{"one": 1}])
    other.save([{"other": 1}])
    assert len(left_matches()) == 2
    assert (one.settle_over([{"one": 1}]), other.settle_over([{"other": 1}])) == ("", "")
    texts = [re.sub(r"\d{13}", "T", path.read_text()) for path in kept_matches()]
    assert texts == ['{"other": 1, "kept_at": T}\n', '{"one": 1, "kept_at": T}\n']
