"""Certificates: bounds on a solution's total exploitability at every score, which anybody can check exactly.

docs/certificate.md has the theorem, its proof and the format of certificate.json. bound_search.py finds the claims and
checker.py checks them. This module makes certificates of checked claims, and verifies certificates.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..match.scores import Score
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.directory_layout import SOLUTION_FILE
from ..storage.shipped import solution_directory
from . import certificate_format as form
from .bot_files import BotFiles, judged_groups, read_solution, require_unchanged, score_of
from .certificate_format import Json, MatchCertificate
from .checker import AdversaryState, Refused, groups_in_solve_order
from .prove import ProofReporter, Proved, prove


def certify(
    directory: str | Path, *, unreduced: bool = False, control: RunControl[ProofReporter] = DEFAULT_CONTROL
) -> dict[str, Any]:
    """A certificate of the solution in `directory`, as `write_certificate` takes it.

    directory: as `load_solution` takes it, a path or a name.
    unreduced: check every claim on the tree of all histories, too.
    control: its workers are processes, or an executor as of a cluster. The answers of an executor are believed: one
    that lies makes any claim hold, until `verify` checks the certificate without it. The certificate does not depend on
    the workers. The reporter is called after every group of states.

    Raises FormatError for files that cannot be used, or if a new solution waits to be put in their place, Refused when
    nothing can be claimed, Interrupted for a stopped run, and the errors of the executor.

    >>> certificate = certify("match_to_1")
    >>> certificate["scores"][0]["lower"], certificate["scores"][0]["upper"], certificate["total"]["exploitability"]
    ('-1/13', '-1/13', '0/1')
    """
    solution = read_solution(solution_directory(directory))
    proved = prove(solution, None, unreduced=unreduced, control=control)
    return _certificate(solution, proved, unreduced)


def verify(
    certificate: Json,
    directory: str | Path,
    *,
    unreduced: bool = False,
    control: RunControl[ProofReporter] = DEFAULT_CONTROL,
) -> None:
    """Check a certificate that `read_certificate` read against the solution in `directory`, a path or a name.

    unreduced: check every claim on the tree of all histories, too. Otherwise only the reduced tree is checked, even if
    the certificate says that its claims hold on both. control: as in `certify`.
    Raises Refused, which names the claim that does not hold, and FormatError as `certify` does.

    >>> from tictactoe import read_certificate
    >>> from tictactoe.storage.shipped import shipped_solution
    >>> verify(read_certificate(shipped_solution("match_to_1") / "certificate.json"), "match_to_1")
    """
    claimed = form.claims_of(certificate, MatchCertificate)
    solution = read_solution(solution_directory(directory))
    form.refuse_difference(str(solution.rules), claimed.end_rule, "end_rule")
    form.refuse_difference(solution.winning_score, claimed.winning_score, "winning_score")
    snapshots = {solution.files[score_of(state)] for group in judged_groups(solution) for state in group}
    named = {name: claimed.files.get(name) for name in snapshots}  # `prove` reads the files and compares their hashes
    form.refuse_difference(named | {SOLUTION_FILE: solution.record_hash}, claimed.files, "files")
    proved = prove(solution, _claims_by_state(claimed, solution), unreduced=unreduced, control=control)
    form.compare(_certificate(solution, proved, unreduced), certificate, solution.rules)


def _certificate(solution: BotFiles, proved: Proved, unreduced: bool) -> dict[str, Any]:
    """The certificate of proved claims. Raises FormatError if a file has changed since it was read."""
    files = {SOLUTION_FILE: solution.record_hash, **proved.files}
    require_unchanged(solution.directory, files)
    scores = [score_of(group[0]) for group in groups_in_solve_order(solution.winning_score)]
    judged = {score: _entry(score, proved) for score in scores if AdversaryState(0, *score) in proved.bounds}
    total = judged.get(Score(0, 0), {}).items()
    return {
        **form.header(form.MATCH_FORMAT, solution.rules, files, unreduced),
        "winning_score": solution.winning_score,
        "scores": list(judged.values()),
        "not_judged": [list(score) for score in scores if score not in judged],
        "total": {name: value for name, value in total if name.startswith("exploitability")} or None,
    }


def _entry(score: Score, proved: Proved) -> dict[str, Any]:
    """The certificate's entry for a score. A state's bound is for the adversary's seat; the bot sits in the other."""
    first, second = AdversaryState(0, *score), AdversaryState(1, *score)
    upper, lower = proved.bounds[first], -proved.bounds[second]
    return {
        "score": list(score),
        **form.proved_fields(lower, upper, proved.arithmetic[second], proved.arithmetic[first]),
        "exploitability_percentage_points_decimal": form.decimal_text(50 * (upper - lower), up=True),
        "progress": {
            "adversary_first": form.fraction_text(proved.progress[first]),
            "adversary_second": form.fraction_text(proved.progress[second]),
        },
    }


def _claims_by_state(claimed: MatchCertificate, solution: BotFiles) -> Proved:
    """The claims of a certificate. Raises Refused unless it lists exactly the scores that can be judged, in order."""
    if [entry.score for entry in claimed.scores] != [score_of(group[0]) for group in judged_groups(solution)]:
        raise Refused("scores: not the scores of the solution that can be judged, in their order")
    claims = Proved({}, {}, {}, claimed.files)
    for entry in claimed.scores:
        first, second = AdversaryState(0, *entry.score), AdversaryState(1, *entry.score)
        claims.bounds.update({first: entry.upper, second: -entry.lower})
        claims.progress.update({first: entry.progress.adversary_first, second: entry.progress.adversary_second})
    return claims
