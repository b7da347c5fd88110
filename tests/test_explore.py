"""explore: its data against small computations of another kind, and the command in the hands of friends and enemies."""

from __future__ import annotations

import itertools
import json
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import MATCH, ROUND, SHORT, call, complaint, environment, program, run

from tictactoe.analysis import FloatArray
from tictactoe.board import SYMMETRIES
from tictactoe.cursor import Cursor, Position
from tictactoe.exploring import SavedRound, SavedRounds, View, view
from tictactoe.match import RESULTS, Goal, OutcomeValues, Score, scores
from tictactoe.saved_response import response_name
from tictactoe.snapshot import snapshot_name
from tictactoe.tree import GameTree

NAME = "explore"
PAIRS = list(itertools.product(Goal, Goal))
FIRST = (Goal.WIN, Goal.WIN)


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A loosely solved match to 2 with best responses; to be copied, not changed."""
    output = tmp_path_factory.mktemp("explore") / "two"
    options = ("--winning-score", 2, "--algorithm", "pdcfr+", "--maximum-subgame-exploitability", "1e-2", "--quiet")
    assert call(MATCH, "-o", output, *options).code == 0
    assert call("best-response-multiround", "-s", output, "--save").code == 0
    return output


@pytest.fixture(scope="module")
def rounds(solved: Path) -> SavedRounds:
    return SavedRounds(solved)


@pytest.fixture
def copy(solved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(solved, tmp_path / "copy"))


def talk(directory: Path, *lines: str, options: tuple[str, ...] = ()) -> str:
    """What explore prints when these lines are piped into it."""
    done = subprocess.run(
        [program(NAME), "-s", str(directory), *options], input="\n".join(lines).encode("utf-8", "surrogateescape"),
        capture_output=True, timeout=60, check=False, env=environment(),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b""), done.stderr
    return done.stdout.decode()


def positions(text: str) -> list[str]:
    return re.findall(r"^Position (\S+ \S+ \S+) ", text, re.M)


def random_moves(rng: random.Random, tree: GameTree, length: int) -> tuple[int, ...]:
    """A random game on the real board, of at most that many moves."""
    cursor = Cursor(tree)
    while len(cursor.moves) < length and cursor.outcome is None:
        cursor.play(rng.choice(cursor.board.free_squares))
    return cursor.moves


# What is shown, against computations that share nothing with it but the tree


def worth(tree: GameTree, strategy: FloatArray, values: OutcomeValues, node: int, goals: tuple[Goal, Goal]) -> float:
    """The expected value to the first mover, by recursion."""
    outcome = tree.outcome(node)
    if outcome is not None:
        return values[RESULTS.index(scores(outcome, *goals))]
    goal = goals[int(tree.owner[node])]
    return sum(
        float(strategy[child, goal]) * worth(tree, strategy, values, child, goals)
        for child in tree.children(node)
        if strategy[child, goal] > 0.0
    )


def reaches(tree: GameTree, strategy: FloatArray, moves: tuple[int, ...]) -> list[list[float]]:
    """[player][goal]: the product of its own probabilities, read off the squares of the real board move by move."""
    result = [[1.0] * 3, [1.0] * 3]
    cursor = Cursor(tree)
    for number, square in enumerate(moves):
        for child, squares in cursor.squares_by_child().items():
            if square in squares:
                for goal in Goal:
                    result[number % 2][goal] *= float(strategy[child, goal])
        cursor.play(square)
    return result


def looks(rounds: SavedRounds) -> Iterator[tuple[SavedRound, Cursor, tuple[Goal, Goal], bool]]:
    """Random positions, goals, scores, iterations."""
    rng = random.Random(7)
    for _ in range(40):
        score = rng.choice(rounds.scores or [])
        saved = rounds.load(score, rng.choice(rounds.iterations(score)))
        moves = random_moves(rng, rounds.tree, rng.randrange(2, 8))
        yield saved, Cursor(rounds.tree, moves), rng.choice(PAIRS), rng.random() < 0.7


def test_values_and_regrets_by_their_definitions(rounds: SavedRounds) -> None:
    for saved, cursor, goals, average in looks(rounds):
        tree, values = rounds.tree, saved.snapshot.outcome_values
        strategy = saved.strategy(average)
        seen = view(saved, cursor, goals, average)
        here = worth(tree, strategy, values, cursor.node, goals)
        assert seen.expected_value == pytest.approx(here, abs=1e-12)
        assert seen.wins_percent == pytest.approx(50 + 50 * here)
        reach = reaches(tree, strategy, cursor.moves)
        if not seen.moves:
            assert tree.outcome(cursor.node) is seen.forced_outcome is not None
            continue
        mover = len(cursor.moves) % 2
        for move in seen.moves:
            child = Cursor(tree, (*cursor.moves, move.squares[-1])).node
            assert move.expected_value == pytest.approx(worth(tree, strategy, values, child, goals), abs=1e-12)
            assert move.average == saved.average_strategy[child, goals[mover]]
            assert move.current == saved.snapshot.current_strategy[child, goals[mover]]
            assert move.total_regret == saved.snapshot.regrets[child, goals[mover]]
            regrets = []
            for other in Goal:
                pair = (goals[0], other) if mover == 0 else (other, goals[1])
                gain = worth(tree, strategy, values, child, pair) - worth(tree, strategy, values, cursor.node, pair)
                regrets.append((1 - 2 * mover) * gain * reach[1 - mover][other] / 9)
            assert move.regret == pytest.approx(regrets[goals[1 - mover]], abs=1e-12)
            assert move.information_set_regret == pytest.approx(sum(regrets), abs=1e-12)
        assert sum(move.average for move in seen.moves) == pytest.approx(1.0)
        assert sum(move.current for move in seen.moves) == pytest.approx(1.0)
        squares = sorted(square for move in seen.moves for square in move.squares)
        assert tuple(squares) == cursor.board.free_squares
        playing = [move.average if average else move.current for move in seen.moves]
        assert sum(p * m.regret for p, m in zip(playing, seen.moves, strict=True)) == pytest.approx(0.0, abs=1e-12)


def test_the_start_by_recursion(rounds: SavedRounds) -> None:
    saved = rounds.load(Score(0, 1))
    for goals in (FIRST, (Goal.TIE, Goal.LOSE)):
        here = worth(rounds.tree, saved.average_strategy, saved.snapshot.outcome_values, 0, goals)
        assert view(saved, Cursor(rounds.tree), goals).expected_value == pytest.approx(here, abs=1e-12)
    mean = np.mean([view(saved, Cursor(rounds.tree), goals).expected_value for goals in PAIRS])
    assert rounds.solution is not None
    assert mean == pytest.approx(rounds.solution.value[Score(0, 1)], abs=0.02)


def test_probabilities_of_the_history(rounds: SavedRounds) -> None:
    impossible = 0
    for saved, cursor, goals, average in looks(rounds):
        reach = reaches(rounds.tree, saved.strategy(average), cursor.moves)
        before = reaches(rounds.tree, saved.strategy(average), cursor.moves[: len(Cursor(
            rounds.tree, cursor.moves).nodes) - 2])  # fmt: skip
        seen = view(saved, cursor, goals, average)
        assert seen.counterfactual == pytest.approx((reach[1][goals[1]] / 9, reach[0][goals[0]] / 9))
        assert seen.parent_counterfactual == pytest.approx((before[1][goals[1]] / 9, before[0][goals[0]] / 9))
        assert seen.history_probability_for_goals == pytest.approx(reach[0][goals[0]] * reach[1][goals[1]])
        total = sum(reach[0][g] * reach[1][h] for g, h in PAIRS) / 9
        assert seen.history_probability == pytest.approx(total)
        for own, belief in zip(reach, seen.beliefs, strict=True):
            if belief is None:
                impossible += 1
                assert sum(own) == 0.0
            else:
                assert belief == pytest.approx([p / sum(own) for p in own])
    assert impossible > 0
    start = view(rounds.load(), Cursor(rounds.tree), FIRST)
    assert start.parent_counterfactual is None
    assert start.counterfactual == pytest.approx((1 / 9, 1 / 9))


def numbers(seen: View, turn: tuple[int, ...]) -> Any:
    """Everything but the position, with squares taken to where `turn` takes them."""
    result = seen.as_dict()
    line = result.pop("most_likely_line")
    for name in ("position", "moves"):
        del result[name]
    for choice in result["choices"]:
        choice["squares"] = sorted(turn[square - 1] for square in choice["squares"])
    result["choices"].sort(key=lambda choice: choice["squares"])
    return result, line and (line["probability"], line["outcome"], len(line["squares"]))


def test_symmetric_positions_have_the_same_numbers(rounds: SavedRounds) -> None:
    identity = SYMMETRIES[0]
    for saved, cursor, goals, average in itertools.islice(looks(rounds), 25):
        seen = view(saved, cursor, goals, average)
        for turn in SYMMETRIES:
            turned = Cursor(rounds.tree, tuple(turn[square - 1] for square in cursor.moves))
            assert numbers(view(saved, turned, goals, average), identity) == numbers(seen, turn)


def test_information_set_regrets_are_what_the_solver_accumulates(rounds: SavedRounds) -> None:
    """The first iteration adds, for the first mover, the regrets of the uniform strategies that it starts from."""
    score = Score(1, 1)
    before, after = rounds.load(score, 0), rounds.load(score, 1)
    tree, rng = rounds.tree, random.Random(3)
    for _ in range(40):
        cursor = Cursor(tree, random_moves(rng, tree, rng.choice((0, 2, 4))))
        for goal in Goal:
            now = view(before, cursor, (goal, Goal.WIN), average=False)
            later = view(after, cursor, (goal, Goal.WIN))
            for first, second in zip(now.moves, later.moves, strict=True):
                assert first.squares == second.squares
                assert second.total_regret is not None
                assert max(first.information_set_regret, 0.0) == pytest.approx(max(second.total_regret, 0.0), abs=1e-12)


def test_best_responses(rounds: SavedRounds) -> None:
    for score in rounds.scores or []:
        saved = rounds.load(score)
        start = Cursor(rounds.tree)
        seen = [view(saved, start, goals).best_response for goals in PAIRS]
        for seat in (0, 1):
            here = [response.values[seat] for response in seen if response is not None]
            assert len(here) == 9
            assert saved.response is not None
            assert np.mean(here) == pytest.approx(saved.response.values[seat], abs=1e-9)
        for goals in PAIRS:
            chosen = [move.best_response for move in view(saved, start, goals).moves]
            assert sorted(map(bool, chosen)) == [False, False, True]
    early = view(rounds.load(Score(1, 1), 0), Cursor(rounds.tree), FIRST)
    assert early.best_response is None
    assert {move.best_response for move in early.moves} == {None}


def test_a_best_response_in_the_middle_by_recursion(rounds: SavedRounds) -> None:
    saved = rounds.load(Score(1, 0))
    assert saved.response is not None
    tree, rng = rounds.tree, random.Random(5)
    owner = np.r_[-1, tree.owner[tree.parent[1:]]]
    for _ in range(15):
        cursor, goals = Cursor(tree, random_moves(rng, tree, 4)), rng.choice(PAIRS)
        response = view(saved, cursor, goals).best_response
        assert response is not None
        for seat, sign in ((0, 1), (1, -1)):
            mixed = np.where((owner == seat)[:, None], saved.response.strategy, saved.average_strategy)
            here = sign * worth(tree, mixed, saved.response.outcome_values[seat], cursor.node, goals)
            assert response.values[seat] == pytest.approx(here, abs=1e-12)


def test_the_likeliest_line_can_be_played(rounds: SavedRounds) -> None:
    for saved, cursor, goals, average in looks(rounds):
        line = view(saved, cursor, goals, average).line
        if line is None:
            assert cursor.forced_outcome is not None
            continue
        probability, walk = 1.0, Cursor(rounds.tree, cursor.moves)
        for square in line.squares:
            moves = view(saved, walk, goals, average).moves
            best = max(move.average if average else move.current for move in moves)
            chosen = next(move for move in moves if square in move.squares)
            assert (chosen.average if average else chosen.current) == best
            probability *= best
            walk.play(square)
        assert walk.forced_outcome is line.outcome
        assert line.probability == pytest.approx(probability)


# The command, through pipes


def test_every_command(solved: Path) -> None:
    text = talk(
        solved, "5", "m 1", "m 2 3", "u", "g w l", "g lose tie", "r", "513", "5 9", "0-1 wt 513", "s 1 1", "i first",
        "i +", "i -", "i last", "i 0", "i", "v c", "v average", "p 8", "p 12", "t", "t on", "t off", "?", "", "q", "u",
    )  # fmt: skip
    assert positions(text)[:12] == [
        "0-0 ww -", "0-0 ww 5", "0-0 ww 51", "0-0 ww 5123", "0-0 ww 512", "0-0 wl 512", "0-0 lt 512", "0-0 lt -",
        "0-0 lt 513", "0-1 wt 513", "1-1 wt 513", "1-1 wt 513",
    ]  # fmt: skip
    assert "square 5 is not free; nothing was played" in text
    assert "saved iterations (* is this one): 0*, 1, 10" in text
    assert "Iteration 1 " in text
    assert "CURRENT strategy" in text
    assert "Regret: " in text
    assert text.count("Position") == len(positions(text)) == 24
    assert [line for line in text.splitlines() if len(line) > 80] == []


def test_what_stands_on_a_screen(solved: Path) -> None:
    text = talk(solved, "1-1 wl 51")
    last = text[text.rindex("Position") :]
    for words in (
        "1-1 wl 51 ", "match to 2", "average strategy", "X (moves first) wants to WIN", "O (second) wants to LOSE",
        "X moves", "O2", "X1", "[2] 0.", "[9] 0.", "Value to X ", "X wins ", "Best response gets X ", "whole round",
        "Counterfactual prob. X 0.1", "parent's X 0.1111 O 0.", "This history happens: ", "for these goals",
        "Belief about X's goal: win 0.", "Belief about O's goal: win 0.", "Likeliest line ", "then for sure ",
        "prob. ", "average", "current", "of goals", "info set", "total", "resp.",
    ):  # fmt: skip
        assert words in last, words
    assert "\x1b" not in text
    row = next(line for line in last.splitlines() if line.startswith("    2 4"))
    assert len(row.split()) == 9
    assert re.search(r"\[2\] 0\.\d{4}=", last)


def test_forced_and_finished(solved: Path) -> None:
    text = talk(solved, "15928736", "g t t", "u", "r", "1 4 2 5 3", "u")
    assert "X moves, outcome forced: a tie; nobody scores." in text
    assert "X moves, outcome forced: a tie; both score." in text
    assert "The round is over: X makes three in a row; nobody scores." in text
    assert "X row" in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("foo", "'foo' is not a command"), ("m", "m: give one or more"), ("m x", "m: give"), ("m 0", "m: give"),
        ("55", "square 5 is not free"), ("9" * 5000, "a line of 5000"), ("9" * 900, "m: give"), ("u", "no move"),
        ("u 1", "u takes one"), ("g", "g: give"), ("g w", "g: give"), ("g w x", "g: give"), ("g w l t", "g: give"),
        ("s", "s: give"), ("s 4", "s: give"), ("s 5 0", "does not exist in a match to 2"), ("s -1 0", "s: give"),
        ("s 999999999 999999999", "does not exist"), ("s 9999999999 1", "s: give"), ("p", "p: give"),
        ("p 0", "p: give"), ("p 13", "p: give"), ("p x", "p: give"), ("t maybe", "t turns"), ("v", "v: a for"),
        ("i x", "i: give"), ("i 7", "iteration 7 is not saved; saved: 0, 1, 10"), ("i -5", "i: give"),
        ("i " + "9" * 900, "i: give"), ("i +", "is the last iteration"), ("i 1 2", "i: give"), ("q now", "q quits"),
        ("0-0", "not a position"), ("0-0 xx", "not two goals"), ("0-0 ww 11", "not moves|are not moves"),
        ("9-9 ww 5", "does not exist"), ("0-0 ww 1425367", "the round is over"), ("½", "is not a command"),
        ("\N{ARABIC-INDIC DIGIT FIVE}", "is not a command"), ("m \uff15", "m: give"), ("\x00\x01\x1b[2J", "is not a"),
        ("\udcff\udcfe", "is not a command"), ("😀 5", "is not a command"), ("r 1", "r goes back"),
        ("igm", "is not a command"), ("5 x", "m: give"),
    ],
)  # fmt: skip
def test_wrong_lines_change_nothing(line: str, expected: str, explorer: Any) -> None:
    from tictactoe.tools.explore import MistakeError

    before = explorer.view()
    with pytest.raises(MistakeError, match=expected):
        explorer.follow(line)
    assert explorer.view() == before


@pytest.fixture
def explorer(rounds: SavedRounds) -> Any:
    from tictactoe.tools.explore import Explorer

    return Explorer(rounds, None, None)


def test_wrong_lines_through_a_pipe(solved: Path) -> None:
    text = talk(solved, "½", "\x00\x01\x1b[2J\x07", "\udcff\udcfe", "9" * 100_000, "m \uff15", "\t \x0b", "5\r")
    assert positions(text) == ["0-0 ww -", "0-0 ww -", "0-0 ww 5"]
    assert "\x1b" not in text
    assert "\x00" not in text


def test_fuzzed_lines(explorer: Any) -> None:
    """Anything either does something or says what is expected; the screen can always be drawn within 80 columns."""
    from tictactoe.tools.explore import MistakeError, completions
    from tictactoe.tools.explore_screen import Paint, screen

    rng = random.Random(11)
    words = [*"imugsptrv?0159+-wlac", "12", "first", "last", "wl", "0-1", "1-1", "tt", "on", "off", "-1", "1e3", "\x00",
             "é", "513", "10"]  # fmt: skip
    paint, done, refused = Paint(), 0, 0
    for _ in range(700):
        line = " ".join(rng.choices(words, k=rng.randrange(1, 4)))
        before = (explorer.saved, explorer.cursor.moves, explorer.goals, explorer.precision, explorer.table)
        followed = True
        try:
            explorer.follow(line)
        except MistakeError:
            followed = False
        done, refused = done + followed, refused + (not followed)
        after = (explorer.saved, explorer.cursor.moves, explorer.goals, explorer.precision, explorer.table)
        assert followed or after == before, line
        completions(explorer, line.split())
        if rng.random() < 0.2:
            assert max(map(len, screen(explorer, paint).splitlines())) <= 80
            explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(9)))
    assert min(done, refused) > 40


def test_a_screen_fits_a_terminal(explorer: Any) -> None:
    """24 lines, the prompt included, and 80 columns."""
    from tictactoe.tools.explore import HELP
    from tictactoe.tools.explore_screen import Paint, screen

    assert len(HELP.splitlines()) < 24
    assert max(map(len, HELP.splitlines())) <= 80
    for moves in [(), (1,), (2,), (5,), *itertools.permutations((1, 2, 5, 6), 2)]:
        explorer.cursor = Cursor(explorer.rounds.tree, moves)
        lines = screen(explorer, Paint()).splitlines()
        assert len(lines) < 24, moves
        assert max(map(len, lines)) <= 80, moves


def test_the_position_goes_round(explorer: Any) -> None:
    rng = random.Random(2)
    for _ in range(30):
        explorer.cursor = Cursor(explorer.rounds.tree, random_moves(rng, explorer.rounds.tree, rng.randrange(10)))
        text = str(explorer.view().position)
        explorer.follow("r")
        explorer.follow("g t t")
        explorer.follow(text)
        assert str(explorer.view().position) == text == str(Position.parse(text))


# Where it starts, and JSON


def test_one_subgame_only(solved: Path) -> None:
    text = talk(solved / "subgame_1_0", "s 1 1", "1-1 ww 5", "1-0 lt 5", "i first", "i last", options=("-i", "1"))
    assert positions(text) == ["1-0 ww -", "1-0 lt 5", "1-0 lt 5", "1-0 lt 5"]
    assert text.count("only the score 1-0 is open") == 2
    assert "Iteration 1 " in text[:200]


def test_a_round_on_its_own(tmp_path: Path) -> None:
    assert call(ROUND, "-o", tmp_path / "round", *SHORT).code == 0
    text = talk(tmp_path / "round", "513", "0-0 lt 5", "s 1 1", "p 6")
    assert positions(text) == ["0-0 ww -", "0-0 ww 513", "0-0 lt 5", "0-0 lt 5"]
    assert "a round on its own" in text
    assert "X wins" not in text
    result = call(NAME, "-s", tmp_path / "round", "--json", "--position", "0-0 ww -")
    assert json.loads(result.out)["score"] is None


def test_json(solved: Path) -> None:
    result = call(NAME, "-s", solved, "--json", "--position", "1-1 wl 51", "-i", "10")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    shown_in_help = re.sub(r"\s+", " ", call(NAME, "--help").out)
    for name in (*data, *data["choices"][0], *data["most_likely_line"]):
        assert name in shown_in_help, name
    assert data["position"] == "1-1 wl 51"
    assert data["goals"] == ["win", "lose"]
    assert (data["iteration"], data["to_move"], data["best_response"]) == (10, "first", None)
    assert sum(choice["average"] for choice in data["choices"]) == pytest.approx(1.0)
    assert json.loads(call(NAME, "-s", solved, "--json", "--position", "1-1 wl").out)["best_response"] is not None


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--json",), 2), (("--position", "1-1"), 2), (("--position", "1-1 ww 55"), 2), (("--position", ""), 2),
        (("--position", "1-1 ww 142537"), 2), (("--position", "9-9 ww 5"), 1), (("-i", "x"), 2), (("-i", "-1"), 2),
        (("-i", "7"), 1), (("-i", "9" * 30), 2), (("-s", "/nowhere"), 1), (("-s", ""), 2), (("-s", "/etc/passwd"), 2),
        (("extra",), 2), (("--nonsense",), 2), (("--position", "½-1 ww"), 2), (("-s", "a\tb\x1b"), 1), (("-i", ""), 2),
    ],
)  # fmt: skip
def test_wrong_options(solved: Path, options: tuple[str, ...], code: int) -> None:
    complaint(call(NAME, *(() if "-s" in options else ("-s", solved)), *options), code, NAME)


def test_fuzzed_options(solved: Path) -> None:
    rng = random.Random(4)
    words = ["--json", "--position", "-i", "1-1 ww 5", "0-1 tt -", "first", "0", "10", "99", "", "\x1b", "é", "-s",
             str(solved), str(solved / "subgame_1_1"), "--", "-"]  # fmt: skip
    for _ in range(20):
        result = call(NAME, "--json", "-s", solved, *rng.choices(words, k=rng.randrange(1, 5)))
        assert result.code in (0, 1, 2)
        assert "Traceback" not in result.err
        assert "internal error" not in result.err
        if result.code == 0:
            json.loads(result.out)
        else:
            assert len(result.err.splitlines()) == 1


# Damaged and missing files


def test_damage_while_exploring(copy: Path) -> None:
    directory = copy / "subgame_1_1"
    (directory / snapshot_name(1)).write_bytes(b"rubbish")
    shutil.copy(directory / snapshot_name(0), directory / snapshot_name(5))
    other = copy / "subgame_0_0" / snapshot_name(0)
    shutil.copy(other, directory / snapshot_name(6))
    text = talk(copy, "s 1 1", "i 10", "i 1", "i 5", "i 6", "i 0", "i -", "i 10")
    iterations = re.findall(r"^Iteration (\d+) ", text, re.M)
    assert iterations[2:] == ["10", "0", "10"]
    complaints = [line for line in text.splitlines() if line.endswith("; still at iteration 10 of 1-1")]
    assert len(complaints) == 3
    assert "not a file of smbc-tictactoe" in complaints[0]
    assert "holds iteration 0" in complaints[1]
    assert "a snapshot of 0-0" in complaints[2]


def test_a_damaged_best_response(copy: Path, rounds: SavedRounds) -> None:
    directory, iteration = copy / "subgame_1_1", rounds.load(Score(1, 1)).iteration
    path = directory / response_name(iteration)
    path.write_bytes(path.read_bytes()[:-1])
    other = SavedRounds(copy).load(Score(0, 0)).iteration
    text = " ".join(talk(copy, "s 1 1", "s 0 0").split())
    assert "Best response: damaged" in text
    assert text.count("the checksum does not match") == 1
    shutil.copy(copy / "subgame_0_0" / response_name(other), path)
    assert "answers iteration" in " ".join(talk(copy, "s 1 1").split())


def test_files_that_vanish(copy: Path) -> None:
    from tictactoe.tools.explore import Explorer, MistakeError
    from tictactoe.tools.explore_screen import Paint, screen

    explorer = Explorer(SavedRounds(copy), None, None)
    shutil.rmtree(copy / "subgame_1_1")
    with pytest.raises(MistakeError, match="still at iteration"):
        explorer.follow("s 1 1")
    shutil.rmtree(copy / "subgame_0_0")
    with pytest.raises(MistakeError, match="any more"):
        explorer.follow("i 0")
    with pytest.raises(MistakeError, match="any more"):
        explorer.follow("i first")
    assert "none" in explorer.follow("i")
    assert "none is saved any more" in screen(explorer, Paint())
    complaint(call(NAME, "-s", copy), 1, NAME)


def test_a_snapshot_without_regrets(copy: Path) -> None:
    import dataclasses

    from tictactoe.snapshot import Snapshot

    path = copy / "subgame_1_1" / snapshot_name(10)
    snapshot = Snapshot.load(path, SavedRounds(copy).tree)
    dataclasses.replace(snapshot, regrets=np.zeros_like(snapshot.regrets)).save(path)
    assert talk(copy, "s 1 1", "i 10").count("not kept") == 3


# Start-up, terminals, streams


def test_the_compiler_is_not_loaded(solved: Path) -> None:
    script = (
        "import sys\nfrom tictactoe.tools.explore import main\ntry:\n    main()\n"
        "except SystemExit:\n    print(*sys.modules)"
    )
    command = [sys.executable, "-c", script, "-s", str(solved)]
    done = subprocess.run(command, input="513\ni\nq\n", capture_output=True, text=True, timeout=60, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "tictactoe.exploring" in loaded
    assert not loaded & {"numba", "llvmlite", "tictactoe.kernels", "tictactoe.lanes", "rich", "tictactoe.cfr"}


def test_no_input_and_no_output(solved: Path) -> None:
    result = run(NAME, "-s", solved)
    assert (result.code, result.err) == (0, "")
    assert positions(result.out) == ["0-0 ww -"]
    command = f"{program(NAME)} -s {solved}"
    for redirection, code in (("<&-", 0), (">&- </dev/null", 0), ("2>&- </dev/null", 0), (">/dev/full </dev/null", 1)):
        done = subprocess.run(
            ["sh", "-c", f"{command} {redirection}"], capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == code, redirection
        assert "Traceback" not in done.stderr
        assert "Exception" not in done.stderr
    with subprocess.Popen(
        [program(NAME), "-s", str(solved)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b"5\n" * 5)
        process.stdin.close()
        assert process.stderr.read() == b""
        assert process.wait(60) in (0, 1)


def test_interrupted_in_a_pipe(solved: Path) -> None:
    with subprocess.Popen(
        [program(NAME), "-s", str(solved)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
        assert process.stderr.read().strip() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_terminal(solved: Path) -> None:
    from test_terminal import Terminal, too_wide

    terminal = Terminal(NAME, "-s", solved)
    child = terminal.child
    child.expect("explore> ")
    for line, answer in (
        ("5", r"0-0 ww 5\b"), ("g w l", r"0-0 wl 5\b"), ("xyz", "is not a command"), ("i", "saved iterations"),
        ("i fi\t", "Iteration 0 "), ("\x1b[A", "Iteration 0 "), ("é½", "is not a command"),
    ):  # fmt: skip
        child.send(line + "\r")
        child.expect(answer)
        child.expect("explore> ")
    child.setwinsize(10, 40)
    child.send("1\r")
    child.expect(r"0-0 wl 51\b")
    child.expect("explore> ")
    child.sendintr()
    code, output = terminal.finish()
    assert code == 130
    assert "Traceback" not in output
    assert too_wide(output) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_colour_and_the_end_of_the_input(solved: Path, variables: dict[str, str], coloured: bool) -> None:
    from test_terminal import Terminal

    terminal = Terminal(NAME, "-s", solved, **variables)
    terminal.child.expect("explore> ")
    terminal.child.send("5\r")
    terminal.child.expect("ww 5")
    terminal.child.expect("explore> ")
    terminal.child.sendeof()
    code, output = terminal.finish()
    assert code == 0
    assert bool(re.search(r"\x1b\[[0-9;]+m", output)) is coloured
