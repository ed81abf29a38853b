"""Untrusted text cannot control a terminal."""

import pytest

from netplay.wire.sanitising import CHAT_LIMIT, sanitise

pytestmark = pytest.mark.series("S1")


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param("well played", "well played", id="plain"),
        pytest.param("\x1b]52;c;aGk=\x07hi", "hi", id="clipboard"),
        pytest.param("\x1b[2Jgone", "gone", id="csi"),
        pytest.param("\x9b2Jgone", "gone", id="c1"),
        pytest.param("a\x00b\rc\nd\te", "ab c d e", id="controls"),
        pytest.param("abc\u202edef", "abcdef", id="direction-override"),
        pytest.param("a\u200bb\u2060c\ufeff", "abc", id="zero-width"),
        pytest.param("x\ud800y", "xy", id="lone-surrogate"),
        pytest.param("e" + "\u0301" * 2000, "é\u0301", id="piled-up-accents"),
        pytest.param("\u0301mark", "mark", id="accent-without-letter"),
        pytest.param("a\u3164\u2800b", "a b", id="letters-that-show-nothing"),
        pytest.param("  many \u2003 blanks\u2028 here ", "many blanks here", id="blanks"),
        pytest.param("日本 ünïcode ✓", "日本 ünïcode ✓", id="other-scripts"),
        pytest.param("[@click=app.quit]free[/]", "[@click=app.quit]free[/]", id="markup-is-text"),
    ],
)
def test_sanitise_removes_control_characters(text: str, kept: str) -> None:
    assert sanitise(text, CHAT_LIMIT) == kept


def test_sanitise_bounds_the_length_of_huge_input() -> None:
    assert len(sanitise("ab " * 5_000_000, CHAT_LIMIT)) <= CHAT_LIMIT
