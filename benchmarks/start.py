"""How long commands take to start: python benchmarks/start.py

The best of five runs as whole processes, shell excluded: the help of every command, and the interactive commands with
the shipped solution and an input that ends at once.
"""

from __future__ import annotations

import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
INTERACTIVE = ("play-multiround", "explore")
RUNS = 5


def best_seconds(*command: str) -> float:
    """The shortest of some runs of a program that is installed beside this interpreter."""
    program = str(Path(sys.executable).parent / command[0])
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run([program, *command[1:]], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a line per command."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for name in sorted(scripts):
        print(f"{name + ' --help':32}{best_seconds(name, '--help'):8.2f} s")
    for name in INTERACTIVE:
        print(f"{name:32}{best_seconds(name):8.2f} s")


if __name__ == "__main__":
    main()
