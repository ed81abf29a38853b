"""Lines on a terminal are cut between words."""

import pytest

from tui.keyboard import fold


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        pytest.param("short", ["short"], id="it-fits"),
        pytest.param("  one two six", ["  one two", "      six"], id="further-in"),
        pytest.param(
            "a/very-long-name.fplog", ["a/very-lon", "    g-name", "    .fplog"], id="no-word"
        ),
        pytest.param("", [""], id="nothing"),
    ],
)
def test_a_line_is_cut_between_words(line: str, parts: list[str]) -> None:
    assert fold(line, 10) == parts
