"""compare-algorithms: files, JSON, runs that go on, own algorithms. The console compare.txt has usage errors and
words."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.contract import full_disk
from support.pictures import made_up_run, save_nothing
from support.programs import call, called, complaint, contents, json_of

import tictactoe
from tictactoe import ALGORITHMS, SINGLE_ROUND, Interrupted, summarize
from tictactoe.algorithms import convergence
from tictactoe.algorithms.measured_run import Measurement, Run
from tictactoe.figures import style

COMPARE = "compare-algorithms"
QUICK = ("--budget", "10", "--algorithm", "pdcfr+,dcfr")
SHORTEST = ("--budget", "2", "--algorithm", "pdcfr+")
RULE = """
from tictactoe import register_rule

def fill(table, parameters):
    {line}

register_rule("{name}", fill, {{"share": 0.5}})
"""
TABLES, PICTURES = ["comparison.csv", "comparison.json"], ["comparison.png", "comparison.svg"]


def read_csv(path: Path) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def labels(judged: Any) -> list[str]:
    """Of the first round."""
    return [entry["label"] for entry in judged["rounds"][0]["algorithms"]]


def test_table_files_and_json(tmp_path: Path) -> None:
    items = (
        "--algorithm",
        "dcfr, slow=dcfr(discount_alpha=1, simultaneous)",
        "--algorithm",
        "dcfr(discount_alpha=1.5),cfr",
    )
    words = ("--budget", "10", *items)
    result = call(COMPARE, "-o", tmp_path / "a", *words, "--against", "nodes")
    assert result.code == 0, result
    assert sorted(contents(tmp_path / "a")) == [*TABLES, *PICTURES]
    picture = (tmp_path / "a" / "comparison.svg").read_text()
    assert all(f"<!-- {name} -->" in picture for name in ("dcfr", "slow", "cfr"))
    judged = json_of(COMPARE, "-o", tmp_path / "b", *words, "--no-plot")
    assert sorted(contents(tmp_path / "b")) == TABLES == [Path(name).name for name in judged.pop("files")]
    (found,) = judged["rounds"]
    assert (found["score"], judged["winning_score"], judged["overall"]) == (None, None, [])
    assert found["outcome_values"] == SINGLE_ROUND._asdict()
    assert (judged["version"], judged["rules"]) == (tictactoe.__version__, "three-in-a-row")
    for line, entry in zip(result.out.splitlines()[1:4], found["algorithms"], strict=True):
        label, runs, iterations, *_, average, current = line.split()
        shown = [f"{entry[f'{name}_exploitability']['median']:.2e}" for name in ("average", "current")]
        assert (label, runs, iterations, average, current) == (entry["label"], "1", "10", *shown)
    rows = read_csv(tmp_path / "b" / "comparison.csv")
    slow = "dcfr(discount_alpha=1, simultaneous)"
    named = dict.fromkeys((row["label"], row["algorithm"], row["rules"], row["score"]) for row in rows)
    assert [(*words, "three-in-a-row", "") for words in (("dcfr", "dcfr"), ("slow", slow), ("cfr", "cfr"))] == [*named]
    flat = [(each["label"], m["iteration"]) for each in found.pop("runs") for m in each["measurements"]]
    assert [(row["label"], int(row["iteration"])) for row in rows] == flat
    assert {float(rows[-1]["average_exploitability"])} == {*found["algorithms"][-1]["average_exploitability"].values()}
    assert json.loads((tmp_path / "b" / "comparison.json").read_text()) == judged, "all but the runs, which are in CSV"
    assert [entry["parameters"].get("discount_alpha") for entry in found["algorithms"]] == [1.5, 1.0, None]
    assert judged["computed_with"]["source"].startswith(f"{tictactoe.__version__}+")
    repeatable = [[row | {"seconds": ""} for row in read_csv(tmp_path / name / "comparison.csv")] for name in "ab"]
    assert repeatable[0] == repeatable[1]


def test_all_algorithms_by_default_and_named_ones_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert labels(json_of(COMPARE, "--budget", "2", "--no-plot", "--seeds", 1)) == list(ALGORITHMS)
    assert sorted(contents(tmp_path)) == ["comparison", *(f"comparison/{name}" for name in TABLES)]
    named = ("--algorithm", "cfr", "--algorithms", "dcfr, cfr")
    assert labels(json_of(COMPARE, "--budget", "1", "--no-plot", *named, "-o", "other")) == ["cfr", "dcfr"]


def test_several_scores_and_perturbations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "save_figure", save_nothing)
    scores = ("--score", "0-0", "--score", "1-0", "--values-from", "shipped")
    runs = ("--algorithm", "pdcfr+,es-mccfr", "--budget", "2", "--perturbations", 2, "--jobs", 2)
    result = call(COMPARE, "-o", tmp_path, *scores, *runs, "--against", "histories")
    assert result.code == 0, result
    assert "1-0, es-mccfr, seed 1, perturbation 1 (8 of 8)" in result.err
    assert ", about 0:0" in result.err.splitlines()[0]
    assert all("match value" in line and "points)" in line for line in result.err.splitlines()[1:])
    pictures = {f"comparison_{score}.{kind}" for score in ("0-0", "1-0") for kind in ("png", "svg")}
    assert set(contents(tmp_path)) == {*TABLES, *pictures}
    keys = ("score", "label", "seed", "perturbation")
    found = dict.fromkeys(tuple(row[key] for key in keys) for row in read_csv(tmp_path / "comparison.csv"))
    expected = [("pdcfr+", "", "0"), ("pdcfr+", "", "1"), ("es-mccfr", "0", "0"), ("es-mccfr", "1", "1")]
    assert [*found] == [(score, *each) for score in ("0-0", "1-0") for each in expected]
    judged = json.loads((tmp_path / "comparison.json").read_text())
    assert [each["score"] for each in judged["rounds"]] == [[0, 0], [1, 0]]
    medians = [each["algorithms"][0]["average_exploitability"]["median"] for each in judged["rounds"]]
    assert (judged["overall"][0]["best"], judged["overall"][0]["num_games"]) == (min(medians), 2)
    every = ("--score", "all", "--values-from", "match_to_1", "--no-plot")
    (found,) = json_of(COMPARE, "-o", tmp_path / "all", *SHORTEST, *every)["rounds"]
    assert found["score"] == [0, 0]


def test_half_of_the_runs_are_not_enough_to_reach_a_threshold() -> None:
    """The figures are those of a run that did, the later of two."""
    measured = {1: (10, 1000), 2: (10, 500, 2000)}
    runs = [
        made_up_run("own", [Measurement(at, at, at, 1.0, 1.0 / at, 1.0, 0.0) for at in iterations], seed=seed)
        for seed, iterations in measured.items()
    ]
    (summary,) = summarize(runs)
    reached = summary.reached[1e-3]
    assert reached is not None
    assert reached.iterations == 2000


def test_gone_on_with_by_other_options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended, whole = [], convergence.run_algorithm

    def one_run(*arguments: Any, **named: Any) -> Run:
        if ended:
            raise Interrupted
        ended.append(whole(*arguments, **named))
        return ended[-1]

    with monkeypatch.context() as patch:
        patch.setattr(convergence, "run_algorithm", one_run)
        patch.setattr(style, "save_figure", save_nothing)
        result = call(COMPARE, "-o", tmp_path, *QUICK, "--against", "seconds")
    last = f"the finished runs are in {tmp_path}; the same command continues"
    assert (result.code, result.out, result.err.splitlines()[-1].endswith(last)) == (130, "", True)
    journal, before = tmp_path / "comparison.unfinished", contents(tmp_path)
    assert set(before) == {*TABLES, *PICTURES, journal.name}
    assert {row["label"] for row in read_csv(tmp_path / "comparison.csv")} == {"pdcfr+"}
    own = tmp_path / "own.py"
    own.write_text("from tictactoe import register_rule\nregister_rule('own', lambda table, parameters: None, {})\n")
    line = complaint(call(COMPARE, "-o", tmp_path, *QUICK, "--algorithms-from", own), 1, COMPARE)
    advice = "choose another output directory, or restart to replace what is there"
    assert line.endswith(f"{journal}: it belongs to a stopped comparison with other algorithms of your own; {advice}")
    own.unlink()
    assert contents(tmp_path) == before
    result = call(COMPARE, "-o", tmp_path, *QUICK, "--algorithm", "cfr", "--no-plot", "--json")
    assert (labels(json.loads(result.out)), json.loads(result.out)["earlier_runs"]) == (["pdcfr+", "dcfr", "cfr"], 1)
    assert result.err.splitlines()[0] == "continuing: 1 of 3 runs are finished"
    assert result.err.count("\nfinished ") == 2
    assert json_of(COMPARE, "-o", tmp_path, *QUICK, "--no-plot", "--restart")["earlier_runs"] == 0


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(style, "save_figure", save_nothing)
        assert call(COMPARE, "-o", tmp_path, *SHORTEST, "--quiet").code == 0
    (tmp_path / "notes.txt").touch()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    before = contents(tmp_path)
    line = complaint(call(COMPARE, "-o", tmp_path, "--restart", "--budget", "1e15"), 1, COMPARE)
    assert ": pip install matplotlib; or leave out the pictures" in line
    assert "--no-plot" in line
    assert contents(tmp_path) == before
    assert call(COMPARE, "-o", tmp_path, *SHORTEST, "--restart", "--quiet", "--no-plot").code == 0
    assert sorted(contents(tmp_path)) == [*TABLES, "notes.txt"]


def test_a_table_that_cannot_be_written_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """test_contract_replacing.py shows that the old one stays."""
    arguments = ("-o", tmp_path, *SHORTEST, "--no-plot", "--restart")
    monkeypatch.setattr("os.fsync", lambda descriptor: full_disk())
    result = call(COMPARE, *arguments, "--json")
    assert (result.code, json.loads(result.out)["files"]) == (1, [])
    result = call(COMPARE, *arguments)
    assert "comparison.csv: No space left on device" in result.err.splitlines()[-1]
    assert (result.code, result.out.split()[:2], "written" in result.out) == (1, ["algorithm", "runs"], False)
    (tmp_path / "other" / "comparison.csv").mkdir(parents=True)
    line = complaint(call(COMPARE, "-o", tmp_path / "other", "--restart", "--budget", "1e15"), 1, COMPARE)
    assert "not a regular file; choose another output directory" in line


def test_rules_from_files_and_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "own.py"
    own.write_text(RULE.format(name="own", line="table.floor = helper_of_mine.FLOOR") + "import helper_of_mine\n")
    (tmp_path / "helper_of_mine.py").write_text("FLOOR = 0.0\n")
    (tmp_path / "module_of_mine.py").write_text(RULE.format(name="mine", line="pass"))
    quick = ("--budget", "1", "--no-plot", "--restart", "-o", tmp_path / "out")
    judged = json_of(COMPARE, "--algorithms-from", own, *quick, "--seeds", 1)
    assert [each["label"] for each in judged["overall"] or judged["rounds"][0]["algorithms"]] == [*ALGORITHMS, "own"]
    monkeypatch.syspath_prepend(tmp_path)
    both = ("--algorithms-from", own, "--algorithms-from", "module_of_mine")
    judged = json_of(COMPARE, *both, "--algorithm", "own(share=1), x=mine, cfr", *quick)
    assert [each["label"] for each in judged["rounds"][0]["algorithms"]] == ["own(share=1)", "x", "cfr"]
    record = judged["own_rules"]
    found = record["from"], record["defaults"]["mine"], len(record["sha256"])
    assert found == ([str(own), "module_of_mine"], {"share": 0.5}, 64)


@pytest.mark.parametrize(
    ("text", "place", "problem", "jobs"),
    [
        ("def fill(:\n", 1, "SyntaxError: invalid syntax", 1),
        ("import sys\n\nsys.exit(3)\n", 3, "SystemExit: 3", 1),
        (
            RULE.format(name="cfr", line="pass"),
            7,
            "ValueError: name: cfr is a rule of the library; take another name",
            1,
        ),
        (
            RULE.format(name="a", line="table.flor = 0.0"),
            5,
            "AttributeError: 'Coefficients' object has no attribute",
            2,
        ),
        (RULE.format(name="c", line="table.floor = 1.0"), 4, "c: floor: 1.0 in iteration 1 is not -inf or 0", 1),
    ],
)
def test_a_fault_in_a_file_is_a_line_with_its_place(
    text: str, place: int, problem: str, jobs: int, tmp_path: Path
) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(text)
    name = text.partition('register_rule("')[2].partition('"')[0] or "cfr"
    words = ("--algorithms-from", path, "--algorithm", name, "--budget", "20", "--no-plot", "--jobs", jobs)
    line = complaint(call(COMPARE, "-o", tmp_path / "out", *words), 1, COMPARE)
    assert line.startswith(f"{called(COMPARE)}: {path}:{place}: {problem}")


def test_another_game(tmp_path: Path) -> None:
    words = ("-o", tmp_path, "--game", "leduc", "--algorithm", "dcfr,es-mccfr", "--budget", "20", "--no-plot")
    result = json_of(COMPARE, *words, "--seeds", "2")
    assert result["game"] == "leduc"
    assert [run["label"] for run in result["rounds"][0]["runs"]] == ["dcfr", "es-mccfr", "es-mccfr"]
    assert (tmp_path / "comparison.csv").read_text().startswith("game,label,algorithm,")
