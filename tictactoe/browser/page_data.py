"""All data files of a page, made on demand. docs/page-data.md has their formats."""

from __future__ import annotations

import gzip
import hashlib
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import __version__
from ..algorithms.arrays import ByteArray
from ..errors import FormatError
from ..games.board import SQUARES, Board
from ..games.rules import SINGLE_ROUND, Goal, Outcome, Rules, goal_name
from ..match.scores import Score, outcome_values
from ..play.adaptive import likened
from ..play.bot import RoundBot, fixed_strategy
from ..play.judge import Judge
from ..play.known_opponent import states
from ..play.opponents import ADAPTIVE, DEFAULT_OPPONENT, LADDER, OPPONENTS, title_of
from ..storage.directory_layout import SOLUTION_FILE
from ..storage.open_saved import SavedRounds
from ..storage.population import LEARNERS, POPULATION, has_learnt
from ..storage.snapshot import rules_of
from ..storage.solution import Solution
from ..storage.texts import json_text
from .sheets import sheets_file

MANIFEST_FILE = "data/manifest.json"
MANIFEST_FORMAT = 1
RIDDLES_FILE = Path(__file__).parent / "riddles.json"
"""The positions of the riddles, from a match to 5 by the default rules, chosen by `benchmarks/riddles.py`."""
SHIPPED_ON_PAGE = ("shipped", "filled")
"""The names of the solutions that a page has by default."""
FIRST_MATCH = 3
"""The points of the match that the page first offers, as in USUAL_LENGTH of screens/play/wish.js."""


class PageData:
    """The data of a page for some solved matches, each by different rules.

    address: the page's future address, from `page_folder.page_address`; None if unknown.
    stun: the host, optionally with a port, from which devices learn their addresses; None for no host.
    compression: gzip's level for trees and strategies, 1 (fast) to 9 (small).

    Raises FormatError for an unsolved score or unknown rules, and ValueError for two matches by the same rules.

    >>> from tictactoe import open_saved
    >>> data = PageData([open_saved("match_to_1").solution])
    >>> [name.rpartition("/")[2] for name in data.names if not name.startswith("data/sheets")][:4]
    ['manifest.json', 'tree.data', '0-0.data', 'responses.data']
    """

    def __init__(
        self,
        solutions: Sequence[Solution],
        address: str | None = None,
        *,
        stun: str | None = None,
        compression: int = 9,
    ) -> None:
        self.address = address
        self.stun = stun
        self._compression = compression
        self._solutions: dict[str, Solution] = {}
        self._made: dict[str, bytes] = {}
        for solution in solutions:
            if missing := solution.missing_scores:
                what = f"not every score is solved yet (missing: {len(missing)}, such as {missing[-1]})"
                raise FormatError(solution.directory, f"{what}; finish solving first")
            rules_of(solution.directory / SOLUTION_FILE, solution.rules)
            if other := self._solutions.get(solution.rules):
                where = f"{other.directory} and {solution.directory}"
                raise ValueError(
                    f"{where} were both solved for the rules {solution.rules}; "
                    "a page has one match for each set of rules"
                )
            self._solutions[solution.rules] = solution

    @property
    def names(self) -> list[str]:
        """The names of all files, as paths below the page's folder; the manifest first."""
        return [MANIFEST_FILE, *self._makers]

    @property
    def first_play(self) -> tuple[str, ...]:
        """The names of the files for the first round of the match that the page offers first."""
        solution = next(iter(self._solutions.values()))
        points = max(0, solution.winning_score - FIRST_MATCH)
        return tuple(f"{_folder(solution)}/{name}.data" for name in ("tree", Score(points, points), "responses"))

    def file(self, name: str) -> bytes:
        """The content of a file. Raises KeyError for an unknown name, FormatError for a damaged snapshot."""
        if name == MANIFEST_FILE:
            return json_text(self.manifest(), indent=1).encode()
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def other_files(self, report: Callable[[int, int], object]) -> dict[str, bytes]:
        """All files but the manifest. report: called with the number of files made so far and their total number."""
        files: dict[str, bytes] = {}
        for name in self._makers:
            report(len(files), len(self._makers))
            files[name] = self.file(name)
        report(len(files), len(files))
        return files

    def manifest(self, *, offline: bool = False) -> dict[str, Any]:
        """The content of the manifest.

        offline: whether browsers should keep the page for use without a network.
        """
        return {
            "format": MANIFEST_FORMAT,
            "program": f"smbc-tictactoe {__version__}",
            "offline": offline,
            "address": self.address,
            "stun": self.stun,
            "goals": [goal_name(goal) for goal in Goal],
            "sheets": self._sheets_name,
            "riddles": next(iter(self._riddles), None),
            "solutions": [self._described(solution) for solution in self._solutions.values()],
        }

    def _described(self, solution: Solution) -> dict[str, Any]:
        folder, values, opponents = _folder(solution), solution.value, list(_opponents(solution.rules))
        return {
            "name": solution.rules.replace(" ", "_"),
            "fingerprint": _fingerprint(solution),
            "rules": rules_in_words(Rules.parse(solution.rules)),
            "tree": {"file": f"{folder}/tree.data", "fingerprint": solution.tree_fingerprint},
            "winning_score": solution.winning_score,
            "scores": [
                {
                    "score": score,
                    "value": values[score],
                    "outcome_values": outcome_values(score, values, solution.winning_score),
                    "file": f"{folder}/{score}.data",
                }
                for score in sorted(solution.results)
            ],
            "responses": f"{folder}/responses.data",
            "opponents": [
                _ADAPTIVE
                | {"perfect_wins_by_length": self._opponent(DEFAULT_OPPONENT, solution)["perfect_wins_by_length"]},
                *(self._opponent(name, solution) for name in opponents),
            ],
            "adaptive": [
                {"weight": weight, "plays": _mix(name), "like": likened(name)}
                for name, weight in {DEFAULT_OPPONENT: 1.0, **POPULATION}.items()
                if has_learnt(name, Rules.parse(solution.rules))
            ],
            "ladder": [name for name in LADDER if name in (ADAPTIVE, *opponents)],
        }

    def _opponent(self, name: str, solution: Solution) -> dict[str, Any]:
        opponent = OPPONENTS[name]
        wins = opponent.wins.get(solution.rules)
        return {
            "name": name,
            "title": opponent.title,
            "text": opponent.description,
            "plays": opponent.plays,
            "simple_wins_by_length": wins.simple[: solution.winning_score] if wins else [],
            "perfect_wins_by_length": wins.perfect[: solution.winning_score] if wins else [],
            "file": f"{_folder(solution)}/{name}.data" if name in LEARNERS else None,
        }

    @cached_property
    def _sheets(self) -> bytes:
        return sheets_file(self._solutions)

    @cached_property
    def _sheets_name(self) -> str:
        return f"data/sheets-{hashlib.sha256(self._sheets).hexdigest()[:12]}.json"

    @cached_property
    def _riddles(self) -> dict[str, Callable[[], bytes]]:
        first, content = next(iter(self._solutions.values())), RIDDLES_FILE.read_bytes()
        if (first.rules, first.winning_score) != (str(Rules()), 5):
            return {}
        return {f"data/riddles-{hashlib.sha256(content).hexdigest()[:12]}.json": lambda: content}

    @cached_property
    def _makers(self) -> dict[str, Callable[[], bytes]]:
        makers: dict[str, Callable[[], bytes]] = {self._sheets_name: lambda: self._sheets, **self._riddles}
        for solution in self._solutions.values():
            folder = _folder(solution)
            makers[f"{folder}/tree.data"] = partial(_tree, solution, self._compression)
            for score in sorted(solution.results):
                makers[f"{folder}/{score}.data"] = partial(_round, solution, score, self._compression)
            makers[f"{folder}/responses.data"] = partial(_responses, solution, self._compression)
            for name in filter(LEARNERS.__contains__, _opponents(solution.rules)):
                makers[f"{folder}/{name}.data"] = partial(_learner, solution, name, self._compression)
        return makers


