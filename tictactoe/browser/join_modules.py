"""Joining modules to one script. It loads faster than a hundred modules, and a page that is one file needs it, because
browsers load no modules from files on disk.

Each module becomes a function that is called once, after the modules that it imports. It returns its exports, and an
import reads them from the returned object. This equals real modules as long as no export changes later, and no imports
form a circle; modules.py says which forms it refuses.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from .modules import Import, Module, ModuleError


def joined_script(modules: Iterable[Module]) -> str:
    """One classic script that runs the modules in their order. Raises ModuleError for text that would end it in HTML.

    >>> from tictactoe.browser.modules import parse_module
    >>> print(joined_script([parse_module("a.js", "export const one = 1;\\n")]))
    "use strict";
    (() => {
    const modules = Object.create(null);
    modules["a.js"] = (() => {
    const one = 1;
    return { one };
    })();
    })();
    <BLANKLINE>
    """
    parts = ['"use strict";\n(() => {\nconst modules = Object.create(null);\n']
    for module in modules:
        if "</script" in module.body.lower() or "<!--" in module.body:
            raise ModuleError(f"{module.name}: holds letters that end a script in HTML")
        imports = "".join(map(_import, module.imports))
        body = module.body.strip("\n")
        returned = f"return {{ {', '.join(module.exports)} }};"
        parts.append(f"modules[{json.dumps(module.name)}] = (() => {{\n{imports}{body}\n{returned}\n}})();\n")
    parts.append("})();\n")
    return "".join(parts)


def _import(wanted: Import) -> str:
    """
    >>> _import(Import("a.js", (("one", "one"), ("two", "zwei"))))
    'const { one, two: zwei } = modules["a.js"];\\n'
    """
    names = (ours if theirs == ours else f"{theirs}: {ours}" for theirs, ours in wanted.names)
    return f"const {{ {', '.join(names)} }} = modules[{json.dumps(wanted.module)}];\n"
