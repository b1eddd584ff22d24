"""Which machines the programs of a bot run on, as their headers say."""

import os
import struct
import sys
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.roster.entries import Entry
from arena.roster.platforms import Target, misfit, target_of, this_machine
from tests.strange_programs import for_another_libc, for_another_machine

PYTHON = Path(sys.executable).resolve()


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "bot.py").write_text("print()")
    return tmp_path


def test_a_program_of_this_machine_runs_here(folder):
    (folder / "own").write_bytes(PYTHON.read_bytes())
    assert target_of(folder / "own") == this_machine()
    assert misfit(Entry("x", "1", ("./own", "bot.py"), folder, ("make",))) is None


def test_a_program_for_another_processor_does_not_run_here(folder):
    (folder / "own").write_bytes(for_another_machine(PYTHON.read_bytes()))
    assert misfit(Entry("x", "1", ("./own", "bot.py"), folder)) == "own was built for s390x"


def test_a_program_for_another_c_library_does_not_run_here(folder):
    (folder / "own").write_bytes(for_another_libc(PYTHON.read_bytes()))
    words = misfit(Entry("x", "1", ("./own", "bot.py"), folder))
    assert words is not None
    assert words.startswith("own needs /nowhere/ld")
    assert words.endswith(", which is not on this machine")


def test_a_file_that_the_command_names_is_missing_only_if_a_build_can_make_it(folder):
    assert misfit(Entry("x", "1", ("java", "-jar", "target/bot.jar"), folder, ("mvn",))) == "target/bot.jar is missing"
    assert misfit(Entry("x", "1", ("java", "-jar", "target/bot.jar"), folder)) is None


def test_libraries_decide_only_if_none_runs_here_and_they_can_be_built(folder):
    (folder / "lib").mkdir()
    (folder / "lib" / "other.so").write_bytes(for_another_machine(PYTHON.read_bytes()))
    script, build = ("python3", "bot.py"), ("make",)
    assert misfit(Entry("x", "1", script, folder, build)) == "lib/other.so was built for s390x"
    assert misfit(Entry("x", "1", script, folder)) is None, "whether it needs the library is not known"
    (folder / "lib" / "own.so").write_bytes(PYTHON.read_bytes())
    assert misfit(Entry("x", "1", script, folder, build)) is None


def test_scripts_and_what_is_missing_have_no_machine(folder):
    assert target_of(folder / "bot.py") is None
    assert target_of(folder / "nothing") is None
    assert target_of(folder) is None


def test_no_file_stays_open(folder):
    before = os.listdir("/proc/self/fd")
    for name in ("bot.py", "nothing", "."):
        target_of(folder / name)
    assert os.listdir("/proc/self/fd") == before


HERE = Target("x86_64", 64, "<")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (Target("x86_64", 64, "<"), None),
        (Target("i386", 32, "<"), None),
        (Target("aarch64", 64, "<"), "was built for aarch64"),
        (Target("x86_64", 32, "<"), "was built for x86_64"),
    ],
)
def test_a_processor_runs_its_own_programs_and_those_of_its_ancestor(target, words):
    assert target.misfit(HERE) == words


@pytest.mark.parametrize(("bits", "order"), [(32, "<"), (32, ">"), (64, "<"), (64, ">")])
def test_headers_of_all_four_forms_are_read(bits, order, tmp_path):
    ident = b"\x7fELF" + bytes([bits // 32, 1 if order == "<" else 2, 1]) + bytes(9)
    body, head, segment = ("QQQ", 64, "IIQQQQ") if bits == 64 else ("III", 52, "IIIII")
    start = struct.pack(f"{order}HHI{body}IHHHHHH", 2, 22, 1, 0, head, 0, 0, head, 64, 1, 0, 0, 0)
    values = (3, 0, 200, 0, 0, 9) if bits == 64 else (3, 200, 0, 0, 9)
    whole = (ident + start + struct.pack(f"{order}{segment}", *values)).ljust(200, b"\0") + b"/lib/ld\0\0"
    (tmp_path / "x").write_bytes(whole)
    assert target_of(tmp_path / "x") == Target("s390x", bits, order, "/lib/ld")


@given(st.binary(max_size=80), st.sampled_from([b"\1\1", b"\2\1", b"\1\2", b"\2\2", b"\3\3"]))
def test_no_header_of_a_stranger_is_too_much(rest, form):
    with NamedTemporaryFile() as file:
        file.write(b"\x7fELF" + form + rest)
        file.flush()
        found = target_of(Path(file.name))
    assert found is None or found.bits in (32, 64)
