"""`arena help --man`: all commands as one page for `man`, from what `--help` and docs/commands.md say."""

import re
from collections.abc import Iterator
from typing import Any

import typer

from arena.cli.docs import pages
from arena.cli.manual import parameters, written
from arena.cli.markdown import inline
from arena.version import VERSION

SOURCE = "commands"
"""The topic of the page that lists all commands."""
SECTIONS = {"EXIT STATUS": "Exit codes", "ENVIRONMENT": "Environment variables"}
"""Sections of the page that are tables of SOURCE."""


def man_page(root: Any) -> str:
    """The page in roff; `root` is the context of `arena` itself with all its commands."""
    lines = [
        f'.TH ARENA 1 "" "Dino Arena {VERSION}" "User Commands"',
        ".SH NAME",
        f"arena {chr(92)}- play board games between bots in any language",
        ".SH SYNOPSIS",
        r".B arena",
        r".I COMMAND",
        "[OPTIONS] ...",
        ".SH DESCRIPTION",
        *_prose(root.command.help),
        ".SH OPTIONS",
        *_parameters(root),
        ".SH COMMANDS",
    ]
    for context in _commands(root):
        lines += _command(context)
    for title, heading in SECTIONS.items():
        lines += [f".SH {title}", *_table(heading)]
    lines += [".SH SEE ALSO", *_prose("`arena docs` shows the whole documentation, `arena docs spec` the protocol.")]
    return "\n".join(lines) + "\n"


def _commands(context: Any) -> Iterator[Any]:
    """The contexts of all commands, those of groups in the place of their group."""
    for name, command in context.command.commands.items():
        inner = typer.Context(command, info_name=name, parent=context)
        if hasattr(command, "commands"):
            yield from _commands(inner)
        else:
            yield inner


def _command(context: Any) -> Iterator[str]:
    arguments = [written(one) for one in context.command.params if one.param_type_name == "argument"]
    yield f'.SS "{_escaped(" ".join([context.command_path, *arguments]))}"'
    yield from _prose(context.command.help)
    yield from _parameters(context)


def _parameters(context: Any) -> Iterator[str]:
    for name, words in parameters(context):
        yield from (".TP", f".B {_escaped(name)}", _line(words))


def _table(heading: str) -> Iterator[str]:
    """The rows of a table of SOURCE: what it is about in bold, and what it means."""
    section = pages()[SOURCE].text().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for name, meaning in re.findall(r"^\| (.*?) \| (.*) \|$", section, re.MULTILINE)[1:]:
        yield from (".TP", f".B {_escaped(_bare(name))}", _line(_bare(meaning)))


def _prose(text: str) -> Iterator[str]:
    """Paragraphs. One that begins with \\b, as in typer, is shown as it is typed."""
    for part in re.split(r"\n\s*\n", text.strip()):
        if part.startswith("\b"):
            yield from (".PP", ".nf", *map(_line, part.splitlines()[1:]), ".fi")
        else:
            yield from (".PP", _line(" ".join(part.split())))


def _bare(text: str) -> str:
    """A cell without the marks of Markdown."""
    return inline(text).replace("`", "")


def _line(text: str) -> str:
    """A line of text: what begins like a request is none."""
    escaped = _escaped(text)
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped


def _escaped(text: str) -> str:
    return text.replace("\\", r"\e").replace("-", r"\-").replace('"', r"\(dq")
