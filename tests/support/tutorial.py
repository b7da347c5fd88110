"""docs/tutorial.md for tests: its text, and the script that draws its pictures."""

import importlib.util

from .pages import ROOT

_spec = importlib.util.spec_from_file_location("tutorial_pictures", ROOT / "examples" / "tutorial_pictures.py")
assert _spec is not None
assert _spec.loader is not None
pictures = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(pictures)

PAGE = pictures.PAGE
TEXT: str = PAGE.read_text(encoding="utf-8")
FLOWING = " ".join(TEXT.split())
SECTIONS = {int(part.split(".")[0]): part for part in TEXT.split("\n## ")[1:]}
"""The text of every section, by its number."""
