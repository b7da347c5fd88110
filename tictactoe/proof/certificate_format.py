"""The reading, writing and comparison of certificates' files. docs/certificate.md has the format."""

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
from ..storage.atomic_files import read_bytes, replacing_output
from ..storage.texts import in_our_words, json_of
from .checker import Refused
from .checker_tree import Rules, num_histories, reduced_tree

Json = Mapping[str, Any]
"""A certificate as Python values: maps with text keys, lists, text, integers, truth values and None."""
MATCH_FORMAT = "smbc-tictactoe certificate"
ROUND_FORMAT = "smbc-tictactoe certificate of a round"
GAME_FORMAT = "smbc-tictactoe certificate of a game"
MAXIMUM_SIZE = 64 * 2**20
"""The most bytes of a certificate, several times the size for a match to 100."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_FRACTION = re.compile(r"-?[0-9]{1,200}/[1-9][0-9]{0,199}")


class _Nodes(msgspec.Struct):
    unreduced: int | None = None
    """The number of nodes of the tree of all histories; None if the claims were not checked on it."""


class _Certificate(msgspec.Struct, tag_field="format"):
    format_version: Literal[2]
    program_version: str
    python_version: str
    rules: str
    """The rules, as str(Rules) writes them."""
    files: dict[str, str]
    """The SHA-256 (hexadecimal) of files, by name relative to the solution's directory."""
    nodes: _Nodes


class _Progress(msgspec.Struct):
    """The probabilities that the round leads out of its group, by the adversary's seat."""

    adversary_first: Fraction
    adversary_second: Fraction


class _Score(msgspec.Struct):
    score: tuple[int, int]
    """The points of the first and of the second mover."""
    upper: Fraction
    """An upper bound on the match value to the first mover, if the adversary moves first."""
    lower: Fraction
    """A lower bound on the match value to the first mover, if the bot moves first."""
    progress: _Progress


class MatchCertificate(_Certificate, tag=MATCH_FORMAT):
    """The claims of a certificate of a match."""

    winning_score: int
    scores: list[_Score]


class RoundCertificate(_Certificate, tag=ROUND_FORMAT):
    """The claims of a certificate of a round, in payoff to the first mover."""

    upper: Fraction
    """An upper bound on the value if the adversary moves first."""
    lower: Fraction
    """A lower bound on the value if the bot moves first."""


class GameCertificate(msgspec.Struct, tag_field="format", tag=GAME_FORMAT, forbid_unknown_fields=True):
    """The fields of a certificate of a described game."""

    format_version: Literal[2]
    program_version: str
    python_version: str
    game: str
    """The name of the game, which `players` and `ends` define."""
    players: list[Any]
    ends: list[Any]
    strategies: list[Any]
    lower: str
    upper: str
    value: str


Kind = TypeVar("Kind", MatchCertificate, RoundCertificate)


