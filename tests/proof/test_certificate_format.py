"""The file of a certificate: numbers as text, and files that are no certificate."""

from fractions import Fraction
from pathlib import Path

from support.certifying import CLOSED_FORMS
from support.storage_files import refusal

from tictactoe.proof import certificate_format as form
from tictactoe.proof.certificate_format import certificate_bytes, read_certificate, write_certificate

MATCH, ROUND = (CLOSED_FORMS / name / "certificate.json" for name in ("match_to_1", "single_round"))


def test_decimals_are_rounded_outward() -> None:
    rounded = {"1/3": ("0.3333", "0.3334"), "-1/3": ("-0.3334", "-0.3333"), "-1/100000": ("-0.0001", "0.0000")}
    for text, (down, up) in (rounded | {"5/4": ("1.2500", "1.2500")}).items():
        assert form.decimal_text(Fraction(text), up=False, places=4) == down
        assert form.decimal_text(Fraction(text), up=True, places=4) == up


def test_certificates_are_written_byte_for_byte_as_read(tmp_path: Path) -> None:
    for path in (MATCH, ROUND):
        certificate = read_certificate(path)
        write_certificate(tmp_path / "c.json", certificate)
        assert certificate_bytes(certificate) == (tmp_path / "c.json").read_bytes() == path.read_bytes()


MALFORMED: list[tuple[bytes, str]] = [
    (b"", "not a certificate: not JSON"),
    (b"{", "not a certificate: not JSON: it breaks off"),
    (b"[" * 100_000, "not a certificate: not JSON: lists in lists without end"),
    (b"[]", "not a certificate: expected map, got list"),
    (b"{}", "not a certificate: missing required field format"),
    (b'{"format": "' + b"x" * 5000 + b'"}', "not a certificate: format: invalid value 'xxx"),
    (b'{"format": "smbc-tictactoe certificate"}', "missing required field format_version"),
    ('{"é": 1}'.encode(), "not a certificate: a byte that is not ASCII"),
    (b'{"a": 1, "a": 1}', "a map has a key twice"),
    (b'{"\\ud800": 1}', "not a certificate: half a character, which is not text"),
]


def test_malformed_certificates_get_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    for data, message in MALFORMED:
        path.write_bytes(data)
        assert message in refusal(read_certificate, path)
    assert refusal(read_certificate, tmp_path) == "not a regular file"
    with open(tmp_path / "large.json", "wb") as file:
        file.truncate(2**27)
    assert refusal(read_certificate, tmp_path / "large.json") == "larger than the limit of 64 MiB"
    assert "No such file" in refusal(read_certificate, tmp_path / "none.json")
