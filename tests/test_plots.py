"""Pictures: whole, legible, the same every time; and plot-solution."""

from __future__ import annotations

import ast
import itertools
import random
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import MATCH, TWO_POINTS, call, complaint, contents
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.image import imread
from matplotlib.text import Text
from tictactoe.tools.plot_solution import _target as target_of
from tictactoe.tools.plot_solution import _why_no_logs as why_no_logs
from tictactoe.tools.plot_solution import command

from tictactoe import comparison_plots, plots, solution_plots
from tictactoe.comparison import Measurement, Run, Unit
from tictactoe.comparison_plots import comparison_figure
from tictactoe.files import FormatError, read_file, write_file
from tictactoe.match import Score, all_scores
from tictactoe.plots import MissingPlotsError, require_plots, save_figure, spread_out
from tictactoe.snapshot import SNAPSHOT_KIND, list_snapshots, snapshot_name
from tictactoe.solution import SOLUTION_FILE, SOLUTION_KIND, load_solution
from tictactoe.solution_plots import convergence_figure, is_drawable, values_figure

PLOT = "plot-solution"
NAMES = ("cfr", "cfr+", "linear-cfr", "dcfr", "pcfr+", "pdcfr+", "one-more", "the-last-one")


def made_up_runs() -> list[Run]:
    """Eight full-width algorithms and a sampling one with five seeds, which end at nearly the same exploitability."""
    draw = random.Random(1)

    def one(name: str, seed: int | None, nodes: int, slope: float) -> Run:
        steps = [round(1.3**k) for k in range(1, 30)]
        return Run(name, seed, tuple(
            Measurement(at, nodes * at, 1e-8 * nodes * at, at**-slope * draw.uniform(0.8, 1.2), at ** (0.3 - slope), 0)
            for at in sorted(set(steps))
        ))  # fmt: skip

    runs = [one(name, None, 20_000, 1.5 + 0.001 * index) for index, name in enumerate(NAMES)]
    return runs + [one("es-mccfr", seed, 300, 0.5) for seed in range(5)]


def made_up_logs(winning_score: int) -> dict[Score, Any]:
    iterations = np.arange(10.0, 3000.0, 10.0)
    return {
        score: np.stack([iterations, iterations ** -(1.0 + score.first / 10.0), 3.0 / iterations, 0.0 * iterations], 1)
        for score in all_scores(winning_score)
    }


def figures() -> dict[str, Figure]:
    values = {score: (score.first - score.second) / 5.0 for score in all_scores(5)}
    return {
        "comparison": comparison_figure(made_up_runs(), [Unit.NODES, Unit.SECONDS], "Title", in_match_value=True),
        "single": comparison_figure(made_up_runs()[-1:], [Unit.NODES], "Title", in_match_value=False),
        "convergence": convergence_figure(3, made_up_logs(3), 1e-4),
        "short": convergence_figure(1, made_up_logs(1), None),
        "long": convergence_figure(9, made_up_logs(9), 1e-4),
        "values": values_figure(5, values),
        "blank": values_figure(12, {Score(11, 11): 0.25}),
    }


@pytest.fixture(scope="module")
def drawn() -> dict[str, Figure]:
    return figures()


def texts_of(figure: Figure) -> list[str]:
    """What is written in a picture, apart from the numbers at the axes."""
    found = [artist for artist in figure.findobj(Text) if artist.get_text()]
    axes = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    ticks = [tick for axis in axes for tick in (*axis.majorTicks, *axis.minorTicks)]  # without working out new ones
    numbers = {id(label) for tick in ticks for label in (tick.label1, tick.label2)}
    return [artist.get_text() for artist in found if id(artist) not in numbers]


# --- pictures


@pytest.mark.parametrize("name", ["comparison", "single", "convergence", "short", "long", "values", "blank"])
def test_everything_written_can_be_read(name: str, drawn: dict[str, Figure]) -> None:
    """Titles, captions, labels and names lie within the picture; those that are not ticks touch none of their kind."""
    figure = drawn[name]
    whole = figure.bbox
    ticks = {id(label) for axes in figure.axes for label in (*axes.get_xticklabels(), *axes.get_yticklabels())}
    assert abs(figure.get_figwidth() - 16.0 / 2.54) < 1e-9
    seen = []
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    for artist in figure.findobj(Text):
        if not artist.get_visible() or not artist.get_text() or id(artist) in ticks:
            continue
        box = artist.get_window_extent(canvas.get_renderer())
        assert whole.x0 <= box.x0 <= box.x1 <= whole.x1, artist
        assert whole.y0 <= box.y0 <= box.y1 <= whole.y1, artist
        seen.append((artist.get_text(), box))
    for index, (text, box) in enumerate(seen):
        for other, other_box in seen[:index]:
            assert not box.overlaps(other_box), (text, other)


