"""The tables of docs/comparison.md: python benchmarks/comparison.py [--output DIR] [--jobs N] [--part NAME] [--quick]

Every part is one call of compare-algorithms, with a directory of its own below DIR. Finished parts are not run again,
so an interrupted benchmark continues. --part: only this part, such as all/rdcfr, or all parts of a folder, such as all;
may be given more than once. --quick: a tenth of the nodes and three perturbations, a part in two minutes or less; the
order of the algorithms is much the same, the figures are not.

--tables: run nothing, print the tables as Markdown: of finished parts, otherwise of benchmarks/comparison_results.csv.
--summary: run nothing, write the ends of all finished parts into that file. docs/comparison.md shows its figures, and
tests/test_comparison_page.py compares both.

The exact methods and Kuhn poker, which compare-algorithms does not know, are benchmarks/exact_methods.py and
examples/compare_on_kuhn.py.
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
    names = [name for name, _ in all_parts(output) if not chosen or {name, name.partition("/")[0]} & {*chosen}]
    if not names:
        known = ", ".join(name for name, _ in all_parts(output))
        sys.exit(f"--part: there is no {', '.join(chosen)}; known: {known}")
    for name in names:
        given = dict(all_parts(output))[name]  # what is tuned may have been found only now
        options = quickly(given) if quick else given
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
