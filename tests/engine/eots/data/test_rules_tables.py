"""The tables of the rules reference agree with the data."""

import re

import pytest

from engine.eots.board import board
from engine.eots.counters import Counter, command_over, counters
from engine.eots.data import units_file
from engine.eots.data.reading import content
from engine.eots.data.scenarios_file import Scenario
from engine.eots.data.units_file import FaceRow, UnitsFile
from engine.eots.deck import Card, Effect, cards
from engine.eots.deck_campaign import (
    BuildTransRoute,
    Capability,
    China,
    DelayReinforcements,
    DiscardRandom,
    Escorts,
    HqEfficiency,
    India,
    OpenTransRoute,
    PlaceUnit,
    PoliticalWill,
    ReplaceHq,
    ReplacementPenalty,
    Replacements,
    ScheduleReinforcement,
    SetRivalry,
    SovietInvasion,
    WarInEurope,
)
from engine.eots.deck_offensive import (
    AspForbid,
    AspPermanent,
    AspTemp,
    CritOnModified,
    DieMod,
    IsrException,
    StepLossRoll,
    StrengthMod,
)
from engine.eots.ids import ActivationNation, Category, Face, ScenarioId, Side, Terrain, UnitId
from engine.eots.scenarios import scenario, schedules
from engine.kernel.data_files import decode
from tests.engine.eots.data.rules_text import PARTS, listed, numbers, rows, section, text_of
from tests.engine.eots.data.text_checks import optional_rules

TEXTS = {part: text_of(part) for part in PARTS}
A, B, CARDS = TEXTS["eots-a.md"], TEXTS["eots-b.md"], TEXTS["eots-cards.md"]
SCENARIOS, INDEX = TEXTS["eots-scenarios.md"], TEXTS["eots-index.md"]


def of(name: str) -> Scenario:
    return scenario(ScenarioId(name))


def side_of(unit: UnitId) -> Side:
    return counters()[unit].side


SETUPS = [
    ("campaign-1941", Side.ALLIED, r"^### Campaign set-up - Allied"),
    ("campaign-1941", Side.JAPAN, r"^### Campaign set-up - Japanese"),
    ("1942", Side.ALLIED, r"^### 17\.21"),
    ("1942", Side.JAPAN, r"^### 17\.22"),
    ("1943", Side.ALLIED, r"^### 17\.31"),
    ("1943", Side.JAPAN, r"^### 17\.32"),
    ("1944", Side.ALLIED, r"^### 17\.41"),
    ("1944", Side.JAPAN, r"^### 17\.42"),
    ("south-pacific", Side.ALLIED, r"^### 17\.10\.1"),
    ("south-pacific", Side.JAPAN, r"^### 17\.10\.2"),
]


@pytest.mark.parametrize(("name", "side", "heading"), SETUPS)
def test_set_up_matches_the_scenario_tables(name: str, side: Side, heading: str) -> None:
    table = rows(section(SCENARIOS, heading), ["Hex", "Units"])
    printed = sorted((unit, row[0], face) for row in table for unit, face in listed(row[1]))
    placed = [(p.unit, p.at, p.face.value) for p in of(name).setup]
    fixed = [(f.unit, f.at, Face.FULL.value) for f in of(name).fixed_units]
    assert printed == sorted(entry for entry in placed + fixed if side_of(entry[0]) is side)
    assert len(printed) > 15


@pytest.mark.parametrize(
    ("name", "heading"),
    [("campaign-1941", r"^### Campaign reinforcements"), ("south-pacific", r"^### Reinforcements")],
)
def test_reinforcements_match_the_scenario_tables(name: str, heading: str) -> None:
    table = rows(section(SCENARIOS, heading), ["Turn", "Allied", "Japanese"])
    assert len(table) > 2
    for row in table:
        units = [
            e for turn in of(name).reinforcements if turn.turn == int(row[0]) for e in turn.units
        ]
        for side, cell in ((Side.ALLIED, row[1]), (Side.JAPAN, row[2])):
            own = sorted((e.unit, e.face.value) for e in units if side_of(e.unit) is side)
            assert listed(cell) == own, row[0]


