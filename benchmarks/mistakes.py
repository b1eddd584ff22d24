"""Ten real mistakes in the language of every kit, and the words that an author then reads.

    python -m benchmarks.mistakes                  # compare tests/golden/mistakes with what is shown now
    python -m benchmarks.mistakes --write go java  # write the files again, for these languages
    python -m benchmarks.mistakes python/syntax    # a single one

Each mistake of mistakes.toml is made in a new bot of the kit; then `arena check` and `arena play` are run as an author
would, in a pipe. Read the files: a reader who knows the language must find the fix in these words alone. It takes half
an hour, because every mistake is built, examined and played, so the usual tests make only a few of them.
"""

import argparse
import difflib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from arena.roster.entries import built_in  # noqa: E402
from arena.roster.kits import LANGUAGES  # noqa: E402

TABLE: Mapping[str, Mapping[str, Any]] = tomllib.loads((ROOT / "benchmarks" / "mistakes.toml").read_text("utf-8"))
ESCAPED = {r"\\n": r"\n", r"\n": "\n", r"\t": "\t"}
"""In the table, code is mostly in literal strings, which have no escapes of their own."""
GOLDEN = ROOT / "tests" / "golden" / "mistakes"
PLACES = ("hook", "above")
UNBUILT = "unbuilt"
"""What is not built again before it is examined."""
LIMIT_S = 600
STATE = re.compile(r"seed \d+.*|Watch it again.*")
CHANGES = (
    (r"/[^\s'\"]*/(?=my-bot\b)", ""),
    (r"\d+(\.\d+)? (ms|s|bytes)\b", r"# \2"),
    (r"(added|removed|audited) \d+ packages?(, and audited \d+ packages?)? in \S+", r"\1 # packages"),
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "(date and time)"),
    (r"\b\d+(K|%)(?=[ ,]|$)", r"#\1"),
    (r"\b\d+\.\d+ \(\d+\.\d+\) -> \d+\.\d+ \(\d+\.\d+\) MB, \d+\.\d+ /", "# (#) -> # (#) MB, # /"),
    (r"\bmu = \d+\.\d+", "mu = #"),
    (r"\bwith \d+ MB of", "with # MB of"),
    (r"\b0x[0-9a-f]+\??", "0x#"),
    (r"==\d+==", "==#=="),
    (r"(thread '[^']*') \(\d+\)", r"\1 (#)"),
    (r"#0x#", "0x#"),
    (r"\bnode:internal/(\S+):\d+(:\d+)?", r"node:internal/\1:#"),
    (r"\bv?\d+\.\d+\.\d+\b", "#.#.#"),
    (r"\b(goroutine|pid|tid|nid|cpu|elapsed)([ =])[\d.]+(ms|s)?", r"\1\2#"),
    (r"(/\S*)?/(python)3\.\d+", r"/\2"),
    (r"(/usr/local/go/\S+:)\d+", r"\1#"),
    (r"(b'loading the model\\n)[^']*'(\.\.\.)?", r"\1...'"),
    (r"(/rustc/)[0-9a-f]+", r"\1#"),
    (r"\[\d+:0x#\]", "[#:0x#]"),
)
"""What differs from run to run and from machine to machine, and what is written instead."""


def edit(folder: Path, language: str, mistake: str) -> None:
    """Make a mistake in a bot."""
    table = TABLE[language]
    made = {key: _unescaped(value) for key, value in table[mistake].items() if isinstance(value, str)}
    starter = LANGUAGES[language].starter
    path = folder / made.get("file", starter)
    text = path.read_text("utf-8")
    for old, new in ((made.get("old"), made.get("new")), (made.get("and_old"), made.get("and_new"))):
        if old is not None:
            text = _replaced(text, old, new, f"{language}/{mistake}")
    for place, key, end in (("above", "top", ""), ("hook", "before", "\n")):
        if key in made:
            text = _replaced(text, table[place], f"{made[key]}{end}{table[place]}", f"{language}/{mistake}")
    path.write_text(text, "utf-8")


def _unescaped(code: str) -> str:
    return re.sub(r"\\\\n|\\n|\\t", lambda found: ESCAPED[found[0]], code)


def _replaced(text: str, old: str, new: str, where: str) -> str:
    assert text.count(old) == 1, f"{where}: {old!r} occurs {text.count(old)} times in the kit"
    return text.replace(old, new)


