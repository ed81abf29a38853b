"""Ids and enumerations for Empire of the Sun. Every value is the string used in the data files (1.2, 1.3)."""

from enum import StrEnum
from typing import Annotated, Final, NewType, TypeAlias

from engine.kernel.dice import Die

HexId = NewType("HexId", str)
"""Hex number `CCRR` as printed on the map, including the leading zero (0.2)."""

Location = NewType("Location", str)
"""A hex number or the off-map location `china-box` (13.74)."""

Spot: TypeAlias = Annotated[str, "spot"]
"""Any place where a counter can be: a hex, ``china-box`` or an off-map place."""

UnitId = NewType("UnitId", str)
CardId = NewType("CardId", str)
AreaId = NewType("AreaId", str)
"""Id of a rule area: a list of hexes to which rules, cards or scenarios refer by name."""

NationId = NewType("NationId", str)
"""A land hex's nation or territory, as given in the map data."""

ScenarioId = NewType("ScenarioId", str)
RulingId = NewType("RulingId", str)
"""Id of a ruling on a question that the rulebook leaves open, such as `OPB-17`."""

HqKey = NewType("HqKey", str)
"""Name of a headquarters on the cards. The two Combined Fleet counters share one name (6.1)."""

D10: Final = Die(0, 9)
"""The game's ten-sided die, on which 0 counts as zero (1.22)."""
CHINA_BOX = Location("china-box")
"""The Air Units in China Box (13.74)."""


class Side(StrEnum):
    """The two players (1.3)."""

    ALLIED = "allied"
    JAPAN = "japan"

    @property
    def enemy(self) -> "Side":
        """Return the other side."""
        return Side.JAPAN if self is Side.ALLIED else Side.ALLIED


PLAYERS: Final = tuple(Side)


class Terrain(StrEnum):
    """A hex's printed terrain. For a hex with both land and sea, this is the land's terrain (8.1)."""

    OPEN = "open"
    JUNGLE = "jungle"
    MIXED = "mixed"
    MOUNTAIN = "mountain"
    ATOLL = "atoll"
    OCEAN = "ocean"
    UNPLAYABLE = "unplayable"


class HexKind(StrEnum):
    """Whether a hex is land, sea or both (0.3, 0.4). `island` is a one-hex island, including an atoll."""

    OCEAN = "ocean"
    COASTAL = "coastal"
    INLAND = "inland"
    ISLAND = "island"
    UNPLAYABLE = "unplayable"


class CityKind(StrEnum):
    """City symbols on the map. Some cities have intrinsic units under 13.76 and 13.94."""

    CITY = "city"
    INTRINSIC = "city_intrinsic"
    JAPANESE_INTRINSIC = "japanese_city_intrinsic"


class RouteKind(StrEnum):
    """Kinds of printed transport routes. Both kinds work the same way (8.1)."""

    RAIL = "rail"
    ROAD = "road"


class RouteEvent(StrEnum):
    """Routes that are open only at certain times (13.78, 13.79)."""

    KWAI_BRIDGE = "kwai_bridge"
    BURMA_ROAD = "burma_road"


class Category(StrEnum):
    """The four categories of counters (1.24)."""

    NAVAL = "naval"
    AIR = "air"
    GROUND = "ground"
    HQ = "hq"


class UnitType(StrEnum):
    """A counter's type within its category (1.24)."""

    BB = "BB"
    BC = "BC"
    CA = "CA"
    CL = "CL"
    DD = "DD"
    APD = "APD"
    CV = "CV"
    CVL = "CVL"
    CVE = "CVE"
    AIR = "air"
    LRB = "lrb"
    B29 = "b29"
    ARMY = "army"
    CORPS = "corps"
    DIVISION = "division"
    BRIGADE = "brigade"
    REGIMENT = "regiment"
    HQ = "hq"


class UnitSize(StrEnum):
    """A ground unit's size symbol (1.24)."""

    ARMY = "XXXX"
    CORPS = "XXX"
    DIVISION = "XX"
    BRIGADE = "X"
    REGIMENT = "III"


class Nationality(StrEnum):
    """A counter's nationality. Japanese headquarters belong to neither service (1.3, 14)."""

    US = "us"
    COMMONWEALTH = "cw"
    CHINA = "china"
    DUTCH = "dutch"
    JOINT = "joint"
    JAPAN_ARMY = "japan-army"
    JAPAN_NAVY = "japan-navy"
    JAPAN = "japan"


class CommonwealthNation(StrEnum):
    """Nationalities within the Commonwealth (1.3)."""

    BRITISH = "british"
    AUSTRALIAN = "australian"
    NEW_ZEALAND = "new-zealand"
    INDIAN = "indian"


class ActivationNation(StrEnum):
    """Nations in the rows and columns of the HQ command chart (6.12)."""

    US = "us"
    COMMONWEALTH = "commonwealth"
    CHINA = "china"
    DUTCH = "dutch"
    JOINT = "joint"
    JAPAN = "japan"


class Service(StrEnum):
    """A unit's service for inter-service rivalry (14)."""

    ARMY = "army"
    NAVY = "navy"


class Face(StrEnum):
    """The side of a counter that faces up (0.5)."""

    FULL = "full"
    REDUCED = "reduced"


class Flag(StrEnum):
    """Printed properties of counters that rules or cards refer to."""

    CARRIER = "carrier"
    ORGANIC_TRANSPORT = "organic-transport"
    LRB = "lrb"
    B29 = "b29"
    ARMOR = "armor"
    SPECIAL_FORCES = "special-forces"
    AIRBORNE = "airborne"
    BURMA = "burma"


class Pool(StrEnum):
    """Kinds of replacement steps (11)."""

    ALLIED_GROUND = "allied-ground"
    ALLIED_AIR = "allied-air"
    US_NAVAL = "us-naval"
    CW_NAVAL = "cw-naval"
    CHINA_GROUND = "china-ground"
    JAPAN_GROUND = "japan-ground"
    JAPAN_AIR = "japan-air"
    JAPAN_NAVAL = "japan-naval"