@pytest.mark.parametrize(("name", "heading"), [("1943", r"^### 17\.32"), ("1944", r"^### 17\.42")])
def test_eliminated_units_match_the_scenario_list(name: str, heading: str) -> None:
    found = re.search(r"Eliminated at start: (.*)", section(SCENARIOS, heading))
    assert found is not None
    assert [unit for unit, _ in listed(found.group(1))] == sorted(of(name).eliminated)


@pytest.mark.parametrize(("name", "heading"), [("1942", r"^### 17\.24"), ("1943", r"^### 17\.34")])
def test_delay_box_matches_the_scenario_list(name: str, heading: str) -> None:
    printed = [unit for unit, _ in listed(section(SCENARIOS, heading))]
    assert printed == sorted(entering.unit for entering in of(name).delay_box)


@pytest.mark.parametrize(("name", "heading"), [("1943", r"^### 17\.35"), ("1944", r"^### 17\.45")])
def test_starting_cards_match_the_scenario_text(name: str, heading: str) -> None:
    text, setup = section(SCENARIOS, heading), of(name).cards
    for pile, title in ((setup.removed, "Removed from play"), (setup.discard, "Discard piles")):
        found = re.search(title + r": Allied ([\d, ]+); Japanese ([\d, ]+)", text)
        assert found is not None
        assert numbers(found.group(1)) == sorted(pile.allied)
        assert numbers(found.group(2)) == sorted(pile.japan)
    found = re.search(r"Future offensive card: Allied (\d+); Japanese (\d+)", text)
    assert found is not None
    future = (setup.future_offensive.allied, setup.future_offensive.japan)
    assert (int(found.group(1)), int(found.group(2))) == future


def face_text(face: FaceRow | None, *, ranged: bool) -> str:
    """Return a face in the format of the master list."""
    if face is None:
        return "-"
    text = f"{face.attack}-{face.defense}" + (f"-{face.range}" if ranged else "")
    if face.extended_range is None:
        return text
    return text + (
        f" ({face.extended_range})" if face.extended_in_parentheses else f" {face.extended_range}"
    )


def values_text(counter: Counter) -> list[str]:
    if counter.hq is not None:
        return [f"range {counter.hq.command_range}, eff {counter.hq.efficiency}", "-", "-"]
    ranged = counter.is_air_capable
    faces = [face_text(face, ranged=ranged) for face in (counter.full, counter.reduced)]
    return [*faces, str(counter.max_steps)]


def test_units_match_the_master_list() -> None:
    table = {row[0].strip("`"): row for row in rows(SCENARIOS, ["Unit id", "Printed", "Full"])}
    assert sorted(table) == list(counters())
    units = decode(units_file.FILE, content(units_file.FILE), UnitsFile).units
    printed = {row.id: row.master_list for row in units}
    for counter in counters().values():
        row = table[counter.id]
        assert row[2:6] == [*values_text(counter), "yes" if counter.prewar else ""], counter.id
        years = printed[counter.id]
        if years is not None:
            assert row[6:10] == [years.y1941, years.y1942, years.y1943, years.y1944], counter.id


def card_row(card: Card) -> list[str]:
    group = card.reaction_class or card.political_class
    kind = card.type + (f" / {group}" if group else "")
    return [kind, str(card.ov), str(card.oc_intel or "-"), str(card.ec_intel or "-")]


def test_cards_match_the_card_table() -> None:
    table = {row[0]: row for row in rows(CARDS, ["id", "title", "type", "OV"])}
    assert sorted(table) == sorted(cards())
    for card in cards().values():
        row = table[card.id]
        assert row[2:6] == card_row(card), card.id
        assert ("R" in row[7], "D" in row[8]) == (card.remove_after_event, card.draw == 1), card.id
        assert row[1].startswith(card.title), card.id
        if card.logistic is not None and card.logistic.base is not None:
            values = [card.logistic.base, *sorted(card.logistic.by_hq.values())]
            assert [int(n) for n in re.findall(r"\d+", row[6])] == values, card.id


