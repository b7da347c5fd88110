"""The file that holds a certificate: its two kinds, reading and writing it, and refusing one that says something else.

docs/certificate.md has the format. certificate.py and round_certificate.py say what is claimed and check it.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from .. import __version__
from ..errors import FormatError
from ..storage.decoding import in_our_words, json_of
from ..storage.safe_files import read_bytes, replacing_output
from .checker import Refused
from .checker_rules import Rules
from .checker_tree import num_histories, reduced_tree

Json = Mapping[str, Any]
"""A certificate as Python has it: maps with text keys, lists, text, integers, truth values and None."""
MATCH_FORMAT = "smbc-tictactoe certificate"
ROUND_FORMAT = "smbc-tictactoe certificate of a round"
MAXIMUM_SIZE = 64 * 2**20
"""Bytes of a certificate: several times what a match to 100 needs."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_FRACTION = re.compile(r"-?[0-9]{1,200}/[1-9][0-9]{0,199}")


class _Nodes(msgspec.Struct):
    unreduced: int | None = None


class _Certificate(msgspec.Struct, tag_field="format"):
    """What is read of a certificate before everything in it is compared."""

    format_version: Literal[1]
    program_version: str
    python_version: str
    end_rule: str
    files: dict[str, str]
    nodes: _Nodes


class _Progress(msgspec.Struct):
    adversary_first: Fraction
    adversary_second: Fraction


class _Score(msgspec.Struct):
    score: tuple[int, int]
    upper: Fraction
    lower: Fraction
    progress: _Progress


class MatchCertificate(_Certificate, tag=MATCH_FORMAT):
    """What a certificate of a match claims, by score."""

    winning_score: int
    scores: list[_Score]


class RoundCertificate(_Certificate, tag=ROUND_FORMAT):
    """What a certificate of a round claims, in the unit of the outcome values to the first mover."""

    upper: Fraction
    lower: Fraction


Kind = TypeVar("Kind", MatchCertificate, RoundCertificate)


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate, of a match or of a round, whose fields have the right types; nothing else is checked.

    Raises FormatError, which names the field.

    >>> from tictactoe.storage.shipped import shipped_solution
    >>> certificate = read_certificate(shipped_solution() / "certificate.json")
    >>> certificate["winning_score"], certificate["total"]["exploitability_decimal"]
    (5, '0.000000000000025871377365885995')
    """
    data = read_bytes(path, MAXIMUM_SIZE)
    hooks: dict[str, Any] = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), _small_integer)
    try:
        if not data.isascii():
            raise ValueError("a byte that is not ASCII")
        content: dict[str, Any] = json_of(data, object_pairs_hook=_without_duplicates, **hooks)
        if _SURROGATE.search(json.dumps(content, ensure_ascii=False)):
            raise ValueError("half a character, which is no text")
    except ValueError as error:
        raise FormatError(path, f"not a certificate: {error}; use another copy, or make it anew") from error
    try:
        msgspec.convert(content, MatchCertificate | RoundCertificate, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        raise FormatError(path, f"not a certificate: {in_our_words(error)}") from error
    return content


def claims_of(certificate: Json, kind: type[Kind]) -> Kind:
    """What a certificate of that kind claims. Raises Refused, naming the field, when it is none."""
    try:
        return msgspec.convert(certificate, kind, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        raise Refused(f"not a certificate of that kind: {in_our_words(error)}") from error


def _decoded(kind: type, value: Any) -> Fraction:
    """For msgspec: text as `fraction_text` writes it."""
    if type(value) is not str or not _FRACTION.fullmatch(value) or fraction_text(Fraction(value)) != value:
        raise ValueError("not a fraction in lowest terms")
    return Fraction(value)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a map has a key twice")
    return result


def _small_integer(text: str) -> int:
    if not re.fullmatch("-?[0-9]{1,15}", text):
        raise ValueError(f"the number {text[:40]} is not an integer of at most 15 digits")
    return int(text)


def certificate_bytes(certificate: Json) -> bytes:
    """As it stands in the file: JSON with sorted keys, indented, ASCII."""
    return (json.dumps(certificate, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def write_certificate(path: Path, certificate: Json) -> None:
    """Replace `path` once everything is on the disk. Raises OSError, and FormatError if the name is no file's."""
    with replacing_output(path) as file:
        file.write(certificate_bytes(certificate))


def header(kind: str, rules: Rules, files: Mapping[str, str], unreduced: bool) -> dict[str, Any]:
    """What every certificate begins with: kind is its `format`; files are hashes by name."""
    whole = num_histories(rules) if unreduced else None
    return {
        "format": kind,
        "format_version": 1,
        "program_version": __version__,
        "python_version": platform.python_version(),
        "end_rule": str(rules),
        "nodes": {"reduced": reduced_tree(rules).num_nodes, "unreduced": whole},
        "files": dict(files),
    }


def proved_fields(lower: Fraction, upper: Fraction, *arithmetic: tuple[bool, int]) -> dict[str, Any]:
    """Both bounds and their difference, the exploitability, exactly and as decimals rounded outward.

    arithmetic: of the bot's probabilities in the first and in the second seat, whether they were used exactly (or else
    enclosed), and over which denominator.
    """
    fields: dict[str, Any] = {"arithmetic": {}}
    for name, value, up in (("upper", upper, True), ("lower", lower, False), ("exploitability", upper - lower, True)):
        fields |= {name: fraction_text(value), f"{name}_decimal": decimal_text(value, up=up)}
    for seat, (exact, unit) in zip(("bot_first", "bot_second"), arithmetic, strict=True):
        fields["arithmetic"][seat] = {"exact": exact, "denominator": str(unit), "bits": unit.bit_length()}
    return fields


def fraction_text(value: Fraction) -> str:
    """In lowest terms, with its denominator: -1/13, 0/1."""
    return f"{value.numerator}/{value.denominator}"


def decimal_text(value: Fraction, *, up: bool, places: int = 30) -> str:
    """With so many digits after the point, rounded towards plus or minus infinity."""
    scaled = value * 10**places
    digits = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    whole, rest = divmod(abs(digits), 10**places)
    return f"{'-' if digits < 0 else ''}{whole}.{rest:0{places}d}"


def compare(expected: dict[str, Any], certificate: Json, rules: Rules) -> None:
    """Raises Refused where a certificate says something else than `expected`, which is what can be said.

    Versions are not compared. A certificate need not name the unreduced tree; one that does says how large it is.
    """
    for name in ("program_version", "python_version"):  # of the program that wrote it: information, not claims
        expected[name] = certificate[name]
    named = certificate["nodes"].get("unreduced") is not None
    expected["nodes"]["unreduced"] = num_histories(rules) if named else None
    refuse_difference(expected, certificate, "")


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
