"""Whether commands do what they did in an earlier commit: python benchmarks/same_as_before.py [--base 0f53234d]

The earlier commit gets a checkout and an environment of its own, kept for the next time (--place). Both build the world
of tests/fuzzing, each with its own commands, and run every use of the earlier tests/fuzzing/uses.txt in a copy of it.
`RENAMED` of tools/command_list.py says what a command is called now. Exit codes, JSON on standard output, and arrays of
numbers in all files that a use writes (by hash) must be equal. Files as such and words are not compared. How much
processor time commands take to start is measured in turn.

What differs on purpose stands in ON_PURPOSE. Exit code 1 if anything else differs, or if a line there is out of date.
"""

from __future__ import annotations

import argparse
import collections
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack

ROOT = Path(__file__).resolve().parent.parent
BASE = "0f53234d"
TYPED = "5\n1\n?\nh\nb\nq\n"
"""What every use reads from its standard input."""
STARTS = (
    "play-multiround --help",
    "solve-multiround --help",
    "explore --position 0-0 --json",
    "play-multiround --plain",
)
"""Commands that are timed."""
TIMES = 7
OF_THIS_RUN = {"seconds", "elapsed_seconds", "computed_with", "date", "version"}
"""Keys of JSON whose values differ from run to run."""

ON_PURPOSE = {
    "certify -s closed -o out --jobs 1 --json": "format 2 of files and certificates: rules in place of end_rule",
    "import-solution match -o out": "a solution is copied where it was no table to import",
    "build-page -s match -o out --json": "the page has grown, and the file of what best responders win has come",
    "compare-algorithms --algorithm pdcfr+ --budget 2 --no-plot -o out --score 0 0 --values-from match --json": (
        "parameters of algorithms are named as their options: discount_alpha, discount_gamma"
    ),
    "compare-algorithms --game kuhn --algorithm pdcfr+ --budget 2 --no-plot -o out --json": (
        "parameters of algorithms are named as their options: discount_alpha, discount_gamma"
    ),
    "head-to-head -s match -s uniform --json": "its figures stand among the pairs of a tournament",
    "head-to-head -s two -s two --average-strategy false --json": "its figures stand among the pairs of a tournament",
}
"""Uses of the earlier commit, as they stand in its uses.txt, that do something else now: use to reason."""

REWORDED = (
    (r"--(score|keep) (\d+) (\d+)", r"--\1 \2-\3"),
    (r"--average-strategy false", "--strategy current"),
    (r"^plot (.*) --format svg", r"plot \1"),
    (r"^(play-multiround .*)--continue", r"\1--resume"),
    (r"--agent ", ""),
    (r"^page (.*)--single-file", r"page \1-o"),
    (r"^review (.*)--csv", r"review \1-o"),
    (r"--results ", "-o "),
    (r"(--one-round .*)--iterations", r"\1--max-iterations"),
    (r"^convert -s ", "convert "),
    (r" --save false", ""),
    (r"^best-response-multiround -s round$", r"best-response-multiround -s round --save"),
    (r"^tournament -s (\S+) -s (\S+) --strategy current", r"tournament current:\1 current:\2"),
    (r"^tournament -s (\S+) -s (\S+)", r"tournament \1 \2"),
    (r"^train-agent -o (\S+) .*--export", r"convert \1 -o"),
    (r"^train-agent (.*)--continue", r"train-agent \1--resume"),
    (r"^game solve (.*)--iterations", r"game solve \1--max-iterations"),
)
"""What options of the earlier commit are written as now: patterns, with the present verb in front, and replacements."""


def checkout(commit: str, place: Path) -> Path:
    """The Python of an environment that has the commit installed from a checkout of its own in `place`."""
    source, python = place / "source", place / "venv" / "bin" / "python"
    if not (place / "complete").exists():
        shutil.rmtree(place, ignore_errors=True)
        source.mkdir(parents=True)
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", source], input=archive, check=True)
        subprocess.run([sys.executable, "-m", "venv", place / "venv"], check=True)
        limits = ["-c", ROOT / "constraints.txt"] if (ROOT / "constraints.txt").exists() else []
        subprocess.run([python, "-m", "pip", "install", "-q", *limits, "-e", f"{source}[test]"], check=True)
        (place / "complete").touch()
    return python


def recorded(python: Path, source: Path, uses: list[dict[str, Any]] | None, results: Path) -> list[dict[str, Any]]:
    """What every use does by the commands of `source`, in the order of its uses.txt unless `uses` are given."""
    given = results.with_suffix(".uses.json")
    given.write_text(json.dumps(uses), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(source / "tests"), "NUMBA_NUM_THREADS": "1"}
    words = [python, Path(__file__).resolve(), "--record", results, "--uses", given]
    subprocess.run(words, check=True, env=environment, cwd=results.parent)
    found: list[dict[str, Any]] = json.loads(results.read_text(encoding="utf-8"))
    return found


def record(uses_file: Path, results: Path) -> None:
    """Build the world and run the uses; runs in the environment that is recorded, with its tests/ on the path."""
    from fuzzing.uses import USES
    from fuzzing.world import build

    given = json.loads(uses_file.read_text(encoding="utf-8"))
    uses = given or [{"line": use.line, "words": use.words, "output": use.output} for use in USES]
    with tempfile.TemporaryDirectory() as directory:
        world = Path(directory) / "world"
        build(world)
        for use in uses:
            place = Path(directory) / "place"
            shutil.copytree(world, place, symlinks=True, ignore=lambda _, names: {"pipe"} & set(names))
            use["code"], out = _run(place, use["words"], Path(directory))
            use["json"] = _parsed(out.replace(directory, "")) if "--json" in use["words"] else None
            use["arrays"] = sorted(_arrays_in(place, use["output"] or "out"))
            shutil.rmtree(place)
    results.write_text(json.dumps(uses), encoding="utf-8")


