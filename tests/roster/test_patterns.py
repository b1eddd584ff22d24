"""Which files belong to a bot: patterns of `files`, and litter."""

import time

import pytest
from pydantic import TypeAdapter, ValidationError

from arena.roster.patterns import MOST_PATTERNS, Patterns, Sieve, is_exact, is_litter


def keeps(patterns: list[str], path: str) -> bool:
    """Asked for a path after the folders that it is in."""
    sieve, parts = Sieve(patterns), path.split("/")
    return [sieve.keeps("/".join(parts[: i + 1])) for i in range(len(parts))][-1]


@pytest.mark.parametrize(
    ("patterns", "path", "is_kept"),
    [
        (["bot.py"], "bot.py", True),
        (["bot.py"], "lib/bot.py", False),
        (["bot.py"], "other.py", False),
        (["*.py"], "other.py", True),
        (["*.py"], "lib/other.py", False),
        (["b?t.py", "[xy].py"], "x.py", True),
        (["lib"], "lib/a/b", True),
        (["lib/"], "lib/a/b", True),
        (["lib/**"], "lib/a/b", True),
        (["lib/**"], "lib", False),
        (["lib/**"], "other/a", False),
        (["lib/*"], "lib/a/b", True),
        (["lib/**/*.txt"], "lib/a.txt", True),
        (["lib/**/*.txt"], "lib/a/b/c.txt", True),
        (["lib/**/*.txt"], "lib/a/b/c.bin", False),
        (["**/weights"], "a/b/weights/w1", True),
        (["**"], "a/b", True),
        (["!notes"], "notes/a", False),
        (["!notes"], "bot.py", True),
        (["!target", "target/bot.jar"], "target/bot.jar", True),
        (["!target", "target/bot.jar"], "target/classes/Bot.class", False),
        (["lib/**", "!lib/old/**", "lib/old/one"], "lib/old/one", True),
        (["lib/**", "!lib/old/**", "lib/old/one"], "lib/old/two", False),
        (["a", "!a"], "a", False),
        (["a[1].txt"], "a[1].txt", True),
        (["a[1]"], "a[1]/b", True),
    ],
)
def test_the_last_pattern_that_matches_decides(patterns, path, is_kept):
    assert keeps(patterns, path) is is_kept


@pytest.mark.parametrize(
    "path",
    [
        "__pycache__/bot.pyc", "lib/__pycache__/x", "bot.pyc", "main.o", "lib/.git/HEAD", "lib/.gitignore", ".DS_Store",
        "bot.py~", ".bot.py.swp", "lib/.vscode/settings.json", "target/CACHEDIR.TAG", "target/.rustc_info.json",
        "target/release/deps/bot-1", "target/release/build", "target/debug/.fingerprint/x", "target/release/bot.d",
        "target/x86_64-unknown-linux-musl/release/incremental/x", "sub/target/release/.cargo-lock",
    ],
)  # fmt: skip
def test_litter_is_left_out_at_any_depth(path):
    assert not keeps([], path)
    assert not keeps(["**"], path)
    assert not keeps(["!notes"], path)


@pytest.mark.parametrize(
    "path",
    [
        "bot", "target/release/bot", "target/x86_64-unknown-linux-musl/release/bot", "target/bot.jar", "lib/x.so",
        "target/classes/build/Main.class", "target/classes/deps/Main.class", "node_modules/a/index.js", "build/bot",
        "node_modules/.bin/a", ".venv/bin/python", ".venv/pyvenv.cfg", "venv/lib/python3.11/site-packages/a.py",
        "weights.onnx", "dist/bot.js", "bin/bot", ".hidden", ".cache/x", "a.d", "deps/x", "release/deps/x",
        "lib/leagues/x", ".env", "x.obj", "a.out",
    ],
)  # fmt: skip
def test_what_a_bot_may_need_to_play_is_not_litter(path):
    assert keeps([], path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("bot.pyc", "bot.pyc"),
        ("**/*.o", "lib/plugin.o"),
        ("lib/__pycache__", "lib/__pycache__/x.pyc"),
        ("target/release/build/**", "target/release/build/torch/out/lib.so"),
    ],
)
def test_litter_belongs_to_a_bot_that_names_it(pattern, path):
    assert is_litter(path)
    assert keeps([pattern], path)
    assert not keeps([path.partition("/")[0] + "*"], path)


@pytest.mark.parametrize(
    ("patterns", "words"),
    [
        (["/etc/passwd"], "Expected a path in the bot's folder"),
        (["../other"], "Expected a path in the bot's folder"),
        (["./bot"], "Expected a path in the bot's folder"),
        (["a//b"], "Expected a path in the bot's folder"),
        (["!"], "Expected a path in the bot's folder"),
        (["a**"], "may stand once"),
        (["**/a/**"], "may stand once"),
        (["a\u202eb"], "cannot be seen"),
        (["a" * 129], "at most 128 characters"),
        (["a/" * 17], "more than 16 parts"),
        ([""], "at least 1 character"),
        ([], "at least 1 item"),
        (["a"] * (MOST_PATTERNS + 1), "at most 32 items"),
    ],
)
def test_a_mistaken_pattern_is_refused(patterns, words):
    with pytest.raises(ValidationError) as error:
        TypeAdapter(Patterns).validate_python(patterns)
    assert words in str(error.value)


def test_the_worst_patterns_take_bounded_time():
    patterns = TypeAdapter(Patterns).validate_python(["**/" + "/".join(["[a]*"] * 15) + "c"] * MOST_PATTERNS)
    sieve, deep = Sieve(patterns), "/".join(["a" * 60] * 15)
    before = time.process_time()
    assert not any(sieve.keeps(f"{deep}/{'a' * 60}{number}") for number in range(500))
    assert time.process_time() - before < 2, "0.1 s on a machine of 2024, and with a search it would be hours"


def test_a_pattern_without_wildcards_is_exact():
    assert [is_exact(one) for one in ("bot", "lib/", "!bot", "*.py", "a?", "a[1]")] == [True, True] + [False] * 4
