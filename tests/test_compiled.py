"""What `make fast` compiles, and what mypyc compiles into something else without a word: nobody writes that there."""

import ast
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from tests.machine import need_program

ROOT = Path(__file__).parents[1]
PACKAGES = ("arena", "engine", "protocol")
EATERS = {"all", "any", "dict", "frozenset", "join", "list", "max", "min", "next", "set", "sorted", "sum", "tuple"}
"""Functions to which a list is what a generator is: mypyc compiles three of them as loops, the others take all of it."""


def build_hook(settings: dict[str, Any]) -> dict[str, Any]:
    hook: dict[str, Any] = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]["mypyc"]
    return hook


def compiled() -> list[Path]:
    """The modules that the build hook of pyproject.toml names."""
    hook = build_hook(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8")))
    found = [path for pattern in hook["include"] for path in sorted(ROOT.glob(pattern.removeprefix("/")))]
    return [path for path in found if not any(fnmatch(path.name, pattern) for pattern in hook["exclude"])]


COMPILED = compiled()
EACH = pytest.mark.parametrize("path", COMPILED, ids=lambda path: path.relative_to(ROOT).as_posix())


def test_the_rules_the_protocol_and_the_referee_are_compiled():
    found = {path.relative_to(ROOT).as_posix() for path in COMPILED}
    assert {"engine/dinodocus/rules.py", "engine/draftosaurus/rules.py"} < found
    assert {"protocol/session.py", "arena/match/referee.py", "arena/match/conversation.py"} < found
    assert not found & {"engine/contract.py", "engine/draftosaurus/__init__.py", "protocol/contract.py"}


@pytest.mark.pure("its modules lie beside their source")
def test_no_compiled_module_hides_its_source():
    """It would hide every later change. Way out: remove it; `make fast` compiles elsewhere."""
    assert [path.as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.so")] == []


@pytest.mark.pure("it is not in a checkout")
@pytest.mark.usefixtures("processes")
def test_without_a_compiler_one_line_says_so_and_the_way_out(tmp_path):
    for program in ("expr", "find", "make", "nproc", "sh"):
        (tmp_path / program).symlink_to(need_program(program))
    fast = tmp_path / "fast"
    words = ["make", "--silent", f"FAST={fast}", f"{fast}/.built"]
    ended = subprocess.run(words, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    said, error = ended.stderr.splitlines()
    assert said.startswith("There is no C compiler here, cc. On Debian and Ubuntu: sudo apt install gcc python3-dev.")
    assert error.startswith("make: *** ")
    assert not fast.exists()


@EACH
def test_no_name_stands_for_errors_of_two_classes(path):
    """A variable has one type. At the second handler the compiled function would raise TypeError.

    Way out: another name, or one handler for both.
    """
    assert list(errors_of_one_name(tree(path))) == []


@EACH
def test_no_dataclass_has_a_class_variable(path):
    """It would become a field. Way out: a constant of the module, or a property."""
    assert list(class_variables(tree(path))) == []


@EACH
def test_no_generator_is_kept_for_later(path):
    """It would become a list, made at once. Way out: a list, or a function that yields."""
    assert list(kept_generators(tree(path))) == []


@EACH
def test_what_other_packages_inherit_from_is_not_here(path):
    """A Python class that inherits from a compiled one has no instances. Way out: engine/contract.py, protocol/contract.py."""
    assert [cls.name for cls in classes(path) if {"Protocol", "Exception"} & set(bases(cls))] == []


@pytest.mark.thorough
def test_no_class_of_ours_that_stays_python_inherits_from_a_compiled_one():
    """It would have no instances."""
    names = {cls.name for path in COMPILED for cls in classes(path)}
    python = {path for package in PACKAGES for path in (ROOT / package).rglob("*.py")} - set(COMPILED)
    assert {cls.name for path in python for cls in classes(path) if names & set(bases(cls))} == set()


@pytest.mark.parametrize(
    ("find", "code", "found"),
    [
        ("errors", "def f():\n try: g()\n except A as e: h(e)\n except B as e: h(e)", ["f: e"]),
        ("errors", "def f():\n try: g()\n except A as e: h(e)\n except B as b: h(b)\n except (C, D): h()", []),
        ("errors", "def f():\n try:\n  try: g()\n  except A as e: h(e)\n except A as e: h(e)", []),
        ("errors", "def f():\n def g():\n  try: h()\n  except A as e: h(e)\n try: g()\n except B as e: h(e)", []),
        ("variables", "@dataclass(slots=True)\nclass C:\n x: int\n y: ClassVar[int] = 1", ["C: y"]),
        ("variables", "@dataclass\nclass C:\n x: int = 0\n y = 1\n def f(self): z = 1", ["C: y"]),
        ("variables", "class C:\n y: ClassVar[int] = 1", []),
        ("generators", "found = (x for x in y)", [1]),
        ("generators", "def f():\n return (x for x in y)", [2]),
        ("generators", "for x in (z for z in y): f(x)", [1]),
        ("generators", "f(x for x in y)", [1]),
        ("generators", "a, b = (x for x in y)\nc = tuple(x for x in y), ''.join(x for x in y), [*(x for x in y)]", []),
    ],
)
def test_the_searches_find_what_they_are_for(find, code, found):
    search = {"errors": errors_of_one_name, "variables": class_variables, "generators": kept_generators}[find]
    assert list(search(ast.parse(code))) == found


# The searches


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def classes(path: Path) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree(path)) if isinstance(node, ast.ClassDef))


def bases(cls: ast.ClassDef) -> Iterator[str]:
    """The names of what a class inherits from, without their parameters."""
    for base in cls.bases:
        named = base.value if isinstance(base, ast.Subscript) else base
        yield ast.unparse(named).rpartition(".")[2]


def errors_of_one_name(module: ast.Module) -> Iterator[str]:
    """Function and name, where handlers of different classes have one name."""
    for function in ast.walk(module):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            kinds: dict[str, set[str]] = {}
            for node in own_nodes(function):
                if isinstance(node, ast.ExceptHandler) and node.name and node.type:
                    kinds.setdefault(node.name, set()).add(ast.unparse(node.type))
            yield from (f"{function.name}: {name}" for name, types in kinds.items() if len(types) > 1)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """All nodes of a function, without those of functions inside it."""
    for node in ast.iter_child_nodes(function):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from own_nodes(node)


def class_variables(module: ast.Module) -> Iterator[str]:
    """Class and name of those in dataclasses."""
    for cls in ast.walk(module):
        if isinstance(cls, ast.ClassDef) and any("dataclass" in ast.unparse(one) for one in cls.decorator_list):
            for node in cls.body:
                if isinstance(node, ast.AnnAssign) and "ClassVar" in ast.unparse(node.annotation):
                    yield f"{cls.name}: {ast.unparse(node.target)}"
                if isinstance(node, ast.Assign):
                    yield f"{cls.name}: {ast.unparse(node.targets[0])}"


def kept_generators(module: ast.Module) -> Iterator[int]:
    """The lines of those that are not taken whole where they stand."""
    parents = {child: node for node in ast.walk(module) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(module):
        if isinstance(node, ast.GeneratorExp) and not is_eaten(node, parents[node]):
            yield node.lineno


def is_eaten(generator: ast.GeneratorExp, user: ast.AST) -> bool:
    match user:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in EATERS and user.args[0] is generator
        case ast.Assign(targets=[ast.Tuple()]) | ast.Starred():
            return True
    return False