def _run(place: Path, words: list[str], directory: Path) -> tuple[int, str]:
    from fuzzing.world import CONFIGURATION, replaced_parts, unchanged
    from support.programs import main_of_a_child

    typed, out = directory / "in", directory / "out"
    typed.write_text(TYPED)
    child = os.fork()
    if child == 0:
        for number, (path, flags) in enumerate(
            (
                (typed, os.O_RDONLY),
                (out, os.O_RDWR | os.O_CREAT | os.O_TRUNC),
                (directory / "err", os.O_RDWR | os.O_CREAT),
            )
        ):
            os.dup2(os.open(path, flags), number)
        variables = {"XDG_CONFIG_HOME": str(place / CONFIGURATION), **unchanged()}
        with replaced_parts():
            main_of_a_child(words[0], words[1:], variables, lambda: os.chdir(place))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code, out.read_text(encoding="utf-8", errors="replace")


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return f"no JSON: {text[:80]!r}"


def _arrays_in(place: Path, output: str) -> Iterator[str]:
    """A hash of each array in all files of this program below what is written."""
    for path in sorted(place.glob(f"{output}*")):
        files = [path] if path.is_file() else sorted(path.rglob("*.msgpack"))
        for file in files:
            if file.suffix == ".msgpack" and not file.is_symlink():
                frame = msgpack.unpackb(file.read_bytes(), raw=False)
                yield from _hashes(msgpack.unpackb(frame[3]))


def _hashes(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and "__array__" in value:
        about = f"{value['__array__']} {value['shape']} ".encode()
        yield hashlib.sha256(about + zlib.decompress(value["zlib"])).hexdigest()[:16]
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _hashes(item)


def differences(before: Any, after: Any, where: str = "") -> Iterator[str]:
    """The places where two JSON values differ; a key more is no difference."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in before.keys() - OF_THIS_RUN:
            if key in after:
                yield from differences(before[key], after[key], f"{where}.{key}")
            else:
                yield f"{where}.{key} is gone"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for index, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from differences(one, other, f"{where}[{index}]")
    elif before != after:
        yield f"{where or 'all'}: {str(before)[:60]} was, {str(after)[:60]} is"


def compared(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """What differs between two records of one use."""
    if before["code"] != after["code"]:
        yield f"exit code {before['code']} was, {after['code']} is"
    yield from differences(before["json"], after["json"])
    lost = collections.Counter(before["arrays"]) - collections.Counter(after["arrays"])
    if lost:
        yield f"{lost.total()} of {len(before['arrays'])} arrays are gone or have other bits"


def in_present_words(words: list[str]) -> list[str]:
    """A use of the earlier commit as one types it now; the name of the verb is one word, even with a blank in it."""
    from tictactoe.tools.command_list import COMMAND_NAMES, RENAMED

    line = f"{RENAMED.get(words[0], words[0])} {shlex.join(words[1:])}"
    for pattern, replacement in REWORDED:
        line = re.sub(pattern, replacement, line)
    first, *more = shlex.split(line)
    return [f"{first} {more[0]}", *more[1:]] if " ".join((first, *more[:1])) in COMMAND_NAMES else [first, *more]


def start_times(pythons: list[Path]) -> Iterator[tuple[str, float, float]]:
    """Command, and the least processor time of both environments for it, with no input."""
    for line in STARTS:
        times: list[list[float]] = [[], []]
        for _ in range(TIMES):
            for index, python in enumerate(pythons):
                program = line.split()
                start = _processor_seconds()
                command = [str(python.with_name(program[0])), *program[1:]]
                subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
                times[index].append(_processor_seconds() - start)
        yield line, min(times[0]), min(times[1])


def _processor_seconds() -> float:
    """What ended children have used, which other programs on the machine disturb little."""
    used = os.times()
    return used.children_user + used.children_system


def main() -> int:
    """Record both, print a line for each use that differs, and the times."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--base", default=BASE)
    parser.add_argument("--place", type=Path, help="where the earlier commit's environment is kept")
    parser.add_argument("--record", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--uses", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.record:
        record(given.uses, given.record)
        return 0
    place = given.place or Path(tempfile.gettempdir()) / f"same-as-before-{given.base}"
    old, new = checkout(given.base, place), Path(sys.executable)
    with tempfile.TemporaryDirectory() as directory:
        before = recorded(old, place / "source", None, Path(directory, "before.json"))
        uses = [{**use, "words": in_present_words(use["words"])} for use in before]
        after = recorded(new, ROOT, uses, Path(directory, "after.json"))
    wrong = 0
    for one, other in zip(before, after, strict=True):
        found = list(compared(one, other))
        if bool(found) != (one["line"] in ON_PURPOSE):
            wrong += 1
            print(one["line"], *(found or ["the same as before, and stands in ON_PURPOSE"])[:5], sep="\n    ")
    print(f"{len(before)} uses, {len(ON_PURPOSE)} differ on purpose, {wrong} otherwise")
    for line, earlier, now in start_times([old, new]):
        print(f"{line:32}{earlier:8.3f} s{now:8.3f} s{now / earlier:8.2f}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
