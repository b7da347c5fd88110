"""Certificates: bounds on a solution's total exploitability at every score that anybody can check exactly.

docs/certificate.md has the theorem, its proof and the format of certificate.json. checker.py checks the claims,
bounds.py finds them; this module writes them down together with what was checked, and reads and verifies the result.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from . import __version__
from .bounds import (
    LARGEST_WINNING_SCORE,
    Arithmetic,
    Claims,
    Observer,
    Points,
    Proved,
    Recorded,
    hashes,
    is_score,
    judged_groups,
    prove,
    read_solution,
    strategy_tree,
    whole_tree,
)
from .checker import Refused, State, groups_in_solve_order
from .checker_tree import END_RULE
from .files import CERTIFICATE_FILE as CERTIFICATE_FILE  # it is known here by this name, too
from .files import FormatError, read_bytes, replacing_output

FORMAT = "smbc-tictactoe certificate"
FORMAT_VERSION = 1
MAXIMUM_SIZE = 64 * 2**20
"""Bytes of a certificate: several times what a match to 100 needs."""
DECIMAL_PLACES = 30

_FRACTION = re.compile(r"-?[0-9]{1,200}/[1-9][0-9]{0,199}")


def certify(
    directory: Path, *, unreduced: bool = False, jobs: int = 1, observer: Observer | None = None
) -> dict[str, Any]:
    """A certificate of the solution in `directory`, as `write_certificate` takes it. Does not depend on `jobs`.

    unreduced: check every claim on the tree of all histories, too. Raises FormatError for files that cannot be used,
    Refused when nothing can be claimed.
    """
    recorded = read_solution(directory)
    return _certificate(recorded, hashes(recorded), None, unreduced, jobs, observer)


def verify(
    certificate: Mapping[str, Any], directory: Path, *, unreduced: bool = False, jobs: int = 1,
    observer: Observer | None = None,
) -> None:  # fmt: skip
    """Check a certificate that `read_certificate` read against the solution in `directory`.

    unreduced: on the tree of all histories, too; without it, what a certificate says of that tree is not checked.
    Raises Refused, saying which claim does not hold, and FormatError for files that cannot be used.
    """
    recorded = read_solution(directory)
    refuse_difference(recorded.winning_score, certificate["winning_score"], "winning_score")
    files = hashes(recorded)
    refuse_difference(files, certificate["files"], "files")
    expected = _certificate(recorded, files, _claims_of(certificate, recorded), unreduced, jobs, observer)
    compare(expected, certificate, unreduced)


def compare(expected: dict[str, Any], certificate: Mapping[str, Any], unreduced: bool) -> None:
    """Raises Refused where a certificate says something else than `expected`, which is what can be said.

    What is not checked is not compared: versions, and without `unreduced` what is said of that tree.
    """
    for name in ("program_version", "python_version"):  # of the program that wrote it: information, not claims
        expected[name] = certificate[name]
    if not unreduced or certificate["nodes"].get("unreduced") is None:  # not checked, or not claimed
        expected["nodes"]["unreduced"] = certificate["nodes"].get("unreduced")
    refuse_difference(expected, certificate, "")


def _certificate(
    recorded: Recorded, files: dict[str, str], claims: Claims | None, unreduced: bool, jobs: int,
    observer: Observer | None,
) -> dict[str, Any]:  # fmt: skip
    """The certificate of these claims, or of what can be found, all of them checked."""
    proved = prove(recorded, claims, unreduced=unreduced, jobs=jobs, observer=observer)
    if hashes(recorded) != files:
        raise FormatError(recorded.directory, "files were changed while they were read")
    bounds = proved.claims.bounds
    scores = [_points(group[0]) for group in groups_in_solve_order(recorded.winning_score)]
    complete = State(0, 0, 0) in bounds
    return {
        **header(FORMAT, files, unreduced),
        "winning_score": recorded.winning_score,
        "scores": [_entry(score, proved) for score in scores if State(0, *score) in bounds],
        "not_judged": [list(score) for score in scores if State(0, *score) not in bounds],
        "total": _exploitability(bounds[State(0, 0, 0)] + bounds[State(1, 0, 0)]) if complete else None,
    }


def header(kind: str, files: Mapping[str, str], unreduced: bool) -> dict[str, Any]:
    """What every certificate begins with: kind is its `format`; files are hashes by name."""
    return {
        "format": kind,
        "format_version": FORMAT_VERSION,
        "program_version": __version__,
        "python_version": platform.python_version(),
        "end_rule": END_RULE,
        "nodes": {"reduced": strategy_tree().num_nodes, "unreduced": whole_tree().num_nodes if unreduced else None},
        "files": dict(files),
    }


def _entry(score: Points, proved: Proved) -> dict[str, Any]:
    first, second = State(0, *score), State(1, *score)  # the adversary's seat
    (bounds, leaving), arithmetic = proved
    upper, lower = bounds[first], -bounds[second]
    return {
        "score": list(score),
        **limits(lower, upper),
        **_exploitability(upper - lower),
        "progress": {
            "adversary_first": fraction_text(leaving[first]),
            "adversary_second": fraction_text(leaving[second]),
        },
        "arithmetic": {"bot_first": described(arithmetic[second]), "bot_second": described(arithmetic[first])},
    }


def limits(lower: Fraction, upper: Fraction) -> dict[str, str]:
    """Both, exactly and as decimals."""
    return {
        "upper": fraction_text(upper),
        "upper_decimal": decimal_text(upper, up=True),
        "lower": fraction_text(lower),
        "lower_decimal": decimal_text(lower, up=False),
    }


def described(arithmetic: Arithmetic) -> dict[str, Any]:
    """As it stands in a certificate."""
    denominator = arithmetic.denominator
    return {"exact": arithmetic.exact, "denominator": str(denominator), "bits": denominator.bit_length()}


def _exploitability(value: Fraction) -> dict[str, str]:
    return {
        "exploitability": fraction_text(value),
        "exploitability_decimal": decimal_text(value, up=True),
        "exploitability_percentage_points_decimal": decimal_text(50 * value, up=True),
    }


def _points(state: State) -> Points:
    return state.first, state.second


def fraction_text(value: Fraction) -> str:
    """In lowest terms, with its denominator: -1/13, 0/1."""
    return f"{value.numerator}/{value.denominator}"


def decimal_text(value: Fraction, *, up: bool, places: int = DECIMAL_PLACES) -> str:
    """With so many digits after the point, rounded towards plus or minus infinity."""
    scaled = value * 10**places
    digits = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    whole, rest = divmod(abs(digits), 10**places)
    return f"{'-' if digits < 0 else ''}{whole}.{rest:0{places}d}"


def _claims_of(certificate: Mapping[str, Any], recorded: Recorded) -> Claims:
    """The fractions that a certificate claims. Raises Refused when its scores are not those that can be judged."""
    claims = Claims({}, {})
    found = [tuple(entry["score"]) for entry in certificate["scores"]]
    judged = [_points(group[0]) for group in judged_groups(recorded)]
    if found != judged:
        raise Refused("scores: not the scores of the solution that can be judged, in their order")
    for score, entry in zip(judged, certificate["scores"], strict=True):
        first, second, leaving = State(0, *score), State(1, *score), entry["progress"]
        claims.bounds.update({first: fraction(entry["upper"]), second: -fraction(entry["lower"])})
        claims.progress.update({first: fraction(leaving["adversary_first"]),
                                second: fraction(leaving["adversary_second"])})  # fmt: skip
    return claims


def refuse_difference(expected: Any, found: Any, name: str) -> None:
    """Raises Refused, naming the first place below `name` where two JSON values differ. true is not 1 here."""
    if type(expected) is not type(found) or (not isinstance(expected, (dict, list)) and expected != found):
        raise Refused(f"{name}: {_brief(found)} where {_brief(expected)} is right")
    if isinstance(expected, dict):
        for key in sorted(expected.keys() ^ found.keys()):
            shown = key[:80].encode("unicode_escape").decode()
            raise Refused(f"{name}{'.' if name else ''}{shown}: {'missing' if key in expected else 'unknown'}")
        for key in sorted(expected):
            refuse_difference(expected[key], found[key], f"{name}.{key}" if name else key)
    elif isinstance(expected, list):
        if len(expected) != len(found):
            raise Refused(f"{name}: {len(found)} items where {len(expected)} are right")
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            label = f"at {one['score'][0]}-{one['score'][1]}" if isinstance(one, dict) and "score" in one else index
            refuse_difference(one, other, f"{name}[{label}]")


def _brief(value: Any) -> str:
    text = repr(value) if isinstance(value, (str, int, bool, type(None))) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."


# --- the file ----------------------------------------------------------------------------------------------------


def certificate_bytes(certificate: Mapping[str, Any]) -> bytes:
    """As it stands in the file: JSON with sorted keys, indented, ASCII."""
    return (json.dumps(certificate, indent=2, sort_keys=True) + "\n").encode("ascii")


def write_certificate(path: Path, certificate: Mapping[str, Any]) -> None:
    """Replace `path`; it appears under its name only when it is complete and on the disk. Raises OSError, and
    FormatError if the name is no file's."""
    with replacing_output(path) as file:
        file.write(certificate_bytes(certificate))


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate whose fields have the right types; nothing else is checked. Raises FormatError."""
    content = read_json(path)
    for problem in problems(content):
        raise FormatError(path, problem)
    result: dict[str, Any] = content
    return result


def read_json(path: Path) -> Any:
    """What a file holds that may be a certificate: JSON in ASCII, without floats. Raises FormatError."""
    data = read_bytes(path, MAXIMUM_SIZE)
    try:
        return json.loads(
            data.decode("ascii"), object_pairs_hook=_without_duplicates, parse_float=_no_number,
            parse_constant=_no_number, parse_int=_small_integer,
        )  # fmt: skip
    except (ValueError, RecursionError) as error:
        raise FormatError(path, f"not the JSON of a certificate: {error}") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a map has a key twice")
    return result


def _no_number(text: str) -> Any:
    raise ValueError(f"the number {text[:40]} is not an integer")


def _small_integer(text: str) -> int:
    if len(text) > 15:
        raise ValueError(f"the integer {text[:40]}... is too large")
    return int(text)


def problems(content: Any) -> Iterator[str]:
    """What is wrong with the types of what is read before everything is compared."""
    yield from header_problems(content, FORMAT, {"winning_score": int, "scores": list})
    for entry in content["scores"]:
        if type(entry) is not dict or not is_score(entry.get("score"), LARGEST_WINNING_SCORE):
            yield "scores: an entry that is no map or has no score"
            return
        score = "-".join(map(str, entry["score"]))
        leaving = entry.get("progress")
        leaving = leaving if type(leaving) is dict else {}
        texts = [entry.get("upper"), entry.get("lower")]
        for text in (*texts, leaving.get("adversary_first"), leaving.get("adversary_second")):
            if not is_fraction(text):
                yield f"scores: {score}: upper, lower or a progress is not a fraction in lowest terms"
                return


def header_problems(content: Any, kind: str, types: Mapping[str, type]) -> Iterator[str]:
    """What is wrong with the types of `header`'s fields, for a certificate of that kind, and of other fields."""
    if type(content) is not dict or content.get("format") != kind:
        yield f"format: not {kind!r}; is it the right file?"
        return
    version = content.get("format_version")
    if version != FORMAT_VERSION or type(version) is not int:
        yield f"format_version: {_brief(version)} where {FORMAT_VERSION} is needed"
    texts = {"program_version": str, "python_version": str}
    for name, expected in {"files": dict, "nodes": dict, **texts, **types}.items():
        if type(content.get(name)) is not expected:
            yield f"{name}: missing, or of the wrong type"
            return
    if type(content["nodes"].get("unreduced")) not in (int, type(None)):
        yield "nodes.unreduced: neither a count nor null"


def is_fraction(value: Any) -> bool:
    """Whether a value from a file is text as `fraction_text` writes it."""
    return type(value) is str and bool(_FRACTION.fullmatch(value)) and fraction_text(fraction(value)) == value


def fraction(text: str) -> Fraction:
    """What `fraction_text` wrote."""
    numerator, denominator = text.split("/")
    return Fraction(int(numerator), int(denominator))
