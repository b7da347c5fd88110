"""compare-algorithms with own rules: files and modules, and the place of a fault in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.programs import call, complaint, json_of

from tictactoe.algorithms.cfr.update_rules import ALGORITHMS

COMPARE = "compare-algorithms"
RULE = """
from tictactoe import register_rule

def fill(table, parameters):
    {line}

register_rule("{name}", fill, {{"share": 0.5}})
"""
KINDS = """
from functools import partial
from tictactoe import register_rule

def fill(table, parameters, number=0):
    table.floor = 0.0

class Kind:
    def __call__(self, table, parameters):
        fill(table, parameters)

register_rule("partial", partial(fill, number=1))
register_rule("object", Kind())
register_rule("method", Kind().__call__)
register_rule("builtin", max)
"""


def test_rules_from_files_and_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compared with all others unless --algorithm says otherwise; a file may import its neighbours."""
    own = tmp_path / "own.py"
    own.write_text(RULE.format(name="own", line="table.floor = helper_of_mine.FLOOR") + "import helper_of_mine\n")
    (tmp_path / "helper_of_mine.py").write_text("FLOOR = 0.0\n")
    (tmp_path / "module_of_mine.py").write_text(RULE.format(name="mine", line="pass"))
    quick = ("--budget", "1", "--no-plot", "--restart", "-o", tmp_path / "out")
    judged = json_of(COMPARE, "--algorithms-from", own, *quick, "--seeds", 1)
    assert [each["label"] for each in judged["overall"] or judged["rounds"][0]["algorithms"]] == [*ALGORITHMS, "own"]
    monkeypatch.syspath_prepend(tmp_path)
    both = ("--algorithms-from", own, "--algorithms-from", "module_of_mine")
    judged = json_of(COMPARE, *both, "--algorithm", "own(share=1), x=mine, cfr", *quick)
    assert [each["label"] for each in judged["rounds"][0]["algorithms"]] == ["own(share=1)", "x", "cfr"]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("def fill(:\n", 1, "SyntaxError: invalid syntax"),
        ("import sys\n\nsys.exit(3)\n", 3, "SystemExit: 3"),
        ("1 / 0\n", 1, "ZeroDivisionError: division by zero"),
        ("import no_such_module\n", 1, "ModuleNotFoundError: No module named 'no_such_module'"),
        (RULE.format(name="cfr", line="pass"), 7, "ValueError: name: cfr is a rule of the library; take another name"),
        (RULE.format(name="a", line="table.flor = 0.0"), 5, "AttributeError: 'Coefficients' object has no attribute"),
        (RULE.format(name="b", line="assert table.t[0] < 10"), 5, "AssertionError"),
        (RULE.format(name="c", line="table.floor = 1.0"), 4, "c: floor: 1.0 in iteration 1 is not -inf or 0"),
    ],
)
def test_a_fault_in_a_file_is_a_line_with_its_place(text: str, place: int, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(text)
    name = text.partition('register_rule("')[2].partition('"')[0] or "cfr"
    arguments = ("-o", tmp_path / "out", "--algorithms-from", path, "--algorithm", name, "--budget", "20", "--no-plot")
    for jobs in (1, 2):
        line = complaint(call(COMPARE, *arguments, "--jobs", jobs), 1, COMPARE)
        assert line.startswith(f"{COMPARE}: {path}:{place}: {problem}")


def test_functions_of_every_kind(tmp_path: Path) -> None:
    """A partial, an object that is called and a method of one: their rules run, and faults have their place, too."""
    path = tmp_path / "kinds.py"
    path.write_text(KINDS)
    kinds = ("-o", tmp_path / "out", "--algorithms-from", path, "--budget", "2", "--no-plot", "--restart")
    judged = json_of(COMPARE, *kinds, "--algorithm", "partial, object, method")
    assert [each["label"] for each in judged["rounds"][0]["algorithms"]] == ["partial", "object", "method"]
    path.write_text(KINDS.replace("= 0.0", "= 1 / 0"))
    for name in ("partial", "object", "method"):
        line = complaint(call(COMPARE, *kinds, "--algorithm", name), 1, COMPARE)
        assert line.startswith(f"{COMPARE}: {path}:6: ZeroDivisionError")


def test_an_empty_file_registers_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    line = complaint(call(COMPARE, "--algorithms-from", tmp_path / "empty.py"), 1, COMPARE)
    assert f"{tmp_path}/empty.py: registers no rule; call register_rule in it" in line
