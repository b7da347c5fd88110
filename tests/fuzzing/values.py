"""Odd values: of fields in files, of options, of what is typed."""

from typing import Any

from hypothesis import strategies as st

TEXTS = (
    "", " ", "nan", "inf", "-inf", "1e308", "1e400", "-1", "0", "x", "\0", "a\nb", "\x1b[31mred\x1b[0m", "\r",
    "\x9b2J", "\u202eabc", "\u2028", "\ud800", "é", "\N{ARABIC-INDIC DIGIT THREE}", "1_0", "../..", "self",
    "[bold]x[/bold]", "[/]", "%s", "{}", "three-in-a-row", "filled 2:1:1", "win", "4-3", "0-0 ww 5", "a,b", '"',
    "\ufeff", "dcfr", "perfect",
)  # fmt: skip
FINITE = (
    0, -1, 1, 2, 3, 7, 99, 101, 10**6, 2**31, 2**53 + 1, 10**12 - 1, 10**12, 2**63 - 1, -(2**63), 2**64 - 1, 0.0,
    -0.0, 0.5, 1.0, -1.0, 1.5, 1e-9, 5e-324, 1e15, 1e100, -1e100, 1e150, 1e300, 1e308, -1e308, 1.7e308,
)  # fmt: skip
NO_NUMBERS = (None, True, False, float("nan"), float("inf"), float("-inf"))
LARGE: tuple[Any, ...] = (
    {"!": "deep", "depth": 10}, {"!": "deep", "depth": 17}, {"!": "deep", "depth": 900},
    {"!": "deep", "depth": 100_000}, {"!": "text", "of": "x", "count": 2000}, {"!": "text", "of": "9", "count": 5000},
    {"!": "text", "of": "x", "count": 70_000}, {"!": "text", "of": "\u0085", "count": 300},
    {"!": "many", "of": 0, "count": 1000}, {"!": "many", "of": [], "count": 70_000},
    {"!": "many", "of": 1.5, "count": 60_000}, {"!": "many", "of": "x", "count": 60_000}, {"!": "bytes", "hex": ""},
    {"!": "bytes", "hex": "00ff"}, {"!": "array", "dtype": "<f8", "shape": [4]},
    {"!": "array", "dtype": "|i1", "shape": [0]}, {"!": "array", "dtype": "<f8", "shape": [0, 4]},
    {"!": "array", "dtype": "<i8", "shape": []}, {"__array__": "<f8"},
    {"__array__": "<f8", "shape": [2**40], "zlib": {"!": "bytes", "hex": "00"}}, [], {}, [[]], [None], [1, 2],
    [1, 2, 3], ["x", "y"], {"": ""}, {"a": 1}, {"\x1b[31m": "\n"},
)  # fmt: skip
DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "|u1", ">f8", "<f2", "|b1", "<c16", "|O", "x")
SHAPES = ([], [0], [1], [2, 2], [-1], [2**62], [2**40, 2**40], [0, 2**62], [1] * 40, ["x"], [1.0], None, "x", [True])
PATHS = (
    "", " ", ".", "..", "afile", "afile/below", "adirectory", "dangling", "loop", "to_match", "to_record", "pipe",
    "missing", "missing/below", "match", "match/solution.msgpack", "match/subgame_0_0", "two", "round", "short",
    "started", "closed", "agent.msgpack", "match.jsonl", "table.csv", "-", "--", "é [bold]", "a\nb", "\x1b[31mred",
    "\u202eabc", "x" * 300, "x" * 5000, "shipped", "single_round", "learner-1", "filled_single_round",
    "shipped/subgame_9_9", "~", "$HOME", "a\udcffb", "rule.py", "uniform", "tournament", "comparison", "page",
    "polished", "best-response:uniform", "current:match", "cmd:", "cmd:true", "a=b", "self",
)  # fmt: skip
OPTION_NUMBERS = (
    "", " ", "0", "1", "2", "-1", "-0", "+1", "1.5", "1e3", "0x10", "1_0", "\N{ARABIC-INDIC DIGIT THREE}", "nan",
    "inf", "-inf", "1e999", "1e-400", "5e-324", "1e308", "9" * 30, "9" * 5000, "1,5", "true", "none", "first", "last",
    "\x1b[1m",
)  # fmt: skip

texts = st.one_of(st.sampled_from(TEXTS), st.text(max_size=6))
finite = st.one_of(st.sampled_from(FINITE), st.integers(-5, 2000), st.floats(allow_nan=False, allow_infinity=False))
values = st.one_of(finite, st.sampled_from(NO_NUMBERS), texts, st.sampled_from(LARGE))


def like(value: Any) -> st.SearchStrategy[Any]:
    if isinstance(value, bool):
        return st.just(not value)
    if isinstance(value, int):
        near = value + 1, value - 1, 2 * value, -value, float(value), value + 0.5, str(value), value + 10**6
        return st.one_of(st.sampled_from(near), finite)
    if isinstance(value, float):
        near = value * (1 + 1e-9), value / 2, -value, 1 - value, value * 1e6, value * 1e-6, str(value), 1, -1
        return st.one_of(st.sampled_from(near), finite)
    if isinstance(value, str):
        near = value + " ", value.upper(), value[:-1], value + "\n", value * 2, "\x1b[31m" + value
        return st.one_of(st.sampled_from(near), texts)
    if isinstance(value, list) and value and all(isinstance(item, (int, float)) for item in value):
        length = st.just(len(value))
        return st.one_of(
            length.flatmap(lambda size: st.lists(finite, min_size=size, max_size=size)),
            finite.map(lambda number: [number] * len(value)),
            st.permutations(value),
            st.sampled_from((value[:-1], [*value, value[-1]], value[::-1])),
        )
    return values


KEYS = (
    "1", "5", "9", "w", "l", "t", "q", "h", "?", "u", "b", "go 0-0", "0-0 ww 5", "i 10", "s", "-", "", "\x1b", "é",
    "9" * 50,
)  # fmt: skip
typed = st.lists(st.one_of(st.sampled_from(KEYS), texts), max_size=6).map(lambda all: "".join(f"{x}\n" for x in all))
