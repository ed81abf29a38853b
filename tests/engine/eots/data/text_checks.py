"""Checks of the hexes, names, ids, cards and rulings cited in the rules reference."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.eots.board import GRID, board
from engine.eots.counters import counters
from engine.eots.data.reading import content
from engine.eots.data.scenarios_file import FILE
from engine.eots.data.schedules_file import OptionalRule, ScenariosFile
from engine.eots.deck import cards
from engine.eots.ids import HexId
from engine.eots.scenarios import scenario_ids
from engine.kernel.data_files import decode
from tests.engine.eots.data.rules_text import (
    MISPRINTS,
    any_of,
    card_titles,
    line_of,
    matches,
    place_names,
)

SECTIONS: Final = {
    f"{chapter}.{group}{number}"
    for chapter, groups in {
        1: {2: 5},
        4: {1: 4, 2: 2, 3: 2},
        5: {3: 7},
        6: {1: 5, 2: 5},
        7: {2: 9},
        8: {1: 1, 2: 4, 3: 5, 4: 9},
        9: {1: 4, 3: 4, 6: 2},
        10: {1: 2, 2: 4, 3: 3},
        11: {2: 3, 3: 5},
        12: {1: 2, 2: 2, 3: 3, 5: 2},
        13: {2: 2, 3: 3, 4: 2, 5: 2, 6: 3, 7: 9, 8: 5, 9: 4},
        16: {4: 8},
        17: {1: 4, 2: 7, 3: 8, 4: 8},
    }.items()
    for group, last in groups.items()
    for number in range(1, last + 1)
} | {"17.10"}
"""Every section number with two digits after the point."""

SECTION_MISPRINTS: Final = frozenset({("eots-b.md", "12.41"), ("eots-scenarios.md", "12.84")})
HEX: Final = r"[1-6]\d[0-2]\d"
NAMES: Final = place_names()
TITLES: Final = card_titles()
DISTANCES: Final = (
    r"range\((\d{4})[^,()]*, (\d{4})[^()]*\) = (\d+)",
    r"leg (\d{4})-(\d{4}) \((\d+)\)",
    r"[Dd]istance\((\d{4}), (\d{4})\) = (\d+)",
)


def check_numbers(part: str, text: str) -> Iterator[str]:
    """Every hex number is on the map."""
    shown = {*board().hexes, *board().grey_hexes}
    for found in matches(rf"(?<![\d.#+/-])({HEX})(?!\d|[.%]\d| px|x\d)", text):
        name = found.group(1)
        year_or_count = 1000 <= int(name) < 1004 or GRID.coordinates(name)[1] > 28
        around = text[found.start() - 8 : found.end() + 8]
        if (
            not year_or_count
            and name not in shown
            and not re.search(r"1404|4200|2018 E|2017, 2nd", around)
        ):
            yield f"{part} line {line_of(text, found.start())}: {name} is not on the map"


def named_hexes(text: str) -> Iterator[tuple[int, str, str, bool]]:
    """Yield position, name and hex of every place that is named with its number, and whether the number is right."""
    names = any_of(tuple(NAMES))
    before = rf"(?<![\w-])({names})(?:\s+Is\.?|\s+Islands?)?\s*\(?(?:hex )?(\d{{4}})(?![\d-])"
    after = rf"(?<![\d-])(\d{{4}}) \(?({names})(?![\w-])"
    for found in matches(before, text):
        name, number = found.groups()
        earlier = re.search(r"(\d{4})[ ,(]*$", text[: found.start()])
        right = number in NAMES[name] or (earlier is not None and earlier.group(1) in NAMES[name])
        yield found.start(), name, number, right
    for found in matches(after, text):
        number, name = found.groups()
        later = re.match(r"[ ,(]*(?:hex )?(\d{4})", text[found.end() :])
        right = number in NAMES[name] or (later is not None and later.group(1) in NAMES[name])
        yield found.start(), name, number, right


def check_names(part: str, text: str) -> Iterator[str]:
    """Hexes match the names next to them."""
    seen = 0
    for position, name, number, right in named_hexes(text):
        if re.fullmatch(HEX, number):
            seen += 1
            if not right and MISPRINTS.get(number) != name:
                yield f"{part} line {line_of(text, position)}: {number} is not {name}"
    if part in {"eots-a.md", "eots-b.md", "eots-scenarios.md"} and seen < 25:
        yield f"{part}: only {seen} hexes with names recognised"


def check_distances(part: str, text: str) -> Iterator[str]:
    """Distances and terrain stated in the text agree with the map."""
    for pattern in DISTANCES:
        for start, end, hexes in re.findall(pattern, text):
            if board().distance(HexId(start), HexId(end)) != int(hexes):
                yield f"{part}: the distance {start}-{end} is not {hexes}"
    for line in text.splitlines():
        if "near Tokyo" in line:
            for name, hexes in re.findall(r"(\d{4}) distance (\d+)", line):
                if board().distance(HexId(name), HexId("3706")) != int(hexes):
                    yield f"{part}: the distance of {name} to Tokyo is not {hexes}"
    for name, terrain in re.findall(
        r"(\d{4})[^,;.()|]{0,14}\((Open|Jungle|Mixed|Mountain)\)", text
    ):
        place = board().hexes.get(HexId(name))
        if place is not None and place.terrain.value != terrain.lower():
            yield f"{part}: {name} is not {terrain}"


def optional_rules() -> tuple[OptionalRule, ...]:
    """Return the optional rules that players may agree on (16.48, 17.12, 18.0)."""
    return decode(FILE, content(FILE), ScenariosFile).optional_rules


def check_ids(part: str, text: str) -> Iterator[str]:
    """Units, areas and cards cited in the text exist."""
    keys = {counter.hq.command_key for counter in counters().values() if counter.hq}
    optional = {rule.id for rule in optional_rules()}
    words = {*counters(), *board().areas, *scenario_ids(), *keys, *optional}
    for found in matches(r"`((?:us|jp|cw|joint|china|dutch)-[a-z0-9-]+)`", text):
        if found.group(1) not in words:
            yield f"{part} line {line_of(text, found.start())}: unknown id {found.group(1)}"
    for found in matches(r"\b[Aa]reas? ((?:`[a-z0-9-]+`(?:,? and |, | or |/)?)+)", text):
        for name in re.findall(r"`([^`]+)`", found.group(1)):
            if name not in board().areas and name != "id":
                yield f"{part} line {line_of(text, found.start())}: unknown area {name}"
    for found in matches(r"\b([JA])-(\d+)\b", text):
        if found.group(0) not in cards():
            yield f"{part} line {line_of(text, found.start())}: no card {found.group(0)}"


def check_titles(part: str, text: str) -> Iterator[str]:
    """Cards match the titles next to them."""
    titles = any_of(tuple(TITLES))
    for pattern, card, name in (
        (rf"\b([JA]-\d+) \(?({titles})(?!\w)", 1, 2),
        (rf"(?<!\w)({titles}) \(([JA]-\d+)\)", 2, 1),
    ):
        for found in matches(pattern, text):
            if found.group(card) not in TITLES[found.group(name)]:
                yield f"{part} line {line_of(text, found.start())}: {found.group(card)} is not {found.group(name)}"


def check_sections(part: str, text: str) -> Iterator[str]:
    """Section numbers with two digits exist."""
    for found in matches(r"(?<![\d.:xC-])(\d{1,2}\.\d{2})(?![\d%])", text):
        number = found.group(1)
        if number not in SECTIONS and (part, number) not in SECTION_MISPRINTS:
            yield f"{part} line {line_of(text, found.start())}: no section {number}"


def rulings(texts: Mapping[str, str]) -> dict[str, set[int]]:
    """Return the numbers of the rulings that each part defines, by prefix."""
    places = {
        "OP": ("eots-a.md", r"^- \*\*OP-(\d+) "),
        "OPB": ("eots-b.md", r"^\| OPB-(\d+) \|"),
        "CP": ("eots-cards.md", r"^\| CP-(\d+) \|"),
        "DS": ("eots-scenarios.md", r"^\| DS-(\d+) \|"),
        "OPS": ("eots-scenarios.md", r"^\| OPS-(\d+) \|"),
        "MAP": ("eots-map.md", r"^- \*\*MAP-(\d+)\*\*"),
    }
    return {
        prefix: {int(number) for number in re.findall(pattern, texts[part], re.MULTILINE)}
        for prefix, (part, pattern) in places.items()
    }


def check_rulings(part: str, text: str, defined: Mapping[str, set[int]]) -> Iterator[str]:
    """Rulings cited in the text are defined."""
    for found in matches(r"\b(OPB|OPS|OP|CP|DS|MAP)-(\d+)\b", text):
        if int(found.group(2)) not in defined[found.group(1)]:
            yield f"{part} line {line_of(text, found.start())}: {found.group(0)} is not defined"


CHECKS: Final = (
    check_numbers,
    check_names,
    check_distances,
    check_ids,
    check_titles,
    check_sections,
)
