"""Solutions that ship, by name: taken by every command, the default where there is no other, and never written to."""

import json
import shlex
import shutil
from pathlib import Path

import pytest
from support.programs import PROVE, ROUND, Result, call, complaint, json_of, text_of
from support.slowness import by_default, slow

from tictactoe.proof.certificate_format import read_certificate, write_certificate
from tictactoe.storage.shipped import SHIPPED, shipped_solution, solution_directory

VERIFY = "best-response-multiround"
NOTICE = "my_solution/ does not exist: using the solution that comes with the program (-s shipped)\n"
BY_NAME = {
    "compare-algorithms": "--algorithm cfr --budget 1 --no-plot --score 0-0 --values-from {} --quiet",
    "explore": "-s {} --position '0-0 ww 5' --json",
    "convert": "{} --score 0-0 --reachable-only",
    "train-agent": "-o out --restart --episodes 1 --score 0-0 --values-from {} --quiet",
    ROUND: "-o out --max-iterations 1 --score 0-0 --values-from {} --quiet",
}
"""Short uses of commands that read a solution. One parameter type finds the solution for every command."""


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an empty working directory. A run that writes beside what ships fails (support/own_directory.py)."""
    monkeypatch.chdir(tmp_path)


def used(name: str, solution: str) -> Result:
    return call(name, *shlex.split(BY_NAME[name].format(solution)), typed="")


@pytest.mark.parametrize("name", by_default(BY_NAME, "explore", ROUND))
def test_a_name_where_a_solution_is_taken(name: str) -> None:
    by_name = used(name, "match_to_1")
    assert by_name.code == 0, by_name
    shutil.rmtree("out", ignore_errors=True)
    if name != "compare-algorithms":  # which prints seconds
        by_path = used(name, str(solution_directory("match_to_1")))
        assert by_path.out.replace(str(solution_directory("match_to_1")), "match_to_1") == by_name.out
    shutil.rmtree("out", ignore_errors=True)
    Path("match_to_1").mkdir()
    mine = used(name, "match_to_1")
    assert "match_to_1" in complaint(mine, 1, name)
    assert str(shipped_solution().parent) not in mine.err


def test_the_default_where_there_is_no_other(solved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SHIPPED, "shipped", SHIPPED["match_to_1"])  # which is sooner judged
    printed = call("best-response-multiround", "--json")
    assert (printed.code, printed.err) == (0, NOTICE)
    assert json.loads(printed.out) == json_of("best-response-multiround", "-s", "shipped")
    copied = call("convert", "shipped", "-o", "copy")
    assert copied == Result(0, copied.out, "")
    assert copied.out.startswith("1 score of a match to 1 in ")
    drawn = call("plot")
    assert (drawn.code, drawn.err.startswith(NOTICE)) == (0, True)
    assert not call("plot", "--quiet").err.startswith(NOTICE)
    shutil.copytree(solved, "my_solution")
    mine = call("best-response-multiround", "--json")
    assert (mine.err, json.loads(mine.out)["winning_score"]) == ("", 2)


@pytest.mark.parametrize(
    ("name", "subject", "hint"),
    [
        *slow(("match_to_1", "solution", "shipped"), ("single_round", "round", "single_round")),
        ("match_to_1/subgame_0_0", "round", "single_round"),
    ],
)
def test_a_certificate_of_what_ships(name: str, subject: str, hint: str) -> None:
    assert "Certificate: certificate.json\n" in text_of(PROVE, "-s", name)
    certificate = read_certificate(Path("certificate.json"))
    verified = call(VERIFY, "--verify", "certificate.json")
    assert verified.err.startswith(
        f"certificate.json: it is about a solution that comes with the program (-s {name})\n"
    )
    assert (verified.code, "every claim holds" in verified.out) == (0, True)
    other = dict.fromkeys(certificate["files"], "0" * 64)
    write_certificate(Path("certificate.json"), certificate | {"files": other})
    line = complaint(call(VERIFY, "--verify", "certificate.json"), 1, VERIFY)
    missing = f"the {subject} that it is about is not beside it; name it with -s, such as -s {hint}"
    assert line == f"{VERIFY}: certificate.json: {missing}"
    write_certificate(Path("certificate.json"), certificate)
    assert "every claim holds" in text_of(VERIFY, "--verify", "certificate.json", "-s", name)
