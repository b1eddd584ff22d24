"""What a bot learns in one match must not be known in the next one: the page cache remembers, but nobody may ask it."""

import mmap
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.attacks.theatre import HERE, SYSTEM_PYTHON, play_scene, put_up

WORD = "b5d2"


def put_diary(folder: Path, is_in_memory: bool) -> None:
    """A file of 4 MB on the disk, all of it in memory, or nothing of it."""
    shutil.copy(HERE / "diary_bot.py", folder)
    with open(folder / "diary.bin", "wb") as file:
        file.write(os.urandom(1024 * mmap.PAGESIZE))
        file.flush()
        os.fsync(file.fileno())
        if not is_in_memory:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    for path in folder.iterdir():
        path.chmod(0o644)


def play(user: str, tier: str, folder: Path, *words: str) -> str:
    """One match of the diary's bot against a quiet one: what it wrote on stderr."""
    command = [SYSTEM_PYTHON, "-I", "-S", "diary_bot.py"]
    bots: list[tuple[str, list[str], str]] = [
        ("diary", [*command, *words], str(folder)),
        ("quiet", [SYSTEM_PYTHON, "-I", "-S", "bot.py"], str(folder)),
    ]
    shutil.copy(HERE / "runtimes" / "bot.py", folder)
    found: dict[str, Any] = play_scene(user, tier, "table", bots=bots)
    assert found["faults"] == [], found["stderr"]
    said: str = found["stderr"]["diary"]
    return said


def wrong_bits(said: str) -> int:
    """Of the sixteen of the word; by luck there are seldom fewer than five."""
    return (int(said.rsplit(maxsplit=1)[-1], 16) ^ int(WORD, 16)).bit_count()


@pytest.mark.parametrize("is_in_memory", [True, False], ids=["full", "empty"])
def test_no_bot_reads_in_the_next_match_what_it_wrote_into_the_page_cache(
    user: str, tier: str, is_in_memory: bool
) -> None:
    with put_up(user) as base:
        folder = base / "bots" / "diary"
        folder.mkdir()
        folder.chmod(0o755)
        put_diary(folder, is_in_memory)
        written, read = play(user, tier, folder, "write", WORD), play(user, tier, folder, "read")
    if tier == "none":
        assert written == ""
        assert wrong_bits(read) <= 2, "the system reads ahead now and then"
    else:
        assert written == "no page is taken out: EINVAL\n"
        assert read == "by_reading: ENOSYS\nby_mapping: ENOSYS\nnobody answers\n"
