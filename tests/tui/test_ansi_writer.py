"""Text is sent with only the codes that change, and has the right appearance (S6)."""

import re
from collections.abc import Iterator
from itertools import product

import pytest
from rich.cells import get_character_cell_size
from rich.color import ColorSystem
from rich.segment import Segment
from rich.style import Style

from tui.drawing.ansi_writer import AnsiWriter, Cell
from tui.drawing.screen_buffer import ScreenBuffer, split_cells

SEQUENCE = re.compile(r"\x1b\[([\d;]*)([mH])|(.)")
OFF = {"22": "12", "23": "3", "24": "4", "27": "7", "29": "9"}
WORDS = ("", "bold", "dim", "underline", "reverse", "bold reverse")
INKS = ("", "red", "color(24)", "#102030")


def shown(text: str) -> Iterator[tuple[str, str, str, frozenset[str]]]:
    """Yield each character with colour, background and attributes, as a terminal would show it."""
    colour, paper, attributes = "", "", frozenset[str]()
    for codes, kind, letter in SEQUENCE.findall(text):
        if letter:
            yield letter, colour, paper, attributes
        elif kind == "m":
            parts = codes.split(";")
            while parts:
                code = parts.pop(0)
                if code in ("38", "48"):
                    rest = parts[:2] if parts[0] == "5" else parts[:4]
                    parts = parts[len(rest) :]
                    value = ";".join((code, *rest))
                    colour, paper = (value, paper) if code == "38" else (colour, value)
                elif code in OFF:
                    attributes -= set(OFF[code])
                elif code in ("", "0"):
                    colour, paper, attributes = "", "", frozenset()
                elif len(code) == 1:
                    attributes |= {code}
                elif code[0] in "39":
                    colour = "" if code == "39" else code
                else:
                    paper = "" if code == "49" else code


def styles() -> list[Style | None]:
    """Return styles of every kind, in every adjacent combination."""
    found = [
        Style.parse(f"{words} {ink} {f'on {paper}' if paper else ''}")
        for words, ink, paper in product(WORDS, INKS, INKS)
    ]
    return [None, *found, *found[::7], *found[::-1], None, *found[::5]]


@pytest.mark.parametrize(
    "colours", [ColorSystem.STANDARD, ColorSystem.EIGHT_BIT, ColorSystem.TRUECOLOR]
)
def test_every_character_looks_as_if_written_alone(colours: ColorSystem) -> None:
    cells: list[Cell] = [(letter, style) for style in styles() for letter in ("x", " ", "y")]
    pen = AnsiWriter(colours)
    pen.write(cells)
    together = pen.text()
    alone = []
    for cell in cells:
        one = AnsiWriter(colours)
        one.write([cell])
        alone.append(next(shown(one.text())))
    for (letter, colour, paper, attributes), wanted in zip(shown(together), alone, strict=True):
        assert letter == wanted[0]
        if letter == " " and not attributes & {"4", "7"}:
            assert (paper, wanted[3] & {"4", "7"}) == (wanted[2], frozenset())
        else:
            assert (colour, paper, attributes) == wanted[1:]
    assert together.endswith("\x1b[0m") or not re.search(r"\x1b\[[^0]", together)
    assert len(together) < sum(len(Style.render(style or Style(), "xxx")) for style in styles())


def test_space_with_unchanged_background_is_not_sent_again() -> None:
    frame = ScreenBuffer()
    frame.resize(9, 1)
    one, other = Style.parse("red on blue"), Style.parse("bold green on blue")
    assert frame.update([(0, 0, [Segment("a   b", one)])], ColorSystem.STANDARD)
    assert frame.update([(0, 1, [Segment("   ", other)])], ColorSystem.STANDARD) == ""
    assert frame.update([(0, 1, [Segment("   ", Style.parse("on red"))])], ColorSystem.STANDARD)


def test_fast_path_characters_take_one_cell() -> None:
    ranges = (
        range(0x20, 0x7F),
        range(0xA1, 0xAD),
        range(0xAE, 0x300),
        range(0x2010, 0x2028),
        range(0x2190, 0x2200),
        range(0x2500, 0x25FD),
        (0x2605, 0x2606),
    )
    letters = "".join(chr(number) for some in ranges for number in some)
    assert all(get_character_cell_size(letter) == 1 for letter in letters)
    assert len(split_cells([Segment(letters)])) == len(letters)
    assert [text for text, _ in split_cells([Segment("a\u6771b")])] == ["a", "\u6771", "", "b"]
