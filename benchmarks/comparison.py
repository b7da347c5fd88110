"""Measure the tables of docs/comparison.md, or print them.

    python benchmarks/comparison.py [--output DIR] [--jobs N] [--part NAME]... [--quick]
    python benchmarks/comparison.py [--output DIR] --tables | --summary

Every part is one call of compare-algorithms, with a directory of its own below DIR. Finished parts are not run again,
so an interrupted benchmark continues. `--part all/rdcfr` runs one part, and `--part all` every part of that folder.
--quick takes a tenth of the nodes and three perturbations, two minutes a part at most: the order of the algorithms is
much the same, the figures are not.

--tables prints the tables as Markdown. A part that has not been run has its figures from comparison_results.csv, beside
this script. --summary writes the results of all finished parts into that file. docs/comparison.md shows its figures,
and tests/test_comparison_page.py compares both.

benchmarks/exact_methods.py measures the page's exact methods, and examples/compare_on_kuhn.py measures Kuhn poker.
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from comparison_parts import all_parts, quickly, record_of
from comparison_tables import RESULTS, results_of, tables


def run_parts(output: Path, jobs: int, chosen: Sequence[str] = (), *, quick: bool = False) -> None:
    """Run the parts that have no results yet. chosen: names of parts or of their folders; empty for all."""
    known = {name: {name, name.partition("/")[0]} for name, _ in all_parts(output)}
    if unknown := {*chosen}.difference(*known.values()):
        sys.exit(f"--part: there is no {', '.join(sorted(unknown))}; known: {', '.join(known)}")
    for name in (name for name, ways in known.items() if not chosen or ways & {*chosen}):
        given = dict(all_parts(output))[name]  # what is tuned may have been found only now
        options = quickly(given) if quick else given
        directory = output / name
        if (directory / "comparison.json").exists():
            continue
        words = ["tictactoe", "compare-algorithms", *options, "--values-from", "shipped", "--jobs", str(jobs)]
        words += [] if "--against" in options else ["--no-plot"]
        print(shlex.join(words), flush=True)  # without the option -o, which names the part's directory
        program = Path(sys.executable).parent / words[0]
        subprocess.run([program, *words[1:], "-o", directory, "--restart", "--quiet"], check=True)
        print(f"    {record_of(directory)['elapsed_seconds']:.0f} seconds", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="default: comparison_runs, or with --quick comparison_runs_quick")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--part", action="append", default=[], metavar="NAME", help="only this part, or this folder")
    parser.add_argument("--quick", action="store_true", help="a tenth of the nodes, three perturbations")
    parser.add_argument("--tables", action="store_true", help="run nothing, print what is there")
    parser.add_argument("--summary", action="store_true", help=f"run nothing, write {RESULTS.name}")
    arguments = parser.parse_args()
    output = arguments.output or Path("comparison_runs_quick" if arguments.quick else "comparison_runs")
    if arguments.tables:
        print(tables(output))
    elif arguments.summary:
        RESULTS.write_text(results_of(output), encoding="utf-8")
    else:
        run_parts(output, arguments.jobs, arguments.part, quick=arguments.quick)


if __name__ == "__main__":
    main()
