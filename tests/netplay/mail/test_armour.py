"""Move files as text: changes made by mail programs and chats are undone, and lost parts are reported."""

import base64
import quopri
import random
import textwrap
from email.message import EmailMessage

import pytest

from netplay.mail.move_files.text_armour import CHANGED, CUT_SHORT, armour, find_blocks
from tests.sizes import sized

DATA = bytes(random.Random(1).randbytes(1000))
TEXT = armour(DATA, ("A move file of flagplot.", "x" * 200))


def only(text: str | bytes) -> bytes:
    raw = text.encode() if isinstance(text, str) else text
    (block,) = find_blocks(raw)
    assert block.problem == ""
    return block.data


def test_lines_are_at_most_76_ascii_characters() -> None:
    assert max(map(len, TEXT.splitlines())) <= 76
    assert TEXT.isascii()
    assert "=" not in TEXT


@pytest.mark.parametrize("size", [1, 2, 3, 47, 48, 49, 50])
def test_data_of_any_length_round_trips(size: int) -> None:
    assert only(armour(DATA[:size])) == DATA[:size]


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(TEXT.replace("\n", "\r\n"), id="crlf"),
        pytest.param(TEXT.replace("\n", "\r"), id="cr"),
        pytest.param(textwrap.indent(TEXT, "> "), id="quoted"),
        pytest.param(textwrap.indent(TEXT, ">>> "), id="quoted-thrice"),
        pytest.param(textwrap.indent(TEXT, "> > | "), id="quoted-in-turn"),
        pytest.param(textwrap.indent(TEXT, "    "), id="indented"),
        pytest.param(TEXT.replace("\n", "   \n"), id="blanks-behind"),
        pytest.param(TEXT.replace("\n", "\n\n"), id="double-spaced"),
        pytest.param(f"Hello Ann,\n\nhere it is.\n{TEXT}\n-- \nBob\n", id="a-letter-around"),
        pytest.param(TEXT.replace("-----", "\u2014\u2014-"), id="clever-dashes"),
        pytest.param(TEXT.replace("\n", " "), id="one-line"),
        pytest.param("\ufeff" + TEXT.replace("\n", "\u200b\n"), id="invisible-letters"),
        pytest.param(TEXT.replace(" ", "\u00a0"), id="hard-blanks"),
    ],
)
def test_changes_made_by_mail_programs_are_undone(changed: str) -> None:
    assert only(changed) == DATA


@pytest.mark.parametrize("width", [20, 33, 60, 70])
@pytest.mark.parametrize("prefix", ["", "> "])
def test_wrapped_and_quoted_lines_are_decoded(width: int, prefix: str) -> None:
    rows = [
        piece
        for line in TEXT.splitlines()
        for piece in textwrap.wrap(line, width, break_long_words=True)
    ]
    assert only("\n".join(prefix + row for row in rows)) == DATA


def test_utf_16_and_bom_are_decoded() -> None:
    assert only(TEXT.encode("utf-16")) == DATA
    assert only(TEXT.encode("utf-8-sig")) == DATA


@pytest.mark.parametrize("how", ["7bit", "quoted-printable", "base64", "attachment"])
def test_a_saved_raw_mail_is_decoded(how: str) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "bob@example.org", "ann@example.org", "move"
    if how == "attachment":
        mail.set_content("Here it is.")
        mail.add_attachment(TEXT.encode(), maintype="application", subtype="x", filename="a.txt")
    else:
        mail.set_content(TEXT, cte=how)
        mail.add_alternative(f"<pre>{TEXT}</pre>", subtype="html")
    assert only(mail.as_bytes()) == DATA


def test_quoted_printable_without_headers_is_decoded() -> None:
    assert only(quopri.encodestring(TEXT.encode())) == DATA


def test_duplicate_blocks_in_one_text_are_found_once() -> None:
    other = armour(b"another")
    found = find_blocks((TEXT + other + textwrap.indent(TEXT, "> ")).encode())
    assert [block.data for block in found] == [DATA, b"another"]


def test_unrelated_text_contains_no_block() -> None:
    assert find_blocks(b"") == ()
    assert find_blocks(b"Hello Ann, how are you?") == ()
    assert find_blocks(base64.b64encode(DATA)) == ()


def test_truncated_text_is_reported() -> None:
    lines = TEXT.splitlines()
    for kept in range(3, len(lines)):
        (block,) = find_blocks("\n".join(lines[:kept]).encode())
        assert block.problem == CUT_SHORT


def test_lost_and_changed_characters_are_reported() -> None:
    source = random.Random(2)
    start, stop = TEXT.index("MOVE-----") + 10, TEXT.index("-----END")
    for _ in range(sized(50, 500, 5000)):
        place = source.randrange(start, stop)
        if TEXT[place] == "\n":
            continue
        letter = source.choice("ABCabc019+/*_~&")
        for changed in (
            TEXT[:place] + letter + TEXT[place + 1 :],
            TEXT[:place] + TEXT[place + 1 :],
        ):
            if changed != TEXT:
                (block,) = find_blocks(changed.encode())
                is_unused = block.data == DATA  # only bits that the last letter does not use
                assert block.problem == CHANGED or is_unused


def test_an_intact_block_is_used_when_a_quoted_copy_is_damaged() -> None:
    damaged = TEXT.replace(TEXT.splitlines()[5], "")
    assert only(damaged + TEXT) == DATA


def test_corrupted_bytes_never_decode_to_wrong_data() -> None:
    source = random.Random(3)
    for _ in range(sized(100, 1000, 20_000)):
        raw = bytearray(TEXT.encode())
        for _ in range(source.randrange(1, 6)):
            place = source.randrange(len(raw))
            raw[place : place + source.randrange(3)] = source.randbytes(source.randrange(3))
        for block in find_blocks(bytes(raw)):
            assert block.problem or block.data == DATA
