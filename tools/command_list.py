"""The list of all commands, in groups, with one line each. `tictactoe` prints it."""

from __future__ import annotations

import difflib

COMMANDS = {
    "Play": {
        "play-multiround": "play a match against the bot",
        "play-subgame": "play single rounds, for practice",
        "play-game": "play another game: poker, 21, one of yours",
        "review": "see what your mistakes cost",
        "explore": "see what a solution thinks of a position",
    },
    "Play in a browser": {
        "play-browser": "open the page here: play, review, explore, learn",
        "build-page": "write the page for a web server, or as one file",
    },
    "Play on a network": {
        "referee": "hold a tournament of people and programs",
        "join": "play in one, as a person or with an agent",
    },
    "Solve": {
        "solve-multiround": "solve the whole match",
        "polish-multiround": "make a solved match exact",
        "solve-by-formula": "a perfect match at once, from closed forms",
        "match-values": "what every score is worth, by formula",
        "solve-subgame": "solve one round on its own",
        "solve-game": "solve another game: poker, 21, one of yours",
        "compare-algorithms": "how fast algorithms converge on one round",
    },
    "Learn": {
        "train-agent": "learn one round by trial and error",
        "plot-learning": "draw how an agent learnt, beside a solver",
    },
    "Judge": {
        "analyse": "price the moves of many matches, luck apart",
        "best-response-multiround": "what the best responder wins against a solution",
        "best-response-subgame": "the same in one round",
        "head-to-head": "how often one solution beats another",
        "tournament": "agents and programs, everybody against everybody",
        "certify": "prove how little a solution can lose",
        "plot-solution": "draw how a match was solved, and who wins it",
        "rules-atlas": "what difference the rules of a round make",
    },
    "Exchange": {
        "export-strategy": "write a strategy as a table",
        "import-solution": "read strategies that others have computed",
        "compact-solution": "make a small copy of a solution",
    },
}
"""By group and name. A test compares the names with pyproject.toml. A line here makes `tictactoe NAME` run the module
of that name in tools/commands/ (with _ for -), and complete its options."""

COMMAND_NAMES = tuple(name for group in COMMANDS.values() for name in group)


def module_of(name: str) -> str:
    """The name of a command's module in tools/commands/."""
    return name.replace("-", "_")


def nearest(word: str) -> str | None:
    """The command that a mistyped word probably means: it contains the word, or has a similar spelling. None without a
    similar command."""
    containing = [name for name in COMMAND_NAMES if len(word) > 2 and word in name]
    return next(iter(containing or difflib.get_close_matches(word, COMMAND_NAMES, n=1)), None)
