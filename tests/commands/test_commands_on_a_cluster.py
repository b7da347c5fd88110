"""Proofs, compare-algorithms and rules-atlas with --cluster leave the same files as without."""

import contextlib
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from support.certifying import change_snapshot, nearly_pure
from support.programs import PROVE, Result, call, called, complaint, contents, json_of
from support.travelling import Travelling
from tictactoe.tools.progress import StatusLine

from tictactoe import Contender, update_rule
from tictactoe.algorithms import convergence
from tictactoe.algorithms.measured_run import Measurement, Run, Trial
from tictactoe.errors import ClusterError
from tictactoe.solving import cluster as cluster_module
from tictactoe.solving.cluster import AFTER_LOSS_STARTS_OVER, Cluster, ClusterState, open_cluster
from tictactoe.solving.versions import COMPARED_LIBRARIES

COMPARE = "compare-algorithms"
ON_CLUSTER = ("--cluster", "local:2")


class Here(Travelling):
    """In place of a cluster: threads call the functions. tests/solving tries Dask."""

    def state(self) -> ClusterState:
        return ClusterState(1, 1, 1)


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """How the commands asked for a cluster. They get another executor."""
    asked: list[dict[str, Any]] = []

    @contextlib.contextmanager
    def opened(address: str, **options: Any) -> Iterator[Here]:
        asked.append({"address": address, **options})
        with Here(1) as executor:
            yield executor

    monkeypatch.setattr(cluster_module, "open_cluster", opened)
    return asked


def test_progress_says_what_the_cluster_is_at() -> None:
    state = ClusterState(2, 2, 1)
    cluster = cast(Cluster, SimpleNamespace(state=lambda: state))
    line = StatusLine("working{cluster}, {elapsed} elapsed", cluster, quiet=True)
    assert line.filled("working{cluster}") == "working, 1 task on 2 workers"
    assert StatusLine(quiet=True).filled("working{cluster}") == "working"


def test_certify(tmp_path: Path, opened: list[dict[str, Any]]) -> None:
    bot = nearly_pure(tmp_path / "bot", 1)
    files = [tmp_path / "here.json", tmp_path / "there.json"]
    for output, where in zip(files, (("--jobs", 1), ON_CLUSTER), strict=True):
        result = call(PROVE, "-s", bot, "-o", output, *where)
        assert (result.code, result.err) == (0, "")
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "every claim holds" in call("best-response-multiround", "-s", bot, "--verify", files[0], *ON_CLUSTER).out
    elsewhere = call(
        "best-response-multiround", "-s", bot, "--verify", files[0], "--cluster", "tcp://10.0.0.1:8786"
    ).out
    trusted = "workers of tcp://10.0.0.1:8786 and is believed; without --cluster, it is checked here"
    assert trusted in elsewhere
    change_snapshot(bot / "subgame_0_0", strategy_sums=lambda sums: 2.0 * sums)
    words = [
        complaint(call("best-response-multiround", "-s", bot, "--verify", files[0], *w), 1, "best-response-multiround")
        for w in (ON_CLUSTER, ())
    ]
    assert words[0] == words[1]
    assert "files.subgame_0_0/" in words[0]
    assert [asked["after_loss"] for asked in opened] == [AFTER_LOSS_STARTS_OVER] * 4


OWN = """
import beside_the_rule
from numba import njit
from tictactoe import register_rule

@njit
def doubled(number):
    return 2.0 * number

def fill(table, parameters):
    table.floor = beside_the_rule.FLOOR
    table.averaging_weight = doubled(table.t ** parameters["gamma"])

register_rule("own", fill, {"gamma": 2.0})
"""
COMPARISON = ("--score", "1-1", "--score", "0-0", "--values-from", "shipped", "--no-plot", "--budget", 20)


