"""A bot that always plays the first legal action, in sed: its process takes 3 ms of CPU, and one of Python 30."""

from pathlib import Path

HELLO = '{"type":"hello","protocol":1,"name":"light","version":"1","games":["draftosaurus","dinodocus"]}'
SCRIPT = r"""
s/^{"type":"start",.*/{"type":"ready"}/p
s/^{"type":"decide","id":\([0-9]*\),.*"legal":\["\([^"]*\)".*/{"type":"move","id":\1,"action":"\2"}/p
/^{"type":"bye"/q
"""


def command(folder: Path | str = "") -> tuple[str, ...]:
    """The words that start it; the folder is among them, for those who look for processes."""
    return ("sh", "-c", 'printf "%s\\n" "$1"; exec sed -un -e "$2" -e "# $3"', "sh", HELLO, SCRIPT, str(folder))