def words(language: str, mistake: str, bot: Path, run: "Shell") -> str:
    """What an author reads after this mistake, in a bot that was made and built without it."""
    kept = {path: path.read_bytes() for path in (bot / "bot.toml", bot / LANGUAGES[language].starter)}
    removed = [bot / name for name in TABLE[language][mistake].get("remove", ())]
    try:
        edit(bot, language, mistake)
        for path in removed:
            path.rename(f"{path}.away")
        if mistake == UNBUILT:
            shown = [run("check", "my-bot", "--no-build"), run("play", "my-bot", "random", "--seed", "7")]
        else:
            timely = ("--bank-ms", "2000", "--seed", "7", "--build")
            shown = [run("check", "my-bot"), run("play", "my-bot", "random", *timely)]
        return "\n".join(shown)
    finally:
        for path, data in kept.items():
            path.write_bytes(data)
        for path in removed:
            Path(f"{path}.away").rename(path)


class Shell:
    """Runs `arena` in a folder of its own, and returns what it shows, without what differs from run to run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "XDG_STATE_HOME": str(folder / "state"),
        }

    def __call__(self, *arguments: str) -> str:
        ended = subprocess.run(
            [sys.executable, "-m", "arena", *arguments],
            cwd=self._folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="backslashreplace",
            timeout=LIMIT_S,
        )
        said = [word for word in arguments if word not in ("--seed", "7", "--bank-ms", "2000")]
        shown = self.settled(_told(ended.stdout))
        return f"$ arena {' '.join(said)}\n{shown}(exit code {ended.returncode})\n"

    def settled(self, text: str) -> str:
        """A text without what differs from run to run and from machine to machine."""
        text = text.replace(sys.executable, "PYTHON").replace(f"{self._folder}/", "").replace(str(self._folder), ".")
        text = text.replace(str(Path(sys.executable).resolve()), "PYTHON").replace(str(ROOT), "ARENA")
        text = text.replace(str(Path.home()), "~")
        for pattern, other in CHANGES:
            text = re.sub(pattern, other, text)
        return text


def _told(output: str) -> str:
    """Of a match, only what is said about faults: boards, scores and times are not the point here."""
    lines = output.splitlines()
    starts = [at for at, line in enumerate(lines) if re.match(r"my-bot \(seat 0\)", line)]
    before = [line for line in lines if line.startswith(("arena:", "Error", "[ERROR]"))]
    if starts:
        lines = [*before, "...", *lines[starts[0] :]]
    passed = re.compile(r"  [\w -]+ +passed ")
    kept = [
        line for line in lines if not STATE.match(line) and not line.startswith("npm warn") and not passed.match(line)
    ]
    text = "\n".join(re.sub(r"^(  [\w -]+ +(failed|warned)) +\d+\.\d s", r"\1", line) for line in kept)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def made(language: str, chosen: list[str]) -> Iterator[tuple[str, str]]:
    """The mistakes of a language, with their words, in one bot that is built once before."""
    with TemporaryDirectory(prefix="mistakes-") as name:
        folder = Path(name)
        os.chmod(folder, 0o755)
        run = Shell(folder)
        first = run("new-bot", "my-bot", "--lang", language)
        if "(exit code 0)" not in first:
            raise SystemExit(f"{language}: the kit itself cannot be built here:\n{first}")
        pristine = folder / "pristine"
        shutil.copytree(folder / "my-bot", pristine, symlinks=True)
        for mistake in chosen:
            yield mistake, words(language, mistake, folder / "my-bot", run)


def mistakes_of(language: str) -> list[str]:
    return [name for name in TABLE[language] if name not in PLACES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chosen", nargs="*", metavar="LANGUAGE[/MISTAKE]", default=list(TABLE))
    parser.add_argument("--write", action="store_true", help="write the files instead of comparing them")
    asked = parser.parse_args()
    assert "random" in built_in()
    differing = 0
    for word in asked.chosen:
        language, _, only = word.partition("/")
        for mistake, text in made(language, [only] if only else mistakes_of(language)):
            path = GOLDEN / language / f"{mistake}.txt"
            if asked.write:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
                print(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines", flush=True)  # noqa: T201
                continue
            before = path.read_text("utf-8") if path.exists() else ""
            delta = list(difflib.unified_diff(before.splitlines(), text.splitlines(), "kept", "now", lineterm=""))
            differing += bool(delta)
            print(f"{language}/{mistake}: {'differs' if delta else 'the same'}", *delta, sep="\n", flush=True)  # noqa: T201
    raise SystemExit(bool(differing))


if __name__ == "__main__":
    main()
