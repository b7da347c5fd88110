"""Contenders of a comparison as text, back and forth, and texts that are refused."""

import re

import pytest

from tictactoe.algorithms.measured_run import distinct, parse_contender, parse_contenders

BOTH_AT_ONCE = "dcfr(discount_alpha=2.3, simultaneous)"


@pytest.mark.parametrize(
    ("text", "label", "settings", "alternate"),
    [
        ("cfr", "cfr", "cfr", True),
        (" dcfr( discount_alpha = 2.3 ) ", "dcfr(discount_alpha=2.3)", "dcfr(discount_alpha=2.3)", True),
        ("dcfr(discount_alpha=1.5)", "dcfr", "dcfr", True),
        ("dcfr(simultaneous, discount_alpha=2.3)", BOTH_AT_ONCE, BOTH_AT_ONCE, False),
        ("dcfr(discount_alpha=2.3 , simultaneous )", BOTH_AT_ONCE, BOTH_AT_ONCE, False),
        ("my best = dcfr(discount_beta=1)", "my best", "dcfr(discount_beta=1)", True),
        ("x=cfr", "x", "cfr", True),
    ],
)
def test_contenders_as_text(text: str, label: str, settings: str, alternate: bool) -> None:
    found = parse_contender(text)
    assert (found.label, str(found), found.alternate_updates) == (label, settings, alternate)
    again = parse_contender(str(found))
    assert (str(again), again.rule, again.alternate_updates) == (settings, found.rule, alternate)


@pytest.mark.parametrize(
    ("text", "problem"),
    [  # test_added_rules.py and consoles/compare.txt have rules that are wrong
        ("=cfr", "has no label before the ="),
        ("dcfr(alpha)", "'alpha' is not name=number"),
        ("dcfr(simultaneous, simultaneous)", "simultaneous: given twice"),
        ("es-mccfr(simultaneous)", "alternate_updates: es-mccfr always alternates"),
        ("x" * 200 + "=cfr", "is not 1 to 120 characters that can be printed"),
    ],
)
def test_texts_that_are_no_contender(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=re.escape(problem)) as caught:
        parse_contender(text)
    assert len(str(caught.value)) < 300


def test_lists_of_contenders() -> None:
    listed = parse_contenders("cfr,dcfr(discount_alpha=2,discount_gamma=4) , b=dcfr(simultaneous,discount_beta=1)")
    assert [each.label for each in listed] == ["cfr", "dcfr(discount_alpha=2, discount_gamma=4)", "b"]
    repeated = parse_contenders("cfr, dcfr, cfr, dcfr(discount_alpha=1.5), b=cfr")
    assert [each.label for each in distinct(repeated)] == ["cfr", "dcfr", "b"]
