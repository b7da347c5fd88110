"""review of many matches: JSON and CSV, known players, damaged files, the history. consoles/review_many.txt shows
tables."""

import csv
import gzip
import json
from pathlib import Path

import pytest
from support.programs import call, complaint, json_of, text_of

PLAY, REVIEW = "play-multiround", "review"


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Somebody who marks the first free square against three opponents; one match is not over."""
    folder = tmp_path_factory.mktemp("matches")
    for seed, (opponent, name, typed) in enumerate(
        (("learner-10", "Bot", 60), ("perfect", "Bot", 60), ("uniform", "Uni", 60), ("perfect", "Bot", 1))
    ):
        moves = "\n".join("123456789" * typed) + ("\nq\n" if typed == 1 else "")
        options = ("--seed", seed, "--opponent", opponent, "--names", f"Ann,{name}", "--winning-score", 1)
        assert call(PLAY, *options, "--transcript", folder / f"{seed}.jsonl", typed=moves).code == 0
    return folder


def test_as_json_and_as_a_table(matches: Path, tmp_path: Path) -> None:
    table = tmp_path / "moves.csv"
    report = json_of(REVIEW, matches, "-o", table, "--worst", 1)
    assert report["unit"] == "points of winning chance"
    assert report["solutions"] == {"three-in-a-row": "shipped"}
    assert (report["transcripts"], len(report["judged"]), len(report["worst"])) == (4, 4, 1)
    for judged in report["judged"]:
        assert sum(judged["terms"].values()) == pytest.approx(judged["result"], abs=1e-9)
        assert judged["winner"] is None or abs(judged["result"]) == 50.0
        assert judged["cost"][0] == pytest.approx(-judged["terms"]["own_mistakes"])
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    for name, games in report["matches"].items():
        own = [row for row in rows if row["player"] == name]
        assert games["moves"]["moves"] == len(own)
        assert games["moves"]["cost"] == pytest.approx(sum(float(row["cost"]) for row in own))
        over = [judged for judged in report["judged"] if name in judged["names"] and judged["winner"]]
        assert games["cost"]["count"] == len(over) == games["over"]
        means = [games["terms"][part]["mean"] for part in report["judged"][0]["terms"]]
        assert sum(means) == pytest.approx(games["terms"]["result"]["mean"], abs=1e-9)
        assert games["won"] == sum(judged["winner"] == name for judged in over)
    worst = max(rows, key=lambda row: float(row["cost"]))
    assert report["worst"][0]["cost"] == pytest.approx(float(worst["cost"]))
    assert report["worst"][0]["position"] == worst["position"]
    assert report["worst"][0]["where"] == f"{worst['file']}:{worst['line']}"


def test_a_player_that_is_known(matches: Path) -> None:
    report = json_of(REVIEW, matches / "1.jsonl", "--known", "Bot=perfect")
    (judged,) = report["judged"]
    adjusted = report["matches"]["Ann"]["adjusted"]
    assert adjusted["count"] == 1
    assert adjusted["mean"] == pytest.approx(judged["adjusted"])
    assert judged["adjusted"] != pytest.approx(judged["result"])
    assert report["matches"]["Bot"]["adjusted"]["count"] == 0
    assert json_of(REVIEW, matches / "1.jsonl", "--known", "Bot=shipped")["judged"] == report["judged"]


def test_one_file_with_all_matches_whose_names_look_like_markup(matches: Path, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl.gz"
    together = b"".join(path.read_bytes() for path in sorted(matches.iterdir()))
    file.write_bytes(gzip.compress(together.replace(b'"Ann"', b'"[red]A[/x]"')))
    apart, judged = json_of(REVIEW, matches), json_of(REVIEW, file)
    assert judged["matches"]["[red]A[/x]"] == apart["matches"]["Ann"]
    assert [one["terms"] for one in judged["judged"]] == [one["terms"] for one in apart["judged"]]
    assert "[red]A[/x]" in text_of(REVIEW, file)
    assert json_of(REVIEW, *sorted(matches.iterdir())) == apart


def test_damaged_ones_are_left_out_and_named(matches: Path, tmp_path: Path) -> None:
    good = (matches / "0.jsonl").read_bytes()
    file = tmp_path / "all.jsonl"
    damaged = good.replace(b'"score": [0, 0]', b'"score": [0, 1]', 1)
    file.write_bytes(damaged)
    (tmp_path / "broken.jsonl.gz").write_bytes(b"\x1f\x8b")
    line = complaint(call(REVIEW, file, "-o", tmp_path / "moves.csv"), 1, REVIEW)
    assert line == f"tictactoe review: {file}: line 2: score: [0, 1] should be [0, 0]"
    nothing = call(REVIEW, tmp_path, "-o", tmp_path / "moves.csv")
    assert (nothing.code, nothing.out, nothing.err.count("left out: ")) == (1, "", 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.jsonl", "broken.jsonl.gz"]
    file.write_bytes(good + damaged + good)
    (tmp_path / "empty.jsonl").touch()
    result = call(REVIEW, tmp_path, "--json")
    assert result.code == 1
    number = len(good.splitlines()) + 2
    lines = result.err.splitlines()
    assert lines[0] == f"left out: {file}: line {number}: score: [0, 1] should be [0, 0]"
    assert lines[2] == f"left out: {tmp_path / 'empty.jsonl'}: not a transcript: the file is empty"
    report = json.loads(result.out)
    assert (report["transcripts"], report["left_out"]) == (2, 3)
    assert report["matches"]["Ann"]["played"] == 2
    skipped = call(REVIEW, tmp_path, "--skip-damaged")
    assert (skipped.code, "Left out: 3." in skipped.out) == (0, True)