def test_decks_match_the_deck_table() -> None:
    names = {"17.1": "campaign-1941", "17.2": "1942", "17.3": "1943", "17.4": "1944"}
    table = rows(CARDS, ["scenario", "removed", "discard pile"])
    assert len(table) == 4
    for row in table:
        setup = of(names[row[0].split(" ")[0]]).cards
        future = setup.future_offensive
        for cell, japan, allied in (
            (row[1], setup.removed.japan, setup.removed.allied),
            (row[2], setup.discard.japan, setup.discard.allied),
            (row[3], [n for n in (future.japan,) if n], [n for n in (future.allied,) if n]),
        ):
            found = re.match(r"J: ([\d, none]+); A: ([\d, none]+)", cell)
            assert found is not None
            assert numbers(found.group(1)) == sorted(japan)
            assert numbers(found.group(2)) == sorted(allied)


@pytest.mark.parametrize(
    ("side", "pattern"),
    [
        (Side.ALLIED, r"Allied: ([\d, ]+)\. Japanese:"),
        (Side.JAPAN, r"Japanese: ([\d, ]+)\. Turn 3"),
    ],
)
def test_south_pacific_decks_match_the_rules(side: Side, pattern: str) -> None:
    found, decks = re.search(pattern, CARDS), of("south-pacific").cards.decks
    assert found is not None
    assert decks is not None
    assert numbers(found.group(1)) == sorted(decks.japan if side is Side.JAPAN else decks.allied)


HQ_NAMES = {
    "Combined Fleet (Yamamoto)": "jp-hq-combined-fleet-yamamoto",
    "Combined Fleet (Ozawa)": "jp-hq-combined-fleet-ozawa",
    "South Seas": "jp-hq-south-seas",
    "South": "jp-hq-south",
    "C Pac": "us-hq-central-pacific",
    "SW Pac": "us-hq-southwest-pacific",
    "S Pac (Ghormley)": "us-hq-south-pacific-ghormley",
    "S Pac (Halsey)": "us-hq-south-pacific-halsey",
    "Malaya": "cw-hq-malaya",
    "SEAC": "cw-hq-seac",
    "ANZAC": "joint-hq-anzac",
    "ABDA": "joint-hq-abda",
}


def test_headquarters_match_their_table() -> None:
    table = rows(A, ["HQ", "nationality class", "command range"])
    assert len(table) == len(HQ_NAMES)
    for row in table:
        counter = counters()[UnitId(HQ_NAMES[row[0]])]
        assert counter.hq is not None
        assert (int(row[2]), int(row[3])) == (counter.hq.command_range, counter.hq.efficiency)
        entry = counter.entry
        where = {"setup": f"start {entry.hex}", "turn": f"turn {entry.turn}", "event": "event"}
        assert row[4].startswith(where[entry.kind])
        assert ("dot" in row[4]) == counter.prewar


AIR_GROUPS = {
    "Japanese air divisions 1-12": r"jp-air-division-",
    "Japanese air flotillas": r"jp-air-flotilla-",
    "Japanese T (Tainan)": r"jp-air-tainan",
    "US 5AF, 7AF, 11AF, 13AF, 14AF (non-LRB)": r"us-air-(5|7|11|13|14)af$",
    "US FEAF, AVG; marine": r"us-air-(feaf|avg|marine-211|[123]maw)$",
    "Commonwealth FE, MA; Aus; Dutch air": r"(cw-air-(fe|ma|aus)|dutch-air)$",
    "Commonwealth SEAC (non-LRB)": r"cw-air-seac$",
    "LRB: US 19": r"(us-lrb-|cw-lrb-)",
    "B29: 20BC": r"us-b29-",
}


def test_air_ranges_match_the_table() -> None:
    covered = set()
    for row in rows(A, ["units", "R", "ER"]):
        if row[0].startswith("Japanese carriers"):
            continue
        pattern = next(p for name, p in AIR_GROUPS.items() if row[0].startswith(name))
        for counter in counters().values():
            if re.match(pattern, counter.id):
                covered.add(counter.id)
                assert counter.full is not None
                longer = counter.full.extended_range
                text = "none" if longer is None else str(longer)
                text = f"({text})" if counter.full.extended_in_parentheses else text
                assert row[1:3] == [str(counter.full.range), text], counter.id
    assert covered == {c.id for c in counters().values() if c.category is Category.AIR}


