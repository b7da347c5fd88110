"""The page opens the transcripts that the library opens, and refuses those that the library refuses."""

import base64
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

from support.page_library import PageLibrary
from support.page_matches import careless_match

from tictactoe import GameTree, Goal, MatchBot, Rules, Score, load_solution
from tictactoe.errors import FormatError
from tictactoe.play.referee import Round, commitment_text
from tictactoe.play.transcript import Setup, match_lines, practice_lines, read_transcript, replay

Lines = list[dict[str, Any]]
OPEN = """async (files) => {
  const results = [];
  for (const file of files) {
    try {
      const bytes = Uint8Array.from(atob(file), (letter) => letter.charCodeAt(0));
      const lines = ours.linesOfFile(bytes);
      const tree = await ours.solutionBy(ours.headerOf(lines).rules).loadTree();
      const { rounds, winner } = await ours.replayed(lines, tree);
      results.push([rounds.map(({ moves, goals }) => [moves, goals]), winner]);
    } catch (error) {
      results.push(String(error.message).split("\\n").length === 1 ? null : "several lines");
    }
  }
  return results;
}"""
VALUES: list[Any] = [
    None, True, 0, 1, 1.0, -1, 10**400, "", "win", "Bot", "\ud800", "a\u200db", [], [1, 2], [1.0, 2], ["tie", "win"],
    {}, {"text": "", "sha256": ""}, {"hints": 1, "looked": True}, {"hints": 1.0, "looked": True},
]  # fmt: skip
TEXTS = [
    b"", b"\n", b"{}", b"[]", b"\xff", b"\xef\xbb\xbf", b'{"format": "smbc-tictactoe transcript 3"}', b"[" * 50, b"NaN",
]  # fmt: skip


def in_file(lines: Lines) -> bytes:
    return "".join(f"{json.dumps(line)}\n" for line in lines).encode()


def transcripts() -> list[Lines]:
    """A match that is over, one with rounds that were left or go on, and practice."""
    bot = MatchBot(load_solution("shipped"), 2)
    setup = Setup(names=("You", "Bot"), seed=None, winning_score=2, solved_winning_score=5)
    over, begun = careless_match(bot, 4), careless_match(bot, 5, most_rounds=1)
    current = begun.deal()
    current.play(5)
    left = match_lines(setup, begun)
    left.insert(1, match_lines(setup, begun)[1] | {"moves": [], "outcome": None, "scored": [], "abandoned": True})
    practice = Setup(names=("You", "Bot"), seed=-3, position="1-1 w? 51", opponent="who knows")
    text = commitment_text(1, Goal.TIE, "00")
    played = Round(1, Score(1, 1), 0, (Goal.WIN, Goal.TIE), text, bot.tree, (5, 1, 2, 8, 4, 6))
    return [match_lines(setup, over), match_lines(setup, begun, current), left, practice_lines(practice, [played])]


def damaged(lines: Lines, values: list[Any]) -> Iterator[bytes]:
    """Every field with other values or without any, lines that are missing, twice, or broken off, other texts."""
    whole = in_file(lines)
    yield whole
    yield from (b"\xef\xbb\xbf" + whole, b"\xef\xbb\xbf" + b"\xef\xbb\xbf" + whole)
    yield from (whole.replace(b"\n", end) for end in (b"\r\n", b"\x0b", b"\xe2\x80\xa8", b"\n\n", b" \n"))
    yield from (whole + text for text in TEXTS)
    yield from (whole[: len(whole) * part // 7] for part in range(7))
    yield whole.replace(b'"version": "', b'"version": NaN, "x": "')
    yield whole.replace(b'"moves": [', b'"moves": [5.0, ')
    for index, line in enumerate(lines):
        yield in_file(lines[:index] + lines[index + 1 :])
        yield in_file([*lines[: index + 1], *lines[index:]])
        for name, value in product((*line, "review", "help", "keypad", "x"), values if index < 2 else values[:1]):
            yield in_file([*lines[:index], line | {name: value}, *lines[index + 1 :]])
        for name in line:
            yield in_file([*lines[:index], {key: line[key] for key in line if key != name}, *lines[index + 1 :]])


def opened(data: bytes, path: Path, tree: GameTree) -> Any:
    """The moves and goals of all finished rounds, and the winner; None if the library refuses the transcript."""
    path.write_bytes(data)
    try:
        setup, lines = read_transcript(path)
        Rules.parse(setup.rules)
        found = replay(lines, tree)
    except (FormatError, ValueError):
        return None
    rounds = [[list(played.cursor.moves), [int(goal) for goal in played.goals]] for played in found.rounds]
    return [rounds, found.match and found.match.winner]


def test_the_same_are_opened_and_the_same_refused(library: PageLibrary, tmp_path: Path) -> None:
    over, begun, left, practice = transcripts()
    files = [*damaged(over, VALUES), *damaged(begun, VALUES[:2]), *damaged(left, VALUES[:2])]
    files += damaged(practice, VALUES[2:14])
    theirs = library.call(OPEN, [base64.b64encode(data).decode() for data in files])
    tree = GameTree.build()
    ours = [opened(data, tmp_path / "one.jsonl", tree) for data in files]
    different = [(data, one, other) for data, one, other in zip(files, ours, theirs, strict=True) if one != other]
    assert different == []
    assert ours[1] == ours[0], "a byte order mark says nothing"
    assert sum(found is not None for found in ours) > 20
    assert sum(found is None for found in ours) > 400
