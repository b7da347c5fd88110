"""Copies of the checkout in which the tests run, each with an environment that imports the copy and nothing of ours."""

import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from .catalogue import ROOT

_FAILED = re.compile(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", re.MULTILINE)
_HIDDEN = ("PYTHONPATH", "PYTHONHOME", "PYTEST_ADDOPTS", "NUMBA_CACHE_DIR", "VIRTUAL_ENV")


def copy_files(to: Path) -> None:
    """With what has been compiled, which stays valid: numba and Python know it by the kept times of files."""
    listing = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
    files = {ROOT / name for name in names if name}
    files |= {cached for folder in {file.parent for file in files} for cached in folder.glob("__pycache__/*")}
    for file in filter(Path.is_file, files):
        target = to / file.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, target)


def add_environment(copy: Path) -> None:
    """Give a copy a .venv: the libraries of this environment, but the package and the commands of the copy."""
    here, new = Path(sys.prefix), copy / ".venv"
    venv.create(new, symlinks=True)
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        target = new / entry.relative_to(here)
        if entry.name.startswith("__editable__") and entry.is_file():
            target.write_text(entry.read_text().replace(str(ROOT), str(copy)))
        elif not target.exists():
            target.symlink_to(entry)
    for program in Path(sys.executable).parent.iterdir():
        target = new / "bin" / program.name
        if not target.exists() and program.is_file() and program.read_bytes().startswith(b"#!"):
            target.write_bytes(program.read_bytes().replace(bytes(here), bytes(new), 1))
            shutil.copymode(program, target)
    if (modules := ROOT / "tests" / "browser" / "node_modules").is_dir():
        (copy / "tests" / "browser" / "node_modules").symlink_to(modules)
    code = "import tictactoe, tictactoe.tools as tools; print(tictactoe.__file__, tools.__file__, sep='\\n')"
    found = subprocess.run([new / "bin" / "python", "-I", "-c", code], capture_output=True, text=True, check=False)
    paths = [copy / "tictactoe" / "__init__.py", copy / "tools" / "__init__.py"]
    if found.stdout.splitlines() != [str(path) for path in paths]:
        raise RuntimeError(f"no copy to test: {found.stdout or found.stderr}install it first: pip install -e '.[test]'")


def run_tests(copy: Path, tests: list[str], workers: int, seconds: float) -> tuple[int | None, str]:
    """Until one fails or the time is up: the exit code, None when the time was up, and the test that failed."""
    programs = copy / ".venv" / "bin"
    environment = {name: value for name, value in os.environ.items() if name not in _HIDDEN}
    environment["PATH"] = f"{programs}{os.pathsep}{environment.get('PATH', '')}"
    command = [str(programs / "python"), "-m", "pytest", "-x", "-rfE", "-n", str(workers), "-p", "no:cacheprovider"]
    command.append("--ignore=tests/mutations")  # which sees every mutation: its old text is gone
    process = subprocess.Popen(
        [*command, *tests], cwd=copy, env=environment, text=True, errors="replace", start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    return process.returncode, next(iter(_FAILED.findall(output)), "")
