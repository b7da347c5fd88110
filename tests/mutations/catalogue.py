"""The mutations of mutations.toml: changes to the program, each of them wrong, that its tests should notice."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).with_name("mutations.toml")


@dataclass(frozen=True)
class Mutation:
    """file: below the checkout. old: stands there once. why: what a user would suffer. near: the test files to try
    first, as a pattern; they may have gone."""

    name: str
    file: str
    old: str
    new: str
    why: str
    near: str = ""

    @property
    def folder(self) -> str:
        """The tests of the package that the file is in."""
        top, package, *_ = Path(self.file).parts
        return "tests/commands" if top == "tools" or package.endswith(".py") else f"tests/{package}"

    def problem(self, root: Path) -> str | None:
        """Why it cannot be made in the checkout `root`, in a line: the code has moved on. None if it can."""
        path = root / self.file
        found = path.read_text(encoding="utf-8").count(self.old) if path.is_file() else 0
        if found == 1:
            return None
        what = f"the old text stands there {found} times, not once" if path.is_file() else "there is no such file"
        return f"{self.name}: {self.file}: {what}; follow the code in {DATA.relative_to(ROOT)}"

    def apply(self, root: Path) -> None:
        """Make it in the checkout `root`, where it can be made."""
        path = root / self.file
        path.write_text(path.read_text(encoding="utf-8").replace(self.old, self.new), encoding="utf-8")


def mutations() -> list[Mutation]:
    return [Mutation(**entry) for entry in tomllib.loads(DATA.read_text(encoding="utf-8"))["mutation"]]
