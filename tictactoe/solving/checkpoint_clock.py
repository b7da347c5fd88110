"""The clock of checkpoints: how often a run saves its work in progress."""

from __future__ import annotations

import time

CHECKPOINT_SECONDS = 5.0
"""A killed run loses the work of about so many seconds."""


class CheckpointClock:
    """Says when it is time to save again."""

    def __init__(self) -> None:
        self._saved_at = time.monotonic()

    def is_due(self) -> bool:
        """Whether CHECKPOINT_SECONDS have passed since this last returned True, or since the clock was made."""
        now = time.monotonic()
        due = now - self._saved_at > CHECKPOINT_SECONDS
        if due:
            self._saved_at = now
        return due
