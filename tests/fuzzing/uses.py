"""How every command is used in the world: what it reads there, and what it may write.

The first use of a command is the one that the tests of what all commands keep to are on (`support/contract.py`).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from oracle.matches import SHORT_RULE
from support.programs import MATCH, ONE_POINT, ROUND, SHORT, TWO_POINTS

CONFIGURATION = "configuration"
"""Where, in the world, commands keep the match that was left."""
LEFT = f"{CONFIGURATION}/smbc-tictactoe/unfinished_match.jsonl"
ONE, TWO, A_ROUND = " ".join(ONE_POINT), " ".join(TWO_POINTS), " ".join(SHORT)
REFEREE = "referee --listen 127.0.0.1:0 --agent match --agent uniform --players 2 --winning-score 1 --seed 1"
ATLAS = f"--rules {SHORT_RULE} --winning-score 1 --maximum-subgame-exploitability 0.01 --jobs 1 --no-plot"


@dataclass(frozen=True)
class Use:
    """A use of a command in the world. reads: which files, as patterns. output: what it may change, besides `out*`."""

    line: str
    reads: tuple[str, ...] = ()
    output: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """The command and its arguments."""
        return tuple(shlex.split(self.line))


_ONE_FILES = ("match/solution.msgpack", "match/subgame_0_0/snapshot_*.msgpack")
_RESPONSE = "match/subgame_0_0/best_response_*.msgpack"
_TWO_FILES = ("two/solution.msgpack", "two/subgame_*/snapshot_*.msgpack")
_SHORT_FILES = ("short/solution.msgpack", "short/subgame_0_0/snapshot_*.msgpack")
_CLOSED_FILES = ("closed/solution.msgpack", "closed/subgame_0_0/snapshot_*.msgpack", "closed/certificate.json")
_ROUND_FILES = ("round/snapshot_*.msgpack",)
_TOURNAMENT = ("tournament/*",)

_COMPARE = "compare-algorithms --algorithm pdcfr+ --budget 2 --no-plot"

USES = (
    Use(f"{MATCH} -o out {ONE} --jobs 1 --max-iterations 60"),
    Use(f"{MATCH} -o match {ONE} --jobs 1 --max-iterations 60", _ONE_FILES, "match"),
    Use(f"{MATCH} -o match {ONE} --jobs 1 --max-iterations 20 --restart", (*_ONE_FILES, _RESPONSE), "match"),
    Use(
        f"{MATCH} -o started {TWO} --jobs 1 --max-iterations 60",
        ("started/checkpoint_*", "started/*.msgpack"),
        "started",
    ),
    Use(f"{MATCH} -o started {TWO} --jobs 1 --dry-run", ("started/*.msgpack",), "started"),
    Use(f"{MATCH} -o out {ONE} --jobs 1 --max-iterations 60 --start-from match", _ONE_FILES),
    Use(f"{ROUND} -o out {A_ROUND} --score 0 0 --values-from match", _ONE_FILES[:1]),
    Use(f"{ROUND} -o round {A_ROUND}", _ROUND_FILES, "round"),
    Use(f"{ROUND} -o round {A_ROUND} --restart --json", _ROUND_FILES, "round"),
    Use(f"{ROUND} -o begun {A_ROUND}", ("begun/*.msgpack",), "begun"),
    Use("polish-multiround -s short -o out --jobs 1", _SHORT_FILES),
    Use(
        "polish-multiround -s short -o polished --jobs 1",
        (*_SHORT_FILES, "polished/*.msgpack", "polished/*/*.msgpack"),
        "polished",
    ),
    Use("solve-by-formula -o out --winning-score 1 --rules filled-tie --jobs 1"),
    Use("match-values --winning-score 2 --json"),
    Use("best-response-multiround -s match", _ONE_FILES),
    Use("best-response-multiround -s two --json", _TWO_FILES),
    Use("best-response-multiround -s match --save --json", (*_ONE_FILES, _RESPONSE), "match"),
    Use("best-response-multiround -s match --iteration 10 --average-strategy false --json", _ONE_FILES),
    Use("best-response-subgame -s match/subgame_0_0 --save false --json", _ONE_FILES[1:]),
    Use("best-response-subgame -s round", _ROUND_FILES, "round"),
    Use("head-to-head -s match -s uniform --json", _ONE_FILES),
    Use("head-to-head -s two -s two --average-strategy false --json", _TWO_FILES),
    Use("tournament match uniform --sample --matches 2 -o out", _ONE_FILES),
    Use("tournament match uniform --sample --matches 2 -o tournament --json", _TOURNAMENT, "tournament"),
    Use("tournament match uniform agent.msgpack best-response:match --json", (*_ONE_FILES, "agent.msgpack")),
    Use(f"{_COMPARE} -o out --score 0 0 --values-from match --json", _ONE_FILES[:1]),
    Use(f"{_COMPARE} -o comparison --restart", ("comparison/*",), "comparison"),
    Use("train-agent -o out --episodes 300 --opponent uniform --seed 1"),
    Use("train-agent -o out --episodes 300 --opponent match/subgame_0_0 --seed 1 --json", _ONE_FILES[1:]),
    Use("train-agent -o agent.msgpack --continue --episodes 200 --json", ("agent.msgpack",), "agent.msgpack"),
    Use("train-agent -o agent.msgpack --continue --episodes 150 --export out", ("agent.msgpack",), "agent.msgpack"),
    Use("plot-learning agent.msgpack -o out.svg --algorithm none --json", ("agent.msgpack",)),
    Use("compact-solution -s match -o out", _ONE_FILES),
    Use("compact-solution -s short -o out --bits 12 --smallest 0.001 --keep 0 0", _SHORT_FILES),
    Use("compact-solution -s short -o polished --restart", (*_SHORT_FILES, "polished/*.msgpack"), "polished"),
    Use(f"import-solution table.csv -o out --rules {SHORT_RULE} --json", ("table.csv",)),
    Use("import-solution table.jsonl -o out", ("table.jsonl",)),
    Use("import-solution table.csv.gz -o out", ("table.csv.gz",)),
    Use(f"import-solution published -o out --winning-score 1 --rules {SHORT_RULE} --json", ("published/*/*",)),
    Use("import-solution match -o out", _ONE_FILES),
    Use("export-strategy -s short -o out --format csv --reachable-only", _SHORT_FILES),
    Use("export-strategy -s short -o out.csv.gz", _SHORT_FILES),
    Use("export-strategy -s short --format jsonl --reachable-only --iteration 0", _SHORT_FILES),
    Use("export-strategy -s round --format csv --average-strategy false -o out.csv", _ROUND_FILES),
    Use("certify -s closed -o out --jobs 1 --json", _CLOSED_FILES[:2]),
    Use("certify -s closed --verify closed/certificate.json --jobs 1", _CLOSED_FILES),
    Use("certify -s closed_round --verify closed_round/certificate.json --jobs 1 --json", ("closed_round/*",)),
    Use("certify -s closed_round -o out.json --jobs 1", ("closed_round/*.msgpack",)),
    Use("plot-solution -s match -o out --format svg", _ONE_FILES),
    Use(f"rules-atlas -o out {ATLAS} --json"),
    Use(f"rules-atlas -o atlas {ATLAS} --json", ("atlas/*", "atlas/*/*/*.msgpack", "atlas/*/*/*/*.msgpack"), "atlas"),
    Use("play-multiround -s match --auto --seed 1", _ONE_FILES),
    Use("play-multiround -s match --auto --seed 1 --transcript out.jsonl", _ONE_FILES),
    Use("play-multiround -s match --seed 1 --plain", _ONE_FILES, CONFIGURATION),
    Use(
        "play-multiround --transcript unfinished.jsonl --continue",
        (*_ONE_FILES, "unfinished.jsonl"),
        "unfinished.jsonl",
    ),
    Use("play-multiround --continue", (*_ONE_FILES, LEFT), CONFIGURATION),
    Use("play-subgame -s match/subgame_0_0 --seed 1 --rounds 2", _ONE_FILES[1:]),
    Use("play-subgame -s match --position match.jsonl --seed 1", ("match.jsonl", "unfinished.jsonl")),
    Use("review match.jsonl -s match", (*_ONE_FILES, "match.jsonl")),
    Use("review practice.jsonl --json", (*_ONE_FILES, "practice.jsonl")),
    Use("review unfinished.jsonl -s match -o out.jsonl", ("unfinished.jsonl",)),
    Use("analyse match.jsonl -s match", (*_ONE_FILES, "match.jsonl")),
    Use(
        "analyse match.jsonl practice.jsonl -s match --json --csv out.csv",
        (*_ONE_FILES, "match.jsonl", "practice.jsonl"),
    ),
    Use("analyse tournament --skip-damaged", ("tournament/transcripts.jsonl",)),
    Use("explore -s match --position '0-0 ww 5' --json", (*_ONE_FILES, _RESPONSE)),
    Use("explore -s match --position '0-0 w? 51'", (*_ONE_FILES, _RESPONSE)),
    Use("explore -s match", (*_ONE_FILES, _RESPONSE)),
    Use("explore -s round --iteration first", _ROUND_FILES),
    Use("explore -s match --position unfinished.jsonl --json", ("unfinished.jsonl", _RESPONSE)),
    Use("play-browser -s match --no-open", _ONE_FILES[:1]),
    Use("build-page -s match -o out --json", _ONE_FILES),
    Use("build-page -s match -o out --single-file out.html", _ONE_FILES),
    Use("build-page -s match -o page", ("page/build-page.json", "page/*"), "page"),
    Use(f"{REFEREE} --matches 1 --json", _ONE_FILES),
    Use(f"{REFEREE} --matches 2 --results refereed", ("refereed/*",), "refereed"),
    Use("join 127.0.0.1:8080 --name Ann --patience 0"),
    Use("tictactoe"),
)
TYPED = {"play-multiround", "play-subgame", "explore", "review"}
"""The commands that read what is typed."""
