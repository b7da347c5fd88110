"""docs/tutorial.md: its code runs as it stands, prints what it says, and every number in its text is computed again."""

import contextlib
import json
import re
import runpy
import shlex
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from oracle import descriptions
from support.pages import ROOT, blocks, run_page
from support.pictures import check_legible, check_svg, texts_of
from support.programs import call
from support.tutorial import FLOWING, PAGE, SECTIONS, TEXT, pictures

from tictactoe import Board, CFRSolver, Goal, build_game, open_saved, update_rule
from tictactoe.figures import style

NINTH = Fraction(1, 9)
MINUS = "\N{MINUS SIGN}"
GAMES = ROOT / "examples" / "games"
Names = dict[str, Any]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Names:
    """What the page's blocks have defined: run in order, in an empty directory, each has printed what it says."""
    with contextlib.chdir(tmp_path_factory.mktemp("tutorial")):
        return run_page(PAGE)


def said(text: str) -> None:
    assert text in FLOWING.replace(MINUS, "-"), text


def test_the_glossary_has_the_words_in_bold() -> None:
    entries = (PAGE.parent / "glossary.md").read_text(encoding="utf-8")
    explained = re.findall(r"^\|([^|]*\|[^|]*)\||\*\*([^*]+)\*\*", entries, re.MULTILINE)
    words = " ".join(" ".join(each) for each in explained).lower()
    text = re.sub("```.*?```", "", TEXT, flags=re.DOTALL)
    bold = [word for word in re.findall(r"\*\*([a-zA-Z -]+)\*\*", text) if word not in ("bold", "The exact value")]
    assert len(bold) > 15
    assert [word for word in bold if word.lower().rstrip("s") not in words] == []
    assert list(SECTIONS) == list(range(1, 12))
    (limit,) = re.findall(r"weights > (\S+),", TEXT)
    said(f"`shares` treats anything below {limit} as 0")


def test_the_board(page: Names) -> None:
    lines = re.findall(r"^    (\d) (\d) (\d)      (.) (.) (.)", TEXT, re.MULTILINE)
    assert [int(square) for line in lines for square in line[:3]] == list(range(1, 10))
    rows = [line[3:] for line in lines]
    board = Board()
    for square in (5, 1, 9, 3, 6):
        board = board.play(square)
    drawn = "".join(".XO"[(board.first >> bit & 1) + 2 * (board.second >> bit & 1)] for bit in range(9))
    assert "".join("".join(row) for row in rows) == drawn
    tree = page["tree"]
    assert tree.outcome(tree.find((5, 1, 9, 3, 6, 2))) == Goal.LOSE
    said("X has marked 5, 9 and 6, O has marked 1 and 3.")
    said("If O wants to win, 2 does it. If O wants to lose, it may leave 4 to X.")
    assert tree.outcome(tree.find((5, 1, 9, 3, 6, 8, 4))) == Goal.WIN
    histories = [tuple(map(int, text.split("-"))) for text in re.findall(r"\d+(?:-\d+){4,}", TEXT)]
    assert {history[:5] for history in histories} == {pictures.BEGINNING}
    assert {history[5:] for history in histories} == {(), (8,), (8, 7)}
    for end, x, o in np.ndindex(3, 3, 3):
        points = int(x == end) - int(o == (1, 0, 2)[end])
        assert page["points"](Goal(end), Goal(x), Goal(o)) == points
    said("If X wanted that, X scores; if O wanted to lose, O scores.")
    said("worth 0 to X if both score, 1 if only X does, -1 if only O does, 0 if nobody does")


def test_regret_matching(page: Names) -> None:
    assert np.ptp(np.array(page["currents"][-2000:]), axis=0).min() > 0.9
    assert np.abs(page["averages"][-1] - 1 / 3).max() < 0.01
    gains = np.array(page["gains"])
    assert gains[4] > gains[3]
    said("after 5 iterations it was larger than after 4")
    times = np.arange(1, len(gains) + 1)
    assert gains[-1] == pytest.approx((page["regret_first"].max() + page["regret_second"].max()) / times[-1], abs=1e-12)
    assert (gains <= 2 * 2 * np.sqrt(3 / times)).all(), "payoffs differ by 2 at most, there are three moves"