def test_command_chart_matches_activation_classes() -> None:
    classes = {
        "US": ActivationNation.US,
        "Commonwealth": ActivationNation.COMMONWEALTH,
        "Joint": ActivationNation.JOINT,
    }
    nations = (
        ActivationNation.US,
        ActivationNation.COMMONWEALTH,
        ActivationNation.CHINA,
        ActivationNation.DUTCH,
    )
    table = rows(A, ["HQ class", "US units"])
    assert len(table) == 3
    for row in table:
        for cell, nation in zip(row[1:], nations, strict=True):
            want = "air-only" if "air" in cell else "all" if cell.startswith("yes") else "none"
            assert command_over(classes[row[0]], nation) == want, row


@pytest.mark.parametrize(
    ("text", "header"),
    [
        pytest.param(A, ["terrain", "MP to enter"], id="8.1"),
        pytest.param(B, ["Type", "MP cost"], id="terrain-chart"),
    ],
)
def test_terrain_chart_matches_the_board(text: str, header: list[str]) -> None:
    game = board()
    costs = dict(
        zip(game.terrain, zip(game.terrain_mp, game.terrain_drm, strict=True), strict=True)
    )
    seen = set()
    for row in rows(text, header):
        kind = row[0].split(" (")[0].lower()
        if kind in {"open", "jungle", "mixed", "mountain"}:
            seen.add(kind)
            assert costs[Terrain(kind)] == (
                int(row[1]),
                0 if row[2] in {"0", "none"} else int(row[2]),
            )
    assert len(seen) == 4


def test_replacement_charts_match_the_schedules() -> None:
    chart = {row.turn: row for row in schedules().replacements.per_turn}
    table = rows(B, ["Turn", "Japan naval", "Allied ground (US/CW)"])
    assert len(table) > 10
    for row in table:
        here = chart[int(row[0])]
        values = [here.japan.naval, here.allied.ground, here.allied.air, here.allied.us_naval]
        assert [int(cell) for cell in row[1:5]] == values
        assert int(row[7]) == here.allied.china
    commonwealth = {int(row[0]) for row in table if int(row[6])}
    pools = {c.pool.value: c for c in schedules().replacements.conditional}
    assert commonwealth == {*pools["cw-naval"].turns}


def chart_words(turn: int) -> tuple[str, str]:
    """Return a line of the chart in its printed form."""
    row = schedules().replacements.per_turn[turn - 1]
    if row.allied.ground == 0:
        return "None", "None"
    parts = [f"{row.allied.ground} ground", f"{row.allied.air} air"]
    parts += ["1 US naval"] * row.allied.us_naval + ["1 China"] * row.allied.china
    return "One naval" if row.japan.naval else "None", ", ".join(parts)


def test_printed_replacement_chart_matches_the_schedules() -> None:
    table = rows(B, ["Turn", "Japanese", "Allied"])
    assert len(table) > 10
    for row in table:
        assert (row[1], row[2]) == chart_words(int(row[0])), row[0]
    common = rows(section(SCENARIOS, r"^### Schedules common"), ["Turn", "Japanese", "Allied"])
    turns = [int(turn) for row in common for turn in re.findall(r"\d+", row[0])]
    assert sorted(turns) == list(range(1, 13))
    for row in common:
        for turn in re.findall(r"\d+", row[0]):
            japan, allied = chart_words(int(turn))
            assert row[1].lower().replace("1 naval", "one naval") == japan.lower()
            assert row[2].lower() == allied.lower()


def test_war_in_europe_tables_match_the_schedules() -> None:
    levels = schedules().tracks.war_in_europe.levels
    table = rows(B, ["Rule", "Level", "Marker"])
    assert len(table) == 5
    for row in table:
        key = "none" if row[1] == "No effect" else row[1]
        assert sorted(int(n) for n in re.findall(r"[+-]?\d+", row[2])) == [*levels[key]]
    faces = schedules().reinforcements.europe_roll.highest_face_by_level
    diverted = {row[0]: row[1] for row in rows(B, ["WIE level", "Diverted if modified dr is in"])}
    assert {int(k): v for k, v in diverted.items() if k.isdigit()} == {
        level: f"0-{face}" for level, face in faces.items()
    }