def read_certificate(path: Path) -> dict[str, Any]:
    """Read a certificate of a match, a round or a game. This checks only the types of its fields.

    Raises FormatError, which names the field.

    >>> from tictactoe import shipped_solution
    >>> certificate = read_certificate(shipped_solution() / "certificate.json")
    >>> certificate["winning_score"], certificate["total"]["exploitability_decimal"]
    (5, '0.000000000000006609546253736144')
    """
    data = read_bytes(path, MAXIMUM_SIZE)
    try:
        if not data.isascii():
            raise ValueError("a byte that is not ASCII")
        content: dict[str, Any] = json_of(data, object_pairs_hook=_without_duplicates)
        if _SURROGATE.search(json.dumps(content, ensure_ascii=False)):
            raise ValueError("half a character, which is not text")
    except ValueError as error:
        raise FormatError(path, f"not a certificate: {error}; use another copy, or make it again") from error
    try:
        msgspec.convert(content, MatchCertificate | RoundCertificate | GameCertificate, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        raise FormatError(path, f"not a certificate: {in_our_words(error)}") from error
    return content


def claims_of(certificate: Json, kind: type[Kind]) -> Kind:
    """The claims of a certificate. Raises Refused, which names the wrong field, if it is not of this kind."""
    try:
        return msgspec.convert(certificate, kind, dec_hook=_decoded)
    except msgspec.ValidationError as error:
        raise Refused(f"not a certificate of that kind: {in_our_words(error)}") from error


def _decoded(kind: type, value: Any) -> Fraction:
    if type(value) is not str or not _FRACTION.fullmatch(value) or fraction_text(Fraction(value)) != value:
        raise ValueError("not a fraction in lowest terms")
    return Fraction(value)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a map has a key twice")
    return result


def certificate_bytes(certificate: Json) -> bytes:
    """The content of the file: indented JSON in ASCII with sorted keys."""
    return (json.dumps(certificate, indent=2, sort_keys=True, allow_nan=False) + "\n").encode("ascii")


def write_certificate(path: Path, certificate: Json) -> None:
    """Write or replace the file. Raises OSError, and FormatError if the path cannot be a file's.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from tictactoe import certify_round, verify_round
    >>> with TemporaryDirectory() as directory:
    ...     write_certificate(Path(directory, "proof.json"), certify_round("single_round"))
    ...     verify_round(read_certificate(Path(directory, "proof.json")), "single_round")
    """
    with replacing_output(path) as file:
        file.write(certificate_bytes(certificate))


def header(kind: str, rules: Rules, files: Mapping[str, str], unreduced: bool) -> dict[str, Any]:
    """The first fields of both kinds. kind: the value of `format`. files: SHA-256 (hexadecimal) by name."""
    whole = num_histories(rules) if unreduced else None
    return {
        "format": kind,
        "format_version": 2,
        "program_version": __version__,
        "python_version": platform.python_version(),
        "rules": str(rules),
        "nodes": {"reduced": reduced_tree(rules).num_nodes, "unreduced": whole},
        "files": dict(files),
    }


def proved_fields(lower: Fraction, upper: Fraction, *arithmetic: tuple[bool, int]) -> dict[str, Any]:
    """The fields of both bounds and the exploitability, exactly and as decimals rounded outward.

    arithmetic: for the bot in either seat, whether its probabilities were used exactly, and their denominator.
    """
    fields: dict[str, Any] = {"arithmetic": {}}
    for name, value, up in (("upper", upper, True), ("lower", lower, False), ("exploitability", upper - lower, True)):
        fields |= {name: fraction_text(value), f"{name}_decimal": decimal_text(value, up=up)}
    for seat, (exact, unit) in zip(("bot_first", "bot_second"), arithmetic, strict=True):
        fields["arithmetic"][seat] = {"exact": exact, "denominator": str(unit), "bits": unit.bit_length()}
    return fields


def fraction_text(value: Fraction) -> str:
    """The fraction in lowest terms with its denominator: -1/13, 0/1."""
    return f"{value.numerator}/{value.denominator}"


def decimal_text(value: Fraction, *, up: bool, places: int = 30) -> str:
    """The number with `places` decimal places, rounded towards plus infinity (`up`) or minus infinity."""
    scaled = value * 10**places
    digits = -(-scaled.numerator // scaled.denominator) if up else scaled.numerator // scaled.denominator
    whole, rest = divmod(abs(digits), 10**places)
    return f"{'-' if digits < 0 else ''}{whole}.{rest:0{places}d}"


def compare(expected: dict[str, Any], certificate: Json, rules: Rules) -> None:
    """Raise Refused at the first field that differs from `expected`, which is modified.

    Versions are not compared. The size of the unreduced tree may be missing.
    """
    for name in ("program_version", "python_version"):  # information about the program that wrote it, not claims
        expected[name] = certificate[name]
    named = certificate["nodes"].get("unreduced") is not None
    expected["nodes"]["unreduced"] = num_histories(rules) if named else None
    refuse_difference(expected, certificate, "")


def refuse_difference(expected: Any, found: Any, name: str) -> None:
    """Raise Refused, which names the first place below `name` where two JSON values differ. Here true is not 1."""
    if type(expected) is not type(found) or (not isinstance(expected, (dict, list)) and expected != found):
        raise Refused(f"{name}: {_brief(found)} should be {_brief(expected)}")
    if isinstance(expected, dict):
        for key in sorted(expected.keys() ^ found.keys()):
            shown = key[:80].encode("unicode_escape").decode()
            raise Refused(f"{name}{'.' if name else ''}{shown}: {'missing' if key in expected else 'unknown'}")
        for key in sorted(expected):
            refuse_difference(expected[key], found[key], f"{name}.{key}" if name else key)
    elif isinstance(expected, list):
        if len(expected) != len(found):
            raise Refused(f"{name}: {len(found)} items, but {len(expected)} are right")
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            label = f"at {one['score'][0]}-{one['score'][1]}" if isinstance(one, dict) and "score" in one else index
            refuse_difference(one, other, f"{name}[{label}]")


def _brief(value: Any) -> str:
    text = repr(value) if isinstance(value, (str, int, bool, type(None))) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:77]}..."