def test_lines_have_their_names_beside_them(drawn: dict[str, Figure]) -> None:
    found = texts_of(drawn["comparison"])
    for name in (*NAMES, "es-mccfr"):
        assert found.count(name) == 2
    assert {"nodes touched", "seconds of updates", "Title"} <= set(found)
    assert any("match value" in text and "percentage points" in text for text in found)
    assert any("Solid" in text and "Dashed" in text and "5 seeds" in text for text in found)
    found = texts_of(drawn["single"])
    assert not any("match value" in text or "seeds" in text for text in found)


def test_every_line_has_a_look_of_its_own(drawn: dict[str, Figure]) -> None:
    looks = {
        (line.get_color(), line.get_marker())
        for line in drawn["comparison"].axes[0].lines
        if line.get_linestyle() == "-" and len(line.get_xdata()) > 1
    }
    assert len(looks) == len({colour for colour, _ in looks}) == len({marker for _, marker in looks}) == 9


def test_axes_are_logarithmic_and_hold_what_is_drawn(drawn: dict[str, Figure]) -> None:
    for axes in (*drawn["comparison"].axes, *drawn["convergence"].axes, *drawn["long"].axes):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    low, high = drawn["comparison"].axes[0].get_ylim()
    for each in made_up_runs():
        for m in each.measurements:
            assert low <= m.average_exploitability <= high


def test_several_seeds_are_a_band_around_their_median() -> None:
    runs = [
        Run("es", seed, tuple(Measurement(10**k, 10**k, 1.0, (seed + 1.0) * 10.0**-k, 1.0, 0.0) for k in range(1, 5)))
        for seed in range(3)
    ]
    axes = comparison_figure(runs, [Unit.NODES], "", in_match_value=True).axes[0]
    (band,) = axes.collections
    corners = band.get_paths()[0].vertices
    at_end = corners[np.isclose(corners[:, 0], 1e4), 1]
    assert at_end.min() == pytest.approx(1e-4)
    assert at_end.max() == pytest.approx(3e-4)
    average = next(line for line in axes.lines if line.get_linestyle() == "-" and len(line.get_xdata()) > 1)
    assert average.get_ydata() == pytest.approx(2.0 / np.asarray(average.get_xdata()))


def test_the_map_holds_percentages(drawn: dict[str, Figure]) -> None:
    found = texts_of(drawn["values"])
    assert found.count("50.00") == 5
    assert {"90.00", "10.00"} <= set(found)
    cells = {artist.get_text(): artist.get_position() for artist in drawn["values"].axes[0].texts}
    assert cells["90.00"] == (0, 4), "four points of the first mover: the last row, the first column"
    assert [artist.get_text() for artist in drawn["blank"].axes[0].texts] == ["62"], "missing scores stay blank"


def test_scores_without_a_log_say_so() -> None:
    logs = made_up_logs(2)
    del logs[Score(0, 0)], logs[Score(0, 1)]
    found = texts_of(convergence_figure(2, logs, None, solved=[Score(0, 1), *logs]))
    assert found.count("not solved") == found.count("no log") == 1
    assert not any("target" in text for text in found)


HOSTILE_LOGS = {
    "nothing": np.zeros((0, 4)), "no columns": np.zeros((5, 0)), "zeros": np.zeros((5, 4)), "flat": np.zeros(5),
    "negative": np.full((5, 4), -1.0), "huge": np.full((5, 4), 1e300), "tiny": np.full((5, 4), 1e-300),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE_LOGS)
def test_logs_with_nothing_to_draw(what: str) -> None:
    assert not is_drawable(HOSTILE_LOGS[what])
    with pytest.raises(ValueError, match="nothing to draw"):
        convergence_figure(1, {Score(0, 0): HOSTILE_LOGS[what]}, None)


def test_a_log_of_one_row_and_one_in_disorder() -> None:
    one = np.array([[10.0, 0.1, 0.1, 0.0]])
    disorder = np.array([[1e5, 1e-3, 1.0, 0.0], [10.0, 1e5, 1e-16, 0.0], [10.0, -1.0, 0.0, 0.0]])
    figure = convergence_figure(2, {Score(0, 0): one, Score(1, 1): disorder}, 1e-6)
    figure.draw_without_rendering()
    average = figure.axes[3].lines[1]
    assert list(average.get_xdata()) == [10.0, 1e5]


