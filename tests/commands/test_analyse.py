"""analyse: tables, JSON and CSV of matches and practice; known players; what cannot be judged."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of, text_of

PLAY, PRACTISE, ANALYSE = "play-multiround", "play-subgame", "analyse"


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory: somebody who marks the first free square against three opponents, one match not over."""
    folder = tmp_path_factory.mktemp("analyse")
    for seed, (opponent, name, typed) in enumerate(
        (("learner-10", "Bot", 60), ("perfect", "Bot", 60), ("uniform", "Uni", 60), ("perfect", "Bot", 1))
    ):
        moves = "\n".join("123456789" * typed) + ("\nq\n" if typed == 1 else "")
        options = ("--seed", seed, "--opponent", opponent, "--names", f"Ann,{name}", "--winning-score", 2)
        assert call(PLAY, *options, "--transcript", folder / f"{seed}.jsonl", typed=moves).code == 0
    return folder


@pytest.fixture(scope="module")
def practice(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("practice") / "practice.jsonl"
    options = ("--seed", 2, "--rounds", 3, "--transcript", file)
    assert call(PRACTISE, *options, typed="\n".join("123456789" * 20)).code == 0
    return file


def test_as_text(matches: Path) -> None:
    """Every player is there, the worst moves with positions that explore takes, none named twice."""
    told = text_of(ANALYSE, matches)
    assert told.startswith("4 transcripts: 4 matches; judged by shipped.\n\nMatches\nplayer ")
    for heading in ("cost/match", "cost/round", "result", "without goals", "The worst moves"):
        assert heading in told
    for row in (r"Ann +4 +3 +\d+ ", r"Bot +3 +2 +\d+ ", r"Uni +1 +1 +\d+ "):
        assert re.search(rf"^ *{row}", told, re.M), told
    positions = re.findall(r"\((\d-\d \S\S \S+)\)$", told, re.M)
    assert 3 < len(positions) == len(re.findall(r"^ *\d+\. ", told, re.M))
    assert json_of("explore", "--position", positions[0])["position"] == positions[0]
    costs = [float(cost) for cost in re.findall(r"^ *\d+\. (\d+\.\d\d) % of matches", told, re.M)]
    assert costs == sorted(costs, reverse=True)
    assert "The worst moves" not in text_of(ANALYSE, matches, "--worst", 0)


def test_as_json_and_as_a_table(matches: Path, tmp_path: Path) -> None:
    """The same figures everywhere, and what a result was made of adds up."""
    table = tmp_path / "moves.csv"
    found = json_of(ANALYSE, matches, "--csv", table, "--worst", 3)
    assert found["unit"] == "percentage points of matches won"
    assert found["solutions"] == {"three-in-a-row": "shipped"}
    assert (found["transcripts"], len(found["judged"]), len(found["worst"])) == (4, 4, 3)
    for judged in found["judged"]:
        assert sum(judged["terms"].values()) == pytest.approx(judged["result"], abs=1e-9)
        assert judged["winner"] is None or abs(judged["result"]) == 50.0
        assert judged["cost"][0] == pytest.approx(-judged["terms"]["own_mistakes"])
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    for name, games in found["matches"].items():
        own = [row for row in rows if row["player"] == name]
        assert games["moves"]["moves"] == len(own)
        assert games["moves"]["unpriced"] == sum(row["priced"] == "no" for row in own)
        assert games["moves"]["cost"] == pytest.approx(sum(float(row["cost"] or 0.0) for row in own))
        over = [judged for judged in found["judged"] if name in judged["names"] and judged["winner"]]
        assert games["cost"]["count"] == len(over) == games["over"]
        means = [games["terms"][part]["mean"] for part in found["judged"][0]["terms"]]
        assert sum(means) == pytest.approx(games["terms"]["result"]["mean"], abs=1e-9)
        assert games["won"] == sum(judged["winner"] == name for judged in over)
    worst = max(rows, key=lambda row: float(row["cost"] or 0.0))
    assert found["worst"][0]["cost"] == pytest.approx(float(worst["cost"]))
    assert found["worst"][0]["position"] == worst["position"]
    assert found["worst"][0]["where"] == f"{worst['file']}:{worst['line']}"


def test_one_file_with_all_matches_says_the_same(matches: Path, tmp_path: Path) -> None:
    together = tmp_path / "all.jsonl.gz"
    together.write_bytes(gzip.compress(b"".join(path.read_bytes() for path in sorted(matches.iterdir()))))
    apart, found = json_of(ANALYSE, matches), json_of(ANALYSE, together)
    assert found["matches"] == apart["matches"]
    assert [one["terms"] for one in found["judged"]] == [one["terms"] for one in apart["judged"]]
    assert json_of(ANALYSE, *sorted(matches.iterdir())) == apart


def test_a_player_that_is_known(matches: Path) -> None:
    """Each name once, and its luck is taken from the other ones' results: against a perfect player the mistakes are
    nearly all that is left."""
    found = json_of(ANALYSE, matches / "1.jsonl", "--known", "Bot=perfect")
    (judged,) = found["judged"]
    adjusted = found["matches"]["Ann"]["adjusted"]
    assert adjusted["count"] == 1
    assert adjusted["mean"] == pytest.approx(judged["adjusted"])
    assert judged["adjusted"] != pytest.approx(judged["result"])
    assert found["matches"]["Bot"]["adjusted"]["count"] == 0
    by_directory = json_of(ANALYSE, matches / "1.jsonl", "--known", "Bot=shipped")
    assert by_directory["judged"] == found["judged"]
    told = text_of(ANALYSE, matches, "--known", "Uni=uniform", "--known", "Bot=careless")
    assert "by moves" in told


def test_practice(practice: Path, matches: Path) -> None:
    """On its own, beside matches, and in points."""
    told = text_of(ANALYSE, practice)
    assert told.startswith("1 transcript: 3 rounds of practice; judged by shipped.\n\nPractice\nplayer  rounds")
    found = json_of(ANALYSE, practice, matches)
    assert (len(found["judged"]), found["practice"]["You"]["played"]) == (7, 3)
    for judged in found["judged"]:
        assert sum(judged["terms"].values()) == pytest.approx(judged["result"], abs=1e-9)
    in_points = json_of(ANALYSE, practice, "-s", "single_round")
    assert in_points["unit"] == "points"
    assert {abs(judged["result"]) for judged in in_points["judged"]} <= {0.0, 1.0}
    assert "in points" in text_of(ANALYSE, practice, "-s", "single_round")
    line = complaint(call(ANALYSE, matches / "0.jsonl", "-s", "single_round"), 1, ANALYSE)
    assert "cannot judge it: one subgame, which cannot judge a match; name another solution with -s" in line


def test_practice_from_a_position(tmp_path: Path) -> None:
    """Nobody has made the moves that were given, and no goals were dealt."""
    file = tmp_path / "practice.jsonl"
    options = ("--position", "4-3 w? 51", "--seed", 2, "--transcript", file)
    assert call(PRACTISE, *options, typed="\n".join("123456789" * 9)).code == 0
    table = tmp_path / "moves.csv"
    (judged,) = json_of(ANALYSE, file, "--csv", table)["judged"]
    assert judged["terms"]["goals"] == 0.0
    assert sum(judged["terms"].values()) == pytest.approx(judged["result"], abs=1e-9)
    assert next(csv.DictReader(table.read_text().splitlines()))["move"] == "3"


def test_matches_by_several_rules(matches: Path, tmp_path: Path) -> None:
    """Each by the solution for its rules; one that is named is for its own alone."""
    filled = tmp_path / "filled.jsonl"
    options = ("--seed", 3, "--winning-score", 1, "--rules", "filled", "--transcript", filled)
    assert call(PLAY, *options, typed="\n".join("123456789" * 30)).code == 0
    found = json_of(ANALYSE, filled, matches / "0.jsonl")
    assert found["solutions"] == {"filled": "filled", "three-in-a-row": "shipped"}
    line = complaint(call(ANALYSE, filled, "-s", "shipped"), 1, ANALYSE)
    assert "was played by the rules filled, but shipped is solved for three-in-a-row" in line
    line = complaint(call(ANALYSE, filled, "--known", "Bot=shipped"), 1, ANALYSE)
    assert line == f"{ANALYSE}: --known: shipped is solved for three-in-a-row, not for filled"


def test_names_that_look_like_markup(matches: Path, tmp_path: Path) -> None:
    lines = (matches / "0.jsonl").read_text().replace('"Ann"', '"[red]A[/x]"')
    (tmp_path / "match.jsonl").write_text(lines)
    assert "[red]A[/x]" in text_of(ANALYSE, tmp_path / "match.jsonl")


def test_damaged_ones_are_left_out_when_asked(matches: Path, tmp_path: Path) -> None:
    good = (matches / "0.jsonl").read_bytes()
    file = tmp_path / "all.jsonl"
    file.write_bytes(good + good.replace(b'"score": [0, 0]', b'"score": [0, 1]', 1) + good)
    (tmp_path / "broken.jsonl.gz").write_bytes(b"\x1f\x8b")
    number = len(good.splitlines()) + 2
    line = complaint(call(ANALYSE, file), 1, ANALYSE)
    assert line == f"{ANALYSE}: {file}: line {number}: score: [0, 1] where [0, 0] is right"
    result = call(ANALYSE, tmp_path, "--skip-damaged", "--json")
    assert result.code == 0
    assert [line.split(":")[0] for line in result.err.splitlines()] == ["left out", "left out"]
    found = json.loads(result.out)
    assert (found["transcripts"], found["left_out"]) == (2, 2)
    assert found["matches"]["Ann"]["played"] == 2
    assert "Left out: 2." in call(ANALYSE, tmp_path, "--skip-damaged").out


def test_a_damaged_solution_is_not_left_out(matches: Path, tmp_path: Path) -> None:
    """--skip-damaged is about transcripts: where it is the judge that is damaged, nothing has been judged."""
    (tmp_path / "solution.msgpack").write_bytes(b"damaged")
    for options in ((), ("--json",)):
        result = call(ANALYSE, matches, "-s", tmp_path, "--skip-damaged", *options)
        assert (result.code, result.out) == (1, "")
        assert f"{tmp_path / 'solution.msgpack'}: " in complaint(result, 1, ANALYSE)


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        ((), 2, "Missing argument 'FILES...'."),
        (("{matches}", "--known", "Cleo=perfect"), 2, "--known: nobody is called 'Cleo'; Ann, Bot, Uni play"),
        (("{matches}", "--known", "Bot=perfect", "--known", "Bot=uniform"), 2, "--known: the same name is given twice"),
        (("{matches}", "--known", "Bot=absent"), 1, "absent: there is no such directory"),
        (("{matches}/0.jsonl", "-s", "match_to_1"), 1, "cannot judge it: winning_score: 2 is not in 1 to 1"),
        (("{matches}/0.jsonl", "--known", "Bot=match_to_1"), 1, "winning_score: 2 is not in 1 to 1"),
        (("{matches}/2.jsonl", "--known", "Uni=perfect"), 1, "Uni does not play as was said: round "),
    ],
)
def test_mistakes(matches: Path, arguments: tuple[str, ...], code: int, expected: str) -> None:
    line = complaint(call(ANALYSE, *(word.format(matches=matches) for word in arguments)), code, ANALYSE)
    assert expected in line


def test_the_table_must_be_new_and_is_whole_or_not_there(matches: Path, tmp_path: Path) -> None:
    table = tmp_path / "moves.csv"
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_bytes((matches / "0.jsonl").read_bytes() + b"{}\n")
    complaint(call(ANALYSE, matches / "1.jsonl", damaged, "--csv", table), 1, ANALYSE)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["damaged.jsonl"]
    assert call(ANALYSE, matches / "1.jsonl", "--csv", table).code == 0
    assert "exists already" in complaint(call(ANALYSE, matches, "--csv", table), 2, ANALYSE)