def test_the_tree(page: Names) -> None:
    decisions, tree = page["decisions"], page["tree"]
    assert "24 nodes, 9 decisions, 27 information sets\n14409 decisions, 43227 information sets" in TEXT
    assert len(page["states"](page["Endgame"]())) == 24
    assert len(decisions) == 9
    boards = Counter(Board().play(square).canonical() for square in range(1, 10))
    assert len(boards) == len(tree.children(0)) == 3
    said("Three of the nine openings of the whole game are left, 1 (a corner), 2 (a side) and 5 (the middle)")
    said("A tree of 24 small boards: O marks 2, 4, 7 or 8, then X moves, then O")
    assert [name for name, _ in page["Endgame"]().moves(page["Endgame"]().root())] == [2, 4, 7, 8]


def uniform_value(tree: Any, node: int, end_value: Callable[[Any], Fraction]) -> Fraction:
    if tree.outcome(node) is not None:
        return end_value(tree.outcome(node))
    values = [uniform_value(tree, child, end_value) for child in tree.children(node)]
    return sum(values, Fraction(0)) / len(values)


def test_by_hand(page: Names) -> None:
    tree, points, after_8 = page["tree"], page["points"], page["after_8"]
    reach = NINTH / len(tree.children(tree.parent[after_8]))
    said(f"1/9 · 1/4 = **{reach}**, for each of O's goals")

    def value(node: int) -> Fraction:
        return sum((uniform_value(tree, node, lambda end, o=o: points(end, Goal.WIN, o)) for o in Goal), Fraction(0))

    values = [value(node) for node in tree.children(after_8)]
    mean = sum(values, Fraction(0)) / 3
    assert values == [Fraction(1, 2), 2, -1]
    said("1/2, 2 and -1, in 36ths")
    assert mean == Fraction(1, 2)
    regrets = [reach * (each - mean) for each in values]
    assert regrets == [0, Fraction(1, 24), Fraction(-1, 24)]
    said("The regrets are the differences: 0 for 2, (2 - 1/2)/36 = **+1/24** for 4, (-1 - 1/2)/36 = **-1/24** for 7.")
    assert page["shares"](np.array(regrets, float)).tolist() == [0, 1, 0]
    said("the next strategy always plays 4")
    said(f"it gets their mean, {mean}.")
    said("The first line is what we found by hand: 0, 1/24, -1/24.")
    assert f"| value, in {1 / reach}ths |" in TEXT
    rows = re.findall(r"^\|(.*)\|$", SECTIONS[5].replace(MINUS, "-"), re.MULTILINE)[2:]
    cells = [[cell.strip() for cell in row.split("|")] for row in rows]
    ends = [end for node in tree.children(after_8) for end in tree.children(node) or [node]]
    sums = [[points(Goal(tree.outcome(end)), Goal.WIN, o) for o in Goal] for end in ends]
    assert [row[2:6] for row in cells] == [[str(each) for each in (*row, sum(row))] for row in sums]
    assert [row[6] for row in cells if row[6]] == [str(each) for each in values]
    solver = CFRSolver(page["game"], update_rule("cfr"))
    solver.run(1)
    moves = list(solver.game.tree.children(solver.game.tree.find((8,))))
    assert solver.state().regrets[moves, Goal.WIN] == pytest.approx([0, 1 / 24, -1 / 24], abs=1e-15)
    assert page["reach"].tolist() == pytest.approx([0, 1 / 9, 1 / 9])
    said("O completes its row with 2 if it wants to win. Its move 8 therefore tells X something")
    assert page["strategy"][tree.find((5, 1, 9, 3, 6, 2))].tolist() == [1, 0, 0]
    said("O cannot want to win, and the other two goals are equally likely")


