"""The sources of the page, which are part of the package: HTML, style sheets, modules, pictures."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parent / "page"


def source_names() -> list[str]:
    """Of every source, as a path below the page's folder, in order."""
    return sorted(path.relative_to(PAGE).as_posix() for path in PAGE.rglob("*") if path.is_file())


def read_source(name: str) -> bytes:
    """What a source holds. Raises KeyError for a name that `source_names` does not list."""
    if name not in source_names():
        raise KeyError(name)
    return (PAGE / name).read_bytes()
