"""Certificates of a round that was solved on its own: what the bot of a directory of snapshots is sure of in it.

The bot plays the average strategy of the last snapshot. With the outcome values of that snapshot, the fractions that
its floats are, an adversary that moves first gets at most `upper`, and a bot that moves first at least `lower`,
whatever its adversary does. So the value of the round lies between them, and the exploitability (NashConv) is at most
upper - lower. There is nothing after the round, so one pass of the checker proves each: docs/certificate.md.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ..errors import FormatError
from ..match.scores import LARGEST_WINNING_SCORE
from ..storage.directory_layout import SOLUTION_FILE, list_snapshots, snapshot_name
from ..storage.file_format import read_file
from . import certificate_format as form
from .bot_files import fields_of, file_hash, weights_in
from .bound_search import claimable
from .certificate_format import Json, RoundCertificate
from .checker import BotRound, Probabilities, Refused, probabilities
from .checker_rules import Rules
from .checker_tree import reduced_tree, unreduced_tree

OUTCOMES = ("both", "first", "second", "neither")
"""Who scores; the order of the outcome values, and of checker.RESULTS."""
LARGEST_OUTCOME_VALUE = 1e100


def certify_round(directory: Path, *, unreduced: bool = False) -> dict[str, Any]:
    """A certificate of the last snapshot in `directory`, as `write_certificate` takes it.

    unreduced: check the claims on the tree of all histories, too. Raises FormatError for files that cannot be used.

    >>> from tictactoe.storage.shipped import shipped_solution
    >>> certificate = certify_round(shipped_solution().parent / "closed_forms" / "single_round")
    >>> certificate["lower"], certificate["upper"], certificate["exploitability"]
    ('-1/9', '-1/9', '0/1')
    """
    return _certificate(directory, _file_hashes(directory), None, unreduced)


def verify_round(certificate: Json, directory: Path, *, unreduced: bool = False) -> None:
    """Check a certificate that `read_certificate` read against the last snapshot in `directory`.

    unreduced: on the tree of all histories, too; without it, what a certificate says of that tree is not checked.
    Raises Refused, saying which claim does not hold, and FormatError for files that cannot be used.

    >>> from tictactoe import read_certificate
    >>> from tictactoe.storage.shipped import shipped_solution
    >>> directory = shipped_solution().parent / "closed_forms" / "single_round"
    >>> verify_round(read_certificate(directory / "certificate.json"), directory)
    """
    claimed = form.claims_of(certificate, RoundCertificate)
    form.compare(_certificate(directory, _file_hashes(directory), claimed, unreduced), certificate, unreduced)


def _file_hashes(directory: Path) -> dict[str, str]:
    """SHA-256 (hexadecimal) of the last snapshot in a directory, by its name. Raises FormatError."""
    try:
        iterations = list_snapshots(directory)
    except OSError as error:
        raise FormatError(directory, f"cannot be read: {error.strerror or error}") from error
    if not iterations:
        solution = "" if (directory / SOLUTION_FILE).exists() else f" and no solution ({SOLUTION_FILE})"
        raise FormatError(directory, f"no snapshots of a round{solution} here")
    name = snapshot_name(iterations[-1])
    return {name: file_hash(directory / name)}


class _Round(msgspec.Struct):
    """What a snapshot says of the round. outcome_values: to the first mover, as OUTCOMES."""

    score: tuple[int, int] | None
    winning_score: Annotated[int, msgspec.Meta(ge=1, le=LARGEST_WINNING_SCORE)] | None
    outcome_values: tuple[float, float, float, float]


def _read_round(path: Path) -> tuple[_Round, Rules, list[list[float]]]:
    """What a snapshot says of the round, its rules, and the bot's weights by goal and node. Raises FormatError."""
    content = read_file(path, "snapshot")
    found = fields_of(path, content, _Round)
    most = found.winning_score or LARGEST_WINNING_SCORE
    if found.score is not None and not 0 <= min(found.score) <= max(found.score) < most:
        raise FormatError(path, "score: neither nil nor a score of the match")
    if [type(value) for value in content["outcome_values"]] != [float] * 4:
        raise FormatError(path, "outcome_values: not four floats")
    if max(map(abs, found.outcome_values)) > LARGEST_OUTCOME_VALUE:
        raise FormatError(path, f"outcome_values: beyond {LARGEST_OUTCOME_VALUE:g}")
    return found, *weights_in(path, content)


def _certificate(
    directory: Path, files: dict[str, str], claimed: RoundCertificate | None, unreduced: bool
) -> dict[str, Any]:
    """The certificate of these claims, or of what can be found, checked either way."""
    (name,) = files
    found, rules, weights = _read_round(directory / name)
    if claimed is not None:
        form.refuse_difference(str(rules), claimed.end_rule, "end_rule")
        form.refuse_difference(files, claimed.files, "files")
    values = [Fraction(value) for value in found.outcome_values]
    bots = [probabilities(reduced_tree(rules), weights, seat) for seat in (0, 1)]
    upper = _prove(rules, bots[1], values, None if claimed is None else claimed.upper, "upper", unreduced)
    to_second = [-value for value in values]
    lower = -_prove(rules, bots[0], to_second, None if claimed is None else -claimed.lower, "lower", unreduced)
    if _file_hashes(directory) != files:
        raise FormatError(directory, "files were changed while they were read")
    return {
        **form.header(form.ROUND_FORMAT, rules, files, unreduced),
        "score": None if found.score is None else list(found.score),
        "winning_score": found.winning_score,
        "outcome_values": dict(zip(OUTCOMES, map(form.fraction_text, values), strict=True)),
        **form.proved_fields(lower, upper, *((bot.exact, bot.unit) for bot in bots)),
    }


def _prove(
    rules: Rules, bot: Probabilities, worth: list[Fraction], claim: Fraction | None, name: str, unreduced: bool
) -> Fraction:
    """What an adversary cannot exceed to whom the results are worth that: the claim, or the least that can be claimed.

    name: of the bound. Raises Refused when the claim does not hold.
    """
    most = BotRound(reduced_tree(rules), bot).best_response(worth)
    bound = claimable(most) if claim is None else claim
    broken = f"the {name} bound does not hold: a best response gets more"
    if most > bound:
        raise Refused(broken)
    if unreduced and BotRound(unreduced_tree(rules), bot).best_response(worth) > bound:
        raise Refused(f"on the unreduced tree: {broken}")
    return bound
