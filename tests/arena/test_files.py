"""The reader of files from outside: ordinary files within bounds, and words for everything else."""

import os
import time

import pytest

from arena.errors import FileError, FileMissing, FormError
from arena.files import LONG_KEY, MOST_TOURNAMENT, read, read_start, read_text, read_toml, write_whole


def test_a_device_is_not_even_opened(monkeypatch):
    """To open a watchdog starts it."""
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))
    for name in ("/dev/null", "/dev/zero", "/dev/tty"):
        with pytest.raises(FileError, match="a device, not an ordinary file"):
            read(name, 10)


def test_the_log_of_the_kernel_is_not_read():
    """To read it takes what is read out of it, and then waits for more. Only root may open it, outside of containers."""
    try:
        os.close(os.open("/proc/kmsg", os.O_RDONLY | os.O_NONBLOCK))
    except PermissionError as refused:
        with pytest.raises(FileError, match=rf"^/proc/kmsg: {refused.strerror}$"):
            read("/proc/kmsg", 100)
    else:
        assert read("/proc/kmsg", 100) == b""


def test_what_fails_while_it_is_read_is_named(tmp_path, monkeypatch):
    """As /proc/self/pagemap does, or a bad disk."""

    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    (tmp_path / "file").write_text("x")
    monkeypatch.setattr("builtins.open", fail)
    with pytest.raises(FileError, match=r"/file: Input/output error$"):
        read(tmp_path / "file", 10)


def test_an_ordinary_file_is_read_up_to_its_bound(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    assert read(path, 100) == b"x" * 100
    assert read_start(path, 7) == b"x" * 7
    with pytest.raises(FileError, match=r"file: it has more than 99 bytes, the most that such a file may have$"):
        read(path, 99)


def test_a_file_that_grows_while_it_is_read_is_refused_too(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"x" * 100)
    before = os.stat(path)
    path.write_bytes(b"x" * 1000)
    with monkeypatch.context() as patch:
        for name in ("stat", "fstat"):
            patch.setattr(os, name, lambda _: before)
        with pytest.raises(FileError, match="more than 100 bytes"):
            read(path, 100)


def test_a_missing_file_is_a_kind_of_its_own(tmp_path):
    with pytest.raises(FileMissing, match=r"none: No such file or directory$"):
        read(tmp_path / "none", 100)
    for name in ("a\0b", "x" * 300, tmp_path):
        with pytest.raises(FileError) as error:
            read(name, 100)
        assert not isinstance(error.value, FileMissing)


def test_what_can_be_read_and_is_not_what_it_should_be_is_a_kind_of_its_own(tmp_path):
    path = tmp_path / "file"
    for contents in (b"\xff", b"a =", b"a = " + b"9" * 5000, b"[" * 5000):
        path.write_bytes(contents)
        with pytest.raises(FormError):
            read_toml(path, 10_000)
    path.write_bytes("\ufeffa = 1".encode())
    assert read_text(path, 10_000) == "a = 1"
    assert read_toml(path, 10_000) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "is_long"),
    [
        ("a." * 32 + "a = 1", True),
        ("[" + '"a" . ' * 32 + "a]", True),
        ("'a.b'." * 32 + "a = 1", True),
        ("a." * 31 + "a = 1", False),
        ('a = "' + "Words. More words. " * 100 + '"', False),
        ("a = [" + '"../bot.py", ' * 100 + "]", False),
        ("a = [" + "1.5, " * 100 + "]", False),
        ("\n".join(f"a{i}.b.c = {i}" for i in range(100)), False),
    ],
)
def test_a_key_of_too_many_parts_is_known_before_it_is_parsed(text, is_long):
    assert bool(LONG_KEY.search(text)) == is_long


@pytest.mark.parametrize(
    "text", ["x" * MOST_TOURNAMENT, '"' * MOST_TOURNAMENT, ("a." * 31 + "a ") * (MOST_TOURNAMENT // 64)]
)
def test_to_look_for_long_keys_takes_time_that_grows_with_the_text_alone(text):
    began = time.process_time()
    assert not LONG_KEY.search(text)
    assert time.process_time() - began < 30


def test_a_folder_that_another_process_makes_meanwhile_is_as_good(tmp_path, monkeypatch):
    real, path = os.open, tmp_path / "new" / "file"

    def late(name, *words):
        if not path.parent.exists():
            path.parent.mkdir()
            raise FileNotFoundError
        return real(name, *words)

    monkeypatch.setattr(os, "open", late)
    write_whole(path, b"whole")
    assert path.read_bytes() == b"whole"
