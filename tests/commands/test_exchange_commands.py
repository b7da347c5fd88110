"""convert from and to tables: strategies survive bit for bit; refusals. The console exchange.txt has messages."""

import gzip
import itertools
import json
import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from oracle.matches import endless_bot, short_rounds_in_module
from support.programs import Result, call, call_in_a_child, complaint, contents, json_of, text_of
from support.storage_files import bincode, entries_of, imported, linux, patched, publish, random_strategy

from tictactoe import RULES, GameTree, Goal, Rules, Score, Snapshot, load_solution
from tictactoe.games.rules import DEFAULT_RULES
from tictactoe.storage.directory_layout import snapshot_name
from tictactoe.storage.strategy_tables import StrategyTable

resource = pytest.importorskip("resource")

IMPORT = EXPORT = "convert"
REAL = RULES[DEFAULT_RULES]

PEER = Path(os.environ.get("TICTACTOE_PUBLISHED", os.devnull))
"""A folder with files of the published program, if somebody has one."""


_short_rounds = short_rounds_in_module(DEFAULT_RULES)
"""The tables of a real round have 112,611 rows, those of a short one a thousand."""


@pytest.fixture
def real_rounds() -> Iterator[None]:
    """For programs that run as processes of their own."""
    with mock.patch.dict(RULES, {DEFAULT_RULES: REAL}):
        yield


@pytest.fixture(scope="module")
def tree(_short_rounds: None) -> GameTree:
    return GameTree.build()


@pytest.fixture(scope="module")
def table(tree: GameTree) -> StrategyTable:
    return StrategyTable(tree)


@pytest.fixture(scope="module")
def table_text(table: StrategyTable) -> str:
    return table.csv_header() + "".join(table.rows(random_strategy(table.tree, 1), Score(0, 0), 1))


@pytest.fixture(scope="module")
def data(tree: GameTree) -> bytes:
    return bincode(entries_of(tree, random_strategy(tree, 1), leaves=False))


def test_import_takes_the_last_file_of_every_subgame(tree: GameTree, data: bytes, tmp_path: Path) -> None:
    names = ("strategy_9.bincode", "strategy_11.bincode.tmp", "debug_99.bincode")
    others = [f"subgame_0_0/{name}" for name in names] + ["notes", "subgame_00_1/strategy_1.bincode"]
    files = dict.fromkeys(others, b"not looked at") | {"subgame_0_0/strategy_10.bincode.gz": gzip.compress(data, 1)}
    source = publish(tmp_path / "in", files)
    (source / "subgame_7_7").symlink_to(source / "subgame_0_0")
    (source / "subgame_0_0" / "strategy_12.bincode").symlink_to(source / "notes")
    result = json_of(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1)
    solution = load_solution(tmp_path / "out")
    (found,) = solution.results.values()
    subgame = {"score": [0, 0], "value": found.value, "iterations": 10, "exploitability": found.exploitability}
    subgame["exploitability_percentage_points"] = 50.0 * found.exploitability
    options = {"winning_score": 1, "imported_from": "published program"}
    assert result == {"rules": "three-in-a-row", "without_value": [], "subgames": [subgame]} | options
    assert solution.options == options
    names = ["solution.msgpack", "subgame_0_0", "subgame_0_0/snapshot_000010.msgpack"]
    assert list(contents(tmp_path / "out")) == names


def test_scores_that_lead_to_missing_ones_have_no_value(tree: GameTree, tmp_path: Path) -> None:
    directory = imported(tmp_path / "in", tree, 2, leave_out=(Score(1, 0),))
    table = tmp_path / "all.csv"
    assert call(EXPORT, directory, "-o", table, "--quiet") == Result(0, "", "")
    lines = text_of(IMPORT, table, "-o", tmp_path / "out").splitlines()
    assert set(load_solution(tmp_path / "out").results) == {Score(1, 1)}
    assert lines[0] == f"3 scores of a match to 2 imported into {tmp_path / 'out'}"
    assert lines[1].startswith("1-1: value to the first mover ")
    without = "imported without a value, because these scores are missing: 1-0"
    assert lines[2:] == [f"0-1: {without}", f"0-0: {without}"]
    snapshot = Snapshot.load(tmp_path / "out" / "subgame_0_0" / snapshot_name(0), tree)
    assert snapshot.options == {"imported_from": "export", "winning_score": 2, "values_known": False}
    assert (snapshot.value, snapshot.exploitability, *snapshot.outcome_values) == (0.0,) * 6
    again = tmp_path / "again.csv"  # scores without a value are exported, too
    assert call(EXPORT, tmp_path / "out", "-o", again).code == 0
    assert again.read_bytes() == table.read_bytes()


