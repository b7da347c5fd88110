"""Text from files, paths and peers steers no terminal, but drawings do; odd environments; singulars after the number 1,
and figures that are rounded up."""

import contextlib
import ctypes
import io
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from fractions import Fraction
from pathlib import Path
from unittest import mock

import pytest
from support.programs import EXPORT, MATCH, ONE_POINT, Result, call, complaint, environment, run
from support.slowness import slow
from support.waiting import HANGS, wait_until
from tictactoe.tools import program
from tictactoe.tools.commands import best_response_multiround
from tictactoe.tools.progress import StatusLine
from tictactoe.tools.reports.report import print_table
from tictactoe.tools.screens.explore_screen import Paint
from tictactoe.tools.screens.line_reader import LineReader
from tictactoe.tools.streams import drawing, plain_streams

import tictactoe
from tictactoe.errors import UserCodeError
from tictactoe.match.percentages import at_most, exploitability_text
from tictactoe.number_text import rounded_up

EVIL = "\x1b]0;title\x07\x1b[2J\x9b31m\r\x08\u202e\udc80\x7f"
SHOWN = r"\x1b]0;title\x07\x1b[2J\x9b31m\r\x08\u202e\udc80\x7f"
WRITERS = ((EXPORT, "match_to_1"), ("convert", "match_to_1"), (MATCH, *ONE_POINT))


def is_harmless(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def test_printed_text_is_escaped_and_drawn_text_is_not() -> None:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        with plain_streams():
            print(f"a\té {EVIL}\nb", end="!\n")
            sys.stderr.writelines([EVIL, "\n"])
            print("\x1b[1mbold\x1b[0m", file=drawing(sys.stdout))
        print("\x1b[1mafter", file=drawing(sys.stdout))
    assert out.getvalue() == f"a\té {SHOWN}\nb!\n\x1b[1mbold\x1b[0m\n\x1b[1mafter\n"
    assert err.getvalue() == f"{SHOWN}\n"


def test_a_table_and_a_line_of_progress(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(["name", "number"], [[EVIL, "1"]], f"name: {EVIL}")
    shown = capsys.readouterr().out
    assert shown.count(SHOWN) == 2
    assert is_harmless(shown)
    print_table(["name"], [["x" * 130]], "", ("a column that this table lacks",))
    assert "left out" not in capsys.readouterr().out
    assert re.fullmatch(rf"{re.escape(SHOWN)} \d+:\d\d\n2", StatusLine().filled(f"{EVIL} {{elapsed}}\n2"))


@pytest.mark.parametrize("words", [WRITERS[0], *slow(*((each,) for each in WRITERS[1:]))], ids=lambda words: words[0])
def test_outputs_of_any_name(words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = Path(f"{EVIL}\n2")
    result = call(*words, "-o", name)
    assert result.code == 0, result
    assert is_harmless(result.out + result.err)
    assert f"{SHOWN}\\n2" in result.out + result.err or words[0] == MATCH
    if name.is_file():
        name.unlink()
        name.mkdir()
    else:
        shutil.rmtree(name)
        name.touch()
    result = call(*words, "-o", name)
    line = complaint(result, result.code or 1, words[0])
    assert is_harmless(line)
    assert r"\x1b]0;title\x07\x1b[2J\x9b31m\r\x08\u202e" in line


def test_names_in_what_is_typed() -> None:
    for words in ((MATCH, f"--{EVIL}"), (MATCH, "--jobs", EVIL), (MATCH, "--algorithm", EVIL), ("explore", EVIL)):
        assert is_harmless(complaint(call(*words), 2, words[0]))


@pytest.mark.slow
def test_useless_settings_of_libraries(tmp_path: Path) -> None:
    """In a fresh process, as libraries read them when they are imported; matplotlib cannot write to its home."""
    (tmp_path / "file").touch()
    home = {"MPLBACKEND": "garbage", "MPLCONFIGDIR": str(tmp_path / "file" / "none"), "TMPDIR": str(tmp_path)}
    words = ("-s", "match_to_1", "-o", "plots", "--quiet")
    result = run("plot", *words, cwd=tmp_path, env=environment(NUMBA_NUM_THREADS="0", COLUMNS="0", **home))
    assert result.code == 0, result
    assert re.fullmatch("[^\n]*: no picture of convergence: [^\n]*\n", result.err), result


@pytest.mark.parametrize("encoding", ["utf-16", *slow("cp037")])
@pytest.mark.parametrize(("name", "typed"), [("explore", "5\nq\n"), ("play-multiround", "h\nq\n")])
def test_other_encodings(name: str, typed: str, encoding: str) -> None:
    def given(data: bytes) -> Result:
        with mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding=encoding)):
            return call(name, *(("--seed", 1) if name == "play-multiround" else ()))

    assert given(typed.encode(encoding)).code == 0
    if encoding == "cp037":
        return
    mistaken = given(typed.encode("ascii"))
    assert mistaken.code == 1
    line = mistaken.err.splitlines()[-1]
    assert line.startswith(f"{name}: standard input: it does not begin with a byte order mark; ")
    assert line.endswith(f"PYTHONIOENCODING says {encoding}: unset that variable, or add the mark")


def test_ctrl_c_after_everything_was_said(tmp_path: Path) -> None:
    """While the interpreter waits for a thread: the program ends at once, without a word and with its own code."""
    code = (
        "import signal, sys, threading, time\n"
        "from tictactoe.tools.commands.rules_atlas import command\n"
        "def last(before=signal.getsignal(signal.SIGINT)):\n"
        "    while signal.getsignal(signal.SIGINT) is before: time.sleep(0.001)\n"
        "    print('leaving', flush=True)\n"
        "    time.sleep(10_000)\n"
        "threading.Thread(target=last).start()\n"
        "sys.argv = ['rules-atlas', '--values', '--score', '0-0']\n"
        "command()\n"
    )
    pipe, command = subprocess.PIPE, [sys.executable, "-c", code]
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("0-0 ")
    assert process.stdout.readline() == "leaving\n"  # what is left to do then takes no time
    # Again, if need be: the interpreter overlooks a signal in the instant before it waits.
    wait_until(lambda: process.poll() is not None or process.send_signal(signal.SIGINT))
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out, err) == (0, "", "")


