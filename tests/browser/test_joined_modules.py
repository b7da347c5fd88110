"""Reading the page's modules and joining them to one script: the forms that the joiner takes; it refuses all others."""

import pytest

from tictactoe.browser.modules import Import, ModuleError, joined_script, modules_in_order, parse_module

GOOD = """/** @typedef {import("./other.js").Other} Other  and an export, and await. */
import { one, two as zwei } from "../b.js";
import {
  three,
} from "./c.js";

const quoted = "export default"; // import x from "y"
const pattern = /import "`/.test(`${`export ${{ a: 1 }.a} await`} import`);
export const f = async () => {
  await null;
};
export async function g() {
  return import.length ?? 1;
}
export class C {}
export {};
"""
GOOD_BODY = """
const quoted = "export default";
const pattern = /import "`/.test(`${`export ${{ a: 1 }.a} await`} import`);
const f = async () => {
await null;
};
async function g() {
return 1;
}
class C {}
"""


def test_what_a_module_imports_and_exports() -> None:
    module = parse_module("a/m.js", GOOD.replace("import.length ?? ", ""))
    of_b = Import("b.js", (("one", "one"), ("two", "zwei")))
    assert module.imports == (of_b, Import("a/c.js", (("three", "three"),)))
    assert module.exports == ("f", "g", "C")
    assert module.body == GOOD_BODY


REFUSED = """
export default function f() {}
export let a = 1;
export const { a, b } = c;
export { a };
export * from "./a.js";
export { a } from "./a.js";
import a from "./a.js";
import * as a from "./a.js";
import "./a.js";
import { a } from "a";
import { a } from "https://example.org/a.js";
import { a } from "./a.js"
import { default as a, "b" as c } from "./a.js";
const a = () => import("./a.js");
const here = import.meta.url;
await null;
if (true) { export const a = 1; }
const s = `${import.meta.url}`;
"""


@pytest.mark.parametrize("line", REFUSED.strip().split("\n"))
def test_what_is_refused(line: str) -> None:
    with pytest.raises(ModuleError, match=r"^a/m\.js, line 3: "):
        parse_module("a/m.js", f"/** A module. */\n\n{line}\n")


IMPORT_A = 'import { a } from "./a.js";'
GRAPHS = {
    "main.js: imports a.js, which does not exist": {"main.js": IMPORT_A},
    "main.js: a.js exports no a": {"main.js": IMPORT_A, "a.js": "const a = 1;"},
    "a.js: a circle of imports: a.js < main.js < a.js": {
        "main.js": f"{IMPORT_A} export const m = 1;",
        "a.js": 'import { m } from "./main.js"; export const a = 1;',
    },
}


@pytest.mark.parametrize("refusal", GRAPHS)
def test_graphs_that_are_refused(refusal: str) -> None:
    with pytest.raises(ModuleError) as caught:
        list(modules_in_order("main.js", GRAPHS[refusal].__getitem__))
    assert str(caught.value) == refusal


def test_a_script_that_html_would_end() -> None:
    with pytest.raises(ModuleError, match="end a script"):
        joined_script([parse_module("a.js", 'const text = "</SCRIPT>";\n')])
