"""certify: what it prints and writes, of a match and of a round; verifying; and that an interruption leaves nothing."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.certifying import CLOSED_FORMS, Bot, change_snapshot, copy_of, edited, moved, nearly_pure, of_other_rules
from support.programs import ROUND, SHORT, call, complaint, contents, environment, text_of
from support.slowness import slow
from support.waiting import HANGS, wait_until
from tictactoe.tools.commands import certify

from tictactoe.proof.certificate_format import certificate_bytes, read_certificate, write_certificate
from tictactoe.storage.directory_layout import CERTIFICATE_FILE, MOVING, SOLUTION_FILE, snapshot_name
from tictactoe.storage.shipped import shipped_solution

CERTIFY = "certify"
SINGLE = Bot(CLOSED_FORMS / "single_round")
SUBGAME = CLOSED_FORMS / "match_to_1" / "subgame_0_0"
ON_ONE_TREE = (
    "every claim holds on the reduced tree; that they hold on the unreduced one, too, as the certificate says, was not "
    "checked (--unreduced does that)."
)
BOTH_TREES = "Checked on the reduced tree of 37,538 nodes and on the unreduced one of 549,946."


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Bot:
    """A match to 1, which is quickly judged."""
    return Bot(nearly_pure(tmp_path_factory.mktemp("one"), 1))


def test_a_match_is_certified_and_verified(one: Bot, tmp_path: Path) -> None:
    """What it writes is what the library makes; what it prints is that, rounded outward."""
    solution, certificate = copy_of(one, tmp_path), one.certificate
    path = solution / CERTIFICATE_FILE
    printed = text_of(CERTIFY, "-s", solution, "--unreduced")
    assert path.read_bytes() == certificate_bytes(edited(certificate, "nodes unreduced", 549_946))
    row = re.search(r"^ *0-0 +(-0\.\d{9}) +(-0\.\d{9}) +(\S+) +(\S+) % +(0\.\d\d\d) +exact", printed, re.MULTILINE)
    assert row is not None
    (entry,), total = certificate["scores"], Fraction(certificate["total"]["exploitability"])
    assert 0 <= Fraction(entry["lower"]) - Fraction(row[1]) < Fraction(10) ** -9
    assert 0 <= Fraction(row[2]) - Fraction(entry["upper"]) < Fraction(10) ** -9
    assert total <= Fraction(row[3]) <= total * Fraction(102, 100)
    assert 50 * total <= Fraction(row[4]) <= 51 * total
    assert 0 <= min(map(Fraction, entry["progress"].values())) - Fraction(row[5]) < Fraction(1, 1000)
    last = (
        f"Proved: the total exploitability of the bot in a match to 1 is at most {row[3]} in match value (-1 to 1), "
        f"{row[4]} percentage points of matches won."
    )
    assert printed.splitlines()[-3:] == [BOTH_TREES, f"Certificate: {path}", last]
    assert text_of(CERTIFY, "--verify", path) == f"{path}: {ON_ONE_TREE} {last}\n"
    both = text_of(CERTIFY, "--verify", path, "-s", one.path, "--unreduced", "--quiet")
    assert both == f"{path}: every claim holds, checked on the reduced and the unreduced tree. {last}\n"


def test_json_is_the_certificate_alone(one: Bot, tmp_path: Path) -> None:
    """With --quiet it is the last line alone."""
    printed = text_of(CERTIFY, "-s", one.path, "-o", tmp_path / "c.json", "--json", "--jobs", 2)
    assert printed.encode() == (tmp_path / "c.json").read_bytes()
    assert json.loads(printed) == json.loads(certificate_bytes(one.certificate))
    quiet = text_of(CERTIFY, "-s", one.path, "-o", tmp_path / "c.json", "--quiet")
    assert re.fullmatch("Proved: the total exploitability of the bot in a match to 1 is at most .*\n", quiet)


def test_a_refused_certificate_ends_with_one_line(one: Bot, tmp_path: Path) -> None:
    write_certificate(tmp_path / "wrong.json", edited(one.certificate, "scores 0 upper", moved(-1)))
    line = complaint(call(CERTIFY, "-s", one.path, "--verify", tmp_path / "wrong.json"), 1, CERTIFY)
    why = "the bound at 0-0 with the adversary moving first does not hold: a best response in that round gets more"
    assert line == f"{CERTIFY}: {tmp_path / 'wrong.json'}: refused: {why}"


def test_what_waits_to_be_put_in_its_place_is_refused_and_then_certified(one: Bot, tmp_path: Path) -> None:
    """--verify changes nothing, though the record lies no longer, or not yet, beside the certificate; making one does
    what play does. Commands that look for a subgame find the one that is put in its place."""
    solution = copy_of(one, tmp_path)
    path = solution / CERTIFICATE_FILE
    write_certificate(path, one.certificate)
    (solution / MOVING).mkdir()
    (solution / SOLUTION_FILE).rename(solution / MOVING / SOLUTION_FILE)
    before = contents(tmp_path)
    line = complaint(call(CERTIFY, "--verify", path), 1, CERTIFY)
    assert line.startswith(
        f"{CERTIFY}: {solution}: a new solution waits here, in {MOVING}, and is what would be played"
    )
    assert contents(tmp_path) == before
    text_of(CERTIFY, "-s", solution)
    assert not (solution / MOVING).exists()
    assert read_certificate(path) == one.certificate
    (solution / "subgame_0_0").rename(solution / "kept")
    (solution / MOVING).mkdir()
    (solution / "kept").rename(solution / MOVING / "subgame_0_0")
    assert "exploitability" in text_of("best-response-subgame", "-s", solution / "subgame_0_0").lower()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("--verify c.json -o d.json", 2, f"--verify does not go with --output (see {CERTIFY} --help)"),
        ("--verify c.json --json", 2, f"--verify does not go with --json (see {CERTIFY} --help)"),
        ("-s . -o no/c.json", 1, "no/c.json: there is no such directory"),
        ("-s my_solution", 1, "my_solution: no snapshots of a round and no solution (solution.msgpack) here"),
        ("--verify none.json", 1, "none.json: cannot be read: No such file or directory"),
    ],
)
def test_mistakes_get_one_line(
    arguments: str, code: int, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any work is done."""
    monkeypatch.chdir(tmp_path)
    assert complaint(call(CERTIFY, *arguments.split()), code, CERTIFY) == f"{CERTIFY}: {message}"
    assert contents(tmp_path) == {}