def test_long_logs_are_thinned_and_keep_their_end() -> None:
    log = np.stack([np.arange(1.0, 1e5)] + 3 * [1.0 / np.arange(1.0, 1e5)], 1)
    x = convergence_figure(1, {Score(0, 0): log}, None).axes[0].lines[1].get_xdata()
    assert len(x) <= 150
    assert x[-1] == log[-1, 0]


def test_exploitabilities_of_nothing() -> None:
    """Exact equilibria: what a logarithmic axis cannot show is left out, and a run of nothing else is no error."""
    exact = Run("exact", None, tuple(Measurement(k, k, float(k), 0.0, -1e-17, 0.0) for k in (1, 2)))
    axes = comparison_figure([exact, *made_up_runs()[:1]], [Unit.NODES], "", in_match_value=True).axes[0]
    assert [artist.get_text() for artist in axes.texts if artist.get_text()] == ["cfr"]
    comparison_figure([exact], [Unit.NODES], "", in_match_value=True)


def test_nothing_to_draw() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        comparison_figure([], [Unit.NODES], "", in_match_value=True)
    with pytest.raises(ValueError, match="nothing to draw"):
        comparison_figure(made_up_runs(), [], "", in_match_value=True)


# --- files


def check_png(path: Path) -> None:
    assert path.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    image = imread(path)
    assert image.shape[1] == pytest.approx(200 * 16 / 2.54, abs=1)
    assert len(np.unique(image[::3, ::3, 0])) > 10, "not blank"


def check_svg(path: Path, *labels: str) -> None:
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert sum(1 for element in root.iter() if element.tag.endswith("path")) > 10
    text = path.read_text(encoding="utf-8")
    for label in labels:
        assert label in text


def test_files_are_whole_and_the_same_every_time(drawn: dict[str, Figure], tmp_path: Path) -> None:
    import matplotlib

    save_figure(drawn["single"], tmp_path / "single.png")
    save_figure(drawn["single"], tmp_path / "single.svg")
    save_figure(drawn["values"], tmp_path / "values.svg")
    check_png(tmp_path / "single.png")
    check_svg(tmp_path / "single.svg", "es-mccfr", "nodes touched")
    check_svg(tmp_path / "values.svg", "50.00", "points of the player who moves first")
    before = contents(tmp_path)
    with matplotlib.rc_context({"font.size": 20.0, "lines.linewidth": 9.0, "svg.fonttype": "none", "axes.grid": True}):
        again = comparison_figure(made_up_runs()[-1:], [Unit.NODES], "Title", in_match_value=False)
        save_figure(again, tmp_path / "single.svg")  # the other way round: bytes do not depend on --format
        save_figure(again, tmp_path / "single.png")
        assert matplotlib.rcParams["font.size"] == 20.0, "the user's configuration is left alone"
    assert contents(tmp_path) == before


def test_a_file_that_cannot_be_written(drawn: dict[str, Figure], tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    before = contents(tmp_path)
    with pytest.raises(FormatError):
        save_figure(drawn["values"], tmp_path / "a.png")
    with pytest.raises(OSError, match="missing"):
        save_figure(drawn["values"], tmp_path / "missing" / "a.png")
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("drawn")
def test_no_window_and_no_global_figure() -> None:
    """matplotlib is loaded when something is drawn, and the part of it that keeps figures and opens windows never."""
    for module in (plots, comparison_plots, solution_plots):
        source = Path(module.__file__).read_text()
        at_once = [node for node in ast.parse(source).body if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert at_once
        assert not any("matplotlib" in ast.unparse(node) for node in at_once)
    assert "matplotlib.pyplot" not in sys.modules


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, solved: Path) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingPlotsError, match="pip install"):
        require_plots()
    with pytest.raises(MissingPlotsError):
        values_figure(1, {})
    line = complaint(call(PLOT, "-s", solved, "-o", tmp_path / "out"), 1, PLOT)
    assert "pip install 'smbc-tictactoe[plots]'" in line
    assert contents(tmp_path) == {}


@given(st.lists(st.floats(-2.0, 2.0), min_size=1, max_size=12), st.floats(0.01, 0.3))
def test_spread_out(wanted: list[float], distance: float) -> None:
    wanted.sort()
    places = spread_out(wanted, distance, 0.0, 1.0)
    assert all(b - a >= distance - 1e-9 for a, b in itertools.pairwise(places))
    assert min(places) >= -1e-9
    if (len(wanted) - 1) * distance <= 1.0:
        assert max(places) <= 1.0 + 1e-9
    if all(0.0 <= place <= 1.0 for place in wanted) and np.all(np.diff(wanted) >= distance):
        assert places == pytest.approx(wanted)


