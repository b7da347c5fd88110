"""The atlas of rules as tables and sentences, as JSON, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tictactoe.match.percentages import percentage_points, win_percentage
from tictactoe.number_text import rounded_up

from ..program import say
from .report import print_table

if TYPE_CHECKING:
    from tictactoe.games.rules import Outcome, Rules
    from tictactoe.match.fairness import Bounded
    from tictactoe.match.self_play import RoundPlay
    from tictactoe.solving.rules_atlas import RulesFacts

ROUND_ON_ITS_OWN = "single"
"""The round on its own, in the column of scores."""


def as_dict(atlas: Sequence[RulesFacts]) -> dict[str, Any]:
    """The JSON of --json and of atlas.json."""
    from tictactoe.match.fairness import fairest

    return {
        "winning_score": atlas[0].match.winning_score,
        "goal_odds": list(atlas[0].rules.goal_odds),
        "rules": [_entry(facts) for facts in atlas],
        "fairest": {
            "match": [str(rules) for rules in fairest((facts.rules, facts.match.start) for facts in atlas)],
            "single_round": [str(rules) for rules in fairest((f.rules, f.single_round.value) for f in atlas)],
        },
    }


def _entry(facts: RulesFacts) -> dict[str, Any]:
    match = facts.match
    return {
        "rules": str(facts.rules),
        "comes_with_the_program": facts.shipped,
        "nodes": facts.num_nodes,
        "decision_nodes": facts.num_decision_nodes,
        "histories": facts.num_histories,
        "single_round": {**vars(facts.single_round.value), **_play(facts.single_round.play)},
        "match": {
            "favoured": match.start.favoured,
            "first_mover_wins_percent": win_percentage(match.start.value),
            "exploitability": match.exploitability,
            "exploitability_percentage_points": percentage_points(match.exploitability),
            "expected_rounds": match.play.rounds,
            **_play(match.play.overall),
        },
        "scores": [
            {
                "score": list(score),
                **vars(value),
                "first_mover_wins_percent": win_percentage(value.value),
                **_play(match.play.scores[score]),
            }
            for score, value in sorted(match.values.items())
        ],
    }


def _play(play: RoundPlay) -> dict[str, Any]:
    endings = {outcome.name.lower(): share for outcome, share in play.endings.items()}
    return {"results": play.results._asdict(), "endings": endings}


def as_csv(content: dict[str, Any]) -> str:
    """A row for the round on its own and for the round at each score. content: the result of `as_dict`."""
    from tictactoe.games.rules import Outcome

    results, endings = ("both", "first", "second", "neither"), [outcome.name.lower() for outcome in Outcome]
    names = ["rules", "score", "value", "least", "most", "first_mover_wins_percent"]
    names += [f"{name}_scores" if name != "both" else "both_score" for name in results]
    names += [f"ends_{name}" for name in endings]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for facts in content["rules"]:
        rounds = [{"score": ROUND_ON_ITS_OWN, **facts["single_round"]}]
        rounds += [{**entry, "score": "{}-{}".format(*entry["score"])} for entry in facts["scores"]]
        for entry in rounds:
            row = [facts["rules"], entry["score"], *(entry[name] + 0.0 for name in ("value", "least", "most"))]
            row += [entry.get("first_mover_wins_percent", ""), *(entry["results"][name] for name in results)]
            writer.writerow([*row, *(entry["endings"].get(name, "") for name in endings)])
    return text.getvalue()


def print_atlas(atlas: Sequence[RulesFacts]) -> None:
    """Print all tables and conclusions."""
    points = atlas[0].match.winning_score
    for facts in atlas:
        say(f"{facts.rules.name}: {facts.rules.of_round.text}", indent="  ")
    if not atlas[0].rules.has_even_odds:
        say(f"Goals are drawn win:lose:tie as {atlas[0].rules.odds_text}.")
    print()
    _print_who_is_favoured(atlas, points)
    print()
    _print_who_scores(atlas)
    print()
    _print_how_rounds_end(atlas)
    print()
    _print_all_scores(atlas, points)
    print()
    _print_sizes(atlas)
    print()
    for line in _conclusions(atlas, points):
        say(line)


def _print_who_is_favoured(atlas: Sequence[RulesFacts], points: int) -> None:
    rows = [
        (
            facts.rules.name,
            f"{win_percentage(facts.match.start.value):.3f} %",
            _favoured(facts.match.start),
            f"{percentage_points(abs(facts.match.start.value)):.3f} %",
            f"{facts.single_round.value.value:+z.6f}",
            f"{facts.match.play.rounds:.2f}",
            f"{_tiny(percentage_points(facts.match.exploitability))} %",
        )
        for facts in atlas
    ]
    headings = ("rules", "first wins", "favoured", "by", "one round", "rounds", "off by")
    explanation = (
        f"Between perfect players. first wins: matches to {points} won by whoever moves first in the first round. "
        "favoured: unknown where off by is too large to tell. by: so many more than half of the matches does the "
        "favoured player win. one round: points that moving first gains in a round on its own, on average. rounds: of "
        "a match, on average. off by: the most that first wins can be wrong by."
    )
    print_table(headings, rows, explanation, ("off by", "rounds"))


def _print_sizes(atlas: Sequence[RulesFacts]) -> None:
    rows = [
        (facts.rules.name, f"{facts.num_histories:,}", f"{facts.num_nodes:,}", f"{facts.num_decision_nodes:,}")
        for facts in atlas
    ]
    explanation = (
        "Sequences of moves that a round can begin with. all: of any kind; solved: without those that only mirror or "
        "turn the board of others, and no longer than until it is certain how the round ends; to move: of these, those "
        "after which somebody has to choose a move."
    )
    print_table(("rules", "all", "solved", "to move"), rows, explanation)


def _places(facts: RulesFacts, *scores: tuple[int, int]) -> Iterable[tuple[str, RoundPlay]]:
    """Names and play of rounds, for tables: on its own, at the given scores, and in a match (all its rounds)."""
    from tictactoe.match.scores import Score

    yield "on its own", facts.single_round.play
    for score in dict.fromkeys(scores):
        yield f"at {score[0]}-{score[1]}", facts.match.play.scores[Score(*score)]
    yield "in a match", facts.match.play.overall


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _tiny(number: float) -> str:
    """A small upper bound with one digit, rounded up, or 0."""
    return rounded_up(number, 1) if number > 0.0 else "0"


def _print_who_scores(atlas: Sequence[RulesFacts]) -> None:
    last = atlas[0].match.winning_score - 1
    found = [(facts.rules.name, dict(_places(facts, (0, 0), (last, last)))) for facts in atlas]
    rows = [(where, name, *map(_percent, by[where].results)) for where in found[0][1] for name, by in found]
    explanation = (
        "Who scores, in % of rounds between perfect players: both, only who moves first, only the second, neither. "
        "in a match: of all its rounds. There is more than one way to play perfectly, to the same values; this is how "
        "often the players found here score."
    )
    print_table(("round", "rules", "both", "first", "second", "neither"), rows, explanation)


def _print_how_rounds_end(atlas: Sequence[RulesFacts]) -> None:
    from tictactoe.games.rules import Outcome

    def share(play: RoundPlay, outcome: Outcome) -> str:
        return _percent(play.endings[outcome]) if outcome in play.endings else "-"

    found = [(facts.rules, dict(_places(facts))) for facts in atlas]
    rows = [(at, rules.name, *(share(by[at], end) for end in Outcome)) for at in found[0][1] for rules, by in found]
    explanation = (
        "How rounds between perfect players end: X, who moves first, alone has a row; O alone has one; a tie; both "
        "have one (-: the rules know no such end, or call it a tie)."
    )
    print_table(("round", "rules", "X row", "O row", "tie", "both"), rows, explanation)


def _print_all_scores(atlas: Sequence[RulesFacts], points: int) -> None:
    rows = [
        (str(score), *(f"{win_percentage(facts.match.values[score].value):.3f}" for facts in atlas))
        for score in sorted(atlas[0].match.values, reverse=True)
    ]
    explanation = (
        "score: points of the player who moves first, then of the other. Below each rule: of the matches to "
        f"{points} that get there, how many the player who moves first wins, in %."
    )
    print_table(("score", *(facts.rules.name for facts in atlas)), rows, explanation)


def _conclusions(atlas: Sequence[RulesFacts], points: int) -> Iterable[str]:
    from tictactoe.match.fairness import fairest

    off = max(value.most - value.least for facts in atlas for value in facts.match.values.values())
    off_alone = max(facts.single_round.value.most - facts.single_round.value.least for facts in atlas)
    yield (
        f"The values of all scores are certain to {_tiny(off)} in match value (-1 to 1), "
        f"{_tiny(percentage_points(off))} % of matches, those of a round on its own to {_tiny(off_alone)} points."
    )
    if len(atlas) == 1:
        return
    matches = [(facts.rules, facts.match.start) for facts in atlas]
    rounds = [(facts.rules, facts.single_round.value) for facts in atlas]
    for where, values, who in ((f"match to {points}", matches, _who_wins), ("round on its own", rounds, _who_gains)):
        fair = fairest(values)
        value = dict(values)[fair[0]]
        told = _favoured(value) != _UNKNOWN and (len(fair) == 1 or value.most - value.least <= _EVEN_VALUE)
        what = f"{_named(fair)}; {who(value)}" if told else f"cannot be told; {_MORE_EXACTLY}"
        yield f"Fairest in a {where}: {what}."


_EVEN_VALUE = 1e-4
"""A value is called even if it surely lies this close to 0. Several rules are called equally fair only if the values of
the fairest are certain to this precision."""
_UNKNOWN = "unknown"
_MORE_EXACTLY = "solve more exactly, with --polish or a smaller --maximum-subgame-exploitability"


def _favoured(value: Bounded) -> str:
    return value.favoured or ("neither" if value.advantage[1] <= _EVEN_VALUE else _UNKNOWN)


def _named(fair: Sequence[Rules]) -> str:
    return " and ".join(rules.name for rules in fair) + (", as fair as each other" if len(fair) > 1 else "")


def _who_wins(start: Bounded) -> str:
    if start.favoured is None:
        return "whoever moves first in the first round wins half of the matches"
    return f"whoever moves {start.favoured} in the first round wins {win_percentage(abs(start.value)):.3f} % of matches"


def _who_gains(value: Bounded) -> str:
    if value.favoured is None:
        return "moving first is worth as much as moving second"
    return f"moving {value.favoured} gains {abs(value.value):.6f} points on average"
