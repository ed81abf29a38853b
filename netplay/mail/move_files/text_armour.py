"""Encodes move files as text that survives mail and chat programs, and finds move files in such text.

A block consists of lines of at most 64 characters between two markers. The end marker contains a checksum. Text around
a block is ignored. The reader undoes quoting, changed line endings, line wrapping and email encodings.
"""

import base64
import binascii
import email
import re
import unicodedata
import zlib
from collections.abc import Iterator
from typing import Final

import msgspec

MAX_TEXT_BYTES: Final = 16 << 20
"""Maximum size in bytes of a text that is searched for move files."""
_LINE_LENGTH: Final = 64
_MAX_LINE_LENGTH: Final = 76
_NAME: Final = "FLAGPLOT MOVE"
_DASHES: Final = "-----"
_QUOTES: Final = re.compile(r"^[\s>|]+", re.MULTILINE)
_DASH_CHARACTERS: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212"
"""Hyphens and dashes into which mail programs change the hyphens of a marker."""
_BEGIN: Final = re.compile(rf"BEGIN\s+FLAGPLOT\s+MOVE[\s\{_DASH_CHARACTERS}]*", re.IGNORECASE)
_END: Final = re.compile(r"END\s+FLAGPLOT\s+MOVE\s+((?:[0-9a-f]\s*){8})", re.IGNORECASE)
"""Matches an end marker without the dashes around it.

The pattern leaves out the dashes, because matching them would rescan long runs of dashes.
"""
_MAX_BOUNDARIES: Final = 20
"""Maximum number of boundaries named in a mail. The library compares each line with all boundaries around it."""
_BYTE_ORDER_MARKS: Final = (
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
    (b"\xef\xbb\xbf", "utf-8-sig"),
)
"""Byte order marks, each with the encoding that it indicates."""
CUT_SHORT: Final = "the end is missing: the text was cut off in transit"
CHANGED: Final = (
    "some characters were changed or lost in transit: ask for it again, as an attachment"
)


class MoveFileBlock(msgspec.Struct, frozen=True, kw_only=True):
    """A move file that was found in a text."""

    data: bytes = b""
    problem: str = ""
    """The reason why the file cannot be read; empty if the file can be read."""


def armour(data: bytes, lines: tuple[str, ...] = ()) -> str:
    """Encode bytes as a text block.

    Args:
        data: The block's content.
        lines: Explanatory lines for people, placed above the block.
    """
    body = base64.b64encode(data).decode().rstrip("=")
    rows = [body[start : start + _LINE_LENGTH] for start in range(0, len(body), _LINE_LENGTH)]
    heading = [line[:_MAX_LINE_LENGTH].rstrip() for line in lines]
    begin = f"{_DASHES}BEGIN {_NAME}{_DASHES}"
    end = f"{_DASHES}END {_NAME} {zlib.crc32(data):08x}{_DASHES}"
    return "\n".join([*heading, begin, *rows, end, ""])


def find_blocks(raw: bytes) -> tuple[MoveFileBlock, ...]:
    """Return the move files in a text, in order and without duplicates.

    Damaged files are left out. If no file is intact, only the first damaged file is returned.
    """
    blocks = tuple(_blocks(_decode_text(raw)))
    # A raw email may encode its parts, so they are decoded if the plain text has no block or a
    # damaged block.
    if not blocks or any(block.problem for block in blocks):
        blocks = (*blocks, *(block for text in _mail_parts(raw) for block in _blocks(text)))
    undamaged = tuple({block.data: block for block in blocks if block.data}.values())
    return undamaged or blocks[:1]


def _decode_text(raw: bytes) -> str:
    for mark, encoding in _BYTE_ORDER_MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    return raw.decode("utf-8", "replace")


def _mail_parts(raw: bytes) -> Iterator[str]:
    """Yield the text parts of a raw email; yield nothing if the data is not an email."""
    if raw.lower().count(b"boundary") > _MAX_BOUNDARIES:
        return
    try:
        # Do not pass email.policy.default: it fails on unusual headers. The policy used here,
        # compat32, accepts them.
        message = email.message_from_bytes(raw)
        parts = list(message.walk()) if message.keys() else []
    except RecursionError:
        return  # The library recurses once for each mail within a mail. No honest sender nests so many.
    for part in parts:
        if part.get_content_maintype() == "text" or part.get_filename():
            content = part.get_payload(decode=True)
            if isinstance(content, bytes):
                yield _decode_text(content)


def _blocks(text: str) -> Iterator[MoveFileBlock]:
    """Yield a block for each begin marker in a text."""
    cleaned = _QUOTES.sub("", "".join(_visible_characters(text)))
    begin_markers = list(_BEGIN.finditer(cleaned))
    for position, begin_marker in enumerate(begin_markers):
        # An end marker after the next begin marker belongs to the next block.
        search_end = (
            begin_markers[position + 1].start()
            if position + 1 < len(begin_markers)
            else len(cleaned)
        )
        end_marker = _END.search(cleaned, begin_marker.end(), search_end)
        if end_marker is None:
            yield MoveFileBlock(problem=CUT_SHORT)
        else:
            yield _decode_block(
                cleaned[begin_marker.end() : end_marker.start()], end_marker.group(1)
            )


def _visible_characters(text: str) -> Iterator[str]:
    """Yield the characters of a text with normalised line endings and without invisible characters."""
    for character in text.replace("\r\n", "\n").replace("\r", "\n"):
        if character < "\x7f":
            yield character
        elif character.isspace():
            yield " "
        elif unicodedata.category(character) != "Cf":
            yield character


def _decode_block(body: str, check: str) -> MoveFileBlock:
    encoded = "".join(body.split()).rstrip(_DASH_CHARACTERS).rstrip("=")
    try:
        data = base64.b64decode(encoded + "=" * (-len(encoded) % 4), validate=True)
    except (binascii.Error, ValueError):
        return MoveFileBlock(problem=CHANGED)
    if not data or f"{zlib.crc32(data):08x}" != "".join(check.split()).lower():
        return MoveFileBlock(problem=CHANGED)
    return MoveFileBlock(data=data)