@pytest.mark.usefixtures("real_rounds")
def test_a_match_that_never_ends_has_no_value(tmp_path: Path) -> None:
    strategy, tree = endless_bot()[Score(0, 0)], GameTree.build()
    source = publish(tmp_path / "in", {"subgame_0_0/strategy_1.bincode": bincode(entries_of(tree, strategy))})
    failed = call(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1)
    assert complaint(failed, 1, IMPORT).endswith("score 0-0: with these strategies the match never ends")
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not PEER.is_dir(), reason="TICTACTOE_PUBLISHED names no folder with the other program's files")
@pytest.mark.usefixtures("real_rounds")
def test_the_published_subgames(tmp_path: Path) -> None:
    text_of(IMPORT, PEER, "-o", tmp_path / "peer")
    solution = load_solution(tmp_path / "peer")
    last, pair = Score(4, 4), (Score(4, 3), Score(3, 4))
    assert set(solution.results) == {last, *pair}
    assert abs(solution.value[last] + 1 / 13) < 1e-12
    assert abs(solution.exploitability[last]) < 1e-12
    assert solution.results[last].converged
    assert [solution.results[score].iteration for score in (last, *pair)] == [1079, 3399, 3399]
    # Of the pair, these are current strategies; the published averages are at 1e-4.
    assert [solution.exploitability[score] for score in pair] == pytest.approx([3.1165e-3, 6.368e-4], rel=1e-3)
    assert [solution.value[score] for score in pair] == pytest.approx([0.654319, -0.722274], abs=1e-5)


