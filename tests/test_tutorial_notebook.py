"""The notebook of docs/tutorial.md: its cells are the page's text and the page's code, which test_tutorial.py runs."""

import json
import runpy
from pathlib import Path

from support.pages import ROOT, blocks
from support.tutorial import PAGE, TEXT


def test_the_notebook_is_the_page(tmp_path: Path) -> None:
    output = tmp_path / "tutorial.ipynb"
    runpy.run_path(str(ROOT / "examples" / "tutorial_notebook.py"))["main"]([str(output)], standalone_mode=False)
    notebook = json.loads(output.read_text(encoding="utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert [cell["source"] + "\n" for cell in code] == [one.code for one in blocks(PAGE) if one.language == "python"]
    assert {(cell["execution_count"], len(cell["outputs"])) for cell in code} == {(None, 0)}
    words = [word for cell in cells if cell["cell_type"] == "markdown" for word in cell["source"].split()]
    page = TEXT
    for block in blocks(PAGE):
        page = page.replace(f"```{block.language}\n{block.code}```\n", "").replace(f"```text\n{block.output}```\n", "")
    assert words == page.split()
