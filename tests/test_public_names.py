"""Every public name exists, has an explanation and an example that runs. The examples of other modules run, too."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest
from support.slowness import by_default

import tictactoe

NAMES = sorted(tictactoe.__all__)
DATA = ("ALGORITHMS", "CHANCE", "RULES", "OPPONENTS", "SINGLE_ROUND", "__version__")
"""Values, which have no docstring of their own."""

NEEDS_OPEN_SPIEL = ("open_spiel_game",)
"""Names whose examples run only with OpenSpiel."""
LONG = ("polish_solution",)
"""Names whose examples compute for a second or more."""
EXPLAINED = [name for name in NAMES if name not in DATA]


def test_the_names_are_there() -> None:
    main = "solve_match solve_game polish_solution exploitability best_response_over_match head_to_head certify verify"
    assert {*main.split(), "Cursor", "Position", "RoundBot", "MatchBot", "load_solution"} <= set(NAMES)
    assert [name for name in NAMES if getattr(tictactoe, name) is None] == []
    with pytest.raises(AttributeError):
        _ = tictactoe.no_such_name  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", by_default(EXPLAINED, *(name for name in EXPLAINED if name not in LONG)))
def test_every_name_is_explained_by_an_example(name: str) -> None:
    if name in NEEDS_OPEN_SPIEL:
        pytest.importorskip("pyspiel", reason="open_spiel is not installed: pip install '.[openspiel]'")
    public = getattr(tictactoe, name)
    text = inspect.getdoc(public) or ""
    if isinstance(public, type) and issubclass(public, Exception):
        assert text, f"{name} has no docstring"
        return
    assert ">>> " in text, f"{name} has no example"
    example = doctest.DocTestParser().get_doctest(text, dict(vars(inspect.getmodule(public))), name, None, None)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert result.failed == 0


def test_every_name_is_looked_up_once() -> None:
    """In the interface reference of the site, whose pages list the names by subject."""
    pages = (Path(__file__).parent.parent / "docs" / "interface").glob("*.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    found = re.findall(r"^\.\. auto\w+:: (?:\w+\.)*(\w+)$", text, re.MULTILINE)
    assert sorted(found) == [name for name in NAMES if name != "__version__"]


ALWAYS = "gambit_text match_game observations"
WITH_OPEN_SPIEL = "open_spiel open_spiel_game open_spiel_policies walked_game"
ENVIRONMENTS = [f"environments.{name}" for name in f"{ALWAYS} {WITH_OPEN_SPIEL}".split()]


@pytest.mark.parametrize("name", [*ENVIRONMENTS, "games.tic_tac_toe_tree", "solving.match_run"])
def test_the_examples_of_a_module(name: str) -> None:
    if name.partition(".")[2] in WITH_OPEN_SPIEL.split():
        pytest.importorskip("pyspiel")
    result = doctest.testmod(importlib.import_module(f"tictactoe.{name}"))
    assert result.failed == 0 < result.attempted
