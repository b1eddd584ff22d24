"""The head and the tail of a stream, in bounded memory."""

import pytest

from arena.match.excerpt import HALF, Excerpt


def excerpt(*pieces: bytes) -> Excerpt:
    made = Excerpt()
    for piece in pieces:
        made.add(piece)
    return made


@pytest.mark.parametrize("length", [0, 1, HALF - 1, HALF, HALF + 1, 2 * HALF])
def test_what_fits_is_kept_whole(length: int) -> None:
    data = bytes(b"abcdefgh"[i % 8] for i in range(length))
    made = excerpt(data)
    assert made.text() == data.decode()
    assert made.total == length


def test_of_more_the_middle_is_left_out_and_counted() -> None:
    made = excerpt(b"a" * HALF, b"b" * 1000, b"c" * HALF)
    assert made.text() == "a" * HALF + "\n... 1000 bytes left out ...\n" + "c" * HALF
    assert made.total == 2 * HALF + 1000


def test_one_byte_too_many_is_told() -> None:
    assert "\n... 1 bytes left out ...\n" in excerpt(b"a" * (2 * HALF + 1)).text()


@pytest.mark.parametrize("size", [1, 7, HALF - 1, HALF, 3 * HALF, 200_000])
def test_the_pieces_do_not_matter(size: int) -> None:
    data = b"".join(b"%d " % i for i in range(40_000))
    made = excerpt(*(data[i : i + size] for i in range(0, len(data), size)))
    assert made.text() == excerpt(data).text()
    assert made.total == len(data)


def test_an_endless_stream_takes_no_more_memory_than_its_ends() -> None:
    made = Excerpt()
    for _ in range(1000):
        made.add(b"x" * 65536)
        assert len(made._head) + len(made._tail) <= 4 * HALF
    assert made.total == 1000 * 65536


def test_bytes_that_are_no_text_are_spelled_out() -> None:
    assert excerpt(b"caf\xc3\xa9 \xff\xfe\x00").text() == "caf\u00e9 \\xff\\xfe\x00"


def test_a_character_cut_in_two_pieces_is_whole() -> None:
    assert excerpt(b"caf\xc3", b"\xa9").text() == "caf\u00e9"


def test_a_character_cut_where_the_head_ends_is_whole_if_all_is_kept() -> None:
    text = "a" * (HALF - 1) + "\u00e9" + "b"
    assert excerpt(text.encode()).text() == text