@pytest.mark.parametrize(("number", "jobs"), [(signal.SIGINT, 2), *slow((signal.SIGTERM, 1))])
def test_an_interrupted_command_leaves_nothing(number: int, jobs: int, tmp_path: Path) -> None:
    """Neither a file nor a process; on the way there is a line of progress, here after every score."""
    at_once = "certify._Progress.__init__.__kwdefaults__['seconds'] = 0.0"
    source = f"from tictactoe.tools.commands import certify; {at_once}; certify.command()"
    arguments = ["-s", str(shipped_solution()), "-o", str(tmp_path / "c.json"), "--jobs", str(jobs)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", source, *arguments]
    process = subprocess.Popen(command, env=environment(), start_new_session=True, **pipes)
    assert process.stderr is not None
    assert re.match(r"certifying, \d:\d\d elapsed: 1 of 25 scores, at most \S+ match value", process.stderr.readline())
    process.send_signal(number)
    out, err = process.communicate(timeout=HANGS)
    assert (process.returncode, out) == (130, "")
    assert all(line.startswith("certifying") for line in err.split("\n") if line)
    assert contents(tmp_path) == {}
    with pytest.raises(ProcessLookupError):  # no process of the group, which the workers are of, is left
        wait_until(lambda: os.killpg(process.pid, 0))


def test_a_round_is_certified_and_verified(tmp_path: Path) -> None:
    """Simple bounds are shown as the fractions that they are."""
    path = copy_of(SINGLE, tmp_path) / CERTIFICATE_FILE
    lines = text_of(CERTIFY, "-s", path.parent, "--unreduced").splitlines()
    assert read_certificate(path)["nodes"] == {"reduced": 37_538, "unreduced": 549_946}
    assert lines[:5] == [
        "Round with the outcome values 0 both, 1 first, -1 second, 0 neither (who scores; to the first mover).",
        "lower           -1/9",
        "upper           -1/9",
        "exploitability  0.00e+00",
        "probabilities   exact",
    ]
    last = (
        "Proved: with the outcome values 0 both, 1 first, -1 second, 0 neither, the value of the round to the first "
        "mover is -1/9, and the exploitability of the bot is exactly 0, in the unit of the outcome values. The bot is "
        "that of snapshot_000000.msgpack, the last one there."
    )
    assert lines[6:] == [BOTH_TREES, f"Certificate: {path}", last]
    assert text_of(CERTIFY, "--verify", path) == f"{path}: {ON_ONE_TREE} {last}\n"
    write_certificate(path, edited(read_certificate(path), "nodes unreduced", None))
    assert text_of(CERTIFY, "--verify", path) == f"{path}: every claim holds, checked on the reduced tree. {last}\n"


def test_a_long_fraction_is_shown_as_a_decimal_rounded_outward(tmp_path: Path) -> None:
    """Of a round whose outcome values are rounded, as -1/13 is no float; quiet, as JSON, and for another round."""
    output = tmp_path / "c.json"
    worth = "with the outcome values 0.07692307692307693 both, 1 first, -1 second, 0.07692307692307693 neither"
    given = "which its snapshot gives for 0-0 of a match to 1"
    value = f"{worth}, {given}, the value of the round to the first mover lies in -0.07692307693 to -0.07692307692"
    rest = (
        "and the exploitability of the bot is exactly 0, in the unit of the outcome values. The bot is that of "
        "snapshot_000000.msgpack, the last one there, which is also what the match plays."
    )
    assert text_of(CERTIFY, "-s", SUBGAME, "-o", output, "--quiet") == f"Proved: {value}, {rest}\n"
    assert text_of(CERTIFY, "-s", SUBGAME, "-o", output, "--json").encode() == output.read_bytes()
    line = complaint(call(CERTIFY, "--verify", output, "-s", SINGLE.path), 1, CERTIFY)
    assert line.startswith(f"{CERTIFY}: {output}: refused: files.{snapshot_name(0)}: ")


def test_a_verdict_says_which_snapshot_it_is_about_and_which_the_match_plays(tmp_path: Path) -> None:
    """The last one is judged, as it is what is played there; the record may name another one, and a snapshot of no
    match is nobody's."""
    match = copy_of(Bot(CLOSED_FORMS / "match_to_1"), tmp_path)
    directory, kept = match / "subgame_0_0", (SUBGAME / snapshot_name(0)).read_bytes()
    change_snapshot(directory, iteration=7).rename(directory / snapshot_name(7))
    (directory / snapshot_name(0)).write_bytes(kept)
    for arguments in (("-s", directory), ("--verify", directory / CERTIFICATE_FILE)):
        assert text_of(CERTIFY, *arguments).endswith(
            " The bot is that of snapshot_000007.msgpack, the last one there; the match plays another one, "
            "snapshot_000000.msgpack, which its solution.msgpack names.\n"
        )
    (directory / snapshot_name(7)).unlink()
    change_snapshot(directory, score=None, winning_score=None)
    assert text_of(CERTIFY, "-s", directory).endswith(
        " The bot is that of snapshot_000000.msgpack, the last one there.\n"
    )


def test_bounds_are_both_fractions_or_both_decimals(tmp_path: Path) -> None:
    """One of a learner's is a short fraction, the other a long one."""
    lines = text_of(CERTIFY, "-s", "learner-1", "-o", tmp_path / "c.json").splitlines()
    found = read_certificate(tmp_path / "c.json")
    assert min(len(found["lower"]), len(found["upper"])) < 24 < max(len(found["lower"]), len(found["upper"]))
    lower, upper = (line.split()[1] for line in lines[1:3])
    assert f"lies in {lower} to {upper}, " in lines[-1]
    for shown, name in ((lower, "lower"), (upper, "upper")):
        assert re.fullmatch(r"-?0\.\d{10}", shown)
        assert abs(Fraction(shown) - Fraction(found[name])) < Fraction(1, 10**10)
    assert Fraction(lower) <= Fraction(found["lower"]) <= Fraction(found["upper"]) <= Fraction(upper)


def test_workers_of_a_cluster_are_believed_and_the_verdict_says_so() -> None:
    """Those of another machine, not those that this command has started."""
    assert certify._believed("tcp://10.0.0.1:8786", "checked") == (
        " The workers of tcp://10.0.0.1:8786 have checked that, and are believed: without --cluster it is checked here."
    )
    assert certify._believed(None, "checked") == certify._believed("local:2", "checked") == ""


def test_a_verdict_names_the_outcome_values_to_the_last_digit(tmp_path: Path) -> None:
    """Of a round that is worth nothing to anybody, and of one that is nearly the usual one."""
    copy = copy_of(SINGLE, tmp_path)
    for values, named in (
        ([0.0, 0.0, 0.0, 0.0], "0 both, 0 first, 0 second, 0 neither"),
        ([0.0, 1.0 - 2**-53, -1.0, 5e-324], "0 both, 0.9999999999999999 first, -1 second, 5e-324 neither"),
    ):
        change_snapshot(copy, outcome_values=values)
        for arguments in (("-s", copy), ("--verify", copy / CERTIFICATE_FILE)):
            assert f"Proved: with the outcome values {named}, the value of" in text_of(CERTIFY, *arguments)


def test_names_are_printed_with_escapes(tmp_path: Path) -> None:
    """Of files, directories and fields: whatever a terminal would obey, and what ends a line."""
    name, shown = "a\x1b[31m\n\u202e\x07", r"a\x1b[31m\n\u202e\x07"
    directory = copy_of(SINGLE, tmp_path).rename(tmp_path / name)
    path, seen = directory / f"{name}.json", tmp_path / shown / f"{shown}.json"
    assert text_of(CERTIFY, "-s", directory, "-o", path).splitlines()[-2] == f"Certificate: {seen}"
    assert text_of(CERTIFY, "--verify", path).startswith(f"{seen}: every claim holds")
    write_certificate(path, edited(read_certificate(path), f"files {snapshot_name(0)}", name))
    line = complaint(call(CERTIFY, "--verify", path), 1, CERTIFY)
    assert line.startswith(f"{CERTIFY}: {seen}: refused: files.{snapshot_name(0)}: '{shown}' where")
    for place, value, words in (
        ("files", {name: "0"}, f"files.{shown}: unknown"),
        ("format", name, f"not a certificate: format: invalid value '{shown}'"),
        ("end_rule", name, f"refused: end_rule: '{shown}' where"),
    ):
        write_certificate(path, edited(read_certificate(SINGLE.path / CERTIFICATE_FILE), place, value))
        line = complaint(call(CERTIFY, "--verify", path), 1, CERTIFY)
        assert line.startswith(f"{CERTIFY}: {seen}: "), line
        assert words in line
    for arguments in (("-s", SINGLE.path, "-o", path / "c"), ("--verify", path.with_suffix(".no"))):
        assert complaint(call(CERTIFY, *arguments), 1, CERTIFY).isprintable()


def test_neither_a_solution_nor_a_round(tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    before = contents(tmp_path)
    for directory in (tmp_path / "photos", tmp_path / "missing"):
        line = complaint(call(CERTIFY, "-s", directory, "-o", tmp_path / "d.json"), 1, CERTIFY)
        assert line == f"{CERTIFY}: {directory}: no snapshots of a round and no solution (solution.msgpack) here"
    assert contents(tmp_path) == before
    match = CLOSED_FORMS / "match_to_1"
    line = complaint(call(CERTIFY, "--verify", SINGLE.path / CERTIFICATE_FILE, "-s", match), 1, CERTIFY)
    assert line == f"{CERTIFY}: match_to_1: a whole solution (solution.msgpack) and no round on its own"


def test_what_solve_subgame_writes(tmp_path: Path) -> None:
    """Certified, then started again: the certificate goes with what it was of."""
    run = tmp_path / "run"
    assert call(ROUND, "-o", run, "--quiet", *SHORT).code == 0
    before = contents(run)
    assert call(CERTIFY, "-s", run).code == 0
    assert list(json.loads((run / CERTIFICATE_FILE).read_bytes())["files"]) == [snapshot_name(30)]
    assert call(ROUND, "-o", run, "--quiet", *SHORT, "--restart").code == 0
    assert contents(run) == before


def test_rules_are_named_where_they_are_not_the_usual_ones(tmp_path: Path) -> None:
    """And the odds of the goals, in words."""
    run, rules = tmp_path / "run", ("--rules", "filled", "--goal-odds", "2:1:0")
    assert call(ROUND, "-o", run, "--quiet", *SHORT, *rules).code == 0
    proved = (
        "Proved: with the outcome values 0 both, 1 first, -1 second, 0 neither, the value of the round by the rules "
        "filled, with goals drawn 2:1:0 (win:lose:tie), to the first mov"
    )
    assert text_of(CERTIFY, "-s", run).splitlines()[-1].startswith(proved)
    assert proved in text_of(CERTIFY, "--verify", run / CERTIFICATE_FILE)
    assert read_certificate(run / CERTIFICATE_FILE)["end_rule"] == "filled 2:1:0"
    line = complaint(call(CERTIFY, "-s", run, "--verify", SINGLE.path / CERTIFICATE_FILE), 1, CERTIFY)
    assert line.endswith(": refused: end_rule: 'three-in-a-row' where 'filled 2:1:0' is right")
    match = of_other_rules(tmp_path, "filled-tie", np.ones((44_820, 3)))
    printed = text_of(CERTIFY, "-s", match, "--quiet")
    assert printed.startswith(
        "Proved: the total exploitability of the bot in a match to 1 by the rules filled-tie is at"
    )