def test_when_the_current_strategy_is_an_equilibrium(page: Names) -> None:
    solver = page["Solver"](page["Endgame"](), page["cfr"])
    left = []
    for _ in range(20):
        solver.run(1)
        left.append(sum(page["best_responses"](solver, solver.strategy)))
    (first,) = (t for t in range(1, 21) if max(left[t - 1 :]) < 1e-12 <= max(left[t - 2 :]))
    said(f"From iteration {first} on the *current* strategy is an equilibrium")
    said(f"outweigh the first {['', 'one', 'two', 'three', 'four'][first - 1]}")
    before = sum(page["best_responses"](solver, solver.average()))
    solver.run(180)
    assert sum(page["best_responses"](solver, solver.average())) == pytest.approx(before / 10)
    said("an O that wants to win plays 2 with 0.8 and 4 with 0.2, and gets three in a row either way")
    tree, root = page["tree"], page["Endgame"]().root()
    assert solver.strategy[root][:, Goal.WIN].round(2).tolist() == [0.8, 0.2, 0, 0]
    two, four = tree.children(root)[:2]
    assert tree.outcome(two) == Goal.LOSE
    for answer in tree.children(four):
        assert Goal.LOSE in [tree.outcome(end) for end in (answer, *tree.children(answer))]
    said("ten times as many iterations for every further digit")


def test_nash_conv(page: Names) -> None:
    solver = page["Solver"](page["Endgame"](), page["cfr"])
    gets = [Fraction(value).limit_denominator(1000) for value in page["best_responses"](solver, solver.strategy)]
    tree, points = page["tree"], page["points"]
    root = tree.find((5, 1, 9, 3, 6))
    of_goals = [uniform_value(tree, root, lambda end, x=x, o=o: points(end, x, o)) for x in Goal for o in Goal]
    value = sum(of_goals, Fraction(0))
    said(f"worth {value} to X, so X gains {gets[0]} and O {gets[1]} by a best response")
    said(f"This sum is **NashConv**, {sum(gets)}, which section 6 printed as {float(sum(gets)):.6f}")
    assert f"1 iterations: exploitability of the average {float(sum(gets)):.6f}" in SECTIONS[6]


def test_the_exact_value(page: Names) -> None:
    saved = open_saved("single_round").load()
    tree, strategy, points = saved.tree, saved.average_strategy, page["points"]
    results = Counter()
    for goals in product(Goal, Goal):
        node = 0
        while tree.outcome(node) is None:
            (node,) = (child for child in tree.children(node) if strategy[child, goals[tree.owner[node]]] == 1)
        history = tree.history(node)
        assert history[:5] == (5, 1, 9, 3, 6)
        answer, reply = (2 if goals[1] == Goal.WIN else 8), (4 if goals[0] == Goal.WIN else 7)
        assert history[5:] == (answer, reply, 2 if goals[1] == Goal.LOSE else 4)[: len(history) - 5]
        results[points(Goal(tree.outcome(node)), *goals)] += 1
    said("O marks 2 if it wants to win, otherwise 8; X marks 4 if it wants to win, otherwise 7;")
    said("O marks 2 if it wants to lose, otherwise 4.")
    assert Fraction(results[1] - results[-1], 9) == -NINTH
    said("**The exact value** is -1/9.")
    said(f"X scores alone in {results[1]}, O alone in {results[-1]}: ({results[1]} - {results[-1]})/9 = -1/9")
    low, high = map(float, re.findall(r"^between (-0\.\d+) and (-0\.\d+)$", SECTIONS[7], re.MULTILINE)[0])
    assert low <= -1 / 9 <= high <= low + 1e-4
    (iterations,) = re.findall(r"whole\.run\((\d+)\)", TEXT)
    said(f"after {iterations} iterations of another rule")


