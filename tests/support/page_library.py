"""The page's modules as a library: called in a real browser, with a solved match by each of all rules."""

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from support.browser import Browser, Page, noisy
from support.page_servers import running_server

from tictactoe import Solution, load_solution
from tictactoe.browser.page_data import PageData

RULES_ON_PAGE = ["three-in-a-row", "filled", "filled-none", "filled-tie", "three-in-a-row 2:1:1"]
"""The rules of the solved matches on the page: all of RULES, and uneven odds."""
REFINED = "three-in-a-row"
"""The rules of a solution that is refined."""
NOT_REFINED = "filled-none"
"""The rules of an unrefined solution, which comes from a formula."""

_MODULES = [
    "games/board", "games/cursor", "games/rules", "loading/opponent_loader", "loading/planner",
    "loading/solution_loader", "match/scores", "play/adaptive_account", "play/adaptive_model",
    "play/adaptive_plan", "play/commitment", "play/ending", "play/goal_grid", "play/guesses",
    "play/hint_words", "play/luck", "play/move_costs", "play/notation", "play/reason", "play/referee",
    "play/review", "play/riddle_days", "play/transcript", "play/transcript_lines", "play/transcript_reader",
    "screens/review/facts", "screens/review/review_words",
]  # fmt: skip

_LOAD = """async (names) => {
  const modules = await Promise.all(names.map((name) => import(`/${name}.js`)));
  globalThis.ours = Object.assign({}, ...modules);
  ours.catalogue = await ours.loadCatalogue();
  ours.solutionBy = (rules) => ours.catalogue.solutions.find((solution) => solution.data.rules.name === rules);
}"""

_CALL = "async (text) => JSON.stringify(await ({})(JSON.parse(text)))"
"""As text, which passes from the browser to Python many times faster than a tree of objects does."""


class PageLibrary:
    """solutions: by the rules. In the page `ours` holds, by its name, whatever the modules export."""

    def __init__(self, page: Page, solutions: dict[str, Solution]) -> None:
        self.solutions = solutions
        self._page = page
        page.evaluate(_LOAD, _MODULES)

    def call(self, function: str, argument: Any = None) -> Any:
        return json.loads(self._page.evaluate(_CALL.format(function), json.dumps(argument)))


@contextlib.contextmanager
def running_library(browser: Browser, uneven: Solution) -> Iterator[PageLibrary]:
    """uneven: a match by uneven odds of the goals. Fails when the page writes to the console."""
    names = ["shipped", "filled", "filled-none_match_to_1", "filled-tie_match_to_1"]
    solutions = [*map(load_solution, names), uneven]
    is_refined = {solution.rules: "refined" in solution.options for solution in solutions}
    assert (is_refined[REFINED], is_refined[NOT_REFINED]) == (True, False)
    assert [solution.rules for solution in solutions] == RULES_ON_PAGE
    data = PageData(solutions, compression=1)
    with running_server(data) as server, contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        told = noisy(page)
        page.goto(server.url)
        yield PageLibrary(page, dict(zip(RULES_ON_PAGE, solutions, strict=True)))
        assert told == []
