"""Checks of pictures before the work that they show."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from tictactoe.errors import MissingPlotsError

from ..lazy_imports import lazily
from ..program import CommandError

with lazily():
    from tictactoe.figures import style


def check_picture(path: Path, option: str, endings: Sequence[str] = (".png", ".svg", ".pdf")) -> None:
    """Raises click.UsageError for a name without one of these endings, and MissingPlotsError."""
    if path.suffix not in endings:
        raise click.UsageError(f"{option}: {path.name}: the name must end with {', '.join(endings)}")
    style.require_plots()


def require_plots_unless(no_plot: bool, pictures: str) -> None:
    """Raises CommandError without matplotlib, which draws the pictures of a command with --no-plot."""
    try:
        if not no_plot:
            style.require_plots()
    except MissingPlotsError as error:
        raise CommandError(f"{error}; or leave the {pictures} out with --no-plot") from error
