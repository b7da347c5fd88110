"""How much the page sends, and how soon it can be used: python benchmarks/page.py.

A phone is Chromium with its processor slowed down four times, and its network as said. The figure is the time from
asking for the page to the frame that shows the button Play; then, the best of several times, what the page thinks with
the larger tree, that of a filled board. Needs Chromium and Playwright, pip install -e '.[browser]'.
"""

from __future__ import annotations

import math
import shutil
import statistics
import threading

from playwright.sync_api import Browser, sync_playwright

from tictactoe import load_solution
from tictactoe.browser.built_page import build_page
from tictactoe.browser.page_data import MANIFEST_FILE, SHIPPED_ON_PAGE, PageData
from tictactoe.browser.page_folder import single_file
from tictactoe.browser.server import PageServer

VISITS = 7
PHONES = {
    "a desk": (1, None),
    "a slow phone": (4, None),
    "a slow phone, 1.6 Mbit/s, 150 ms": (4, (1.6e6 / 8, 150)),
    "a slow phone, 0.4 Mbit/s, 400 ms": (4, (0.4e6 / 8, 400)),
}
"""By name: how many times slower the processor is; bytes a second and milliseconds of the network."""

_WATCH = """new MutationObserver((_, observer) => {
  if (!document.querySelector("main button")) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.usableAt = performance.now(); });
}).observe(document, { subtree: true, childList: true })"""


def first_screen(browser: Browser, url: str, slower: float, network: tuple[float, float] | None) -> float:
    """Milliseconds of one visit by somebody who has never been there."""
    context = browser.new_context(viewport={"width": 390, "height": 844})
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slower})
    if network is not None:
        throughput, latency = network
        session.send("Network.enable")
        conditions = {"offline": False, "latency": latency, "downloadThroughput": throughput, "uploadThroughput": -1}
        session.send("Network.emulateNetworkConditions", conditions)
    page.add_init_script(_WATCH)
    page.goto(url)
    page.wait_for_function("window.usableAt")
    elapsed = float(page.evaluate("window.usableAt"))
    context.close()
    return elapsed


_THINK = """async () => {
  const names = ["loading/data_file", "loading/solution_loader", "games/cursor", "play/move_costs", "play/opponents"];
  const modules = await Promise.all([...names, "play/round_bot"].map((name) => import(`/${name}.js`)));
  const { decodeDataFile, loadCatalogue, Cursor, advise, byStrategy, RoundBot } = Object.assign({}, ...modules);
  const solution = (await loadCatalogue()).solutions.at(-1);
  const best = {};
  const time = async (name, work) => {
    const start = performance.now();
    await work();
    best[name] = Math.min(best[name] ?? Infinity, performance.now() - start);
  };
  const file = solution.data.scores[0].file;
  const bytes = new Uint8Array(await (await fetch(file)).arrayBuffer());
  const perfect = await solution.loadRound([0, 0]);
  for (let again = 0; again < 15; again += 1) {
    await time("read a score", () => decodeDataFile(file, bytes));
    const bot = new RoundBot(perfect.tree, perfect.strategy, perfect.values, perfect.score);
    await time("all values", () => bot.expected);
    const cursor = new Cursor(bot.tree, [5, 1, 3]);
    await time("a hint", () => advise(bot, cursor, 1));
    await time("a move", () => byStrategy(bot)(cursor, 1));
  }
  return best;
}"""


def thinking(browser: Browser, slower: float) -> dict[str, float]:
    """Milliseconds: to read a score, to compute what all its positions are worth, to give a hint, to move."""
    with PageServer(PageData([load_solution("filled_match_to_1")])) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.new_page()
        page.goto(server.url)
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
        best: dict[str, float] = page.evaluate(_THINK)
        page.close()
        server.shutdown()
    return best


def main() -> None:
    """Print all figures."""
    data = PageData([load_solution(name) for name in SHIPPED_ON_PAGE])
    built = build_page(data)
    sent = built.over_the_wire(built.first)
    print(f"the first match begins when {sent / 1e3:.0f} kB have been sent")
    for rules, size in built.data_sizes.items():
        print(f"all there is for {rules}: {size / 1e3:.0f} kB")
    print(f"the single file: {len(single_file(data)) / 1e6:.2f} MB")
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with PageServer(data) as server, sync_playwright() as playwright:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        server.answer(MANIFEST_FILE)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (slower, network) in PHONES.items():
            times = [first_screen(browser, server.url, slower, network) for _ in range(VISITS)]
            print(f"usable on {name}: {statistics.median(times):.0f} ms (of {VISITS}, at most {math.ceil(max(times))})")
        for name, slower in (("a desk", 1.0), ("a slow phone", 4.0)):
            figures = (f"{what} {best:.1f} ms" for what, best in thinking(browser, slower).items())
            print(f"on {name}: {', '.join(figures)}")
        browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
