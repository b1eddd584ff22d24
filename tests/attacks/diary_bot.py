"""A bot that keeps a diary in the page cache: which pages of a file of its own are in memory outlives a match.

    python3 -I -S diary_bot.py write WORD|read

It plays the first legal action. The writer takes all pages of diary.bin out of memory, if it can, and reads those that
stand for the bits of WORD. The reader asks which pages are in memory, and says on stderr what word that is, or that
nobody answers. It is a program of its own: nothing but the standard library.
"""

import ctypes
import errno
import json
import mmap
import os
import platform
import struct
import sys

BITS = 16
APART = 64
"""Pages between two that count, more than the kernel reads ahead."""
NUMBERS = {"mincore": (27, 232), "preadv2": (327, 286)}  # on x86_64, on aarch64
RWF_NOWAIT = 8
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
room = ctypes.create_string_buffer(mmap.PAGESIZE)


def offset(bit):
    return bit * APART * mmap.PAGESIZE


def call(name, *arguments):
    number = NUMBERS[name][platform.machine() == "aarch64"]
    words = [ctypes.c_long(word) if isinstance(word, int) else word for word in arguments]
    if libc.syscall(ctypes.c_long(number), *words) < 0:
        raise OSError(ctypes.get_errno(), name)


def write(fd, word):
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
    try:
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        sys.stderr.write(f"no page is taken out: {errno.errorcode[error.errno]}\n")
    for bit in range(BITS):
        if word >> bit & 1:
            os.pread(fd, 1, offset(bit))


def by_reading(fd, bit):
    try:
        call("preadv2", fd, struct.pack("PL", ctypes.addressof(room), 1), 1, offset(bit), 0, RWF_NOWAIT)
    except BlockingIOError:
        return False
    return True


def by_mapping(fd, bit):
    address = libc.mmap(None, ctypes.c_size_t(mmap.PAGESIZE), 1, 1, fd, ctypes.c_long(offset(bit)))
    call("mincore", address, mmap.PAGESIZE, room)
    return bool(room.raw[0] & 1)


def read(fd):
    for way in (by_reading, by_mapping):
        try:
            return f"the word is {sum(way(fd, bit) << bit for bit in range(BITS)):04x}"
        except OSError as error:
            sys.stderr.write(f"{way.__name__}: {errno.errorcode[error.errno]}\n")
    return "nobody answers"


def say(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main():
    fd = os.open("diary.bin", os.O_RDONLY)
    if sys.argv[1] == "write":
        write(fd, int(sys.argv[2], 16))
    else:
        sys.stderr.write(read(fd) + "\n")
    say(type="hello", protocol=1, name="diary", version="1", games=["draftosaurus"])
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "start":
            say(type="ready")
        elif message["type"] == "decide":
            say(type="move", id=message["id"], action=message["legal"][0])
        elif message["type"] == "bye":
            return


if __name__ == "__main__":
    main()
