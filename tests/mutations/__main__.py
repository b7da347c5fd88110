"""Makes each mutation of mutations.toml in a copy of the checkout, and says which test notices it, if any does:

    python tests/mutations --list
    python tests/mutations --only beliefs-by-even-odds
    python tests/mutations --jobs 2 --json after.json --against before.json

The tests that are near go first, then those of the package's folder, then all. A test counts that fails with the
mutation, twice, and not without it. Exit code 1 if a mutation survives, or, with --against, if one does that was
caught before; 2 where a mutation no longer fits the code. Run the whole tests once before: the copies take over their
compiled files.
"""

import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])

from mutations.catalogue import ROOT, Mutation, mutations  # noqa: E402
from mutations.checkout import add_environment, copy_files, run_tests  # noqa: E402

SECONDS = {"near": 1200.0, "folder": 3600.0, "all": 7200.0}
"""By step, how long tests may take; those that take longer hang, and have noticed the mutation."""


class Laboratory:
    """Where mutations are tried. directory: of the copies. until: the last step. workers: of pytest, for each."""

    def __init__(self, directory: Path, until: str, workers: int) -> None:
        self._directory, self._workers = directory, workers
        self._steps = list(SECONDS)[: list(SECONDS).index(until) + 1]
        self._files = directory / "files"
        self._unreliable: list[str] = []  # tests that fail without any mutation, or now and then
        copy_files(self._files)
        self._unchanged = self._copy("unchanged")

    def _copy(self, name: str) -> Path:
        copy = self._directory / name
        shutil.copytree(self._files, copy)
        add_environment(copy)
        return copy

    def tried(self, mutation: Mutation) -> dict[str, Any]:
        """The result: `by` names the test that caught it, if any; `step` is the last step taken."""
        copy, begun = self._copy(mutation.name), time.monotonic()
        mutation.apply(copy)
        result: dict[str, Any] = {"name": mutation.name, "file": mutation.file, "by": None, "step": "", "notes": []}
        for step, tests in self._runs(mutation, copy):
            result["step"] = step
            while self._goes_on(copy, step, tests, result):
                pass
            if result["by"] is not None:
                break
        shutil.rmtree(copy)
        return {**result, "seconds": round(time.monotonic() - begun, 1)}

    def _runs(self, mutation: Mutation, copy: Path) -> Iterator[tuple[str, list[str]]]:
        """The tests to run in each step, if they exist; an empty list stands for all tests."""
        found = copy.glob(mutation.near) if mutation.near else ()
        tests = {"near": sorted(str(path.relative_to(copy)) for path in found), "folder": [mutation.folder], "all": []}
        for step in self._steps:
            if step == "all" or (tests[step] and all((copy / test).exists() for test in tests[step])):
                yield step, tests[step]

    def _goes_on(self, copy: Path, step: str, tests: list[str], result: dict[str, Any]) -> bool:
        """Run the tests until one fails. Whether they are to be run again, without a test that cannot be relied on."""
        workers, left_out = 0 if step == "near" else self._workers, [f"--deselect={test}" for test in self._unreliable]
        ran = run_tests(copy, [*tests, *left_out], workers, SECONDS[step])
        if ran.code is None or ran.code < 0:
            result["by"] = "(hung)" if ran.code is None else f"(crashed by signal {-ran.code})"
        elif ran.failed:
            failed = ran.failed[0]
            codes = [run_tests(where, [failed], 0, SECONDS["near"]).code for where in (copy, self._unchanged)]
            if codes[0] != 0 and codes[1] == 0:
                result["by"] = failed
                return False
            result["notes"].append(
                f"{failed} {'fails without the mutation, too' if codes[0] else 'fails now and then'}"
            )
            self._unreliable.append(failed)
            return f"--deselect={failed}" not in left_out
        elif ran.code not in (0, 5):  # 5: no tests
            result["notes"].append(f"pytest ended with {ran.code}: {' '.join(ran.output.split())[-200:]}")
        elif ran.skipped:
            result["notes"].append(f"{step}: {ran.skipped} skipped")
        return False


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/mutations", description="Change the program; see which test notices.")
    parser.add_argument("--only", metavar="NAME", action="append", help="this mutation; may be repeated")
    parser.add_argument("--list", action="store_true", help="print all of them, and end")
    parser.add_argument("--until", choices=list(SECONDS), default="all", help="the last step to take  [all]")
    parser.add_argument("--jobs", type=int, default=1, help="mutations at a time  [1]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to this file, as they come")
    parser.add_argument("--against", type=Path, metavar="FILE", help="earlier results: only what they caught must be")
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell has ignored by what runs behind it
    chosen = [mutation for mutation in mutations() if arguments.only is None or mutation.name in arguments.only]
    if unknown := {*(arguments.only or ())} - {mutation.name for mutation in chosen}:
        parser.error(f"--only: no mutation has the name {', '.join(sorted(unknown))}; --list has them all")
    if arguments.list:
        print(*(f"{mutation.name:36} {mutation.file}\n    {mutation.why}" for mutation in chosen), sep="\n")
        return 0
    if lost := [problem for mutation in chosen if (problem := mutation.problem(ROOT))]:
        print(*lost, sep="\n", file=sys.stderr)
        return 2
    before = json.loads(arguments.against.read_text()) if arguments.against else None
    results = _all_tried(chosen, arguments.until, arguments.jobs, arguments.json)
    survived = {result["name"] for result in results if result["by"] is None}
    print(f"caught: {len(results) - len(survived)} of {len(results)}")
    if before is not None:
        survived &= {result["name"] for result in before if result["by"] is not None}
        print(f"caught before and not now: {', '.join(sorted(survived)) or 'none'}")
    return int(bool(survived))


def _all_tried(chosen: list[Mutation], until: str, jobs: int, file: Path | None) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="mutations-") as directory, ThreadPoolExecutor(jobs) as pool:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        laboratory = Laboratory(Path(directory).resolve(), until, 0 if cores <= jobs else cores // jobs)
        for future in as_completed(pool.submit(laboratory.tried, mutation) for mutation in chosen):
            results.append(result := future.result())
            notes = f" ({'; '.join(result['notes'])})" if result["notes"] else ""
            state = f"caught    {result['by']}" if result["by"] else f"SURVIVED  until {result['step']}"
            print(f"{result['name']:36} {result['seconds']:7.1f} s  {state}{notes}", flush=True)
            if file is not None:
                file.write_text(json.dumps(sorted(results, key=lambda each: str(each["name"])), indent=1) + "\n")
    return results


if __name__ == "__main__":
    sys.exit(main())
