"""Types of chart results: numbers, codes and pairs, as printed on the charts."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec

AirCode: TypeAlias = Literal["-", "A", "E", "A+E", "2E"]
"""The result of Japanese fire: nothing, aborts (A), eliminations (E), or both (4.56)."""
Contact: TypeAlias = Literal["C", "W/2", "W/0", "-"]
"""A contact result: the target, a wrong target within two hexes or in the same hex, or no contact (5.2)."""
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
"""The level-2 chits that a chart can give as results (7.36)."""
CarrierSection: TypeAlias = Literal["1-2 Carriers", "2-3 Carriers", "3-4 Carriers", "4+ Carriers"]
SurfaceSize: TypeAlias = Literal["Large Surface", "Medium Surface", "Small Surface"]
LevelOneForce: TypeAlias = Literal["Carrier", "Large", "Medium", "Small", "Surface"]
"""The level-1 chits of forces that exist (7.32)."""
LevelOneChit: TypeAlias = Literal[
    "Carrier", "Large", "Medium", "Small", "Surface", "False Contact", "Double Force"
]
SurfaceCode: TypeAlias = Literal["DD", "CA", "CA2+", "CA2-", "BB+CA", "2BB+CA", "3BB+CA", "4BB+CA"]
"""A surface chart result: the ships in a surface force or screen (7.39)."""
DamageName: TypeAlias = Literal["light", "heavy", "crippled", "sunk"]
Waves: TypeAlias = Annotated[tuple[int, ...], msgspec.Meta(min_length=1, max_length=2)]
"""A raid strength result: air points in the first wave and, if there is one, in the second (10.1E)."""
CarrierMix: TypeAlias = Annotated[
    str, msgspec.Meta(pattern=r"^(?:\d?CV|\d?CVL|\d?CV\+\d?CVL)$", max_length=10)
]
"""The carriers in a level-4 force as printed on the chart, such as ``CV+2CVL`` (7.41)."""

_BATTLESHIPS: Final = {"BB+CA": 1, "2BB+CA": 2, "3BB+CA": 3, "4BB+CA": 4}


class AbortElim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of units or points aborted and eliminated by anti-aircraft fire (5.51)."""

    abort: Annotated[int, msgspec.Meta(ge=0, le=99)]
    elim: Annotated[int, msgspec.Meta(ge=0, le=99)]


class CarrierCount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The numbers of CVs and CVLs in a force (7.38, 7.41)."""

    cv: Annotated[int, msgspec.Meta(ge=0, le=9)]
    cvl: Annotated[int, msgspec.Meta(ge=0, le=9)]


class Screen(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The column and modifier used on the surface chart to find a carrier force's screen (7.44)."""

    column: SurfaceSize
    drm: Annotated[int, msgspec.Meta(ge=-99, le=99)]


def parse_carrier_mix(mix: str) -> CarrierCount:
    """Return the numbers of carriers in a printed mix, such as 2 CVs and 1 CVL for ``2CV+CVL`` (7.41)."""
    counts = {"CV": 0, "CVL": 0}
    for part in mix.split("+"):
        kind = part.lstrip("0123456789")
        counts[kind] += int(part.removesuffix(kind) or 1)
    return CarrierCount(counts["CV"], counts["CVL"])


def battleship_count(code: SurfaceCode) -> int:
    """Return the number of battleships in a surface chart result (7.39)."""
    return _BATTLESHIPS.get(code, 0)
