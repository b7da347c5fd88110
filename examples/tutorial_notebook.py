"""Make a Jupyter notebook of docs/tutorial.md: python examples/tutorial_notebook.py [tutorial.ipynb]

The text becomes cells of text, every block of Python a cell that runs. Printed output is left out: running a cell
prints it. Links and pictures lead into docs/, where the notebook that ships with the page lies.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"


def notebook(text: str) -> dict[str, Any]:
    """The page as a notebook of format 4.5, without output."""
    parts = re.split(r"^```python\n(.*?)^```\n(?:```text\n.*?^```\n)?", text, flags=re.DOTALL | re.MULTILINE)
    cells: list[dict[str, Any]] = []
    for number, part in enumerate(parts):
        cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": part.strip("\n")}
        if number % 2:
            cells.append({"cell_type": "code", "execution_count": None, "outputs": [], **cell})
        elif part.strip():
            cells.append({"cell_type": "markdown", **cell})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


@click.command()
@click.argument("output", type=click.Path(path_type=Path), default=PAGE.with_suffix(".ipynb"))
def main(output: Path) -> None:
    """Write the tutorial as a notebook: to OUTPUT, or to tutorial.ipynb beside the page."""
    output.write_text(json.dumps(notebook(PAGE.read_text(encoding="utf-8")), indent=1) + "\n", encoding="utf-8")
    print(f"written: {output}")


if __name__ == "__main__":
    main()
