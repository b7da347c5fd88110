"""What is said of installing: every line works as it is printed, from the package index or in a clone."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
DECLARED = {
    re.split("[^a-z0-9_-]", needed)[0] for needs in (PROJECT["dependencies"], *EXTRAS.values()) for needed in needs
} - {PROJECT["name"]}
OTHERS = {"LiteEFG", "pandas", "pygambit", "sb3-contrib", "scipy"}
"""What only an example, a benchmark or one page needs."""
OF_A_CLONE = re.compile(r"(?:\.|/source)(?:\[([a-z,]+)\])?")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/**/*.py")]
ANYWHERE = [path for top in ("tictactoe", "tools") for path in ROOT.glob(f"{top}/**/*.py")]


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


SYSTEMS = (("linux", "x86_64"), ("linux", "aarch64"), ("darwin", "arm64"), ("darwin", "x86_64"), ("win32", "AMD64"))


@pytest.mark.parametrize(("system", "machine"), SYSTEMS)
def test_constraints_name_one_version_of_all_that_is_needed(system: str, machine: str) -> None:
    """And none for a Python that nobody has tried: there they hinder nothing."""
    text = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    lines = [Requirement(line) for line in text.splitlines() if not line.startswith("#")]
    given = (PROJECT["dependencies"], *EXTRAS.values(), ("build", "twine"))
    needs = [need for needs in given for need in map(Requirement, needs) if need.name != PROJECT["name"]]
    for python in ("3.11", "3.12", "3.13", "3.14", "3.15"):
        place = {
            "python_version": python, "python_full_version": f"{python}.0", "sys_platform": system,
            "platform_machine": machine, "os_name": "nt" if system == "win32" else "posix",
            "platform_python_implementation": "CPython", "implementation_name": "cpython",
        }  # fmt: skip
        exact = [line for line in lines if line.marker is None or line.marker.evaluate(place)]
        assert all(re.fullmatch("==[^*,]+", str(line.specifier)) and line.url is None for line in exact)
        versions = {line.name: str(line.specifier)[2:] for line in exact}
        assert len(versions) == len(exact)
        for need in needs:
            if python != "3.15" and (not need.marker or need.marker.evaluate(place)):
                name = need.name.replace("_", "-")
                assert need.specifier.contains(versions[name]), name
    assert not versions
