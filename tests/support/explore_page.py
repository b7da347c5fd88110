"""The screen "Explore" as tests read it."""

from typing import Any

from .browser import Page

DEFAULT = "three-in-a-row"
_READ = r"""() => {
  const texts = (within, selector) => [...within.querySelectorAll(selector)].map((one) => one.textContent);
  const text = (selector) => document.querySelector(selector)?.textContent ?? "";
  const course = document.querySelector("ol[aria-labelledby=course]");
  return {
    turn: text(".whose-turn"),
    warning: text(".off-the-way"),
    columns: texts(document, ".choice-table thead a"),
    groups: [...document.querySelectorAll(".choice-table tbody")].map((group) => ({
      name: group.querySelector(".goal").textContent.replace(", chosen", ""),
      chosen: group.classList.contains("chosen"),
      worth: group.querySelector(".worth").textContent,
      plays: texts(group, ".plays td"),
      wins: texts(group, ".wins td"),
      costs: texts(group, ".costs td"),
    })),
    shades: Object.fromEntries([...document.querySelectorAll(".square")].map(
      (square) => [square.dataset.square, /(price|fits)-\d/.exec(square.className)?.[0]]).filter(([, shade]) => shade)),
    bars: Object.fromEntries([...document.querySelectorAll(".square")].map((square) => [square.dataset.square,
      Object.fromEntries([...square.querySelectorAll(".row-of-goal")].map((row) => [/of-(\w+)$/.exec(row.className)[1],
        parseFloat(row.querySelector(".often").style.inlineSize) / 100]))])),
    notes: Object.fromEntries([...document.querySelectorAll(".square:has(.note)")]
      .map((square) => [square.dataset.square, square.querySelector(".note").textContent])),
    beliefs: [2, 3].map((column) => texts(document, `.beliefs tbody td:nth-child(${column})`)),
    values: [...document.querySelectorAll(".values tbody tr")].map((row) => texts(row, "td")),
    chosen_values: texts(document, ".values td.chosen"),
    course: course && {
      squares: texts(course, "a").map((move) => Number(move.slice(1))),
      end: text(".course-end"),
    },
  };
}"""

_IS_SHOWN = """(command) => {
  const shown = document.querySelector(".shown:not(.loading)");
  return shown?.querySelector(".command").textContent === command;
}"""


def address_of(solution: str, position: str) -> str:
    """Of a position as the terminal writes it. solution: "", or a name and a slash."""
    return solution + position.replace("?", "x").replace(" ", "/").removesuffix("/-")


def go_to(page: Page, solution: str, position: str) -> None:
    page.evaluate("(address) => { location.hash = address; }", address_of(solution, position))
    expect_position(page, position, solution.removesuffix("/") or DEFAULT)


def expect_position(page: Page, position: str, rules: str = DEFAULT) -> None:
    """Wait until the page shows this position: its command for a terminal is on the screen."""
    page.wait_for_function(_IS_SHOWN, arg=f'explore --rules {rules} --position "{position}"')


def shown(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate(_READ)
    return found
