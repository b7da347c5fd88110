"""best-response-multiround --prove: its certificates against the library, and the text rounded outward.

The console certify.txt has the rest.
"""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from support.certifying import CLOSED_FORMS, Bot, change_snapshot, copy_of, nearly_pure
from support.programs import call, complaint, contents, text_of

from tictactoe.proof.certificate_format import certificate_bytes, read_certificate, write_certificate
from tictactoe.storage.directory_layout import CERTIFICATE_FILE, MOVING, SOLUTION_FILE, snapshot_name

CERTIFY = "best-response-multiround --prove"
SUBGAME = CLOSED_FORMS / "match_to_1" / "subgame_0_0"


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    return Bot(nearly_pure(tmp_path_factory.mktemp("one"), 1))


def test_a_match_is_certified_and_verified(one: Bot, tmp_path: Path) -> None:
    solution, certificate = copy_of(one, tmp_path), one.certificate
    path = solution / CERTIFICATE_FILE
    printed = text_of(CERTIFY, "-s", solution, "--jobs", 2)
    assert path.read_bytes() == certificate_bytes(certificate)
    row = re.search(r"^ *0-0 +(-0\.\d{9}) +(-0\.\d{9}) +(\S+) +(\S+) +(0\.\d\d\d) +exact", printed, re.MULTILINE)
    assert row is not None
    (entry,), total = certificate["scores"], Fraction(certificate["total"]["exploitability"])
    assert 0 <= Fraction(entry["lower"]) - Fraction(row[1]) < Fraction(10) ** -9
    assert 0 <= Fraction(row[2]) - Fraction(entry["upper"]) < Fraction(10) ** -9
    assert total <= Fraction(row[3]) <= total * Fraction(102, 100)
    assert 50 * total <= Fraction(row[4]) <= 51 * total
    assert 0 <= min(map(Fraction, entry["progress"].values())) - Fraction(row[5]) < Fraction(1, 1000)
    last = (
        f"Proved: the total exploitability of the bot in a match to 1 is at most {row[3]} in match value (-1 to 1), "
        f"{row[4]} points of winning chance (of 100 matches)."
    )
    assert printed.splitlines()[-2:] == [f"Certificate: {path}", last]
    assert text_of(CERTIFY, "-s", solution, "--json").encode() == path.read_bytes()


def test_what_waits_to_be_put_in_its_place_is_refused_and_then_certified(one: Bot, tmp_path: Path) -> None:
    """--verify changes nothing, though the record does not lie beside the certificate. To certify, as to play, puts
    the files in their places. Commands that look for a subgame find the one that waits."""
    solution = copy_of(one, tmp_path)
    path = solution / CERTIFICATE_FILE
    write_certificate(path, one.certificate)
    (solution / MOVING).mkdir()
    (solution / SOLUTION_FILE).rename(solution / MOVING / SOLUTION_FILE)
    before = contents(tmp_path)
    line = complaint(call(CERTIFY, "--verify", path), 1, CERTIFY)
    assert line.startswith(
        f"best-response-multiround: {solution}: a new solution waits here in {MOVING} and would be played"
    )
    assert contents(tmp_path) == before
    text_of(CERTIFY, "-s", solution)
    assert not (solution / MOVING).exists()
    assert read_certificate(path) == one.certificate
    (solution / "subgame_0_0").rename(solution / "kept")
    (solution / MOVING).mkdir()
    (solution / "kept").rename(solution / MOVING / "subgame_0_0")
    assert "exploitability" in text_of("best-response-multiround", "-s", solution / "subgame_0_0").lower()


def test_a_verdict_says_which_snapshot_it_is_about_and_which_the_match_plays(tmp_path: Path) -> None:
    match = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory, kept = match / "subgame_0_0", (SUBGAME / snapshot_name(0)).read_bytes()
    change_snapshot(directory, iteration=7).rename(directory / snapshot_name(7))
    (directory / snapshot_name(0)).write_bytes(kept)
    for arguments in (("-s", directory), ("--verify", directory / CERTIFICATE_FILE)):
        assert text_of(CERTIFY, *arguments).endswith(
            " The bot is that of snapshot_000007.msgpack, the last one there; the match plays another snapshot, "
            "snapshot_000000.msgpack, which its solution.msgpack names.\n"
        )
    (directory / snapshot_name(7)).unlink()
    change_snapshot(directory, score=None, winning_score=None)
    assert text_of(CERTIFY, "-s", directory).endswith(
        " The bot is that of snapshot_000000.msgpack, the last one there.\n"
    )


def test_bounds_are_both_fractions_or_both_decimals(tmp_path: Path) -> None:
    lines = text_of(CERTIFY, "-s", "learner-1", "-o", tmp_path / "c.json").splitlines()
    found = read_certificate(tmp_path / "c.json")
    assert min(len(found["lower"]), len(found["upper"])) < 24 < max(len(found["lower"]), len(found["upper"]))
    lower, upper = (line.split()[1] for line in lines[1:3])
    assert f"lies between {lower} and {upper}, " in lines[-1]
    for shown, name in ((lower, "lower"), (upper, "upper")):
        assert re.fullmatch(r"-?0\.\d{10}", shown)
        assert abs(Fraction(shown) - Fraction(found[name])) < Fraction(1, 10**10)
    assert Fraction(lower) <= Fraction(found["lower"]) <= Fraction(found["upper"]) <= Fraction(upper)
