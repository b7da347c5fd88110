"""The file of a certificate: numbers as text, what is no certificate, and where two certificates differ."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from support.certifying import CLOSED_FORMS, edited
from support.programs import call, complaint

from tictactoe.errors import FormatError
from tictactoe.proof import certificate_format as form
from tictactoe.proof.certificate_format import certificate_bytes, read_certificate, write_certificate

MATCH, ROUND = (CLOSED_FORMS / name / "certificate.json" for name in ("match_to_1", "single_round"))


def test_decimals_are_rounded_outward() -> None:
    rounded = {"1/3": ("0.3333", "0.3334"), "-1/3": ("-0.3334", "-0.3333"), "-1/100000": ("-0.0001", "0.0000")}
    for text, (down, up) in (rounded | {"5/4": ("1.2500", "1.2500")}).items():
        assert form.decimal_text(Fraction(text), up=False, places=4) == down
        assert form.decimal_text(Fraction(text), up=True, places=4) == up


def test_what_is_proved_is_written_exactly_and_rounded_outward() -> None:
    assert form.proved_fields(Fraction(-1, 3), Fraction(1, 3), (True, 8), (False, 2**96)) == {
        "upper": "1/3",
        "upper_decimal": f"0.{29 * '3'}4",
        "lower": "-1/3",
        "lower_decimal": f"-0.{29 * '3'}4",
        "exploitability": "2/3",
        "exploitability_decimal": f"0.{29 * '6'}7",
        "arithmetic": {
            "bot_first": {"exact": True, "denominator": "8", "bits": 4},
            "bot_second": {"exact": False, "denominator": f"{2**96}", "bits": 97},
        },
    }


@pytest.mark.parametrize("path", [MATCH, ROUND], ids=["match", "round"])
def test_what_is_read_is_written_byte_for_byte(path: Path, tmp_path: Path) -> None:
    certificate = read_certificate(path)
    assert certificate_bytes(certificate) == path.read_bytes()
    write_certificate(tmp_path / "c.json", certificate)
    assert (tmp_path / "c.json").read_bytes() == path.read_bytes()


MALFORMED: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "not a certificate: not JSON"),
    "no JSON": (b"{", "not a certificate: not JSON: it breaks off"),
    "another value": (b"[]", "not a certificate: expected map, got list"),
    "another format": (b'{"format": "' + b"x" * 5000 + b'"}', "not a certificate: format: invalid value 'xxx"),
    "another file": (b"{}", "not a certificate: missing required field format"),
    "a field less": (b'{"format": "smbc-tictactoe certificate"}', "missing required field format_version"),
    "not ASCII": ('{"é": 1}'.encode(), "not a certificate: a byte that is not ASCII"),
    "deep": (b"[" * 100_000, "not a certificate: not JSON: lists in lists without end"),
    "a float": (b'{"a": 1.5}', "the number 1.5 is not an integer of at most 15 digits"),
    "NaN": (b'{"a": NaN}', "the number NaN is not an integer of at most 15 digits"),
    "a large integer": (b'{"a": ' + b"1" * 5000 + b"}", f"the number {40 * '1'} is not an integer of at most 15"),
    "a key twice": (b'{"a": 1, "a": 1}', "a map has a key twice"),
    "half a surrogate pair": (b'{"\\ud800": 1}', "not a certificate: half a character, which is no text"),
    "NUL": (b"\0" * 100, "not a certificate: not JSON"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_certificates_get_one_line(name: str, tmp_path: Path) -> None:
    data, message = MALFORMED[name]
    (tmp_path / "bad.json").write_bytes(data)
    with pytest.raises(FormatError, match=message):
        read_certificate(tmp_path / "bad.json")
    line = complaint(call("certify", "--verify", tmp_path / "bad.json"), 1, "certify")
    assert message in line
    assert len(line) < 1000


MISTYPED: list[tuple[Path, str, list[Any]]] = [
    (MATCH, "format", ["another"]),
    (MATCH, "format_version", [2, True]),
    (MATCH, "winning_score", ["1"]),
    (MATCH, "files", [[]]),
    (MATCH, "nodes", [None]),
    (MATCH, "nodes.unreduced", [{"bot_first": 1}]),
    (MATCH, "scores", [{}]),
    (MATCH, "scores[0]", [7]),
    (MATCH, "scores[0].score", [[0, 0, 0]]),
    (MATCH, "scores[0].score[0]", [False]),
    (MATCH, "scores[0].upper", [1, "1/0"]),
    (MATCH, "scores[0].lower", ["2/4", "1/-2", " 1/2", "1/2\n", "1" * 5000 + "/2"]),
    (MATCH, "scores[0].progress", [None]),
    (MATCH, "scores[0].progress.adversary_second", ["0.5"]),
    (ROUND, "files[...]", [lambda files: dict.fromkeys(files, 1)]),
    (ROUND, "python_version", [3]),
    (ROUND, "lower", [1, "1" * 300 + "/2"]),
    (ROUND, "upper", ["1/0"]),
]


@pytest.mark.parametrize(("source", "place", "values"), MISTYPED)
def test_values_of_the_wrong_type_are_named(source: Path, place: str, values: list[Any], tmp_path: Path) -> None:
    """And fractions that are not in lowest terms, or too long."""
    for value in values:
        wrong = edited(read_certificate(source), " ".join(re.findall(r"\w+", place)), value)
        write_certificate(tmp_path / "bad.json", wrong)
        with pytest.raises(FormatError) as caught:
            read_certificate(tmp_path / "bad.json")
        assert str(caught.value).startswith(f"{tmp_path / 'bad.json'}: not a certificate: {place}: ")


def test_a_certificate_is_a_regular_file_of_a_sensible_size(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="not a regular file"):
        read_certificate(tmp_path)
    with open(tmp_path / "large.json", "wb") as file:
        file.truncate(2**27)
    with pytest.raises(FormatError, match="larger than the limit of 64 MiB"):
        read_certificate(tmp_path / "large.json")
    with pytest.raises(FormatError, match="No such file"):
        read_certificate(tmp_path / "none.json")
