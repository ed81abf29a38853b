"""The recording in the documentation: a small asciicast that the program itself produced."""

import json
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest

from tools.dev.recording import SIZE, TITLE, characters, frames
from tui.app.cast import CastFrame, asciicast

CAST = Path(__file__).resolve().parents[3] / "docs" / "img" / "offensive.cast"
MOST_BYTES = 300_000


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_recording_is_an_asciicast_of_the_expected_size() -> None:
    assert CAST.stat().st_size < MOST_BYTES
    header, *events = _lines(CAST.read_text(encoding="utf-8"))
    assert (header["version"], header["width"], header["height"]) == (2, *SIZE)
    assert all(kind == "o" and isinstance(data, str) for _, kind, data in events)
    assert all(one[0] <= other[0] for one, other in pairwise(events))
    assert 30 < events[-1][0] < 120


def test_the_recording_shows_a_menu_an_offensive_and_its_battle() -> None:
    _, *events = _lines(CAST.read_text(encoding="utf-8"))
    shown = ["\n".join(characters("".join(data for _, _, data in events[:1])))]
    text = ""
    for _, _, data in events:
        text += data
        shown.append("\n".join(characters(text)))
    everything = "\n".join(shown)
    for words in (
        "Continue",
        "Play as EC: A-13 Operation",
        "Battle of 4423 Guadalcanal",
        "13 hits",
        "The Allies now control 4423 Guadalcanal",
    ):
        assert words in everything, words


def test_characters_are_placed_at_terminal_positions() -> None:
    data = "\x1b[?1049h\x1b]2;title\x07\x1b[2;3Hab\x1b[1;31mc\x1b[0m\x1b[1;1H\u2502\x1b[3;9Hlost"
    assert characters(data, (10, 3)) == ["\u2502", "  abc", "        lo"]


def test_cast_keeps_times_and_omits_empty_frames() -> None:
    header, *events = _lines(
        asciicast(
            [CastFrame(0.0, "a\x1b"), CastFrame(1.0, ""), CastFrame(2.5, "ä")], 4.0, SIZE, TITLE
        )
    )
    assert header["title"].startswith("flagplot")
    assert events == [[0.0, "o", "a\x1b"], [2.5, "o", "ä"], [4.0, "o", ""]]


@pytest.mark.full
def test_recording_starts_with_the_programs_first_frame() -> None:
    _, first, *_ = _lines(CAST.read_text(encoding="utf-8"))
    (frame,) = islice(frames(()), 1)
    hint = "run python -m tools.dev.recording docs/img/offensive.cast"
    assert characters(frame.data) == characters(first[2]), hint
