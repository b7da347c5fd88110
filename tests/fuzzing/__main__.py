"""Feeds every command odd options and files that are wrong in every way, with right checksums, for as long as is said:

    python tests/fuzzing --minutes 60 --seed 1
    python tests/fuzzing --command explore --minutes 5
    python tests/fuzzing --repeat '{"use": ...}'

Prints each finding once, with a case that repeats it. Exit code 1 if there was any.
"""

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[0] = str(Path(__file__).parents[1])


def main() -> int:
    from fuzzing.cases import Case
    from fuzzing.judge import Judge
    from fuzzing.search import search
    from fuzzing.world import build

    parser = argparse.ArgumentParser(prog="tests/fuzzing", description="Look for what commands do not stand.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", default="", help="only this one")
    parser.add_argument("--repeat", help="a case, as it was printed")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as directory:
        world = Path(directory) / "world"
        build(world)
        judge = Judge(world)
        if arguments.repeat:
            return repeat(judge, Case.parse(arguments.repeat))
        count = 0
        for found in search(world, judge, arguments.seed, 60.0 * arguments.minutes, arguments.command):
            count += 1
            print(found, flush=True)
    print(f"findings: {count}")
    return int(count > 0)


def repeat(judge: Any, case: Any) -> int:
    ran, findings = judge.judged(case)
    print(case, f"exit code {ran.code}, {ran.seconds:.2f} s", sep="\n")
    print(f"output: {ran.out[:2000]!a}", f"error: {ran.err[:2000]!a}", sep="\n")
    for finding in findings:
        print(f"FINDING {finding.what}: {finding.seen[:300]!a}")
    return int(len(findings) > 0)


if __name__ == "__main__":
    sys.exit(main())
