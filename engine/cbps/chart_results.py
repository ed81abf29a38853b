"""What the charts of the game answer: numbers, codes and pairs, each as its chart prints them."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

AirCode: TypeAlias = Literal["-", "A", "E", "A+E", "2E"]
"""Japanese fire: nothing, an abort, an elimination (4.56)."""
Contact: TypeAlias = Literal["C", "W/2", "W/0", "-"]
"""Contact, at the wrong place two hexes or none away, or nothing (5.2)."""
SurpriseWord: TypeAlias = Literal["none", "partial", "complete"]
SearchCode: TypeAlias = Literal["none", "?", "L", "S", "L, chit+1", "S, chit+1"]
BattleLineAction: TypeAlias = Literal["divert", "overfly", "avoid"]
ArrivalZone: TypeAlias = Literal["I", "II", "III", "IV"]
FireSpread: TypeAlias = Literal["extinguished", "-1 level", "+1 level", "+ damage", "+ 2x damage"]
Wind: TypeAlias = Literal[
    "E to W",
    "NE to SW",
    "SE to NW",
    "NW to SE",
    "SW to NE",
    "W to E",
    "roll_again",
]
LevelTwo: TypeAlias = Literal[
    "1-2 Carriers",
    "2-3 Carriers",
    "3-4 Carriers",
    "4+ Carriers",
    "Large Surface",
    "Medium Surface",
    "Small Surface",
]
"""Level-2 chits that the charts give (7.36)."""
CarrierSection: TypeAlias = Literal["1-2 Carriers", "2-3 Carriers", "3-4 Carriers", "4+ Carriers"]
SurfaceSize: TypeAlias = Literal["Large Surface", "Medium Surface", "Small Surface"]
LevelOneForce: TypeAlias = Literal["Carrier", "Large", "Medium", "Small", "Surface"]
"""Level-1 chits of real forces (7.32)."""
LevelOneChit: TypeAlias = Literal[
    "Carrier", "Large", "Medium", "Small", "Surface", "False Contact", "Double Force"
]
SurfaceCode: TypeAlias = Literal["DD", "CA", "CA2+", "CA2-", "BB+CA", "2BB+CA", "3BB+CA", "4BB+CA"]
"""Ships of a surface force or screen (7.39)."""
DamageName: TypeAlias = Literal["light", "heavy", "crippled", "sunk"]
Waves: TypeAlias = Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=2)]
"""Air points of the first wave and, where there is one, of the second (10.1E)."""
CarrierMix: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^(?:\d?CV|\d?CVL|\d?CV\+\d?CVL)$", max_length=10)
]
"""Carriers of a force of level 4 as printed: ``CV+2CVL`` (7.41)."""

_BATTLESHIPS: Final = {"BB+CA": 1, "2BB+CA": 2, "3BB+CA": 3, "4BB+CA": 4}


class AbortElim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Units or points that anti-aircraft fire turns away and shoots down (5.51)."""

    abort: Annotated[int, msgspec.Meta(ge=0, le=99)]
    elim: Annotated[int, msgspec.Meta(ge=0, le=99)]


class CarrierCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many carriers of both types a force has (7.38, 7.41)."""

    cv: Annotated[int, msgspec.Meta(ge=0, le=9)]
    cvl: Annotated[int, msgspec.Meta(ge=0, le=9)]


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where the screen of a carrier force is read: a column of the surface chart, and its modifier (7.44)."""

    column: SurfaceSize
    drm: Annotated[int, msgspec.Meta(ge=-99, le=99)]


def carriers_of(mix: str) -> CarrierCount:
    """Return the numbers of a printed mix: ``2CV+CVL`` is 2 and 1 (7.41)."""
    counts = {"CV": 0, "CVL": 0}
    for part in mix.split("+"):
        kind = part.lstrip("0123456789")
        counts[kind] += int(part.removesuffix(kind) or 1)
    return CarrierCount(counts["CV"], counts["CVL"])


def battleships_of(code: SurfaceCode) -> int:
    """Return how many battleships a surface result names (7.39)."""
    return _BATTLESHIPS.get(code, 0)
