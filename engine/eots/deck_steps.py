"""What every step of an event has, and the values inside steps (C4.2)."""

from typing import Literal

import msgspec

from engine.eots.deck_terms import (
    Condition,
    Filter,
    Place,
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
    """Logistic value of an event (7.21): a number, or the operations value of the attacker plus `add`."""

    base: int | None = None
    by_hq: dict[HqKey, int] = {}
    """Value instead of `base` for the named headquarters."""
    formula: Literal["attacker_oc"] | None = None
    add: int = 0
    combined_efficiency: int | None = None
    """Efficiency when every headquarters activates together."""


class Extra(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Units allowed in addition to a group."""

    filter: Filter
    maximum: int = msgspec.field(name="max")


class Group(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several groups that exclude one another."""

    filter: Filter
    plus: Extra | None = None


class LossRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps lost for a range of faces, both ends included."""

    start: int = msgspec.field(name="from")
    end: int = msgspec.field(name="to")
    steps: int
    may_eliminate: bool


class RangeTo(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At most so many hexes from a hex."""

    hex: HexId
    hexes: int


class IfAbsent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happens when the headquarters to be exchanged is not in play."""

    out: Literal["removed_from_game", "same_place_on_turn_track"]
    places: tuple[Place, ...] = msgspec.field(name="in")
    """Where the new one appears; empty = in the place of the old one."""


class YearValues(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A number per year of the war."""

    y1942: int = msgspec.field(name="1942")
    y1943: int = msgspec.field(name="1943")
    y1944: int = msgspec.field(name="1944")
    y1945: int = msgspec.field(name="1945")

    def of(self, year: int) -> int:
        """Return the value of a year, 1942 to 1945."""
        return {1942: self.y1942, 1943: self.y1943, 1944: self.y1944, 1945: self.y1945}[year]


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """Base of all steps of an event."""

    when: Window
    only_if: Condition | None = msgspec.field(name="if", default=None)
    """The step is skipped when false."""
    chooser: Side | None = None
    """Side that decides where the step leaves a choice; None = no choice."""
    note: str = ""

    @property
    def op(self) -> str:
        """Return the name of the operation as the data write it."""
        return str(self.__struct_config__.tag)


class AskingStep(Step, frozen=True, kw_only=True):
    """Base of the steps in which a side may be asked: a frame of the event carries them out, one after the other."""
