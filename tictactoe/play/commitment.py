"""Commitments: a hash of the goal that is shown before the round, and its text, which is shown afterwards."""

from __future__ import annotations

import hashlib
import re

from ..games.goals import Goal
from .randomness import generator_for, round_purpose


def commitment_text(number: int, goal: Goal, nonce: str) -> str:
    """The text whose hash is shown before a round, and which is shown itself afterwards."""
    return f"smbc-tictactoe round {number} goal {goal.name.lower()} nonce {nonce}"


def commitment_hash(text: str) -> str:
    """SHA-256, hexadecimal: what `python -c "import hashlib; print(hashlib.sha256(b'TEXT').hexdigest())"` prints."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_commitment(text: str, number: int, goal: Goal) -> bool:
    """Whether the text commits to this goal in round `number`, with a nonce of 2 to 64 hexadecimal digits."""
    return re.fullmatch(f"{commitment_text(number, goal, '')}[0-9a-f]{{2,64}}", text) is not None


def new_commitment(seed: int | None, number: int, goal: Goal, again: int = 0) -> str:
    """The text for a goal. Its nonce has 32 hexadecimal digits, so that nobody can guess the text from the hash; with a
    `seed`, whoever knows the seed can. again: how often the round was dealt anew."""
    generator = generator_for(seed, round_purpose("nonce", number, again))
    return commitment_text(number, goal, f"{generator.getrandbits(128):032x}")
