"""`make graph`: which room imports which, as docs/architecture.md shows it.

    python -m tests.rooms

A room is a package or a module of `arena`, or all of `engine`, or all of `protocol`. Imports inside functions count,
imports for type checkers only do not. Exit code 1, with the imports to look at, if rooms import each other in a circle,
or if a module of PURE reaches a module of WORLD.
"""

import sys
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from textwrap import fill

import grimp

ROOTS = ("arena", "engine", "protocol")
PURE = (
    "arena.match.referee",
    "arena.match.record",
    "arena.match.record_file",
    "arena.replay.moments",
    "arena.replay.verify",
    "arena.league.report",
    "arena.tuning.confidence",
    "arena.tuning.found",
    "arena.tuning.plot",
    "arena.tuning.spsa",
)
"""What can run without bots. In arena.replay only `ask` starts one."""
WORLD = ("trio", "subprocess", "socket", "select")
WIDTH = 100

Rooms = Mapping[str, Mapping[str, tuple[str, str]]]
"""What each room imports, each with one import as an example: the module that imports, and the module that it imports."""


def room(module: str) -> str:
    """`arena.match.referee` is in `match`, `engine.dice` in `engine`, and `arena` itself is `__init__`."""
    root, _, below = module.partition(".")
    return (below or "__init__").partition(".")[0] if root == "arena" else root


def rooms(graph: grimp.ImportGraph) -> Rooms:
    own = sorted(module for module in graph.modules if module.partition(".")[0] in ROOTS)
    found: dict[str, dict[str, tuple[str, str]]] = {room(module): {} for module in own}
    for module in own:
        for imported in sorted(graph.find_modules_directly_imported_by(module) & set(own)):
            if room(imported) != room(module):
                found[room(module)].setdefault(room(imported), (module, imported))
    return found


def levels(found: Rooms) -> list[list[str]]:
    """The rooms from the top down: each imports only rooms of later levels. Raises CycleError if that cannot be."""
    sorter = TopologicalSorter(found)
    sorter.prepare()
    result = []
    while sorter.is_active():
        ready = sorted(sorter.get_ready())
        sorter.done(*ready)
        result.append(ready)
    return result[::-1]


def drawing(found: Rooms) -> str:
    """A line for each room, from the top down; empty lines divide the levels."""
    ranked = levels(found)
    order = [name for level in ranked for name in level]
    wide = max(map(len, order)) + 2
    blocks = (
        "\n".join(_line(name, [other for other in order if other in found[name]], wide) for name in level)
        for level in ranked
    )
    return "\n\n".join(blocks)


def _line(name: str, imported: list[str], wide: int) -> str:
    return fill(" ".join(imported) or "-", WIDTH, initial_indent=name.ljust(wide), subsequent_indent=" " * wide)


def circle(found: Rooms, names: list[str]) -> str:
    """The names of a CycleError, of which each is imported by the next, with an example of each import."""
    backwards = names[::-1]
    imports = (found[importer][imported] for importer, imported in pairwise(backwards))
    head = f"rooms import each other: {' -> '.join(backwards)}"
    return "\n".join([head, *(f"  {importer} imports {imported}" for importer, imported in imports)])


def leaks(graph: grimp.ImportGraph) -> Iterator[str]:
    """The chains of imports that lead from PURE to WORLD."""
    for package in PURE:
        for module in sorted({package, *graph.find_descendants(package)}):
            for outside in sorted(graph.modules & set(WORLD)):
                chain = graph.find_shortest_chain(module, outside)
                if chain:
                    yield f"{module} reaches {outside}: {' -> '.join(chain)}"


def build() -> grimp.ImportGraph:
    return grimp.build_graph(*ROOTS, include_external_packages=True, exclude_type_checking_imports=True, cache_dir=None)


def main() -> None:
    graph = build()
    found = rooms(graph)
    try:
        print(drawing(found))  # noqa: T201 it is a program
    except CycleError as error:
        sys.exit(circle(found, error.args[1]))
    sys.exit("\n".join(leaks(graph)) or None)


if __name__ == "__main__":
    main()