def test_compare_algorithms(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "beside_the_rule.py").write_text("FLOOR = 0.0\n")
    algorithms = ("--algorithms-from", tmp_path / "own.py", "--algorithm", "own(gamma=3), es-mccfr", "--seeds", 2)
    here, there = (
        json_of(COMPARE, *algorithms, *COMPARISON, "-o", tmp_path / name, *where)
        for name, where in (("here", ()), ("there", ON_CLUSTER))
    )
    assert (here["cluster"], there["cluster"]) == (None, "local:2")
    assert len(here["rounds"]) == len(there["rounds"]) == 2
    assert len(here["rounds"][0]["runs"]) == 3
    assert without_time(there) == without_time(here)


def without_time(value: Any) -> Any:
    if isinstance(value, dict):
        left_out = {"seconds", "elapsed_seconds", "cluster", "files"}
        return {key: without_time(inner) for key, inner in value.items() if key not in left_out}
    return [without_time(inner) for inner in value] if isinstance(value, list) else value


def test_what_is_wrong_with_a_rule_is_told_with_its_line(tmp_path: Path) -> None:
    faulty = tmp_path / "faulty.py"
    faulty.write_text(OWN.replace("import beside_the_rule\n", "").replace("beside_the_rule.FLOOR", "table.t[99]"))
    command = ("--algorithm", "own", *COMPARISON, "-o", tmp_path / "out", "--quiet", *ON_CLUSTER)
    line = complaint(call(COMPARE, "--algorithms-from", faulty, *command), 1, COMPARE)
    assert re.search(r"faulty\.py:10: IndexError: ", line)


def test_a_scheduler_that_goes_away_from_a_comparison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def one_run(*arguments: object, **keywords: object) -> Iterator[Run]:
        yield Run(Trial(Contender(update_rule("pdcfr+"))), (Measurement(1, 100, 900, 1.0, 0.1, 0.2, 0.0),))
        raise ClusterError("gone")

    monkeypatch.setattr(convergence, "compare_algorithms", one_run)
    result = call(COMPARE, *COMPARISON, "-o", tmp_path, *ON_CLUSTER)
    assert (result.code, result.out) == (1, "")
    assert result.err.splitlines()[-1] == f"{called(COMPARE)}: gone; the finished runs are in {tmp_path}"
    assert (tmp_path / "comparison.csv").read_text().count("three-in-a-row,") == 2


def test_rules_atlas(tmp_path: Path, opened: list[dict[str, Any]]) -> None:
    rules = ("--rules", "three-in-a-row 2:1:1", "--winning-score", 1)
    target = ("--maximum-subgame-exploitability", 0.05, "--no-plot", "--quiet")
    for output, where in (("here", ("--jobs", 1)), ("there", ON_CLUSTER)):
        assert call("rules-atlas", *rules, *target, "-o", tmp_path / output, *where) == Result(0, "", "")
    assert contents(tmp_path / "there") == contents(tmp_path / "here")
    assert [asked["libraries"] for asked in opened] == [COMPARED_LIBRARIES]


@pytest.mark.slow
def test_dask_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module that its workers lack is named. It logs nothing between the lines, not even that a scheduler has gone
    away, with a traceback: that is raised."""
    pytest.importorskip("distributed")
    own = tmp_path / "own" / "own.py"
    own.parent.mkdir()
    own.write_text(OWN.replace("beside_the_rule", "far_from_the_rule"))
    (tmp_path / "far_from_the_rule.py").write_text("FLOOR = 0.0\n")
    words = ("--algorithms-from", own, "--algorithm", "own", *COMPARISON, "-o", tmp_path / "out", "--quiet")
    with open_cluster("local:1") as cluster:
        monkeypatch.syspath_prepend(tmp_path)  # of this process alone
        monkeypatch.setattr(cluster_module, "open_cluster", lambda *_, **__: contextlib.nullcontext(cluster))
        line = complaint(call(COMPARE, *words, *ON_CLUSTER), 1, COMPARE)
        theirs = [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado.app"))]
        assert {"distributed.client", "distributed.scheduler"} <= set(theirs)
        assert not [name for name in theirs if logging.getLogger(name).isEnabledFor(logging.ERROR)]
    assert "the workers have no module far_from_the_rule, which an algorithm imports" in line
