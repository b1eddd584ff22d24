"""A stack of a compiled bot is shown with functions and lines, where they can be known."""

import shutil
import subprocess

import pytest

from arena.check.places import own_place, with_names

CRASHES = """#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
static void handler(int number) { void *at[16]; (void)number; backtrace_symbols_fd(at, backtrace(at, 16), 2); _Exit(1); }
__attribute__((noinline)) static int search(volatile int *tree) {
    return *tree;
}
int main(void) {
    void *here; backtrace(&here, 1);
    signal(SIGSEGV, handler);
    return search(NULL) + 1;
}
"""


@pytest.fixture(scope="module")
def crashed(tmp_path_factory):
    if not (shutil.which("gcc") and shutil.which("addr2line")):
        pytest.skip("needs gcc and addr2line")
    folder = tmp_path_factory.mktemp("crashed")
    (folder / "bot.c").write_text(CRASHES)
    subprocess.run(["gcc", "-g", "-O1", "-o", "bot", "bot.c"], cwd=folder, check=True)
    ended = subprocess.run(["./bot"], cwd=folder, stderr=subprocess.PIPE, text=True, check=False)
    return folder, ended.stderr


@pytest.mark.usefixtures("processes")
def test_addresses_become_the_functions_and_lines_of_the_bot(crashed):
    folder, stderr = crashed
    shown = with_names(f"thinking\n{stderr}after\n", folder)
    assert shown.splitlines()[:3] == ["thinking", "search at bot.c:6", "main at bot.c:11"]
    assert shown.endswith("after\n")
    assert own_place(shown) == "bot.c:6, in search"


@pytest.mark.usefixtures("processes")
def test_what_cannot_be_named_stays_as_it_is(crashed, tmp_path, monkeypatch):
    folder, stderr = crashed
    assert with_names(stderr, tmp_path) == stderr, "the program is not there"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert with_names(stderr, folder) == stderr, "addr2line is not there"


def test_output_without_a_stack_and_paths_that_lead_elsewhere_start_no_program(tmp_path, monkeypatch):
    monkeypatch.setattr("arena.check.places._run", lambda _command: pytest.fail("started"))
    for stderr in ("KeyError: 'x'\n", "/etc/..(+0x12)[0x1]\n", "/home/ann/other(+0x12)[0x1]\n"):
        assert with_names(stderr, tmp_path) == stderr


def test_lines_of_the_kit_and_of_the_system_are_not_the_authors():
    stack = "at at /usr/include/c++/12/bits/stl_vector.h:1194\nhear at dinobot.hpp:9\nsearch at src/bot.cpp:5"
    assert own_place(stack) == "src/bot.cpp:5, in search"
