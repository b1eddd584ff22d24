"""Environment variables that a bot may set for itself, under `[env]` in bot.toml.

Bots get a clean environment. What a runtime or a library reads only from there can be set by name, if the name is on
the list, or begins with BOT_, which is for the bot's own settings. None of them can reach beyond the bot: it could set
them in its `command` by env(1), too. All of them are shown in the record of every match, so they are no place for a
secret."""

import re
from collections.abc import Mapping

OWN = "BOT_"
"""How the names of a bot's own settings begin."""
ALLOWED: Mapping[str, str] = {
    "threads": "GOMAXPROCS MKL_NUM_THREADS NUMEXPR_NUM_THREADS OMP_NUM_THREADS OPENBLAS_NUM_THREADS RAYON_NUM_THREADS "
    "UV_THREADPOOL_SIZE",
    "memory": "GOGC GOMEMLIMIT MALLOC_ARENA_MAX RUST_MIN_STACK",
    "what is printed": "DINOBOT_CODEC GODEBUG GOTRACEBACK NODE_DEBUG NODE_ENV PYTHONFAULTHANDLER PYTHONOPTIMIZE "
    "PYTHONTRACEMALLOC PYTHONUNBUFFERED PYTHONWARNINGS RUST_BACKTRACE RUST_LOG",
    "sanitizers": "ASAN_OPTIONS LSAN_OPTIONS TSAN_OPTIONS UBSAN_OPTIONS",
    "repeatable runs": "PYTHONHASHSEED",
}
NAMES = frozenset(name for names in ALLOWED.values() for name in names.split())
SECRET = re.compile(r"TOKEN|SECRET|PASSW|CREDENTIAL|(^|_)(API_?)?KEY(_|$)")
MOST_VARIABLES, MOST_VALUE = 32, 200


def misuse(env: Mapping[str, str]) -> str | None:
    """What is wrong with these variables, and the way out; None if they may be set."""
    if len(env) > MOST_VARIABLES:
        return f"env: {len(env)} variables, and {MOST_VARIABLES} are the most"
    return next((why for name, value in env.items() if (why := _misuse(name, value)) is not None), None)


def _misuse(name: str, value: str) -> str | None:
    shown = repr(name)[:80]
    if SECRET.search(name.upper()):
        return f"env: {shown} looks like a secret, and every record of a match shows it. A bot has no use for secrets"
    is_own = re.fullmatch(rf"{OWN}[A-Z0-9_]{{1,60}}", name)
    if name not in NAMES and not is_own:
        return (
            f"env: {shown} cannot be set. Begin the names of your own settings with {OWN}; of others there are: "
            f"{', '.join(sorted(NAMES))}"
        )
    if len(value) > MOST_VALUE or not value.isprintable() or not value:
        return f"env.{name}: expected 1 to {MOST_VALUE} characters that can be printed"
    return None
