"""A line of values over time, drawn with characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_MOST_STRETCHED = 4  # columns of one value, at most
_LABEL_WIDTH = 7


def columns_of(count: int, width: int) -> list[int]:
    """For each of `count` values the column where it ends, for a line that has `width` columns at most.

    Few values take several columns each, and of too many values several share one.

    >>> columns_of(3, 30), columns_of(5, 3)
    ([3, 7, 11], [0, 0, 1, 1, 2])
    """
    if count <= width:
        each = min(width // max(count, 1), _MOST_STRETCHED)
        return [each * (number + 1) - 1 for number in range(count)]
    return [number * width // count for number in range(count)]


def line_chart(values: Sequence[float], limits: tuple[float, float], width: int, labels: Sequence[str]) -> list[str]:
    """A line for each label, the highest first: the label, and its part of the drawing. The labels stand at even
    distances from the upper to the lower limit; an empty one makes a line without a label.

    >>> for line in line_chart([0.5, 0.5, 1.0, 0.0], (0.0, 1.0), 8, ["100 %", "50 %", "0 %"]):
    ...     print(line)
      100 %     .-.
       50 % ----' |
        0 %       '-
    """
    ends, height, (low, high) = columns_of(len(values), width), len(labels), limits
    levels: list[int] = []
    for value, end in zip(values, ends, strict=True):
        share = min(max((value - low) / (high - low), 0.0), 1.0)
        level = round((1.0 - share) * (height - 1))
        levels += [level] * (end + 1 - len(levels))
        levels[end] = level
    rows = [[" "] * len(levels) for _ in labels]
    for column, level in enumerate(levels):
        before = levels[max(column - 1, 0)]
        rows[level][column] = "-" if level == before else "." if level < before else "'"
        if level != before:
            rows[before][column] = "'" if level < before else "."
        for between in range(min(level, before) + 1, max(level, before)):
            rows[between][column] = "|"
    return [f"{label:>{_LABEL_WIDTH}} {''.join(row)}".rstrip() for label, row in zip(labels, rows, strict=True)]


def labels_below(texts: Mapping[int, str], title: str = "") -> str:
    """A line below a chart. texts: by column; a text without room after the earlier ones is left out.

    >>> labels_below({0: "1", 5: "2", 6: "12"}, "round")
    '  round 1    2'
    """
    line = ""
    for column in sorted(texts):
        if column == 0 or len(line) < column:
            line = line.ljust(column) + texts[column]
    return f"{title:>{_LABEL_WIDTH}} {line}"
