"""Certificates: exact bounds that anybody can check. docs/certificate.md has the theorem, its proof and the format.

A match's certificate bounds a solution's total exploitability at every score. A round's certificate bounds its value to
the first mover with the outcome values of the last snapshot; its exploitability (NashConv) is at most upper - lower.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

from ..errors import FormatError
from ..match.scores import Score, missing_scores
from ..run_control import DEFAULT_CONTROL, RunControl
from ..storage.directory_layout import (
    SOLUTION_FILE,
    list_snapshots,
    parse_subgame_name,
    require_in_place,
    snapshot_name,
    subgame_name,
)
from ..storage.shipped import no_solution, solution_directory
from ..storage.solution import read_solution as read_solution_of
from . import certificate_format as form
from .bot_files import (
    OUTCOMES,
    BotFiles,
    FoundSnapshot,
    judged_groups,
    label_problem,
    own_value_problem,
    read_hashed,
    read_solution,
    require_unchanged,
    score_of,
    snapshot_in,
)
from .certificate_format import Json, MatchCertificate, RoundCertificate
from .checker import AdversaryState, BotRound, Probabilities, Refused, groups_in_solve_order, probabilities
from .checker_tree import Rules, read_rules, reduced_tree, unreduced_tree
from .prove import ProofReporter, Proved, claimable, prove


def certify(
    directory: str | Path, *, unreduced: bool = False, control: RunControl[ProofReporter] = DEFAULT_CONTROL
) -> dict[str, Any]:
    """A certificate of the solution in `directory`, for `write_certificate`.

    directory: a path or a name, as for `load_solution`.
    unreduced: whether to check every claim on the tree of all histories, too.
    control: its workers are processes, or an executor whose answers are not checked. The reporter is called after every
    group of states.

    Raises FormatError for unusable files or a solution that waits to be replaced, Refused if nothing can be claimed,
    Interrupted for a stopped run, and the errors of the executor.

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
    """Check a certificate from `read_certificate` against the solution in `directory`, a path or a name.

    unreduced: whether to check every claim on the tree of all histories, too. Otherwise, the certificate's statements
    about that tree are not checked.
    control: as for `certify`.

    Raises Refused, which names the claim that does not hold, and the errors of `certify`.

    >>> from tictactoe import read_certificate, shipped_solution
    >>> verify(read_certificate(shipped_solution("match_to_1") / "certificate.json"), "match_to_1")
    """
    claimed = form.claims_of(certificate, MatchCertificate)
    solution = read_solution(solution_directory(directory))
    form.refuse_difference(str(solution.rules), claimed.rules, "rules")
    form.refuse_difference(solution.winning_score, claimed.winning_score, "winning_score")
    snapshots = {solution.files[score_of(state)] for group in judged_groups(solution) for state in group}
    named = {name: claimed.files.get(name) for name in snapshots}  # `prove` reads the files and compares their hashes
    form.refuse_difference(named | {SOLUTION_FILE: solution.record_hash}, claimed.files, "files")
    proved = prove(solution, _claims_by_state(claimed, solution), unreduced=unreduced, control=control)
    form.compare(_certificate(solution, proved, unreduced), certificate, solution.rules)


def _certificate(solution: BotFiles, proved: Proved, unreduced: bool) -> dict[str, Any]:
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
    if [entry.score for entry in claimed.scores] != [score_of(group[0]) for group in judged_groups(solution)]:
        raise Refused("scores: not the scores of the solution that can be judged, in their order")
    claims = Proved({}, {}, {}, claimed.files)
    for entry in claimed.scores:
        first, second = AdversaryState(0, *entry.score), AdversaryState(1, *entry.score)
        claims.bounds.update({first: entry.upper, second: -entry.lower})
        claims.progress.update({first: entry.progress.adversary_first, second: entry.progress.adversary_second})
    return claims


def certify_round(directory: str | Path, *, unreduced: bool = False) -> dict[str, Any]:
    """A certificate of the last snapshot in `directory`, for `write_certificate`.

    directory: a path, or the name of a shipped round, such as "single_round" or "shipped/subgame_4_3".
    unreduced: whether to check the claims on the tree of all histories, too.

    Raises FormatError for unusable files.

    >>> certificate = certify_round("single_round")
    >>> certificate["lower"], certificate["upper"], certificate["exploitability"]
    ('-1/9', '-1/9', '0/1')
    """
    return _certificate_of_round(solution_directory(directory), None, unreduced)


def verify_round(certificate: Json, directory: str | Path, *, unreduced: bool = False) -> None:
    """Check a certificate from `read_certificate` against the last snapshot in `directory`, a path or a name.

    unreduced: as for `verify`.

    Raises Refused, which names the claim that does not hold, and FormatError for unusable files.

    >>> from tictactoe import read_certificate, shipped_solution
    >>> verify_round(read_certificate(shipped_solution("single_round") / "certificate.json"), "single_round")
    """
    claimed = form.claims_of(certificate, RoundCertificate)
    found = _certificate_of_round(solution_directory(directory), claimed, unreduced)
    form.compare(found, certificate, read_rules(found["rules"]))


