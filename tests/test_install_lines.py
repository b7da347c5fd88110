"""What is said of installing: every line works as it is printed, from the package index or in a clone."""

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
DECLARED = {
    re.split("[^a-z0-9_-]", needed)[0] for needs in (PROJECT["dependencies"], *EXTRAS.values()) for needed in needs
} - {PROJECT["name"]}
OTHERS = {"LiteEFG", "pandas", "pygambit", "sb3-contrib"}
"""What only an example, a benchmark or one page needs."""
OF_A_CLONE = re.compile(r"(?:\.|/source)(?:\[([a-z,]+)\])?")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.py")]
ANYWHERE = [path for room in ("tictactoe", "tools") for path in ROOT.glob(f"{room}/**/*.py")]


def installed(text: str) -> list[str]:
    lines = re.findall(r"pip install (?:-c constraints[.]txt )?(.*)", text)
    ends = re.compile(r"""[`);"{]|&&|(?<=\S)\.(?= |$|['"])""")
    return [word.strip("'") for line in lines for word in ends.split(line)[0].split() if not word.startswith("-")]


def works(word: str, *, in_a_clone: bool) -> bool:
    extras = OF_A_CLONE.fullmatch(word) if in_a_clone else None
    return word in DECLARED | OTHERS or (extras is not None and {*(extras[1] or "test").split(",")} <= {*EXTRAS})


def test_install_lines_work_as_printed() -> None:
    for paths, in_a_clone, least in ((PAGES, True, 10), (ANYWHERE, False, 5)):
        words = [(path.name, word) for path in paths for word in installed(path.read_text(encoding="utf-8"))]
        assert len(words) >= least
        assert [(name, word) for name, word in words if not works(word, in_a_clone=in_a_clone)] == []


def test_errors_name_packages_that_are_declared() -> None:
    calls = [
        node
        for path in ANYWHERE
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "missing_library"
    ]
    named = {ast.literal_eval(argument) for call in calls for argument in call.args[1:]}
    assert {"pettingzoo", "gymnasium", "open_spiel", "distributed"} <= named <= DECLARED