def test_own_rule(page: Names, tmp_path: Path) -> None:
    (code,) = (block.code for block in blocks(PAGE) if "register_rule(" in block.code)
    (tmp_path / "my_rule.py").write_text(code, encoding="utf-8")
    (line,) = re.findall(r"^    tictactoe (compare-algorithms .*)$", SECTIONS[9], re.MULTILINE)
    name, *arguments = shlex.split(line.replace("500iterations", "10iterations"))
    with contextlib.chdir(tmp_path):
        result = call(name, *arguments, "--no-plot")
    compared = [line.split()[0] for line in result.out.splitlines()[1:4]]
    assert (result.code, compared) == (0, ["dcfr", "pcfr+", "hopeful-dcfr"]), result
    ends = [
        [run.algorithm for run in sorted(runs, key=lambda run: run.measurements[-1].average_exploitability)]
        for runs in page["runs"].values()
    ]
    assert [order[:2] for order in ends] == [["dcfr", "hopeful-dcfr"], ["pcfr+", "hopeful-dcfr"]]
    said("in the whole game dcfr ends lowest, in Kuhn poker pcfr+ does; hopeful-dcfr is second in both")


def test_leduc(page: Names) -> None:
    """The page's short form of Leduc is the game of examples/games, and the judge agrees with what the page finds."""
    ours, theirs = page["leduc"], build_game(runpy.run_path(str(GAMES / "leduc_poker.py"))["LeducPoker"]())
    for mine, its in (
        *((getattr(ours.tree, name), getattr(theirs.tree, name)) for name in ("parent", "owner", "leaf_class")),
        *((ours.prior, theirs.prior), (ours.payoffs, theirs.payoffs)),
        *zip(ours.chance, theirs.chance, strict=True),
    ):
        np.testing.assert_array_equal(mine, its)
    # 4 folds in the first round; after 5 other ones 3 cards, and 9 second rounds
    assert (ours.tree.leaf_class >= 0).sum() == 4 + 5 * 3 * 9
    strategy = page["library"].average_strategy()
    play = (lambda history, own: page["leduc"].information_set(strategy, history, own).probabilities,) * 2
    best = [descriptions.best_response_value(page["Leduc"](), play, player) for player in (0, 1)]
    assert -best[1] <= -0.085606424 <= best[0] < -best[1] + 1e-6
    assert page["bets"] == pytest.approx([0.299, 0.85, 1], abs=1e-3)
    said("player 1 bets with it three times in ten: it bluffs")


@pytest.mark.slow
def test_pictures(page: Names, tmp_path: Path) -> None:
    """What the script draws can be read, and is what lies in docs/pictures (to the byte, by one version of matplotlib,
    but for the compared rules, whose last digits another processor may round otherwise)."""
    assert sorted(re.findall(r"pictures/tutorial_(\w+)\.svg", TEXT)) == sorted(pictures.PICTURES)
    drawn = {name: draw(page) for name, draw in pictures.PICTURES.items()}
    for name, figure in drawn.items():
        check_legible(figure)
        saved = pictures.DOCS / "pictures" / f"tutorial_{name}.svg"
        check_svg(saved)
        if name != "rules" and f"Matplotlib v{matplotlib.__version__}," in saved.read_text(encoding="utf-8"):
            style.save_figure(figure, tmp_path / saved.name)
            assert (tmp_path / saved.name).read_bytes() == saved.read_bytes(), name
    texts = texts_of(drawn["tree"])
    assert sum(text in pictures.ENDS.values() for text in texts) == 24 - 9
    marks = sum(len(page["tree"].history(state)) for state in page["states"](page["Endgame"]()))
    assert texts.count("X") + texts.count("O") == marks


def test_the_notebook_is_the_page(tmp_path: Path) -> None:
    output = tmp_path / "tutorial.ipynb"
    runpy.run_path(str(ROOT / "examples" / "tutorial_notebook.py"))["main"]([str(output)], standalone_mode=False)
    text = output.read_text(encoding="utf-8")
    assert PAGE.with_suffix(".ipynb").read_text(encoding="utf-8") == text, "python examples/tutorial_notebook.py"
    notebook = json.loads(text)
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["source"] + "\n" for cell in code] == [one.code for one in blocks(PAGE) if one.language == "python"]
    assert {(cell["execution_count"], len(cell["outputs"])) for cell in code} == {(None, 0)}
    words = [word for cell in cells if cell["cell_type"] == "markdown" for word in cell["source"].split()]
    page = TEXT
    for block in blocks(PAGE):
        page = page.replace(f"```{block.language}\n{block.code}```\n", "").replace(f"```text\n{block.output}```\n", "")
    assert words == page.split()