def named_by_record(directory: Path, certificate: Json) -> str | None:
    """The snapshot that a match plays in a certified round, by the solution.msgpack above. Raises FormatError.

    Returns None if there is no record, or if it is of another match or lacks the score.
    """
    for place in dict.fromkeys((directory.absolute(), directory.resolve())):
        score, record = parse_subgame_name(place.name), place.parent / SOLUTION_FILE
        if score is not None and record.exists():
            solution = read_solution_of(place.parent)
            match = {"score": [*score], "winning_score": solution.winning_score, "rules": solution.rules}
            if score in solution.results and match.items() <= certificate.items():
                return snapshot_name(solution.results[score].iteration)
    return None


def _last_snapshot(directory: Path) -> str:
    require_in_place(directory)
    if (directory / SOLUTION_FILE).exists():  # play uses the solution, even if snapshots are beside it
        raise FormatError(directory, f"a whole solution ({SOLUTION_FILE}), not a round on its own")
    try:
        iterations = list_snapshots(directory)
    except OSError as error:
        raise FormatError(directory, f"cannot be read: {error.strerror or error}") from error
    if not iterations:
        raise no_solution(directory, f"no snapshots of a round and no solution ({SOLUTION_FILE}) here")
    return snapshot_name(iterations[-1])


def _outcome_values(path: Path, found: FoundSnapshot) -> list[Fraction]:
    values = found.content["outcome_values"]
    if [type(value) for value in values] != [float] * 4:
        raise FormatError(path, "outcome_values: not four floats")
    score, winning_score = found.loaded.score, found.loaded.winning_score
    if (score is None) != (winning_score is None):
        raise FormatError(path, "score and winning_score: one of them without the other")
    if score is not None and winning_score is not None:
        problem = label_problem(found.rules, score, winning_score, values)
        # With links, look for a record both above the given path and above the real file.
        for place in sorted({path.absolute(), path.parent.resolve() / path.name, path.resolve()}):
            problem = problem or _not_of_record(place.parent, found)
        if problem:
            raise FormatError(path, f"outcome_values: {problem}")
    return [Fraction(value) for value in values]


def _not_of_record(directory: Path, found: FoundSnapshot) -> str | None:
    above, score = directory.parent, found.loaded.score
    if score is None or directory.name != subgame_name(score) or not (above / SOLUTION_FILE).exists():
        return None
    solution = read_solution_of(above)
    of_record = solution.results.get(score)
    if (
        (solution.winning_score, solution.rules) != (found.loaded.winning_score, found.loaded.rules)
        or of_record is None
        or of_record.iteration != found.loaded.iteration
        or missing_scores(score, solution.results, solution.winning_score)
    ):
        return None
    for name, value, right in zip(OUTCOMES, found.loaded.round_values, solution.outcome_values(score), strict=True):
        if value != right:
            return f"not those that ../{SOLUTION_FILE} gives: {name}: {value}, but it is {right}"
    return None


def _certificate_of_round(directory: Path, claimed: RoundCertificate | None, unreduced: bool) -> dict[str, Any]:
    name = _last_snapshot(directory)
    path = directory / name
    data, digest = read_hashed(path)
    found = snapshot_in(path, data)
    rules, files = found.rules, {name: digest}
    if claimed is not None:
        form.refuse_difference(str(rules), claimed.rules, "rules")
        form.refuse_difference(files, claimed.files, "files")
    values = _outcome_values(path, found)
    bots = [probabilities(reduced_tree(rules), found.weights, seat) for seat in (0, 1)]
    upper, most = _prove(rules, bots[1], values, None if claimed is None else claimed.upper, "upper", unreduced)
    to_second, claim = [-value for value in values], None if claimed is None else -claimed.lower
    less_lower, less_least = _prove(rules, bots[0], to_second, claim, "lower", unreduced)
    lower, score, winning_score = -less_lower, found.loaded.score, found.loaded.winning_score
    if score is not None and winning_score is not None:
        problem = own_value_problem(score, winning_score, values, -less_least, most)
        if problem:
            raise FormatError(path, f"outcome_values: {problem}")
    require_unchanged(directory, {_last_snapshot(directory): digest})
    return {
        **form.header(form.ROUND_FORMAT, rules, files, unreduced),
        "score": None if score is None else list(score),
        "winning_score": winning_score,
        "outcome_values": dict(zip(OUTCOMES, map(form.fraction_text, values), strict=True)),
        **form.proved_fields(lower, upper, *((bot.exact, bot.unit) for bot in bots)),
    }


def _prove(
    rules: Rules, bot: Probabilities, worth: list[Fraction], claim: Fraction | None, name: str, unreduced: bool
) -> tuple[Fraction, Fraction]:
    """The claim, or the least possible one, and the best response value. worth: the values of the results to the
    adversary."""
    most = BotRound(reduced_tree(rules), bot).best_response(worth)
    bound = claimable(most) if claim is None else claim
    broken = f"the {name} bound does not hold: a best response gets more"
    if most > bound:
        raise Refused(broken)
    if unreduced and BotRound(unreduced_tree(rules), bot).best_response(worth) > bound:
        raise Refused(f"on the unreduced tree: {broken}")
    return bound, most
