"""All verbs in groups, and what replaces the commands and options of version 1."""

from __future__ import annotations

import difflib

COMMANDS = {
    "Play": {
        "play-multiround": "play a match against the bot, or single rounds for practice",
        "game play": "play another game: poker, 21, or one of your own",
        "review": "see what your mistakes cost, in one match or in many",
        "explore": "see how a solution judges a position",
        "page": "play, review, explore and learn in a browser, or write the page to a folder",
    },
    "Play on a network": {
        "network host": "hold a tournament for people and programs",
        "network join": "join a tournament, as a person or with an agent",
    },
    "Solve": {
        "solve-multiround": "solve the whole match, or one round of it",
        "game solve": "solve another game: poker, 21, or one of your own",
        "compare-algorithms": "compare how fast algorithms converge on one round",
        "train-agent": "train an agent on one round by trial and error",
    },
    "Judge": {
        "best-response-multiround": "compute, and prove, what the best responder wins against a solution",
        "tournament": "let solutions, agents and programs play each other",
        "rules-atlas": "compare the rules of a round, or list what every score is worth",
        "plot": "draw how a match was solved, or how an agent has learnt",
        "convert": "turn a solution into a table or a small copy, or a table into a solution",
    },
}
"""By group and name. An entry makes `tictactoe NAME` run the module of that name in tools/commands/ (with _ for - and
blanks) and complete its options."""

COMMAND_NAMES = tuple(name for group in COMMANDS.values() for name in group)

ON_THE_PATH = ("solve-multiround", "best-response-multiround", "play-multiround", "explore")
"""The verbs that are installed as programs of their own, too."""

RENAMED = {
    "play-subgame": "play-multiround --rounds 1",
    "play-game": "game play",
    "analyse": "review --worst 10",
    "play-browser": "page",
    "build-page": "page",
    "referee": "network host",
    "join": "network join",
    "polish-multiround": "solve-multiround --polish",
    "solve-by-formula": "solve-multiround --algorithm formula",
    "match-values": "rules-atlas --values",
    "solve-subgame": "solve-multiround --one-round",
    "solve-game": "game solve",
    "plot-learning": "plot",
    "best-response-subgame": "best-response-multiround",
    "head-to-head": "tournament",
    "certify": "best-response-multiround --prove",
    "plot-solution": "plot",
    "export-strategy": "convert",
    "import-solution": "convert",
    "compact-solution": "convert",
}
"""The command of version 1, and the verb with options that replaces it."""

_ODDS = {"--goal-odds": "--rules 2:1:1, or with a name: --rules 'filled 2:1:1'"}
_GOES_ON = {"--resume": "unnecessary: a stopped run continues by itself"}
_AGENTS = {"--player": "unnecessary: give the name of the agent alone"}
OPTIONS_NOW = {
    **dict.fromkeys(("explore", "best-response-multiround", "convert"), _ODDS),
    "play-multiround": {
        **_ODDS,
        "--continue": "--resume",
        "--bot-goal": "--goal YOURS,ITS, such as --goal win,lose or --goal any,lose",
    },
    "review": {"--csv": "-o NAME.csv"},
    "page": {"--single-file": "-o NAME.html"},
    "network host": {**_ODDS, **_AGENTS},
    "network join": _AGENTS,
    "solve-multiround": {
        **_ODDS,
        **_GOES_ON,
        "--by-formula": "--algorithm formula",
        "--no-refine": "--polish unrefined",
        "--schedule-horizon": "--algorithm 'hs-dcfr(schedule_horizon=1000)'",
    },
    "game solve": {**_GOES_ON, "--exact": "--algorithm exact"},
    "compare-algorithms": {**_ODDS, "--all-scores": "--score all"},
    "train-agent": {
        **_ODDS,
        "--continue": "--resume",
        "--epsilon": "--method 'average-reward(epsilon=1)'",
        "--epsilon-end": "--method 'average-reward(epsilon_end=0.1)'",
        "--epsilon-episodes": "--method 'average-reward(epsilon_episodes=1e5)'",
        "--export": "tictactoe convert AGENT -o DIRECTORY",
        "--learning-rate": "--method 'q-learning(learning_rate=0.1)'",
        "--state": "--method 'average-reward(state=board)'",
    },
    "tournament": {**_ODDS, "--csv": "-o NAME.csv", "--plot": "-o NAME.png"},
    "rules-atlas": {**_ODDS, "--fractions": "--digits fractions"},
}
"""What to type instead of a removed option, by verb and option."""


def module_of(name: str) -> str:
    return name.replace("-", "_").replace(" ", "_")


def typed(name: str) -> str:
    return f"tictactoe {name}" if name in COMMAND_NAMES and name not in ON_THE_PATH else name


def nearest(word: str) -> str | None:
    """The verb that contains a mistyped word or is spelt like it; None if there is none."""
    containing = [name for name in COMMAND_NAMES if len(word) > 2 and word in name]
    return next(iter(containing or difflib.get_close_matches(word, COMMAND_NAMES, n=1)), None)
