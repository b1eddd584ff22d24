"""Which modules the command line imports, when, and in which direction."""

import os
import subprocess
import sys
from graphlib import TopologicalSorter

import grimp
import pytest

from arena.cli.app import BENCH, COMMANDS, LEAGUE

MODULES = "import sys; from arena.cli.app import build; build(sys.argv[1:]); print(*sys.modules)"
RUN = "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr)); from arena.cli import main; main()"
HEAVY = {"pydantic", "trio", "msgpack", "numpy", "tabulate", "tomlkit", "ssl", "sqlite3", "email", "importlib.metadata"}
"""What takes 5 to 100 ms each. Typer itself imports pydantic for a command that has parameters."""
PLACES = {place.partition(".")[0] for place in (*COMMANDS, *LEAGUE, *BENCH)}


def imported(code, *words, **popen):
    """The modules of a Python that has run this to its end."""
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, **popen)
    return set((ended.stdout if code is MODULES else ended.stderr.splitlines()[-1]).split())


def test_no_modules_import_each_other_in_a_circle_not_even_inside_functions():
    graph = grimp.build_graph("arena", "engine", "protocol", exclude_type_checking_imports=True, cache_dir=None)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    TopologicalSorter(imports).prepare()  # CycleError names the modules


@pytest.mark.usefixtures("processes")
def test_help_imports_what_it_shows_and_nothing_that_is_heavy():
    found = imported(RUN, "--help")
    assert {f"arena.cli.{place}" for place in PLACES} <= found
    assert not HEAVY & found
    assert not {
        name for name in found if name.startswith(("arena.league", "arena.check", "arena.replay", "arena.roster"))
    }


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize(
    ("words", "own"),
    [
        (("play", "greedy"), {"play"}),
        (("verify", "x"), {"verify"}),
        (("league", "list"), {"league", "league_list"}),
        (("bench", "start"), {"bench"}),
    ],
)
def test_a_command_imports_no_other_command(words, own):
    found = imported(MODULES, *words)
    assert {place for place in PLACES if f"arena.cli.{place}" in found} == own
    assert not HEAVY & found


@pytest.mark.usefixtures("processes")
def test_a_match_imports_no_league_no_other_game_and_no_other_command(tmp_path):
    found = imported(RUN, "play", "greedy", "random", cwd=tmp_path, env={**os.environ, "PYTHONPATH": os.getcwd()})
    assert {"engine.draftosaurus", "arena.match.play", "trio"} <= found
    assert {place for place in PLACES if f"arena.cli.{place}" in found} == {"play"}
    assert not {
        name for name in found if name.startswith(("arena.league", "arena.check", "arena.doctor", "engine.dinodocus"))
    }
    assert not {"numpy", "sqlite3", "tomlkit"} & found


RATED = """
import os, sys
import arena.league.run, arena.league.worker, arena.league.page, arena.web.site.exhibit
assert "numpy" not in sys.modules
from arena.league.fit import fit
fit([], ["a", "b"])
print(os.environ.get("OPENBLAS_NUM_THREADS"), len(os.listdir("/proc/self/task")), "numpy" in sys.modules)
"""


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("threads", [None, "4"])
def test_only_ratings_import_numpy_and_it_has_one_thread(threads):
    """More threads would take cores from bots that are timed, and would change the last digits."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    environment |= {"OPENBLAS_NUM_THREADS": threads} if threads else {}
    ended = subprocess.run([sys.executable, "-c", RATED], capture_output=True, text=True, env=environment)
    assert ended.stdout == f"{threads} 1 True\n", ended.stderr
