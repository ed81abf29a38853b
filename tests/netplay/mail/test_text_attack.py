"""A text that someone sends instead of a move file: it is refused in one sentence, and in a bounded time."""

import time

import pytest

from netplay.mail.move_files.text_armour import find_blocks

BEGIN = b"-----BEGIN FLAGPLOT MOVE-----"
_SECONDS = 2.0


@pytest.mark.parametrize("filler", [b"-", b"-\n"], ids=["dashes", "lines"])
def test_long_rows_of_dashes_are_searched_in_linear_time(filler: bytes) -> None:
    """64 KB take 40 s: every dash could begin the end marker, and each search reads all dashes after it."""
    begun = time.process_time()
    find_blocks(BEGIN + b"x" + filler * (16_384 // len(filler)) + b"x\n")
    assert time.process_time() - begun < _SECONDS


@pytest.mark.parametrize(
    "text",
    [
        b"Content-Type: text/plain; " + b"(" * 3_000 + b"\n\nhello\n",
        b"Content-Type: message/rfc822\n\n" * 2_000 + b"hello\n",
    ],
    ids=["comments", "mails-in-mails"],
)
def test_deeply_nested_mails_are_ignored(text: bytes) -> None:
    assert find_blocks(text) == ()


def test_many_nested_parts_are_ignored_in_a_bounded_time() -> None:
    """A mail of 16 MB takes minutes: the library compares each line with the boundaries of all parts around it."""
    parts = [f'Content-Type: multipart/mixed; boundary="b{n}"\n\n--b{n}\n' for n in range(250)]
    begun = time.process_time()
    assert find_blocks("".join(parts).encode() + b"\n" + b"--\n" * 200_000) == ()
    assert time.process_time() - begun < _SECONDS
