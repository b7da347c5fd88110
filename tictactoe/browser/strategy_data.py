"""The strategy of one round as data for the page."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..match.scores import Score
from ..play.bot import RoundBot
from .data_file import encode


def strategy_file(bot: RoundBot, solution: str, score: Score | None, iteration: int, compression: int) -> bytes:
    """The data file of a round's bot, compressed as by `encode`; its values are to the first mover.

    solution: fingerprint of the strategy's solution. score: its score in the solution; None for an opponent with one
    strategy for all scores.

    Probabilities keep all digits: most are 0 or 1, so float32 would save only a fifth of the file. With fewer digits,
    the page could show a cost for a move that costs nothing in the program. Beliefs after mistakes have the digits of
    float32.
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