def test_turn_track_matches_the_schedules() -> None:
    boxes = schedules().turn_track
    assert [box.turn for box in boxes] == list(range(1, 13))
    years = {int(row[0]): row[1] for row in rows(B, ["Turn", "Year", "Months"])}
    assert {box.turn: box.label.split()[-1] for box in boxes} == years


CHAPTERS: dict[type[Effect], str] = {
    CritOnModified: "9 A/N",
    AspTemp: "10",
    AspPermanent: "10",
    AspForbid: "10",
    PlaceUnit: "10",
    ReplaceHq: "10",
    ScheduleReinforcement: "10",
    DelayReinforcements: "10",
    Replacements: "11",
    ReplacementPenalty: "11",
    Escorts: "12",
    DiscardRandom: "12",
    China: "13",
    India: "13",
    BuildTransRoute: "13",
    OpenTransRoute: "13",
    HqEfficiency: "13",
    SovietInvasion: "13",
    SetRivalry: "14",
    IsrException: "14",
    WarInEurope: "15",
    PoliticalWill: "16",
}


def chapter(step: Effect) -> str | None:
    """Return the row of the table of card hooks to which a step belongs; None if it belongs to none."""
    match step:
        case DieMod():
            kinds = {"air_naval": "9 A/N", "ground": "9 ground", "intelligence": "intel"}
            return kinds.get(step.combat, "12")
        case StrengthMod():
            return "9 ground" if Category.GROUND in step.filter.category else "9 A/N"
        case Capability():
            return {"barges": "10", "hump": "13"}.get(step.name)
        case StepLossRoll():
            return "12" if "B29" in step.filter.types else None
        case _:
            return CHAPTERS.get(type(step))


def hooks() -> dict[tuple[str, Side], set[int]]:
    """Return the card numbers by row and side, derived from the steps of the cards."""
    found: dict[tuple[str, Side], set[int]] = {}
    for card in cards().values():
        wanted = {chapter(step) for step in card.effects}
        in_battle = card.reaction_class == "attack" or card.intelligence == "ambush"
        if in_battle or card.id in {"J-1", "J-2", "J-20"}:
            wanted.add("9 A/N")
        for row in wanted:
            if row is not None:
                found.setdefault((row, card.side), set()).add(card.number)
    return found


def ranges(cell: str) -> set[int]:
    """Return the numbers of a cell such as `3, 5-7`."""
    found = set()
    for start, end in re.findall(r"(\d+)(?:-(\d+))?", cell):
        found |= {*range(int(start), int(end or start) + 1)}
    return found


def test_card_hooks_match_their_table() -> None:
    wanted = hooks()
    table = rows(B, ["Section", "Japanese cards", "Allied cards"])
    assert len(table) >= 9
    for row in table:
        key = next(k for k in ("9 A/N", "9 ground", row[0]) if row[0].startswith(k))
        assert ranges(row[1]) == wanted.get((key, Side.JAPAN), set()), row[0]
        assert ranges(row[2]) == wanted.get((key, Side.ALLIED), set()), row[0]


def test_cards_that_set_rivalry_match_the_rules() -> None:
    found = re.search(
        r"Events switch a side's marker to ISR \(US: ([^;]+); Japan: ([^)]+)\)"
        r" or to Strategic Agreement \(US: ([^;]+); Japan: ([^)]+)\)",
        B,
    )
    assert found is not None
    kinds = (("us", "rivalry"), ("jp", "rivalry"), ("us", "agreement"), ("jp", "agreement"))
    for cell, kind in zip(found.groups(), kinds, strict=True):
        names = {
            card.id
            for card in cards().values()
            for step in card.effects
            if isinstance(step, SetRivalry) and (step.service.value, step.state.value) == kind
        }
        assert {*re.findall(r"[JA]-\d+", cell)} == names


def test_index_lists_every_area_ruling_and_optional_rule() -> None:
    named = {*re.findall(r"`([a-z0-9-]+)`", section(INDEX, r"^## .*Areas", r"^## "))}
    assert {*board().areas} <= named
    options = [row[0] for row in rows(INDEX, ["option", "ruling"])]
    assert len(options) == len(set(options)) > 20
    for area, ruling in board().rulings:
        assert re.search(rf"\b{re.escape(ruling)}\b", INDEX), area
    assert [rule.id for rule in optional_rules() if rule.id not in INDEX] == []
