"""A second implementation of the Political Phase, written from the rules, with separate lists (13.1-13.9, 16.4)."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.ids import AreaId, HexId, Side, UnitId
from engine.eots.state import IndiaStatus, State

ALLIED, JAPAN = Side.ALLIED, Side.JAPAN
LOSSES: Final = {
    "philippines": 1,
    "malaya": 1,
    "dutch-east-indies": 1,
    "burma": 1,
    "india": 2,
    "australia": 2,
    "china": 2,
}
"""Political Will by nation, in the order of surrender (16.41)."""
NORTH: Final = ["1905", "2005", "2104", "2105", "2205"]
DECISIVE: Final = {
    "philippines": ["2813", "2915"],
    "malaya": ["2014", "2015"],
    "dutch-east-indies": ["1813", "1916", "2017", "2019", "2220", "2415", "2517", "2616"],
    "burma": ["2008", "2106", "2206", "2305"],
    "india": NORTH,
    "australia": ["2426", "2525", "2825", "3023", "3226", "3624", "3626", "3727"],
}
"""Table 13-S."""
MANDATE_BASES: Final = [
    "3820",
    "3921",
    "4020",
    "4021",
    "4121",
    "4122",
    "4221",
    "4222",
    "4322",
    "4423",
]
BASES: Final = {
    "philippines": ["2715", "2812", "2813", "2911", "2915", "3014"],
    "malaya": ["1912", "1913", "2012", "2014", "2015", "2112"],
    "dutch-east-indies": [
        "1813",
        "1914",
        "1916",
        "1917",
        "2017",
        "2018",
        "2019",
        "2220",
        "2216",
        "2318",
        "2415",
        "2517",
        "2616",
        "2620",
        "2719",
        "2721",
        "2917",
        "2320",
        "2919",
        "3017",
    ],
    "burma": ["2006", "2008", "2106", "2206", "2305"],
    "india": ["1307", "1308", "1406", "1805", "1905", "2104", "2205"],
    "australia": DECISIVE["australia"],
}
MANDATES: Final = [*MANDATE_BASES, *["3719", "4022", "4120", "4422", "4424", "4522", "4523"]]
NEW_GUINEA_KEYS: Final = ["3219", "3319", "3520", "3720", "3822", "3823", "4024"]
NEW_GUINEA: Final = [*NEW_GUINEA_KEYS, *["3119", "3620", "3721", "3922"]]
MARSHALLS: Final = [
    "4316",
    "4415",
    "4615",
    "4616",
    "4713",
    "4715",
    "4716",
    "4815",
    "4816",
    "4817",
    "4916",
]
ALEUTIANS: Final = ["4600", "4700", "4800", "5000", "5100"]
HAWAII: Final = ["5108", "5708", "5808", "5908"]
RESOURCES: Final = [
    "1813",
    "1916",
    "2008",
    "2014",
    "2017",
    "2220",
    "2415",
    "2517",
    "2616",
    "2813",
    "3219",
    "3302",
    "3303",
    "3305",
]
HIGHEST: Final = 10


class Status(NamedTuple):
    """Result of a National Status Segment."""

    will: int
    surrendered: frozenset[str]
    control: Mapping[HexId, Side]
    india: IndiaStatus


def within(will: int) -> int:
    """Return Political Will limited to its track (OPB-24)."""
    return max(0, min(HIGHEST, will))


class _Segment:
    """A National Status Segment in progress."""

    def __init__(self, state: State) -> None:
        self.tracks = state.tracks
        self.control = dict(state.control)
        self.places = {u: p.at for u, p in state.units.items() if p.is_on_map}
        self.will = state.tracks.political_will
        self.surrendered: list[str] = list(state.tracks.surrendered)
        self.india = state.tracks.india

    def all_of(self, hexes: Iterable[str], side: Side) -> bool:
        return all(self.control[HexId(at)] is side for at in hexes)

    def units(self, at: str, side: Side, *, ground: bool = False) -> list[UnitId]:
        return [
            unit
            for unit, place in self.places.items()
            if place == at
            and counters()[unit].side is side
            and (counters()[unit].is_ground or not ground)
        ]

    def take(self, hexes: Iterable[str], side: Side) -> None:
        self.control.update(dict.fromkeys(map(HexId, hexes), side))

    def follow_india(self) -> None:
        if "india" in self.surrendered:
            return
        if not self.all_of(NORTH, JAPAN):
            self.india = IndiaStatus.STABLE
        else:
            self.india = IndiaStatus(max(0, self.india - 1))

    def fallen(self) -> list[str]:
        found = []
        for nation, hexes in DECISIVE.items():
            lost = (
                self.india is IndiaStatus.REVOLTS
                if nation == "india"
                else self.all_of(hexes, JAPAN)
            )
            if lost and nation not in self.surrendered:
                found.append(nation)
        return found

    def surrender(self, nation: str) -> None:
        self.surrendered.append(nation)
        self.will = within(self.will - LOSSES[nation])
        if set(self.surrendered) >= set(LOSSES) and not self.tracks.all_surrendered_penalty:
            self.will = within(self.will - 2)
        match nation:
            case "philippines":
                extent = board().areas[AreaId("philippines")].hexes
                for unit, place in tuple(self.places.items()):
                    if place in extent and counters()[unit].side is ALLIED:
                        del self.places[unit]
                self.take(BASES[nation], JAPAN)
            case "dutch-east-indies":
                self.take(filter(self.is_free_of_us_and_cw, BASES[nation]), JAPAN)
            case "australia":
                free = [at for at in BASES[nation] + MANDATE_BASES if not self.units(at, ALLIED)]
                self.take(free, JAPAN)
            case "india":
                for unit in tuple(self.places):
                    if counters()[unit].cw_nation == "indian":
                        del self.places[unit]
            case _:
                pass

    def is_free_of_us_and_cw(self, at: str) -> bool:
        return not any(
            counters()[unit].nationality in {"us", "cw"}
            for unit in self.units(at, ALLIED, ground=True)
        )

    def recapture(self) -> None:
        for nation in self.surrendered:
            if nation in self.tracks.recaptured or nation == "china":
                continue
            if self.all_of(DECISIVE[nation], ALLIED):
                self.will = within(
                    self.will + (LOSSES[nation] if nation != "dutch-east-indies" else 0)
                )
                self.take([at for at in BASES[nation] if not self.units(at, JAPAN)], ALLIED)

    def settle(self) -> None:
        for side in (JAPAN, ALLIED):
            if self.all_of(("4021", "4423"), side):
                enemy = side.enemy
                self.take([at for at in MANDATES if not self.units(at, enemy, ground=True)], side)
        for side in (JAPAN, ALLIED):
            if self.all_of(NEW_GUINEA_KEYS, side):
                self.take([at for at in NEW_GUINEA if not self.units(at, side.enemy)], side)
        if self.all_of(("4415", "4715"), ALLIED):
            self.take([at for at in MARSHALLS if not self.units(at, JAPAN, ground=True)], ALLIED)


def national_status(state: State) -> Status:
    """Return the result of the National Status Segment for a position (13.1-6)."""
    segment = _Segment(state)
    segment.follow_india()
    for nation in segment.fallen():
        segment.surrender(nation)
    segment.recapture()
    segment.settle()
    return Status(segment.will, frozenset(segment.surrendered), segment.control, segment.india)


def _is_held(state: State, at: str) -> bool:
    return state.control[HexId(at)] is JAPAN and any(
        piece.at == at and counters()[unit].side is JAPAN and not counters()[unit].is_hq
        for unit, piece in state.units.items()
    )


def _longest(state: State, hexes: list[str], before: Mapping[HexId, int]) -> int:
    return max((before.get(HexId(at), 0) + 1 for at in hexes if _is_held(state, at)), default=0)


def _progress(state: State) -> int:
    count = 0
    for at, before in state.control_at_turn_start.items():
        row = board().hexes[at]
        base = row.port or row.airfield or row.resource
        counts = base or (row.city is not None and not row.is_one_hex_island)
        taken = before is JAPAN and state.control[at] is ALLIED
        count += taken and counts and at not in board().areas[AreaId("continental-india")].hexes
    return count


def political_will(state: State) -> int:
    """Return Political Will after the Political Will Segment (16.42-16.47)."""
    tracks, will = state.tracks, state.tracks.political_will
    ships = [
        counters()[unit]
        for unit, piece in state.units.items()
        if piece.is_on_map and counters()[unit].is_naval and counters()[unit].nationality == "us"
    ]
    few = sum(state.control[HexId(at)] is JAPAN for at in RESOURCES) <= 3
    quota = min(4, tracks.allied_asp_after_reinforcement) if state.turn >= 4 else 0
    shifts = (
        -(
            _longest(state, ALEUTIANS, tracks.aleutians_held) >= 3
            and not tracks.alaska_penalty_used
        ),
        -(_longest(state, HAWAII, tracks.hawaii_held) >= 2 and not tracks.hawaii_penalty_used),
        3 * (few and 5 <= state.turn <= 12 and not tracks.resource_bonus_used),
        +(state.turn in tracks.bombing_turns),
        -(tracks.us_force_lost_turn == state.turn),
        -(not any(ship.carrier for ship in ships)),
        -(not ships),
        -(_progress(state) < quota),
    )
    for shift in shifts:
        will = within(will + shift)
    return will
