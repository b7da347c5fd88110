"""How long the page thinks, in a real browser: the best of several times, so that a busy machine does not count."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.browser import Browser, Page
from support.page_servers import running_server

from tictactoe import load_solution
from tictactoe.browser.page_data import PageData

SLOW_PHONE = 4
"""By how much the processor is held back."""

_MEASURE = """async () => {
  const names = ["loading/data_file", "loading/catalogue", "games/cursor", "play/advice", "play/opponents"];
  const modules = await Promise.all([...names, "play/round_bot"].map((name) => import(`/${name}.js`)));
  const { decodeDataFile, loadCatalogue, Cursor, advise, byStrategy, RoundBot } = Object.assign({}, ...modules);
  const solution = (await loadCatalogue()).solutions.at(-1);
  const best = { decoded: Infinity, expected: Infinity, advised: Infinity, moved: Infinity };
  const time = async (name, work) => {
    const start = performance.now();
    const result = await work();
    best[name] = Math.min(best[name], performance.now() - start);
    return result;
  };
  const file = solution.data.scores[0].file;
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const perfect = await solution.loadRound([0, 0]);
  for (let again = 0; again < 15; again += 1) {
    await time("decoded", () => decodeDataFile(file, bytes));
    const bot = new RoundBot(perfect.tree, perfect.strategy, perfect.values, perfect.score);
    await time("expected", () => bot.expected);
    const cursor = new Cursor(bot.tree, [5, 1, 3]);
    await time("advised", () => advise(bot, cursor, 1));
    await time("moved", () => byStrategy(bot)(cursor, 1));
  }
  return best;
}"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Of a page with the larger tree, that of a filled board."""
    with running_server(PageData([load_solution("filled_match_to_1")])) as server:
        yield server.url


@pytest.mark.slow  # by the clock
@pytest.mark.parametrize(("rate", "most"), [(1, 30.0), (SLOW_PHONE, 100.0)])
def test_the_page_answers_in_no_time(browser: Browser, url: str, rate: int, most: float) -> None:
    """Milliseconds: to read a score, to compute what all its positions are worth, to give a hint, to move."""
    page: Page = browser.new_page()
    page.goto(url)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})
    best = page.evaluate(_MEASURE)
    page.close()
    assert best["decoded"] + best["expected"] < most, best
    assert best["advised"] + best["moved"] < most / 3, best
