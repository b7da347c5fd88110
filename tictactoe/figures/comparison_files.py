"""The files of a comparison of algorithms and of an atlas of rules: records, tables and pictures."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..algorithms.convergence import as_csv
from ..algorithms.measured_run import Unit
from ..errors import FormatError, Remedy, StoreError
from ..games.rules import Outcome
from ..match.fairness import Bounded, fairest
from ..match.head_to_head import RoundPlay
from ..match.percentages import in_both_units, win_percentage
from ..solving.comparison_journal import ComparisonJournal
from ..solving.comparison_run import Compared, comparison_as_latex
from ..solving.rules_atlas import RulesFacts
from ..storage.locked_directory import locked
from ..storage.texts import csv_text, json_text, latex_table, picked
from .learning_figure import algorithms_figure
from .solution_figures import rules_figure
from .style import replace_together

if TYPE_CHECKING:
    from matplotlib.figure import Figure

JOURNAL_FILE = "comparison.unfinished"
"""The finished runs of an unfinished comparison."""
_OUR_FILES = re.compile(r"comparison\.(csv|json|tex)|comparison(_[0-9]+-[0-9]+)?\.(png|svg|pdf)")


@dataclass(frozen=True)
class ComparisonFiles:
    """The files of one comparison."""

    output: Path
    """The directory of the files."""
    units: Sequence[Unit]
    """The horizontal axes of the pictures; empty for no pictures."""
    for_paper: bool = False
    """Whether to write LaTeX tables and PDF pictures, too."""

    @contextlib.contextmanager
    def prepared(self, about: Mapping[str, Any], restart: bool) -> Iterator[ComparisonJournal]:
        """The journal of runs; the output directory is locked within the block.

        about: the description of the comparison.
        restart: whether to replace another comparison.

        Raises OSError, and StoreError for another comparison without `restart` or a name that cannot be a file's.
        """
        journal = ComparisonJournal(self.output / JOURNAL_FILE, about)
        with locked(self.output):
            may_replace = restart or journal.path.is_file()
            for path in self._there():
                if not may_replace:
                    raise StoreError(f"{self.output}: already contains a comparison", Remedy.REPLACE)
                if not path.is_file():
                    raise StoreError(f"{path}: not a regular file; choose another output directory")
            try:
                if not restart:
                    journal.read()
            except (StoreError, FormatError) as error:
                raise StoreError(str(error), Remedy.REPLACE) from error
            yield journal

    def _there(self) -> list[Path]:
        return [path for path in sorted(self.output.iterdir()) if _OUR_FILES.fullmatch(path.name)]

    def write(self, compared: Compared, record: dict[str, Any]) -> list[Path]:
        """Write the table, the record and the pictures, replace those of an earlier comparison, and return the files.

        Raises OSError and FormatError without changing anything.
        """
        games = [(each.columns, runs) for each, runs in compared]
        texts = {"comparison.csv": as_csv(games), "comparison.json": json_text(record, indent=2) + "\n"}
        if self.for_paper:
            texts["comparison.tex"] = comparison_as_latex(record)
        by_path = {self.output / name: text for name, text in texts.items()}
        return replace_together(by_path, self._pictures(compared), self._there())

    def _pictures(self, compared: Compared) -> Iterator[tuple[Path, Figure]]:
        for each, runs in compared:
            if runs and self.units:
                figure = algorithms_figure(runs, self.units, each.title, in_match_value=each.in_match_value)
                name = f"comparison_{each.name}" if len(compared) > 1 else "comparison"
                for suffix in ("png", "svg", *(["pdf"] if self.for_paper else [])):
                    yield self.output / f"{name}.{suffix}", figure


def atlas_as_dict(atlas: Sequence[RulesFacts]) -> dict[str, Any]:
    """The content of atlas.json."""
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
    match, sizes = facts.match, ("nodes=num_nodes", "decision_nodes=num_decision_nodes", "histories=num_histories")
    return {
        "rules": str(facts.rules),
        **picked(facts, "comes_with_the_program=shipped", *sizes),
        "single_round": vars(facts.single_round.value) | _play(facts.single_round.play),
        "match": {
            "favoured": match.start.favoured,
            **_wins(match.start),
            **in_both_units("exploitability", match.exploitability),
            "expected_rounds": match.play.rounds,
            **_play(match.play.overall),
        },
        "scores": [
            {"score": list(score), **vars(value), **_wins(value), **_play(match.play.scores[score])}
            for score, value in sorted(match.values.items())
        ],
    }


def _wins(value: Bounded) -> dict[str, float]:
    return {"first_mover_wins_percent": win_percentage(value.value)}


def _play(play: RoundPlay) -> dict[str, Any]:
    endings = {outcome.name.lower(): share for outcome, share in play.endings.items()}
    return {"results": play.results._asdict(), "endings": endings}


def atlas_as_csv(content: dict[str, Any]) -> str:
    """A row for the round on its own and one for the round at each score, as CSV."""
    rows = []
    for facts in content["rules"]:
        rounds = [("single", facts["single_round"])]
        rounds += [("{}-{}".format(*entry["score"]), entry) for entry in facts["scores"]]
        for score, entry in rounds:
            row = {"rules": facts["rules"], "score": score}
            row |= {name: entry[name] + 0.0 for name in ("value", "least", "most")}
            row |= {"first_mover_wins_percent": entry.get("first_mover_wins_percent", "")}
            for name in ("both", "first", "second", "neither"):
                row[f"{name}_score" if name == "both" else f"{name}_scores"] = entry["results"][name]
            names = [outcome.name.lower() for outcome in Outcome]
            rows.append(row | {f"ends_{name}": entry["endings"].get(name, "") for name in names})
    return csv_text(rows)


def atlas_as_latex(content: dict[str, Any]) -> str:
    """A table of the rules and one of all scores, in LaTeX."""
    of_match = ("first_mover_wins_percent", "expected_rounds")
    kinds = [
        (each["rules"], *(each["match"][name] for name in of_match), each["single_round"]["value"], each["histories"])
        for each in content["rules"]
    ]
    headings = ("rules", "first wins, %", "rounds", "one round", "sequences of moves")
    points = content["winning_score"]
    first = latex_table(
        headings, kinds, f"Matches to {points} from 0-0, and a round on its own, between perfect players."
    )
    scores = [["-".join(map(str, entry["score"]))] for entry in content["rules"][0]["scores"]]
    for facts in content["rules"]:
        for row, entry in zip(scores, facts["scores"], strict=True):
            row.append(entry["first_mover_wins_percent"])
    names = [facts["rules"] for facts in content["rules"]]
    return f"{first}\n{latex_table(('score', *names), scores, 'Matches that the first mover of the round wins, in %.')}"


def write_atlas(
    output: Path, atlas: Sequence[RulesFacts], *, picture: bool = True, for_paper: bool = False
) -> list[Path]:
    """Write atlas.json and atlas.csv, replace the files of an earlier atlas, and return the new ones.

    picture: whether to write atlas.png and atlas.svg, too.
    for_paper: whether to write atlas.tex and, with `picture`, atlas.pdf, too.

    Raises OSError and FormatError without changing anything.
    """
    content = atlas_as_dict(atlas)
    texts = {output / "atlas.csv": atlas_as_csv(content), output / "atlas.json": json_text(content, indent=2) + "\n"}
    pictures, paper = [output / "atlas.png", output / "atlas.svg"], [output / "atlas.tex", output / "atlas.pdf"]
    earlier = [*pictures, *paper]
    if for_paper:
        texts[paper[0]] = atlas_as_latex(content)
        pictures.append(paper[1])
    if not picture:
        return replace_together(texts, (), earlier)
    values = {str(f.rules): {score: found.value for score, found in f.match.values.items()} for f in atlas}
    figure = rules_figure(atlas[0].match.winning_score, values)
    return replace_together(texts, ((path, figure) for path in pictures), earlier)