# --- the command


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A solved match to 2; to be copied, not changed."""
    output = tmp_path_factory.mktemp("plots") / "two"
    assert call(MATCH, "-o", output, "--quiet", *TWO_POINTS).code == 0
    return output


@pytest.fixture
def mine(solved: Path, tmp_path: Path) -> Path:
    shutil.copytree(solved, tmp_path / "mine")
    return tmp_path / "mine"


def change(path: Path, kind: str, **changes: Any) -> None:
    write_file(path, kind, read_file(path, kind) | changes)


def last_snapshot(subgame: Path) -> Path:
    return subgame / snapshot_name(list_snapshots(subgame)[-1])


def test_pictures_of_a_solution(solved: Path, tmp_path: Path) -> None:
    before = contents(solved)
    result = call(PLOT, "-s", solved, "-o", tmp_path / "new" / "out")
    assert (result.code, result.err) == (0, "")
    out = tmp_path / "new" / "out"
    assert sorted(contents(out)) == ["convergence.png", "convergence.svg", "values.png", "values.svg"]
    assert all(name in result.out for name in contents(out))
    check_png(out / "convergence.png")
    check_png(out / "values.png")
    check_svg(out / "convergence.svg", *(f"<!-- {score} -->" for score in all_scores(2)), "0.05")
    percentages = [f"{50.0 + 50.0 * value:.2f}" for value in load_solution(solved).value.values()]
    check_svg(out / "values.svg", *percentages)
    assert contents(solved) == before


def test_half_a_solution_in_the_working_directory(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    mine = mine.rename(mine.parent / "my_solution")
    record = mine / SOLUTION_FILE
    content = read_file(record, SOLUTION_KIND)
    write_file(record, SOLUTION_KIND, content | {"subgames": content["subgames"][:1]})
    result = call(PLOT, "--format", "svg", "--quiet")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert sorted(contents(mine.parent / "plots")) == ["convergence.svg", "values.svg"]
    check_svg(mine.parent / "plots" / "convergence.svg", "not solved", "<!-- 1-1 -->")
    write_file(record, SOLUTION_KIND, content | {"subgames": []})
    assert "no score" in complaint(call(PLOT, "-s", mine, "-o", "not"), 1, PLOT)
    assert not (mine.parent / "not").exists()


def test_a_solution_without_logs(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As import-solution leaves it: one picture, and it says why."""
    monkeypatch.setattr(plots, "save_figure", lambda figure, path: path.touch())
    subgames = read_file(mine / SOLUTION_FILE, SOLUTION_KIND)["subgames"]
    change(mine / SOLUTION_FILE, SOLUTION_KIND, subgames=subgames[:1])
    change(last_snapshot(mine / "subgame_1_1"), SNAPSHOT_KIND, convergence=np.zeros((0, 4)))
    out = mine.parent / "out"
    result = call(PLOT, "-s", mine, "-o", out, "--format", "svg")
    assert result.code == 0
    assert sorted(contents(out)) == ["values.svg"]
    (line,) = result.err.splitlines()
    assert "no picture of convergence" in line
    assert "unpolished" not in line
    (mine / "unpolished").mkdir()
    assert f"-s {mine / 'unpolished'}" in why_no_logs(load_solution(mine))


def test_options_of_somebody_else(mine: Path) -> None:
    """The target is drawn if there is one: a solution need not have been made by this program."""
    solution = load_solution(mine)
    assert target_of(solution) == 0.05
    for target in ("x", 0.0, -1.0, 1e300, [1], None, True):
        solution.options = {"maximum_subgame_exploitability": target}
        assert target_of(solution) is None
    solution.options = {}
    assert target_of(solution) is None


def test_damaged_files_and_usage_errors(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mine.parent)
    for arguments in (("--nonsense",), ("surplus",), ("--format", "pdf"), ("-s", ""), ("-o", ""), ("-s",)):
        complaint(call(PLOT, *arguments), 2, PLOT)
    assert "my_solution" in complaint(call(PLOT), 1, PLOT)
    assert SOLUTION_FILE in complaint(call(PLOT, "-s", mine, "-o", mine / SOLUTION_FILE), 2, PLOT)
    path = last_snapshot(mine / "subgame_1_1")
    path.write_bytes(path.read_bytes()[:-1])
    assert str(path) in complaint(call(PLOT, "-s", mine, "-o", "out"), 1, PLOT)
    assert not (mine.parent / "out").exists()


def test_help() -> None:
    result = call(PLOT, "--help")
    assert result.code == 0
    assert f"\n  {PLOT} -s " in result.out
    for parameter in command.params:
        assert all(option in result.out for option in parameter.opts)
