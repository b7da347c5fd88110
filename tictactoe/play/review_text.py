"""A review in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..match.percentages import percentage_points
from ..number_text import counted, decimal_text, signed_text, unbroken
from .match_review import MARKS, MARKS_IN_POINTS, MatchReview, ReviewedRound, mark_of
from .move_costs import Mistake
from .round_text import Speaker

CHART_WIDTH = 52
"""The width of the drawn line in columns. With its labels, it fits into 60."""

NO_MISTAKES = "You made no mistakes."
_LABELS = ("100 %", "", "", "50 %", "", "", "0 %")
_POINT_LABELS = ("+1", "", "", "0", "", "", "-1")


def of_a_round(speaker: Speaker, mistakes: Sequence[Mistake]) -> list[str]:
    """Lines about the mistakes of a round, beside its final board."""
    if not mistakes:
        return [NO_MISTAKES]
    told = (f"{number}. {in_words(speaker, one, short=number > 1)}" for number, one in enumerate(mistakes, 1))
    return [_heading(speaker, mistakes), *told]


def _heading(speaker: Speaker, mistakes: Sequence[Mistake]) -> str:
    return f"{_capital(speaker.whose)} {'mistakes, worst first' if len(mistakes) > 1 else 'mistake'}:"


def in_words(speaker: Speaker, mistake: Mistake, where: str = "", *, short: bool = False, answers: bool = True) -> str:
    """A mistake in words, with its mark.

    where: the round, if it must be named.
    short: whether the unit of the cost is already known.
    answers: whether to say what was better.
    """
    move = mistake.move
    sentences = (
        f"{f'{where}, move' if where else 'Move'} {move.number}: {speaker.who} marked {speaker.digit(move.square)}.",
        f"This cost {speaker.who} {speaker.cost(move.cost)}{'' if short else _of_what(speaker)}.",
        better(speaker, mistake) if answers else "",
        reason(speaker, mistake),
    )
    return " ".join([mark_of(move.cost, speaker.in_points), *filter(None, sentences)])


def once_more(speaker: Speaker, mistakes: Sequence[Mistake]) -> list[str]:
    """Lines about the move that replaces a mistake. mistakes: that move, if it is a mistake, too."""
    return [in_words(speaker, mistakes[0]) if mistakes else "That costs nothing: well played."]


def better(speaker: Speaker, mistake: Mistake) -> str:
    """A sentence such as "Square 8 was better"."""
    best, owner = mistake.move.best, "your" if speaker.who == "you" else "a"
    many = len(best) > 1
    was, each = ("were", "each") if many else ("was", "it")
    if mistake.move.missed_row:
        was = f"{was} better: {each} completes {owner} row"
    elif mistake.move.betrays and not reason(speaker, mistake):
        was = f"{was} safer: {each} tells less about {speaker.whose} goal"
    else:
        was = f"{was} better"
    return f"Square{'s' * many} {speaker.either(best)} {was}."


def reason(speaker: Speaker, mistake: Mistake) -> str:
    """A sentence such as "Square 6 completes your row, no point for you."; "" if there is no short reason."""
    said = speaker.reason(mistake.move.advice, mistake.goal, mistake.move.square)
    subject = "Then" if said.startswith(f"{speaker.who} could") else f"Square {speaker.digit(mistake.move.square)}"
    return f"{subject} {said}." if said else ""


def mistakes_told(
    speaker: Speaker, mistakes: Sequence[Mistake], most: int | None = None, *, answers: bool = True
) -> list[str]:
    """Lines about all mistakes of a player, worst first.

    most: the number of mistakes that have a line of their own.
    answers: whether to say what was better.
    """
    if not mistakes:
        return [NO_MISTAKES if speaker.who == "you" else f"{speaker.who} made no mistakes."]
    lines = [_heading(speaker, mistakes)]
    for number, mistake in enumerate(mistakes[:most], 1):
        told = in_words(speaker, mistake, f"Round {mistake.played.number}", short=number > 1, answers=answers)
        lines.append(f"{number:>2}. {told} ({unbroken(speaker.position(mistake.position))})")
    if more := mistakes[0].position.score.first - mistakes[0].played.score.first:
        points = counted(more, "point")
        lines.append(f"(The positions are from a longer match, with {points} more for both; the chances are the same.)")
    if rest := () if most is None else mistakes[most:]:
        lines.append(f"    {counted(len(rest), 'more mistake')}: {kinds(rest, speaker.in_points)}.")
    return lines


def kinds(mistakes: Sequence[Mistake], in_points: bool) -> str:
    """The numbers of mistakes by kind, the worst first, such as "1 ??, 3 ?!"."""
    found = Counter(mark_of(mistake.move.cost, in_points) for mistake in mistakes)
    return ", ".join(f"{found[mark]} {mark}" for mark, _ in MARKS if found[mark])


def accuracy_told(review: MatchReview) -> str:
    """A line about the accuracy and the numbers of mistakes."""
    if review.accuracy is None:
        return "Accuracy: no move made a difference."
    counts = kinds(review.mistakes, review.in_points)
    return f"Accuracy {review.accuracy:.0f} of 100; mistakes: {counts or 'none'}."


def rounds_told(speaker: Speaker, review: MatchReview, names: tuple[str, str]) -> list[str]:
    """Lines about the rounds: both goals, the marked moves and who scored."""
    starts = []
    for played in (one.played for one in review.rounds):
        goals = (f"{names[player]} {played.goals[player].name}" for player in (played.first, 1 - played.first))
        starts.append(f"{played.number:>2}. {', '.join(goals)}:")
    width = max(map(len, starts), default=0)
    moves = (_moves(speaker, one, names) for one in review.rounds)
    return [thresholds(speaker), *(f"{start:<{width}}  {told}" for start, told in zip(starts, moves, strict=True))]


def thresholds(speaker: Speaker) -> str:
    """Sentences that explain the marks."""
    (worst, very_bad), (bad, middle), (doubtful, _) = MARKS_IN_POINTS if speaker.in_points else MARKS
    some, much = (unbroken(f"{least:g} points") for least in (middle, very_bad))
    least = f"{doubtful} costs less than {some}{_of_what(speaker)}"
    more = f"{bad} {some} or more, {worst} {much} or more"
    return f"The player who moves first is named first. Mistakes are marked: {least}, {more}."


def _moves(speaker: Speaker, one: ReviewedRound, names: tuple[str, str]) -> str:
    moves = enumerate(one.played.cursor.moves, 1)
    marks = " ".join(f"{speaker.digit(square)}{one.marks.get(number, '')}" for number, square in moves)
    scored = [name for name, has in zip(names, one.played.scored, strict=True) if has]
    return f"{marks}; {'both' if len(scored) == 2 else scored[0] if scored else 'nobody'} scored"


def chances(speaker: Speaker, review: MatchReview, *, low: bool = False) -> list[str]:
    """A heading, and a chart of the player's chances after each move, 60 columns wide.

    low: five lines high in place of seven.
    """
    numbers = {(id(one.played), one.move.number): number for number, one in enumerate(review.mistakes, 1)}
    ends = columns_of(sum(len(one.values) for one in review.rounds), CHART_WIDTH)
    columns, values, rounds, mistakes = iter(ends), [], {}, {}
    before = -1
    for one in review.rounds:
        rounds[before + 1] = str(one.played.number)
        for number, value in enumerate(one.values, one.given):
            before = next(columns)
            values.append(value)
            if (id(one.played), number) in numbers:
                mistakes[before] = str(numbers[id(one.played), number])
    what = "points, minus the opponent's," if review.in_points else "chance to win the match"
    labels = _POINT_LABELS if review.in_points else _LABELS
    return [
        f"{_capital(speaker.whose)} {what} after each move, for the real goals:",
        *line_chart(values, (-1.0, 1.0), CHART_WIDTH, [*labels[:2], *labels[3:4], *labels[5:]] if low else labels),
        labels_below(rounds, "round"),
        *([labels_below(mistakes, "mistake")] if mistakes else []),
    ]


def luck_and_skill(speaker: Speaker, review: MatchReview) -> list[str]:
    """Lines about the start and the end, luck and skill. The figures add up."""
    in_points, base = review.in_points, 0.0 if review.in_points else 50.0
    digits = 4 if in_points else 2

    def rounded(value: float) -> float:
        return round(value if in_points else percentage_points(value), digits)

    def signed(value: float, of_what: str = "") -> str:
        return unbroken(f"{signed_text(value, digits)} points") + of_what

    start, result = base + rounded(review.start), base + rounded(review.result)
    own, others = rounded(review.own_skill), rounded(review.other_skill)
    unit = "points" if in_points else "%"
    began, ended = (unbroken(f"{decimal_text(value, digits)} {unit}") for value in (start, result))
    mean = "On average over the rounds " if review.num_judged > 1 else ""
    whose, theirs = speaker.whose, f"{speaker.opponent}'s" if speaker.opponent != "you" else "your"
    luck = signed(result - start - own - others, _of_what(speaker))
    what = "and what a player could not know"
    skill = f"{whose} mistakes {signed(own)}, {theirs}{'s' * (theirs == 'your')} {signed(others)}"
    if review.is_fixed:
        what, skill = f"{what[4:]}, and how {speaker.opponent} moved", f"{whose} mistakes; {theirs} play is fixed"
    return [
        f"{_capital(f'{mean}{speaker.who}')} began with {began} and ended with {ended}. This is how:",
        f"Luck  {luck}: the goals that were dealt, {what}.",
        f"Skill {signed(own + others)}: {skill}.",
    ]


def _of_what(speaker: Speaker) -> str:
    return "" if speaker.in_points else " of winning chance"


def _capital(text: str) -> str:
    return f"Y{text[1:]}" if text in ("you", "your") else text


_MOST_STRETCHED = 4  # columns of one value, at most
_LABEL_WIDTH = 7


def columns_of(count: int, width: int) -> list[int]:
    """The last column of each of `count` values, in at most `width` columns.

    >>> columns_of(3, 30), columns_of(5, 3)
    ([3, 7, 11], [0, 0, 1, 1, 2])
    """
    if count <= width:
        each = min(width // max(count, 1), _MOST_STRETCHED)
        return [each * (number + 1) - 1 for number in range(count)]
    return [number * width // count for number in range(count)]


def line_chart(values: Sequence[float], limits: tuple[float, float], width: int, labels: Sequence[str]) -> list[str]:
    """A line for each label, highest first, with the label and its part of the drawing.

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
    """A line below a chart. texts: by column; a text that does not fit is left out.

    >>> labels_below({0: "1", 5: "2", 6: "12"}, "round")
    '  round 1    2'
    """
    line = ""
    for column in sorted(texts):
        if column == 0 or len(line) < column:
            line = line.ljust(column) + texts[column]
    return f"{title:>{_LABEL_WIDTH}} {line}"
