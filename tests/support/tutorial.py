"""docs/tutorial.md for tests: its text, and the script that draws its pictures."""

import runpy
from types import SimpleNamespace

from .pages import ROOT

pictures = SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "tutorial_pictures.py")))
PAGE = pictures.PAGE
TEXT: str = PAGE.read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())
SECTIONS = {int(part.split(".")[0]): part for part in TEXT.split("\n## ")[1:]}
"""The text of every section, by its number."""
