"""How often what is in progress is saved."""

from __future__ import annotations

import time

CHECKPOINT_SECONDS = 5.0
"""What a killed run loses at most."""


class CheckpointClock:
    """Says when it is time to save again."""

    def __init__(self) -> None:
        self._saved_at = time.monotonic()

    def is_due(self) -> bool:
        """Whether CHECKPOINT_SECONDS have passed since the last time that it was; if so they begin anew."""
        now = time.monotonic()
        due = now - self._saved_at > CHECKPOINT_SECONDS
        if due:
            self._saved_at = now
        return due