_ADAPTIVE: dict[str, Any] = {
    "name": ADAPTIVE,
    "title": title_of(ADAPTIVE),
    "text": "Plays perfectly at first, watches how you play, and risks no more than you have given it.",
    "plays": OPPONENTS[DEFAULT_OPPONENT].plays,
    "simple_wins_by_length": [],
    "file": None,
}
"""The adapting bot for the manifest. Nobody wins more against it than against the perfect one
(docs/adaptive-bot.md)."""


def _mix(name: str) -> Mapping[str, float]:
    return OPPONENTS[name].plays[0] if name in OPPONENTS else {name: 1.0}


def _folder(solution: Solution) -> str:
    return f"data/{solution.rules.replace(' ', '_').replace(':', '-')}-{_fingerprint(solution)[:12]}"


@lru_cache(maxsize=8)
def _fingerprint(solution: Solution) -> str:
    return hashlib.sha256(Path(solution.directory, SOLUTION_FILE).read_bytes()).hexdigest()


def _opponents(rules: str) -> Iterable[str]:
    known = Rules.parse(rules)
    return (name for name in OPPONENTS if has_learnt(name, known))


def _round(solution: Solution, score: Score, compression: int) -> bytes:
    snapshot, values = solution.snapshot(score), solution.outcome_values(score)
    strategy = snapshot.average_strategy(solution.tree)
    beliefs = snapshot.beliefs if "refined" in solution.options else None
    bot = RoundBot(solution.tree, strategy, values, beliefs)
    return strategy_file(bot, _fingerprint(solution), score, snapshot.iteration, compression)


def _responses(solution: Solution, compression: int) -> bytes:
    judge = Judge(SavedRounds(solution.directory))
    arrays = {}
    for name in _opponents(solution.rules):
        if (known := judge.known_opponent(name, solution.winning_score)) is not None and known.can_answer:
            arrays[name] = np.array([known.value(state) for state in states(solution.winning_score)])
    header = {"kind": "responses", "tree": solution.tree_fingerprint, "solution": _fingerprint(solution)}
    return encode(header, arrays, compression)


