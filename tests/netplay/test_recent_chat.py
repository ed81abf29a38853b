"""Chat lines that a host repeats are reported once."""

from netplay.peer.status import RecentChat
from netplay.wire.messages import ChatLine


def _line(number: int, text: str) -> ChatLine:
    return ChatLine(number=number, role="red", text=text)


def test_a_repeated_line_is_reported_once() -> None:
    chat = RecentChat()
    assert [one.text for one in chat.new_lines([_line(1, "a"), _line(2, "b")])] == ["a", "b"]
    assert chat.last_number == 2
    chat.last_number = 0  # a new connection
    assert [one.text for one in chat.new_lines([_line(1, "a"), _line(2, "b"), _line(3, "c")])] == [
        "c"
    ]
    assert chat.last_number == 3


def test_a_new_line_with_a_reused_number_is_reported() -> None:
    chat = RecentChat()
    list(chat.new_lines([_line(1, "a")]))
    assert [one.text for one in chat.new_lines([_line(1, "other")])] == ["other"]
