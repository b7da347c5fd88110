"""Looking for cases that a command does not stand. Cases are drawn at random, and shrunk after a finding."""

import random
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
from fuzzing.cases import Case, cases
from fuzzing.judge import Finding, Judge
from hypothesis import HealthCheck, Phase, settings
from hypothesis.errors import NoSuchExample

CASES_OF_A_ROUND = 100


@dataclass(frozen=True)
class Found:
    finding: Finding
    case: Case

    def __str__(self) -> str:
        seen = " ".join(self.finding.seen.split())[:300]
        return f"{self.finding.what}\n    seen: {seen!a}\n    repeat: {self.case}"


def search(world: Path, judge: Judge, seed: int, seconds: float, command: str = "") -> Iterator[Found]:
    """Findings as they come, each cause once, from this seed on. command: only uses of this one."""
    known: set[str] = set()
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = first_found(world, judge, seed=seed, count=CASES_OF_A_ROUND, known=known, command=command)
        if found is not None:
            known.add(found.finding.what)
            yield found
        seed += 1


def first_found(
    world: Path, judge: Judge, *, seed: int, count: int, known: Collection[str] = (), command: str = ""
) -> Found | None:
    """The first finding that is not known among so many cases, which depend on the seed alone; None for none."""
    new: dict[str, Finding] = {}
    judged: dict[str, bool] = {}

    def has_it(case: Case) -> bool:
        for finding in judge.findings(case) if str(case) not in judged else ():
            if finding.what in new or (not new and finding.what not in known):
                new[finding.what] = finding
                judged[str(case)] = True
        return judged.setdefault(str(case), False)

    chosen = settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    try:
        case = hypothesis.find(cases(world, command), has_it, settings=chosen, random=random.Random(seed))
    except NoSuchExample:
        return None
    return Found(*new.values(), case)
