"""The tables of docs/comparison.md: python benchmarks/comparison.py [--output DIR] [--jobs N] [--tables]

Every part is one call of compare-algorithms, with a directory of its own below DIR. Finished parts are not run again,
so an interrupted benchmark continues. --tables: run nothing, print the tables of finished parts as Markdown.
The exact methods and Kuhn poker, which compare-algorithms does not know, are benchmarks/exact_methods.py and
examples/compare_on_kuhn.py.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from pathlib import Path

from comparison_parts import all_parts, record_of
from comparison_tables import tables


def run_parts(output: Path, jobs: int) -> None:
    """Run the parts that have no results yet."""
    for name, options in all_parts(output):
        directory = output / name
        if (directory / "comparison.json").exists():
            continue
        words = ["compare-algorithms", *options, "--values-from", "shipped", "--jobs", str(jobs)]
        words += [] if "--against" in options else ["--no-plot"]
        print(shlex.join(words), flush=True)  # without the option -o, which names the part's directory
        program = Path(sys.executable).parent / words[0]
        subprocess.run([program, *words[1:], "-o", directory, "--restart", "--quiet"], check=True)
        print(f"    {record_of(directory)['elapsed_seconds']:.0f} seconds", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=Path("comparison_runs"))
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--tables", action="store_true", help="run nothing, print what is there")
    arguments = parser.parse_args()
    if arguments.tables:
        print(tables(arguments.output))
    else:
        run_parts(arguments.output, arguments.jobs)


if __name__ == "__main__":
    main()
