"""Small mutations of Python source, each of which a good test should notice.

What no test can notice is left alone as far as a parser can know it: docstrings, messages, annotations, decorators,
help of options, protocols, and what only type checkers read. The number of a named setting (`BYE_S = 0.5`) is left
alone too: it is a choice, and a test that repeats it would say nothing.
"""

import ast
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

SWAPPED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
DROPPED = (ast.AugAssign, ast.Break, ast.Continue, ast.Delete, ast.Raise)
NOT_RUN = ("annotation", "returns", "decorator_list", "bases", "keywords")
"""Fields of definitions that say what something is, and not what happens. Calls have keywords too, which do count."""
SMALL = 100
"""A smaller number is changed by one. A larger one is a limit, of which few tests know the last byte: it is doubled."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of one module: what stands between two bytes is replaced."""

    path: str
    line: int
    kind: str
    before: str
    after: str
    start: int
    end: int

    @property
    def key(self) -> str:
        """Known again as long as the line stays where it is."""
        return f"{self.path}:{self.line}:{self.start} {self.before} -> {self.after}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.after.encode() + source[self.end :]


def mutations(path: str, source: bytes) -> list[Mutation]:
    """All mutations of a module, in its order."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node in _that_run(ast.parse(source)):
        for where, kind, after in _changes(node):
            start = starts[where.lineno - 1] + where.col_offset
            end = starts[(where.end_lineno or 0) - 1] + (where.end_col_offset or 0)
            before = source[start:end].decode()
            found.append(Mutation(path, where.lineno, kind, before, after, start, end))
    return found


def chosen(by_room: Mapping[str, Sequence[Sequence[Mutation]]], seed: int) -> Iterator[Mutation]:
    """All mutations, each once, in an order that spreads them: rooms by turns, modules of a room by turns, any kind."""
    dice = random.Random(seed)
    left = {room: [list(module) for module in modules if module] for room, modules in sorted(by_room.items())}
    for modules in left.values():
        dice.shuffle(modules)
    while left:
        for room in list(left):
            if not left[room]:
                del left[room]
                continue
            module = left[room].pop(0)
            kind = dice.choice(sorted({one.kind for one in module}))
            mutation = dice.choice([one for one in module if one.kind == kind])
            module.remove(mutation)
            left[room] += [module] if module else []
            yield mutation


def _that_run(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a tree that something happens in, from the outside in."""
    if _is_silent(node):
        return
    yield node
    if isinstance(node, ast.Raise):  # its message
        return
    is_definition = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.arg | ast.AnnAssign)
    for name, value in ast.iter_fields(node):
        if not (is_definition and name in NOT_RUN):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _that_run(child)


def _is_silent(node: ast.AST) -> bool:
    match node:
        case ast.JoinedStr():  # a message, and its parts have no places before Python 3.12
            return True
        case ast.ClassDef(bases=bases):
            return any("Protocol" in ast.unparse(base) for base in bases)
        case ast.If(test=test):
            return "TYPE_CHECKING" in ast.unparse(test) or "__name__" in ast.unparse(test)
        case ast.Assign(targets=[ast.Name(id="TYPE_CHECKING")]):
            return True
        case ast.Assign(targets=[target], value=value):
            return ast.unparse(target).isupper() and not any(isinstance(one, ast.Call) for one in ast.walk(value))
        case ast.Call(func=ast.Attribute(attr="Option" | "Argument")):
            return True
    return False


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str, str]]:
    """What is replaced, the kind of it, and by what."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            swapped = ast.Compare(left, [SWAPPED[type(op)]()], [right])
            yield node, "comparison swapped", ast.unparse(swapped)
        case ast.BoolOp(op=op, values=values):
            other = ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
            yield node, "boolean flipped", f"({ast.unparse(other)})"
        case ast.Constant(value=bool(value)):
            yield node, "boolean flipped", str(not value)
        case ast.Constant(value=int(value)) if abs(value) < SMALL:
            yield node, "off by one", str(value + 1)
        case ast.Constant(value=int(value) | float(value)):
            yield node, "constant changed", str(value * 2 or 1.0)
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, "condition negated", f"(not ({ast.unparse(test)}))"
        case ast.comprehension(ifs=[test, *_]):
            yield test, "condition negated", f"(not ({ast.unparse(test)}))"
        case ast.Expr(value=ast.Call() | ast.Await()):
            yield node, "statement dropped", "pass"
        case ast.stmt() if isinstance(node, DROPPED):
            yield node, "statement dropped", "pass"