def _learner(solution: Solution, name: str, compression: int) -> bytes:
    bot = RoundBot(solution.tree, fixed_strategy(name, solution.tree), SINGLE_ROUND)
    return strategy_file(bot, _fingerprint(solution), None, 0, compression)


DATA_FILE_MAGIC = b"SMBCTTT1"
"""The first bytes of the inflated file, which end with the version of the format."""

_ALIGNMENT = 8
_NAMES = {"|i1": "int8", "|u1": "uint8", "<f4": "float32", "<f8": "float64"}


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], compression: int) -> bytes:
    """The bytes of a data file. Equal arguments give equal bytes.

    header: JSON types; `encode` adds "arrays" with the name, dtype and length of each.
    arrays: of dtype int8, uint8, float32 or float64, in C order.
    compression: gzip's level, 1 (fast) to 9 (small).

    >>> import numpy as np
    >>> inflated = gzip.decompress(encode({"kind": "example"}, {"square": np.array([5, 1], np.int8)}, 9))
    >>> inflated[:8], inflated[12:].rstrip(bytes(1))[-2:]
    (b'SMBCTTT1', b'\\x05\\x01')
    """
    listed = [{"name": name, "dtype": _NAMES[array.dtype.str], "length": array.size} for name, array in arrays.items()]
    text = json_text({**header, "arrays": listed}, compact=True).encode()
    text += b" " * (-(len(DATA_FILE_MAGIC) + 4 + len(text)) % _ALIGNMENT)
    parts = [DATA_FILE_MAGIC, struct.pack("<I", len(text)), text]
    for array in arrays.values():
        data = array.tobytes()
        parts += [data, bytes(-len(data) % _ALIGNMENT)]
    return gzip.compress(b"".join(parts), compresslevel=compression, mtime=0)


def strategy_file(bot: RoundBot, solution: str, score: Score | None, iteration: int, compression: int) -> bytes:
    """The data file of a round's bot. Values are to the first mover; probabilities are float64, beliefs float32.

    solution: the fingerprint of the strategy's solution. score: None for an opponent with one strategy for all scores.
    """
    header = {
        "kind": "strategy",
        "tree": bot.tree.fingerprint,
        "rules": str(bot.tree.rules),
        "solution": solution,
        "score": score,
        "iteration": iteration,
        "outcome_values": bot.values,
    }
    arrays: dict[str, NDArray[Any]] = {"probability": bot.strategy}
    if bot.after_mistakes is not None:
        beliefs = bot.after_mistakes.astype(np.float32)
        mistakes = np.asarray(beliefs.any(axis=1))
        arrays |= {"mistakes": mistakes.astype(np.uint8), "beliefs": beliefs[mistakes]}
    return encode(header, arrays, compression)


ROUND_GOES_ON = -1
"""The number, in place of an outcome, for a board at which the round continues or that no round reaches."""


def _tree(solution: Solution, compression: int) -> bytes:
    tree = solution.tree
    arrays = {
        "square": tree.square,
        "num_children": tree.num_children.astype(np.uint8),
        "leaf_class": tree.leaf_class,
        "outcomes": outcomes_of_boards(tree.rules),
    }
    return encode({"kind": "tree", "tree": tree.fingerprint, "rules": rules_in_words(tree.rules)}, arrays, compression)


def outcomes_of_boards(rules: Rules) -> ByteArray:
    """int8 (19683,): the Outcome of every board; ROUND_GOES_ON if the round continues or never reaches the board.

    The index is a number in base 3 with square 1 as its lowest digit: 0 for a free square, 1 or 2 for the first or
    second mover.

    >>> int(outcomes_of_boards(Rules())[1 + 2 * 3**3 + 3 + 2 * 3**4 + 3**2])  # X on 1, 2 and 3; O on 4 and 5
    0
    """
    boards = product(range(3), repeat=len(SQUARES))
    return np.array([_outcome(rules, tuple(reversed(marks))) for marks in boards], np.int8)


def _outcome(rules: Rules, marks: tuple[int, ...]) -> int:
    first, second = (sum(1 << bit for bit, mark in enumerate(marks) if mark == player) for player in (1, 2))
    if first.bit_count() - second.bit_count() not in (0, 1):
        return ROUND_GOES_ON
    outcome = rules.outcome(Board(first, second))
    return ROUND_GOES_ON if outcome is None else int(outcome)


def rules_in_words(rules: Rules) -> dict[str, Any]:
    of_round = rules.of_round
    outcomes = [outcome for outcome in Outcome if outcome in of_round.goals_true]
    return {
        "name": str(rules),
        "title": of_round.title if rules.has_even_odds else f"{of_round.title}; goals {rules.odds_text}",
        "goal_odds": rules.goal_odds,
        "ends_with_line": of_round.ends_with_line,
        "text": of_round.text,
        "to_do": {goal_name(goal): of_round.to_do[goal] for goal in Goal},
        "outcomes": [
            {
                "name": outcome.name.lower(),
                "goals_true": [sorted(map(int, goals)) for goals in rules.goals_true(outcome)],
                "happened": of_round.happened[outcome],
                "briefly": of_round.briefly[outcome],
            }
            for outcome in outcomes
        ],
    }
