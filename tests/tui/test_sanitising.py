"""Untrusted text is safe to show after sanitising (S1)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from tests.tui.hostile import TEXTS, is_clean
from tui.terminal.sanitising import sanitise_line, sanitise_lines, sanitised_content

CASES = [pytest.param(text, id=f"S1-{name}") for name, text in TEXTS.items()]


def _assert_visible(line: str) -> None:
    for letter in line:
        assert unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}, repr(
            letter
        )
    line.encode("utf-8")
    assert cell_len(line) <= 200


def test_enough_hostile_texts_are_tested() -> None:
    assert len(TEXTS) >= 60


@pytest.mark.series("S1")
@pytest.mark.parametrize("text", CASES)
def test_sanitised_text_has_no_hidden_characters(text: str) -> None:
    line = sanitise_line(text)
    _assert_visible(line)
    assert sanitise_line(line) == line
    for piece in sanitise_lines(text):
        _assert_visible(piece)


@pytest.mark.parametrize("text", CASES)
def test_brackets_are_not_parsed_as_markup(text: str) -> None:
    content = sanitised_content(text)
    assert isinstance(content, Content)
    assert content.plain == sanitise_line(text)
    assert content.spans == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Admiral Ōnishi", "Admiral Ōnishi", id="letters-stay"),
        pytest.param("gg [/foo] wp", "gg [/foo] wp", id="brackets-stay"),
        pytest.param("a\x1b[2Jb", "a?b", id="sequence-becomes-marker"),
        pytest.param("a\x1b]52;c;QQ==\x07b", "a?b", id="clipboard-becomes-marker"),
        pytest.param("a\u202eb", "a?b", id="override-becomes-marker"),
        pytest.param("a\nb", "a b", id="break-becomes-blank"),
        pytest.param("e\u0301", "é", id="accent-composed"),
        pytest.param(
            "Z" + "\u0301" * 9, unicodedata.normalize("NFC", "Z\u0301\u0301"), id="two-marks-stay"
        ),
        pytest.param("x" * 201, "x" * 197 + "...", id="cut-shows-dots"),
        pytest.param("x" * 200, "x" * 200, id="exact-width-stays"),
    ],
)
def test_sanitised_line(text: str, shown: str) -> None:
    assert sanitise_line(text) == shown


def test_line_breaks_are_kept_and_lines_limited() -> None:
    assert sanitise_lines("a\nb\r\nc") == ("a", "b", "c")
    assert sanitise_lines("\n".join("abcdef"), lines=3) == ("a", "b", "...")
    assert sanitise_lines("") == ("",)


def test_wide_characters_count_double() -> None:
    assert cell_len(sanitise_line("漢" * 500, cells=11)) <= 11


def test_is_clean_rejects_control_characters() -> None:
    assert is_clean("Rabaul [PA]")
    assert not is_clean("Rabaul\x1b")


@given(
    st.text(alphabet=st.characters(codec=None), max_size=400),
    st.integers(min_value=1, max_value=250),
)
def test_any_text_becomes_safe(text: str, cells: int) -> None:
    line = sanitise_line(text, cells)
    assert cell_len(line) <= cells
    _assert_visible(sanitise_line(text))