def test_not_from_a_zip_file(tmp_path: Path) -> None:
    """One line that says what to do, in place of what a library makes of it."""
    with zipfile.ZipFile(tmp_path / "program.zip", "w") as archive:
        for name in ("__init__.py", "__init__.pyi"):
            archive.write(Path(tictactoe.__file__).parent / name, f"tictactoe/{name}")
    code = "import sys; sys.path.insert(0, 'program.zip'); import tictactoe"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    what = "tictactoe does not run from within a zip file: unpack it, or install it with pip"
    assert done.stderr.splitlines()[-1] == f"ImportError: {what}"


@pytest.mark.parametrize(
    ("platform", "term", "console", "expected"),
    [("linux", "xterm", False, True), ("linux", None, False, False), ("linux", "", False, False),
     ("win32", None, True, True), ("win32", None, False, False), ("win32", "dumb", True, False)],
)  # fmt: skip
def test_screens_are_drawn_where_the_terminal_takes_escape_codes(
    platform: str, term: str | None, console: bool, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows sets no TERM; there the console is asked."""
    for stream in ("stdin", "stdout"):
        monkeypatch.setattr(sys, stream, mock.Mock(isatty=lambda: True))
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(ctypes, "windll", mock.MagicMock(), raising=False)
    ctypes.windll.kernel32.SetConsoleMode.return_value = console  # type: ignore[attr-defined]
    for name, value in (("TERM", term), ("NO_COLOR", None)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)
    assert (LineReader().redraws, Paint().on) == (expected, expected)


@pytest.mark.parametrize(
    "error",
    [MemoryError(), RuntimeError("can't start new thread"), ImportError("x.so: failed to map segment")],
    ids=lambda error: type(error).__name__,
)
def test_too_little_memory(error: Exception) -> None:
    wrapped, told = ImportError("a library's own words"), UserCodeError("game.py:1: its words")
    wrapped.__cause__ = told.__cause__ = error
    for raised in (error, wrapped, told):
        with mock.patch.object(tictactoe, "open_saved", side_effect=raised):
            assert "memory ran out: free some" in complaint(call("explore"), 1, "explore")


@pytest.mark.parametrize("value", [4.9292e-16, 0.0799, 1.0, 9.96e-3, 5e-324, Fraction(1, 10**400), 0.0])
def test_what_follows_at_most_is_rounded_up(value: float | Fraction) -> None:
    for digits in (1, 2, 3):
        shown = Fraction(rounded_up(value, digits))
        assert value <= shown <= Fraction(value) * (1 + Fraction(10, 10**digits))
        assert re.fullmatch(r"\d(\.\d+)?e[+-]\d\d+", rounded_up(value, digits))
    for text in (at_most(value), exploitability_text(value, up=True)):
        figures = [Fraction(number) for number in re.findall(r"[\d.]+e\S\d+", text)]
        assert figures[0] >= value
        assert figures[1] >= 50 * Fraction(value)


def test_progress_says_no_less_than_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(StatusLine, "set", lambda _self, text: shown.append(text))
    best_response_multiround._Progress("", None, quiet=True)(1, 2, Fraction("4.9292e-16"))
    assert shown[0].endswith(": 1 of 2 scores, at most 5.0e-16 match value (2.5e-14 points) exploitable")


@pytest.mark.parametrize(
    ("word", "typed"),
    [
        ("4-3 w? 15", '"4-3 w? 15"'),
        ("C:\\runs\\", "C:\\runs\\"),
        ("C:\\my runs\\", '"C:\\my runs\\\\"'),
        ("a&b", '"a&b"'),
        ("filled,filled-tie", '"filled,filled-tie"'),
        ("O'Neill", '"O\'Neill"'),
        ('cmd:"a b"', '"cmd:\\"a b\\""'),
        ("", '""'),
    ],
)
def test_a_command_is_quoted_for_the_shells_of_windows(word: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["", word, "--restart"])
    assert shlex.split(program._continuation("x").split(": ", 1)[1]) == ["x", word]
    monkeypatch.setattr("sys.platform", "win32")
    assert program._continuation("x") == f"everything is saved; continue with: x {typed}"
