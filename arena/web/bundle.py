"""ES modules of a restricted form, put into one script.

Theory of operation. A page in one file cannot import: `file:` pages may not, and the page's security policy allows one
script by its hash. So each module becomes a function that returns its exports, and the modules stand in the order of
their imports. For that no parser of JavaScript is needed, because our modules keep to this form:

    import { a, b } from "./name.js";     one line, at the top
    export function f(…) …                or async function, const, class; at the start of a line

Everything else that begins a line with `import` or `export` is refused.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from arena.errors import SettingError

_IMPORT = re.compile(r'import \{ ([\w, ]+) \} from "\./([a-z][a-z0-9_]*)\.js";', re.ASCII)
_EXPORT = re.compile(r"export (?=(?:async )?(?:function|class|const) (\w+))", re.ASCII)
_OTHER = re.compile(r"(?:import|export)\b")
_ENDING = re.compile(r"</?script|<!--", re.IGNORECASE)

Read = Callable[[str], str]
"""The text of a module by its name, without `.js`. SettingError if there is none."""


@dataclass(frozen=True, slots=True)
class ScriptModule:
    """One module: what it takes from which others, what it gives, and its code without these lines."""

    name: str
    imports: tuple[tuple[str, str], ...]
    """Names between commas, and the module that they come from."""
    exports: tuple[str, ...]
    code: str

    @property
    def wrapped(self) -> str:
        """The module as a constant of its exports."""
        taken = "".join(f"const {{ {names} }} = ${module};\n" for names, module in self.imports)
        return f"const ${self.name} = (() => {{\n{taken}{self.code}\nreturn {{ {', '.join(self.exports)} }};\n}})();\n"


def parse(name: str, text: str) -> ScriptModule:
    """A module, read. SettingError names the line that has another form."""
    if _ENDING.search(text):
        raise SettingError(
            f"{name}.js: a script in a page cannot hold <script, </script or <!--. Write it in two parts."
        )
    imports, exports, code = [], [], []
    for number, line in enumerate(text.splitlines(), 1):
        if found := _IMPORT.fullmatch(line):
            imports.append((found[1], found[2]))
        elif found := _EXPORT.match(line):
            exports.append(found[1])
            code.append(line[found.end() :])
        elif _OTHER.match(line):
            raise SettingError(
                f"{name}.js, line {number}: {line[:80]!r} has a form that pages cannot take. "
                'Write import { a, b } from "./name.js"; on one line, and export before function, class or const.'
            )
        else:
            code.append(line)
    return ScriptModule(name, tuple(imports), tuple(exports), "\n".join(code).strip("\n"))


def bundle(entry: str, boards: Mapping[str, str], read: Read) -> str:
    """One script: the modules, and at last `start` of the entry with the boards by game.

    `boards` has the module that draws each game. The same modules give the same text.
    """
    done: dict[str, ScriptModule] = {}
    for name in (entry, *boards.values()):
        for module in _in_order(name, read, done, ()):
            done[module.name] = module
    listed = ", ".join(f"{json.dumps(game)}: ${module}" for game, module in boards.items())
    return (
        '"use strict";\n' + "".join(module.wrapped for module in done.values()) + f"${entry}.start({{ {listed} }});\n"
    )


def _in_order(name: str, read: Read, done: Mapping[str, ScriptModule], path: tuple[str, ...]) -> Iterator[ScriptModule]:
    """A module after all that it imports, without those that are done by then."""
    if name in done:
        return
    if name in path:
        raise SettingError(f"{name}.js imports itself: {' -> '.join([*path, name])}. Move what they share.")
    module = parse(name, read(name))
    for _, other in module.imports:
        yield from _in_order(other, read, done, (*path, name))
    yield module
