"""Modules joined to one script, for a page that is one file: browsers load no modules from a file beside it.

Each module becomes a function of its own, called once, behind those that it imports; an import reads what those have
returned. That is the same as long as nothing that is exported changes later, and nobody imports in a circle: see
modules.py for what is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from .modules import Module, ModuleError


def joined_script(modules: Iterable[Module]) -> str:
    """One classic script that does what the modules do, in that order. Raises ModuleError where HTML would end it.

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
        imports = "".join(
            f"const {{ {', '.join(f'{theirs}: {ours}' for theirs, ours in wanted.names)} }} = "
            f"modules[{json.dumps(wanted.module)}];\n"
            for wanted in module.imports
        )
        body = module.body.strip("\n")
        returned = f"return {{ {', '.join(module.exports)} }};"
        parts.append(f"modules[{json.dumps(module.name)}] = (() => {{\n{imports}{body}\n{returned}\n}})();\n")
    parts.append("})();\n")
    return "".join(parts)
