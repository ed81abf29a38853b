"""Identifiers and terms of the game: seats, boxes, light, detection, chits (0, 2, 3)."""

from typing import Annotated, Final, Literal, TypeAlias

from engine.cbps import directions
from engine.kernel.dice import Die

D10: Final = Die(1, 10)
"""The ten-sided die used for every roll (2.5)."""

ForceId: TypeAlias = Annotated[str, "force"]
"""Id of a Japanese force; in records, its counter (:mod:`engine.cbps.force_ids`).

Fields of this type can name a force. They may also contain other names, such as ships.
"""
Light: TypeAlias = Literal["day", "dusk", "night"]
Direction: TypeAlias = directions.Direction
Box: TypeAlias = Literal["hangar", "servicing", "ready", "landed"]
"""The box of a unit aboard its carrier (6.21)."""
Place: TypeAlias = Literal[
    "hangar", "servicing", "ready", "landed", "mission", "search", "lost", "lost-at-group", "gone"
]
"""The location of an air unit.

The unit is in a box aboard, on an air mission or on a search. Otherwise it was lost, at a US task group or away from
one (15.1), or has left the game without counting as lost (4.16, 22.4).
"""
ABOARD: Final[tuple[Box, ...]] = ("hangar", "servicing", "ready", "landed")
LOST_PLACES: Final[tuple[Place, ...]] = ("lost", "lost-at-group")

Detection: TypeAlias = Literal["", "?", "L", "S"]
"""Detection markers: undetected, Approximate Sighting, Located, Spotted (8.11)."""
Verdict: TypeAlias = Literal["won", "drawn", "lost"]
"""The outcome for the US side at a victory level (15.1)."""
Kind: TypeAlias = Literal["strike", "intercept"]
SearchKind: TypeAlias = Literal["standard", "narrow", "long"]
"""The kind of search, fixed at launch (8.23, 18.21)."""
SearchZone: TypeAlias = Literal["", "near", "middle", "far", "extended"]
"""The zone that a search examines, by distance. Empty if it examines none (8.33, 18.22)."""
RaidKind: TypeAlias = Literal["raid", "reinforcement", "shuttle"]
JapaneseBox: TypeAlias = Literal[
    "raid-a",
    "raid-b",
    "r12",
    "r8",
    "r4",
    "r0",
    "landed",
    "s1",
    "s2",
    "a3",
    "a7",
    "a11",
    "aall",
    "lost",
]
"""The boxes for air points on a Butai display or Guam's display (9.12, 11.29)."""
Segment: TypeAlias = Literal[
    "",
    "japanese-air-movement",
    "activation",
    "us-air-movement",
    "search",
    "operations",
    "intercept",
    "japanese-attack",
    "us-attack",
    "end-of-phase",
]
"""The segments of an Action Phase (3.1)."""

CARRIER: Final = "Carrier"
SURFACE: Final = "Surface"
SIZES: Final = ("Small", "Medium", "Large")
"""Level-1 chits of forces whose type is unknown (7.32)."""
FALSE_CONTACT: Final = "False Contact"
DOUBLE_FORCE: Final = "Double Force"
LEVEL_1_FORCES: Final = (CARRIER, SURFACE, *SIZES)
"""Level-1 chits that stay under a force (7.32)."""
LEVEL_1_CHITS: Final = (*LEVEL_1_FORCES, FALSE_CONTACT, DOUBLE_FORCE)
"""All chits in the level-1 cup (7.32)."""

US_MOVE: Final = "US Move"
US_SUBS: Final = "US Subs"
GUAM: Final = "Guam"
IWO_JIMA: Final = "Iwo Jima"
YAP: Final = "Yap/Peleliu"
NO_OP: Final = "No Op"
ACTIVATION_CHITS: Final = (US_MOVE, US_SUBS, GUAM, IWO_JIMA, YAP, NO_OP)
"""The chits in the activation cup other than force chits (3.22)."""

TASK_FORCE: Final = "tf58"
"""The TF 58 counter, whose groups move together (6.31)."""
BATTLE_LINE: Final = "58.7"
SURFACE_GROUPS: Final = ("surface-1", "surface-2", "surface-3")
"""The groups formed by ships detached from the Battle Line (6.15)."""
DISPLAYS: Final = range(1, 9)
"""Numbers of the Air Mission displays (4.13)."""
Context: TypeAlias = Literal["search", "strike", "raid", "sub", "surface_combat", "exit", "limit"]
"""The procedure in which a force's level is raised (7.34)."""
