"""The protocol page agrees with the code."""

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from netplay.feed import divergence_report
from netplay.invites.invite import Invite
from netplay.transport import admission_proxy, listener, sockets
from netplay.wire import limits, message_size, padding
from netplay.wire import messages as wire
from saves.records import MAX_RECORD_BYTES

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| `([a-z-]+)` \| ([^|]*) \|", PAGE, flags=re.MULTILINE))


@pytest.mark.parametrize(
    "message",
    [*get_args(wire.Question), *get_args(wire.Answer)],
    ids=lambda message: str(message.__struct_config__.tag),
)
def test_every_message_is_documented_with_its_fields(message: type[msgspec.Struct]) -> None:
    row = ROWS[str(message.__struct_config__.tag)]
    assert tuple(re.findall(r"`([a-z_]+)`", row)) == message.__struct_fields__


def test_only_existing_messages_are_documented() -> None:
    tags = {
        str(kind.__struct_config__.tag)
        for kind in (*get_args(wire.Question), *get_args(wire.Answer))
    }
    assert {row for row in ROWS if row not in Invite.__struct_fields__} == tags


@pytest.mark.parametrize("field", Invite.__struct_fields__)
def test_every_invite_field_is_documented(field: str) -> None:
    assert f"`{field}`" in PAGE.partition("## 4.")[0]


def test_message_sizes_are_documented() -> None:
    *most, last = (f"{size:,}" for size in padding.SIZES)
    assert f"{', '.join(most)} or {last} bytes" in PAGE
    assert f"It is {wire.PROTOCOL}." in PAGE


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (message_size.MAX_MESSAGE_BYTES, "{:,} bytes on the wire"),
        (wire.CHUNK_BYTES, "record bytes in one message | {:,}"),
        (sockets.SEND_TIMEOUT_MS // 1000, "send timeout | {} s"),
        (int(sockets.DIAL_SECONDS), "| {} s at the peer"),
        (int(listener.GREETING_SECONDS), "closed {} s after it was made"),
        (int(listener.IDLE_SECONDS), "sends no request | closed after {} s"),
        (listener.MAX_UNANSWERED, "requests on one connection | {}; one more"),
        (admission_proxy.GREETINGS_PER_SECOND, "started | {} per second, 16 at once"),
        (admission_proxy.MAX_CONCURRENT_GREETINGS, "200 per second, {} at once"),
        (admission_proxy.MAX_GREETING, "unfinished handshakes and greetings | {}, and"),
        (admission_proxy.MAX_UNGREETED, "silent connections {:,}, or a quarter"),
        (listener.MAX_UNAUTHENTICATED, "unauthenticated connections at once | {};"),
        (wire.MAX_WAIT_MS, "at most {:,}"),
        (MAX_RECORD_BYTES, "beyond {:,}"),
        (int(limits.ABSENT_AFTER_SECONDS), "received none on any of its connections for {} s"),
        (limits.MESSAGES_PER_SECOND, "| {} per second, 1,200 at once"),
        (limits.CHAT_PER_SECOND, "chat lines and `offer` together | {} per second, 10 at once"),
        (limits.ILLEGAL_PER_SECOND, "illegal commands | {} per second, 60 at once"),
        (limits.COMPARISONS_PER_SECOND, "digests compared | {} per second, 40 at once"),
        (limits.MAX_OFFENCES, "counted messages | {}"),
        (int(limits.COOL_DOWN_SECONDS), "cannot connect for {} s"),
        (divergence_report.MAX_REPORTS, "At most {} reports are stored per seat and match"),
        (limits.MAX_SPECTATORS, "spectators of a match | {}"),
    ],
)
def test_documented_limits_match_the_code(number: int, words: str) -> None:
    assert words.format(number) in PAGE
