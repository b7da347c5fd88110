"""Makes each mutation of mutations.toml in a copy of the checkout, and says which test notices it, if any does:

    python tests/mutations --list
    python tests/mutations --only beliefs-by-even-odds

The tests that are near go first, then those of the package's folder, then all. A test counts that fails with the
mutation and not without it. Exit code 1 if a mutation survives, 2 where one no longer fits the code. Run the whole
tests once before: the copies take over their compiled files.
"""

import argparse
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])

from mutations.catalogue import ROOT, Mutation, mutations  # noqa: E402
from mutations.checkout import add_environment, copy_files, run_tests  # noqa: E402

SECONDS = {"near": 1200.0, "folder": 3600.0, "all": 7200.0}
"""By step, how long tests may take; those that take longer hang, and have noticed the mutation."""


class Laboratory:
    """Where mutations are tried. directory: of the copies."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._unreliable: list[str] = []  # tests that fail without any mutation
        copy_files(directory / "files")
        self._unchanged = self._copy("unchanged")

    def _copy(self, name: str) -> Path:
        copy = self._directory / name
        shutil.copytree(self._directory / "files", copy)
        add_environment(copy)
        return copy

    def caught_by(self, mutation: Mutation) -> str:
        """The test that notices it, or how the tests ended; empty if nothing does."""
        copy = self._copy(mutation.name)
        mutation.apply(copy)
        near = sorted(str(path.relative_to(copy)) for path in copy.glob(mutation.near)) if mutation.near else []
        by = ""
        for step, tests in (("near", near), ("folder", [mutation.folder]), ("all", [])):
            if not by and (tests or step == "all"):
                by = self._failing(copy, tests, 0 if step == "near" else os.cpu_count() or 1, SECONDS[step])
        shutil.rmtree(copy)
        return by

    def _failing(self, copy: Path, tests: list[str], workers: int, seconds: float) -> str:
        """The first test that fails there, and not in the unchanged copy."""
        while True:
            left_out = [f"--deselect={test}" for test in self._unreliable]
            code, failed = run_tests(copy, [*tests, *left_out], workers, seconds)
            if code is None or code < 0:
                return "(hung)" if code is None else f"(crashed by signal {-code})"
            if not failed or failed in self._unreliable:
                return ""
            if run_tests(self._unchanged, [failed], 0, seconds)[0] == 0:
                return failed
            self._unreliable.append(failed)


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests/mutations", description="Change the program; see which test notices.")
    parser.add_argument("--only", metavar="NAME", action="append", help="this mutation; may be repeated")
    parser.add_argument("--list", action="store_true", help="print all of them, and end")
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
    survived = 0
    with tempfile.TemporaryDirectory(prefix="mutations-") as directory:
        laboratory = Laboratory(Path(directory).resolve())
        for mutation in chosen:
            begun, by = time.monotonic(), laboratory.caught_by(mutation)
            survived += not by
            state = f"caught    {by}" if by else "SURVIVED"
            print(f"{mutation.name:36} {time.monotonic() - begun:7.1f} s  {state}", flush=True)
    print(f"caught: {len(chosen) - survived} of {len(chosen)}")
    return int(bool(survived))


if __name__ == "__main__":
    sys.exit(main())