@pytest.mark.parametrize(("file_format", "odds"), [("csv", (2, 1, 0)), ("jsonl", (1, 1, 1))])
def test_an_export_is_read_back_bit_for_bit(
    file_format: str, odds: tuple[int, int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules, same_odds = Rules(DEFAULT_RULES, odds), ":".join(str(2 * part) for part in odds)
    imported(Path("in"), GameTree.build(rules), 1)
    first, second = f"first.{file_format}", f"second.{file_format}.gz"
    assert call(EXPORT, "in", "-o", first) == Result(0, f"1,041 rows written to {first}\n", "")
    content = Path(first).read_bytes()
    Path("first").write_bytes(gzip.compress(content, 1) if file_format == "csv" else content)
    said = text_of(IMPORT, "first", "-o", "new/out", "--rules", f"{DEFAULT_RULES} {same_odds}")
    assert re.match(r"1 score of a match to 1 .*imported into new/out\n0-0: value to the first mover ", said)
    assert call(EXPORT, "new/out", "-o", second, "--quiet").code == 0
    assert gzip.decompress(Path(second).read_bytes()) == content
    mine, theirs = load_solution("in"), load_solution("new/out")
    assert (mine.rules, mine.value) == (theirs.rules, theirs.value) == (str(rules), mine.value)
    for score in mine.value:
        assert np.array_equal(mine.snapshot(score).current_strategy, theirs.snapshot(score).current_strategy)


def test_reachable_only(tree: GameTree, table: StrategyTable) -> None:
    strategy = random_strategy(tree, 9, 0.7)
    every = "".join(table.rows(strategy, Score(0, 0), 1)).splitlines()
    some = "".join(table.rows(strategy, Score(0, 0), 1, reachable_only=True)).splitlines()
    reach = tree.own_reach(strategy)
    places = [(tree.find(map(int, history)), len(history) % 2, Goal[goal.upper()]) for history, goal, _ in table.keys]
    is_met = [reach[mover, node, goal] > 0.0 and max(reach[1 - mover, node]) > 0.0 for node, mover, goal in places]
    assert some == list(itertools.compress(every, is_met))
    assert 3 < len(some) < len(every) / 2


def test_sums_within_rounding_are_kept(tree: GameTree, data: bytes, tmp_path: Path) -> None:
    close = patched(data, 28, "<3d", 0.5, 0.5, 5e-10)
    source = publish(tmp_path / "in", {"subgame_0_0/strategy_1.bincode": close})
    assert call(IMPORT, source, "-o", tmp_path / "out", "--winning-score", 1).code == 0
    solution = load_solution(tmp_path / "out")
    assert solution.snapshot(Score(0, 0)).current_strategy[1:4, 0].tolist() == [0.5, 0.5, 5e-10]
    assert solution.average_strategy[Score(0, 0)][1:4, 0].sum() == pytest.approx(1.0, abs=1e-15)


@linux
def test_claims_and_bombs_cost_no_memory(data: bytes, tmp_path: Path) -> None:
    zeros = gzip.compress(bytes(2**20), 1) * 300  # members of a gzip file may be repeated
    published, out = "subgame_0_0/strategy_1.bincode", tmp_path / "out"
    cases = [
        (published, patched(data, 0, "<Q", 2**63), "claims 9223372036854775808 information sets; "),
        (published, patched(data, 20, "<Q", 2**60), "goal win: it has 1152921504606846976 moves, but 3 in our tree"),
        (f"{published}.gz", zeros, "larger than the limit of 256 MiB"),
        ("table.csv.gz", zeros, "line 1: longer than 1000 bytes"),
    ]
    for number, (file, content, expected) in enumerate(cases):
        source = publish(tmp_path / str(number), {file: content})
        limit = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize() + 2**30
        prepare = partial(resource.setrlimit, resource.RLIMIT_AS, (limit, limit))
        done = call_in_a_child(IMPORT, source, "-o", out, "--winning-score", "1", prepare=prepare)
        assert expected in complaint(done, 1, IMPORT)
        assert not out.exists()


def test_bad_arguments_of_import(tree: GameTree, data: bytes, table_text: str, tmp_path: Path) -> None:
    source = publish(tmp_path / "in", {"subgame_1_0/strategy_3.bincode": data})
    broken = publish(tmp_path, {"broken.csv.gz": gzip.compress(table_text.encode(), 1)[:-100]}) / "broken.csv.gz"
    publish(tmp_path / "two", {"a.csv": b"", "b.jsonl.gz": b""})
    publish(tmp_path / "double", {"subgame_0_0/strategy_3.bincode": data, "subgame_0_0/strategy_03.bincode.gz": b""})
    publish(tmp_path / "gz", {"subgame_0_0/strategy_3.bincode.gz": b"no gzip"})
    before, out, gz = contents(tmp_path), tmp_path / "out", "not a whole gzip file"
    cases: list[tuple[Path, Path, tuple[object, ...], str]] = [
        (
            source,
            out,
            ("--winning-score", 1),
            "1-0 is not a score of a match to 1; give the winning score of the match",
        ),
        (tmp_path / "two", out, (), "several tables: a.csv, b.jsonl.gz; name one of them"),
        (tmp_path / "double", out, (), "the same iteration as strategy_03.bincode.gz; remove one of them"),
        (tmp_path / "gz", out, (), f"{gz}: Not a gzipped file (b'no')"),
        (broken, out, (), f"{gz}: Compressed file ended before the end-of-stream marker was reached"),
        (source, source, ("--restart",), "not empty, and not a solution; choose another output directory"),
    ]
    for given, output, options, expected in cases:
        assert complaint(call(IMPORT, given, "-o", output, *options), 1, IMPORT).endswith(expected)
        assert contents(tmp_path) == before


def test_bad_arguments_of_export(tree: GameTree, tmp_path: Path) -> None:
    solution = imported(tmp_path / "solution", tree, 2, leave_out=(Score(1, 0),))
    swapped = imported(tmp_path / "swapped", tree, 2)
    os.replace(swapped / "subgame_0_1" / snapshot_name(0), swapped / "subgame_1_0" / snapshot_name(0))
    before = contents(tmp_path)
    for directory, options, expected in (
        (solution, ("--score", "1-0"), f"{solution}: nothing is saved for the score 1-0"),
        (swapped, ("-o", tmp_path / "out.csv", "--score", "1-0"), "not a snapshot of the score 1-0 of a match to 2"),
    ):
        assert complaint(call(EXPORT, directory, *options), 1, EXPORT).endswith(expected)
        assert contents(tmp_path) == before


def test_chosen_scores_in_the_order_that_they_were_named(tree: GameTree, tmp_path: Path) -> None:
    directory = imported(tmp_path / "in", tree, 2)
    result = call(EXPORT, directory, "--score", "0-1", "--score", "1-1", "--score", "0-1", "--format", "jsonl")
    order = [json.loads(line)["score"] for line in result.out.splitlines()[:: 3 * (tree.num_nodes - 1)]]
    assert order == ["0-1", "1-1"]
