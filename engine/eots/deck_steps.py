"""The base class for all event steps, and the values used inside steps (C4.2)."""

from typing import Literal

import msgspec

from engine.eots.deck_terms import (
    Condition,
    Filter,
    PlaceFilter,
    Window,
)
from engine.eots.ids import HexId, HqKey, Side

Intelligence = Literal["surprise", "intercept", "ambush"]
ReactionClass = Literal["intelligence", "attack", "counter_offensive", "weather", "personage"]
DieKind = Literal["air_naval", "ground", "intelligence", "submarine_warfare", "strategic_bombing"]
SpecialId = Literal[
    "jp01_no_allied_roll_half_defense",
    "jp01_us_carriers_to_oahu",
    "jp02_no_allied_zoi",
    "jp02_amphib_within_5_water_hexes_of_port",
    "jp02_force_z",
    "jp02_allied_air_auto_join",
    "jp02_coastal_guns_manila_singapore",
    "jp02_allied_emergency_naval_move",
]


class Logistic(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An event's logistics value (7.21): a number, or the Offensive card's operations value plus `add`."""

    base: int | None = None
    by_hq: dict[HqKey, int] = {}
    """Values for specific headquarters, used instead of `base`."""
    formula: Literal["attacker_oc"] | None = None
    add: int = 0
    combined_efficiency: int | None = None
    """Efficiency of all headquarters together; None if they do not act together."""


class Extra(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units that may be activated in addition to a group."""

    filter: Filter
    maximum: int = msgspec.field(name="max")


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A group of units. Of several groups, only one may be activated."""

    filter: Filter
    plus: Extra | None = None


class LossRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps lost for an inclusive range of die faces."""

    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")
    steps: int
    may_eliminate: bool


class RangeTo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All hexes up to a maximum distance from a hex."""

    hex: HexId
    hexes: int


class IfAbsent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The effect if the headquarters to be exchanged is not in play."""

    out: Literal["removed_from_game", "same_place_on_turn_track"]
    places: tuple[PlaceFilter, ...] = msgspec.field(name="in")
    """Where the new headquarters may arrive; empty if it takes the place of the old one."""


class YearValues(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One number for each year from 1942 to 1945."""

    y1942: int = msgspec.field(name="1942")
    y1943: int = msgspec.field(name="1943")
    y1944: int = msgspec.field(name="1944")
    y1945: int = msgspec.field(name="1945")

    def of(self, year: int) -> int:
        """Return the value for a year from 1942 to 1945."""
        return {1942: self.y1942, 1943: self.y1943, 1944: self.y1944, 1945: self.y1945}[year]


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """Base class for all event steps."""

    when: Window
    only_if: Condition | None = msgspec.field(name="if", default=None)
    """The step is carried out only if this condition is true; None if there is no condition."""
    chooser: Side | None = None
    """The side that decides if the step allows a choice; None if there is no choice."""
    note: str = ""

    @property
    def op(self) -> str:
        """Return the name of the operation as written in the data."""
        return str(self.__struct_config__.tag)


class AskingStep(Step, frozen=True, kw_only=True):
    """Base class for steps that may ask a side for a decision. An event frame carries them out one at a time."""
