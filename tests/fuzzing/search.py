"""Looking for cases that a command does not stand. Cases are drawn at random, and shrunk after a finding."""

import contextlib
import math
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
from fuzzing.cases import Case, cases
from fuzzing.judge import Finding, Judge
from hypothesis import HealthCheck, Phase, given, settings

CASES_OF_A_ROUND = 100
_SECONDS_OF_SHRINKING = 60.0


@dataclass(frozen=True)
class Found:
    """A finding, and the smallest case that has it."""

    finding: Finding
    case: Case

    def __str__(self) -> str:
        seen = " ".join(self.finding.seen.split())[:300]
        return f"{self.finding.what}\n    seen: {seen!a}\n    repeat: {self.case}"


class _Wrong(Exception):
    """A case has the finding that is looked for."""


class _Round:
    """Cases of one seed, until the first finding that is not known; then smaller cases of this finding."""

    def __init__(self, judge: Judge, known: Collection[str]) -> None:
        self._judge, self._known = judge, known
        self._judged: dict[str, list[Finding]] = {}
        self._shrinking_until = math.inf
        self.found: Found | None = None

    def attempt(self, case: Case) -> None:
        name = str(case)
        if name not in self._judged:
            given_up = time.monotonic() > self._shrinking_until
            self._judged[name] = [] if given_up else self._judge.findings(case)
        for finding in self._judged[name]:
            if finding.what not in self._known and self.found is None:
                self.found = Found(finding, case)
                self._shrinking_until = time.monotonic() + _SECONDS_OF_SHRINKING
            if self.found is not None and finding.what == self.found.finding.what:
                if len(name) <= len(str(self.found.case)):
                    self.found = Found(finding, case)
                raise _Wrong(finding.what)


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
    rounds = _Round(judge, known)

    @hypothesis.seed(seed)
    @settings(
        max_examples=count,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(cases(world, command))
    def attempt(case: Case) -> None:
        rounds.attempt(case)

    with contextlib.suppress(_Wrong):
        attempt()
    return rounds.found
