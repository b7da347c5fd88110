"""What `lint-imports` cannot hold by the contracts in pyproject.toml: packages, pages, what fresh interpreters load.
And a run of the tests that changes the checkout, or a test that leaves something in its directory, fails."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from support.own_directory import refuse_changes, state_of

import tictactoe

ROOT = Path(__file__).parent.parent
CHECKERS = sorted((ROOT / "tictactoe" / "proof").glob("checker*.py"))
SLOW = {"numpy", "numba", "rich", "msgpack", "msgspec", "matplotlib", "filelock"}


def test_every_package_is_installed() -> None:
    folders = {path.parent for top in ("tictactoe", "tools") for path in (ROOT / top).rglob("__init__.py")}
    names = {".".join(folder.relative_to(ROOT).parts) for folder in folders}
    others = {"tictactoe.solutions", "tictactoe.example_games"}
    ours = {name if name.startswith("tictactoe") else f"tictactoe.{name}" for name in names} | others
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    assert set(setuptools["packages"]) == ours
    assert setuptools["package-dir"] == {"tictactoe": "tictactoe"} | tictactoe._BESIDE


AS_IF_INSTALLED_PLAINLY = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "__editable__" not in finder.__module__]
"""
IN_A_CHECKOUT = """
import runpy, tictactoe.example_games
from tictactoe.storage.shipped import shipped_solution
assert shipped_solution("shipped").is_dir()
try:
    runpy.run_module("tictactoe", run_name="__main__")
except SystemExit as ended:
    assert not ended.code
ours = [module for name, module in sys.modules.items() if name.split(".")[0] in ("tictactoe", "tools", "solutions")]
files = [module.__file__ for module in ours]
assert len(files) == len(set(files)) > 5
"""


def run_in(folder: Path, code: str) -> str:
    command = (sys.executable, "-c", AS_IF_INSTALLED_PLAINLY + code)
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=True).stdout


def test_from_within_the_checkout_all_packages_are_found() -> None:
    assert run_in(ROOT, IN_A_CHECKOUT).startswith("Usage: tictactoe ")


@pytest.mark.parametrize(("ours", "project"), [("tictactoe/tools", "smbc-tictactoe"), ("tictactoe", "another")])
def test_what_others_install_beside_it_is_not_ours(tmp_path: Path, ours: str, project: str) -> None:
    for folder in (ours, "tools", "solutions", "examples/games"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    for name in ("__init__.py", "__init__.pyi"):
        shutil.copy(ROOT / "tictactoe" / name, tmp_path / "tictactoe")
    (tmp_path / "pyproject.toml").write_text(f'[project]\nname = "{project}"\n')
    names = ("tools", "solutions", "example_games")
    code = f"from importlib.util import find_spec\nprint(*(find_spec('tictactoe.' + name) is None for name in {names}))"
    assert run_in(tmp_path, code).split() == [str(ours == "tictactoe"), "True", "True"]


@pytest.mark.parametrize("path", CHECKERS, ids=lambda path: path.name)
def test_a_certificate_rests_on_the_standard_library_alone(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert {alias.name.partition(".")[0] for alias in node.names} <= sys.stdlib_module_names
        elif isinstance(node, ast.ImportFrom) and node.level:
            assert (node.level, f"{node.module}.py") in {(1, other.name) for other in CHECKERS}
        elif isinstance(node, ast.ImportFrom):
            assert str(node.module).partition(".")[0] in sys.stdlib_module_names
    for page in ("CONTRIBUTING.md", "docs/certificate.md"):
        assert f"{path.name}`" in (ROOT / page).read_text("utf-8")


def loaded_by(code: str) -> set[str]:
    """The top-level packages, and our modules, that a fresh interpreter has loaded after `code`."""
    script = f"import sys\n{code}\nprint(*sys.modules)"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    names = process.stdout.split()
    return {name.split(".")[0] for name in names} | {name for name in names if name.startswith("tictactoe.")}


def test_what_plays_and_explores_does_not_load_the_compiler() -> None:
    folders = ("games", "play")
    modules = [f"{folder}.{path.stem}" for folder in folders for path in (ROOT / "tictactoe" / folder).glob("[!_]*.py")]
    modules += ["storage.open_saved", "storage.solution", "match.options"]
    loaded = loaded_by("; ".join(f"import tictactoe.{name}" for name in modules))
    assert "tictactoe.play.explored_position" in loaded
    assert not loaded & {"numba", "llvmlite", "tictactoe.algorithms.kernels", "matplotlib", "rich", "click"}
    assert "numba" in loaded_by("import tictactoe.algorithms.kernels")


def test_importing_the_package_costs_nothing() -> None:
    assert not loaded_by("import tictactoe") & {"numpy", "tictactoe.errors", *SLOW}
    loaded = loaded_by("from tictactoe import GameTree, Goal, load_solution")
    assert not loaded & {"numba", "tictactoe.algorithms.kernels"}


def test_tests_are_collected_where_posix_is_missing() -> None:
    """`pytest.importorskip` skips what needs one of these modules."""
    missing = {"fcntl", "pexpect", "pty", "pwd", "resource", "termios"}
    for path in (ROOT / "tests").glob("[!b]*/**/*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.Import):
                assert not missing & {alias.name for alias in node.names}, path
            elif isinstance(node, ast.ImportFrom):
                assert node.module not in missing, path


def test_changes_of_the_checkout(tmp_path: Path) -> None:
    mine = tmp_path / "my_solution" / "solution.msgpack"
    mine.parent.mkdir()
    mine.write_text("mine")
    before = state_of(tmp_path)
    refuse_changes(before, tmp_path)
    for change in (lambda: mine.write_text("other"), mine.with_name("more").touch, lambda: shutil.rmtree(mine.parent)):
        change()
        with pytest.raises(AssertionError, match=r"somebody changed in .*my_solution"):
            refuse_changes(before, tmp_path)


def test_the_current_directory_is_empty_and_no_other_tests() -> None:
    assert os.listdir() == []
    assert os.environ["XDG_CONFIG_HOME"].startswith(os.getcwd())
