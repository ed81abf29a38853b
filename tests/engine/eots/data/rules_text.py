"""Reads tables, names and numbers from the rules reference."""

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Final

from engine.eots.board import board
from engine.eots.deck import cards
from engine.eots.ids import AreaId

PARTS: Final = (
    "eots-a.md",
    "eots-b.md",
    "eots-cards.md",
    "eots-scenarios.md",
    "eots-index.md",
    "eots-map.md",
)

MISPRINTS: Final = {"2114": "Singapore", "5508": "Oahu", "2112": "Saigon"}
"""Numbers that the texts quote as misprints of the printed game."""

AREA_NAMES: Final = (
    ("Sumatra", "sumatra"),
    ("Java", "java"),
    ("Borneo", "borneo"),
    ("Celebes", "celebes"),
    ("Timor", "dutch-east-indies"),
    ("Honshu", "honshu"),
    ("Hokkaido", "hokkaido"),
    ("Kyushu", "kyushu"),
    ("Formosa", "formosa"),
    ("Burma", "burma"),
    ("Ceylon", "ceylon"),
    ("Malaya", "malaya"),
    ("Palawan", "philippines"),
    ("New Caledonia", "new-hebrides-sp"),
    ("Hawaii", "hawaii"),
    ("Hainan", "one-hex-island"),
    ("Admiralty Islands", "mandates"),
    ("Maldives", "maldives"),
    ("Buin", "mandates"),
    ("French Frigate Shoals", "french-frigate-shoals"),
    ("Kunming", "kunming-area"),
)

SHORT_TITLES: Final = {
    "Tojo Resigns": "J-43",
    "Soviets Invade Manchuria": "A-79",
    "China Airlift": "A-17",
    "PT Boats": "A-23",
    "Arcadia Conference": "A-4",
    "Doolittle Raid": "A-6",
    "Bataan Death March": "A-1",
    "Tokyo Rose": "J-74",
    "Operation Watchtower": "A-13",
    "Col. Tsuji": "J-3",
    "Operation Z": "J-1",
    "IAI": "J-2",
    "Wingate": "A-22",
    "Rochefort": "A-12",
    "High-Altitude Interceptors": "J-71",
    "Kwai": "J-18",
    "Matador": "A-5",
    "Skip Bombing": "A-24",
    "Oboe": "A-76",
    "Sandcrab": "A-30",
    "Sho-Go": "J-45",
    "Fuel Shortage": "J-77",
    "Operation KE": "J-35",
}


def text_of(part: str) -> str:
    """Return one part of the rules reference."""
    return files("engine.eots").joinpath("rules", part).read_text(encoding="utf-8")


def rows(text: str, header: Sequence[str]) -> list[list[str]]:
    """Return the cells of every row of the tables whose header row begins with these cells."""
    found: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[: len(header)] == [*header]:
            inside = True
        elif inside and not {*"".join(cells)} <= {*"-: "}:
            found.append(cells)
    return found


def section(text: str, start: str, stop: str = r"^#{1,4} ") -> str:
    """Return the text between a heading and the next one; the heading must exist."""
    begin = re.search(start, text, re.MULTILINE)
    assert begin is not None, f"no heading {start!r}"
    rest = text[begin.end() :]
    end = re.search(stop, rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def listed(cell: str) -> list[tuple[str, str]]:
    """Return the units and faces that a cell lists; (R) marks the reduced face."""
    return sorted(
        (unit, "reduced" if reduced else "full")
        for unit, reduced in re.findall(r"`([a-z0-9-]+)`( \(R\))?", cell)
    )


def numbers(cell: str) -> list[int]:
    """Return the whole numbers in a cell, in ascending order."""
    return sorted(int(number) for number in re.findall(r"\d+", cell))


def place_names() -> dict[str, set[str]]:
    """Return the hexes that each printed or otherwise known name may refer to."""
    names: dict[str, set[str]] = {}
    game = board()
    for place in game.hexes.values():
        for name in place.names:
            for part in (name, *name.split("/")):
                names.setdefault(part.strip(), set()).add(place.id)
    for name, alias in game.name_aliases.items():
        names.setdefault(name, set()).add(alias)
    for label in game.labels:
        if label.hexes and label.hexes[0] in game.hexes and game.hexes[label.hexes[0]].is_land:
            names.setdefault(label.text, set()).update(label.hexes)
    for name, area in AREA_NAMES:
        names.setdefault(name, set()).update(game.areas[AreaId(area)].hexes)
    return {name: hexes for name, hexes in names.items() if len(name) > 2 and name[0].isupper()}


def card_titles() -> dict[str, set[str]]:
    """Return the cards that each title may refer to."""
    titles: dict[str, set[str]] = {}
    for card in cards().values():
        for name in (card.title, card.subtitle):
            if name and len(name) > 6:
                titles.setdefault(name, set()).add(card.id)
    for name, card_id in SHORT_TITLES.items():
        titles[name] = {card_id}
    return titles


def any_of(names: Sequence[str]) -> str:
    """Return a pattern of alternatives, longest first."""
    return "|".join(sorted((re.escape(name) for name in names), key=len, reverse=True))


def line_of(text: str, position: int) -> int:
    """Return the line number of a position."""
    return text.count("\n", 0, position) + 1


def matches(pattern: str, text: str) -> Iterator[re.Match[str]]:
    """Yield every match of a pattern, with ``^`` matching at line starts."""
    return re.finditer(pattern, text, re.MULTILINE)
