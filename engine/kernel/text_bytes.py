"""Handles text files saved by any editor: removes a byte order mark and recognises other encodings."""

from typing import Final

_BOM: Final = b"\xef\xbb\xbf"
_WIDE_BOMS: Final = (
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_SNIFFED_BYTES: Final = 8
"""Number of leading bytes checked for UTF-16 without a mark. In UTF-16, every second byte of plain letters is 0."""


class EncodingError(ValueError):
    """The text has an unsupported encoding. The message names the encoding."""


def strip_bom(data: bytes) -> bytes:
    """Remove the byte order mark that some editors put before UTF-8. The rest of the text is not checked.

    Raises:
        EncodingError: The text is UTF-16 or UTF-32.
    """
    # UTF-32 is tested first, because its little-endian mark begins with the UTF-16 mark.
    for mark, name in _WIDE_BOMS:
        if data.startswith(mark):
            raise EncodingError(_encoding_message(name))
    for attempt in range(2):
        letters, zeros = data[attempt:_SNIFFED_BYTES:2], data[1 - attempt : _SNIFFED_BYTES : 2]
        if len(zeros) > 1 and not any(zeros) and letters.isascii() and 0 not in letters:
            raise EncodingError(_encoding_message("UTF-16"))
    return data.removeprefix(_BOM)


def _encoding_message(encoding: str) -> str:
    return f"this is {encoding} text; save it as UTF-8"
