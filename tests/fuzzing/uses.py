"""How every command is used in the world, with the files that it reads and the outputs that it may change: uses.txt."""

from dataclasses import dataclass
from pathlib import Path

from oracle.matches import SHORT_RULE
from support.programs import ONE_POINT, SHORT, TWO_POINTS, verb_and_words

CONFIGURATION = "configuration"
"""Where, in the world, commands keep the match that was left."""
LEFT = f"{CONFIGURATION}/smbc-tictactoe/unfinished_match.jsonl"
ONE, TWO, A_ROUND = " ".join(ONE_POINT), " ".join(TWO_POINTS), " ".join(SHORT)
REFEREE = "network host --listen 127.0.0.1:0 match uniform --players 2 --winning-score 1 --seed 1"
ATLAS = f"--rules {SHORT_RULE} --winning-score 1 --maximum-subgame-exploitability 0.01 --jobs 1 --no-plot"
FILES = {
    "ONE": "match/solution.msgpack match/subgame_0_0/snapshot_*.msgpack",
    "TWO": "two/solution.msgpack two/subgame_*/snapshot_*.msgpack",
    "SHORT": "short/solution.msgpack short/subgame_0_0/snapshot_*.msgpack",
    "CLOSED": "closed/solution.msgpack closed/subgame_0_0/snapshot_*.msgpack closed/certificate.json",
    "ROUND": "round/snapshot_*.msgpack",
    "RESPONSE": "match/subgame_0_0/best_response_*.msgpack",
    "LEFT": LEFT,
}


@dataclass(frozen=True)
class Use:
    """A use of a command in the world. reads: which files, as patterns. output: what it may change, besides `out*`."""

    line: str
    reads: tuple[str, ...] = ()
    output: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        return verb_and_words(self.line)


def _use(row: str) -> Use:
    line, reads, output = (*row.split(" | "), "", "")[:3]
    options = {"one": ONE, "two": TWO, "a_round": A_ROUND, "referee": REFEREE, "atlas": ATLAS}
    patterns = (FILES.get(word, word) for word in reads.split())
    return Use(line.format(**options), tuple(" ".join(patterns).split()), output)


_ROWS = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines()
USES = tuple(_use(row) for row in _ROWS if not row.startswith("#"))
TYPED = {"play-multiround", "game play", "explore", "review"}
"""The commands that read typed lines."""
