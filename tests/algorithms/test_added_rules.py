"""Rules from outside the library: registered, used, held to the plain recursion, and refused where they cannot work."""

import math
import re
import runpy
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.pages import blocks, run_page

from tictactoe import ALGORITHMS, known_algorithms, parse_rule, register_rule, update_rule
from tictactoe.algorithms.rule_definition import Coefficients, Parameters, Restart

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adding-a-rule.md"
FILE = ROOT / "examples" / "update_rules" / "cautious_cfr_plus.py"


def nothing(table: Coefficients, parameters: Parameters) -> None:
    """CFR."""


def test_the_example_is_a_rule_of_the_library_and_ends_at_others() -> None:
    runpy.run_path(str(FILE))
    for share, gamma, other in ((1 / 3, 2.0, "sapcfr+"), (0.0, 1.0, "cfr+"), (1.0, 2.0, "pcfr+")):
        table = update_rule("cautious-cfr+", share=share, discount_gamma=gamma).coefficients(1, 50)
        np.testing.assert_array_equal(table, update_rule(other).coefficients(1, 50))


def test_the_page() -> None:
    first = next(block for block in blocks(PAGE) if block.language == "python")
    code = FILE.read_text(encoding="utf-8")
    assert code[code.index("from collections") :] == first.code
    run_page(PAGE)
    usual, text = Coefficients(np.ones(1), np.ones(1)), PAGE.read_text(encoding="utf-8")
    for name in Coefficients.__dataclass_fields__.keys() - {"t", "age"}:
        (row,) = (line for line in text.splitlines() if line.startswith("|") and f"`{name}`" in line)
        shown = row.split("|")[2].strip().replace("−∞", "-inf")  # noqa: RUF001
        assert float(shown) == getattr(usual, name)


def test_names_and_parameters() -> None:
    register_rule("My.Rule_1", nothing, {"step": 2}, limits={"step": (1.0, 3.0)})
    assert known_algorithms()[: len(ALGORITHMS)] == ALGORITHMS
    assert "My.Rule_1" in known_algorithms()
    rule = update_rule("My.Rule_1", step=3)
    assert (str(rule), parse_rule(str(rule)), rule.parameters) == ("My.Rule_1(step=3)", rule, {"step": 3.0})
    with pytest.raises(ValueError, match=r"^step: 3\.5 is not from 1 to 3$"):
        update_rule("My.Rule_1", step=3.5)
    with pytest.raises(ValueError, match=r"^step: inf is not from"):
        update_rule("My.Rule_1", step=math.inf)
    with pytest.raises(ValueError, match=r"^other: My.Rule_1 has no such parameter; it has step$"):
        update_rule("My.Rule_1", other=1.0)
    for name in ("", "cfr", "es-mccfr", "two words", "a,b", "a(b)", "a=b", "-a", "x" * 41, "ü"):
        with pytest.raises(ValueError, match=r"^name: "):
            register_rule(name, nothing)
    for defaults, limits, message in (
        ({"a": 2.0}, {"a": (0.0, 1.0)}, "defaults: a: 2.0 is not from 0 to 1"),
        ({"a": math.nan}, {}, "defaults: a: nan is not a finite number"),
        ({"a": 1e16}, {"a": (-math.inf, 1e15)}, "defaults: a: 1e+16 is not at most 1e+15"),
        ({"a b": 2.0}, {}, "defaults: 'a b' is not a name for a parameter"),
        ({}, {"a": (0.0, 1.0)}, "limits: a has no default"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            register_rule("refused", nothing, defaults, limits=limits)
    assert "refused" not in known_algorithms()
    register_rule("again", nothing)
    before = update_rule("again")

    def fill(table: Coefficients, parameters: Parameters) -> None:
        table.floor = 0.0

    register_rule("again", fill)
    assert (before.coefficients(1, 1)[0, 2], update_rule("again").coefficients(1, 1)[0, 2]) == (-math.inf, 0.0)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("positive_discount", 1.5, "positive_discount: 1.5 in iteration 1 is not from 0 to 1"),
        ("negative_discount", np.array([1.0, -0.5, 1.0]), "negative_discount: -0.5 in iteration 2 is not from 0 to 1"),
        ("floor", 1.0, "floor: 1.0 in iteration 1 is not -inf or 0"),
        ("prediction_discount", 0.0, "prediction_discount: 0.0 in iteration 1 is not above 0 and finite"),
        ("prediction_weight", math.nan, "prediction_weight: nan in iteration 1 is not finite"),
        ("averaging_weight", np.ones(2), "averaging_weight: shape (2,), expected a number or one per iteration (3,)"),
    ],
)
def test_coefficients_that_the_sweep_cannot_follow_are_refused(field: str, value: Any, message: str) -> None:
    register_rule("wrong", lambda table, parameters: setattr(table, field, value))
    with pytest.raises(ValueError, match=f"^wrong: {re.escape(message)}$"):
        update_rule("wrong").coefficients(1, 3)


def test_wrong_fields_and_restarts_are_refused() -> None:
    register_rule("wrong", lambda table, parameters: setattr(table, "flor", 0.0))
    with pytest.raises(AttributeError, match="flor") as raised:
        update_rule("wrong").coefficients(1, 3)
    (note,) = raised.value.__notes__
    assert note.startswith("in the rule wrong, which can use fields: t, age, positive_discount, ")
    register_rule("restarting", nothing, restarts=lambda parameters: repeat((5, Restart(1.0, 1e-3))))
    with pytest.raises(ValueError, match=r"^restarts: restarting has one after 5 iterations, then one after 5$"):
        update_rule("restarting").coefficients(1, 10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("dcfr(1)", "algorithm: '1' is not name=number"),
        ("dcfr(discount_alpha=x)", "algorithm: discount_alpha: 'x' is not a number, such as 2.3 or 1e-6"),
        ("dcfr(discount_alpha=nan)", "algorithm: discount_alpha: 'nan' is not a finite number"),
        ("dcfr(discount_alpha=1_0)", "algorithm: discount_alpha: '1_0' is not a number, such as 2.3 or 1e-6"),
        ("dcfr(discount_alpha=1e-999)", "algorithm: discount_alpha: '1e-999' is not 0, but too small for a"),
        ("dcfr(delta=1)", "delta: dcfr has no such parameter; it has discount_alpha, discount_beta, discount_gamma"),
    ],
)
def test_texts_that_are_no_rules(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        parse_rule(text)


def test_texts_are_read_back_to_the_last_bit() -> None:
    odd = update_rule("dcfr", discount_alpha=0.1 + 0.2, discount_beta=-1 / 3, discount_gamma=5)
    for rule in (odd, *map(update_rule, ALGORITHMS)):
        assert parse_rule(str(rule)) == rule
    rule = update_rule("dcfr", discount_alpha=2.30, discount_gamma=5)
    assert str(rule) == "dcfr(discount_alpha=2.3, discount_gamma=5)"
    assert parse_rule(" dcfr ( discount_gamma = 5,discount_alpha=23e-1,) ") == rule
