"""Events about markers, tracks and the strategic phase (10-16)."""

from typing import Literal

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import HexId, NationId, Side, UnitId
from engine.eots.state import ChinaFront, IndiaStatus, Pools

Once = Literal["alaska", "hawaii", "resources", "casualties", "all-surrendered", "all-recovered"]
Marker = Literal[
    "hump",
    "kwai-bridge",
    "barges",
    "pt-boats",
    "interceptors",
    "tojo-resigned",
    "defence-doctrine",
    "soviet-invasion",
]


class DieRolled(RuledEvent, frozen=True, kw_only=True, tag="die-rolled"):
    """A die was rolled. The face, from 0 to 9 (1.22), is public."""

    side: Side
    face: int
    modifier: int
    purpose: str
    """What the die was rolled for.

    One of ``intelligence``, ``special-reaction``, ``air-naval``, ``ground``, ``submarine``, ``bombing``, ``europe`` and
    ``china``, or a card id.
    """
    about: str
    """The hex or unit for which the die was rolled; an empty string if there is none."""
    needed: int | None = None
    """The highest modified roll that succeeds, or None if it is not known in advance (7.25D)."""


class PoliticalWillMoved(RuledEvent, frozen=True, kw_only=True, tag="political-will-moved"):
    """US Political Will changed. ``to`` is always between 0 and 10 (16.4)."""

    to: int


class WarInEuropeMoved(RuledEvent, frozen=True, kw_only=True, tag="war-in-europe-moved"):
    """The War in Europe marker moved. ``to`` is always between -7 and +3 (15)."""

    to: int


class ChinaFrontMoved(RuledEvent, frozen=True, kw_only=True, tag="china-front-moved"):
    """The Chinese front marker moved (13.72)."""

    to: ChinaFront


class ChinaOffensiveTried(EotsEvent, frozen=True, kw_only=True, tag="china-offensive-tried"):
    """Japan conducted a China offensive with an operations card. It cannot do so again next turn (13.72)."""

    success: bool


class DivisionsLeftChina(EotsEvent, frozen=True, kw_only=True, tag="divisions-left-china"):
    """Divisions left China and became Japanese ground steps (11.23)."""

    count: int


class IndiaMoved(RuledEvent, frozen=True, kw_only=True, tag="india-moved"):
    """The India marker moved (13.62)."""

    to: IndiaStatus


class NorthIndiaLost(EotsEvent, frozen=True, kw_only=True, tag="north-india-lost"):
    """Japan gained control of all of Northern India, or lost control of part of it (13.62)."""

    lost: bool


class RivalrySet(RuledEvent, frozen=True, kw_only=True, tag="rivalry-set"):
    """An inter-service rivalry marker was flipped (14)."""

    side: Side
    rivalry: bool


class AspLevelChanged(RuledEvent, frozen=True, kw_only=True, tag="asp-level-changed"):
    """A side's number of amphibious shipping points changed permanently (10.31, 10.32)."""

    side: Side
    level: int


class AspQuotaFixed(EotsEvent, frozen=True, kw_only=True, tag="asp-quota-fixed"):
    """The number of Allied shipping points at the end of the Reinforcement Segment was recorded (16.47)."""

    level: int


class EscortsSet(RuledEvent, frozen=True, kw_only=True, tag="escorts-set"):
    """The escort modifier became 0, 2 or 4 (12.22). If ``void`` is true, the modifier ended permanently (A-80)."""

    level: int
    void: bool


class NationSurrendered(EotsEvent, frozen=True, kw_only=True, tag="nation-surrendered"):
    """A nation surrendered (13.1)."""

    nation: NationId


class NationRecaptured(EotsEvent, frozen=True, kw_only=True, tag="nation-recaptured"):
    """A nation that had surrendered was recaptured (13.1-5)."""

    nation: NationId


class PoolsSet(EotsEvent, frozen=True, kw_only=True, tag="pools-set"):
    """The numbers of replacement steps for this segment were set or reduced (11)."""

    pools: Pools


class JapanPointsSet(EotsEvent, frozen=True, kw_only=True, tag="japan-points-set"):
    """The number of naval and air steps that Japan has saved changed (11.2)."""

    naval: int
    air: int


class UnitArrived(EotsEvent, frozen=True, kw_only=True, tag="unit-arrived"):
    """A unit's placement in a strategic segment was recorded (10.11, 11.0, 12.31)."""

    unit: UnitId
    segment: str
    """``reinforcement`` or ``replacement``."""


class SegmentClosed(EotsEvent, frozen=True, kw_only=True, tag="segment-closed"):
    """A segment ended. The zones of units placed in it now neutralise enemy zones too (10.11-7, 11.0-4)."""


class BombingResolved(EotsEvent, frozen=True, kw_only=True, tag="bombing-resolved"):
    """A B29 bombed Japan, with or without success (12.32)."""

    unit: UnitId
    success: bool


class RouteBuilt(RuledEvent, frozen=True, kw_only=True, tag="route-built"):
    """A No Transport Route marker was removed (13.77)."""

    at: HexId


class HoldsCounted(EotsEvent, frozen=True, kw_only=True, tag="holds-counted"):
    """The number of consecutive Political Will Segments with Japanese units was updated for each hex of 16.42."""

    aleutians: dict[HexId, int]
    hawaii: dict[HexId, int]


class OnceUsed(RuledEvent, frozen=True, kw_only=True, tag="once-used"):
    """A reason for changing Political Will that can occur only once was recorded.

    ``all-recovered`` takes back ``all-surrendered`` (16.41-16.45).
    """

    what: Once


class BlockadeCounted(EotsEvent, frozen=True, kw_only=True, tag="blockade-counted"):
    """The number of consecutive National Status Segments without a supply line to Japan changed (13.93b)."""

    turns: int


class CityTaken(EotsEvent, frozen=True, kw_only=True, tag="city-taken"):
    """A home island city permanently lost its intrinsic unit (13.94)."""

    at: HexId


class OccupationScored(EotsEvent, frozen=True, kw_only=True, tag="occupation-scored"):
    """A hex that scores only once was held at the end of a turn (17.27 K, 17.38 J)."""

    at: HexId


class MarkerSet(RuledEvent, frozen=True, kw_only=True, tag="marker-set"):
    """A lasting marker was set or removed. Its name is also the name of a field in `Tracks`."""

    marker: Marker
    on: bool


class TokyoExpressMoved(RuledEvent, frozen=True, kw_only=True, tag="tokyo-express-moved"):
    """The Tokyo Express marker was placed, moved or removed (6.23)."""

    at: HexId | None


class SubmarineWarfareResolved(
    EotsEvent, frozen=True, kw_only=True, tag="submarine-warfare-resolved"
):
    """The turn's submarine campaign was resolved. Success reduces Japan's next draw by one card (12.21)."""

    success: bool


class ReinforcementsDelayed(RuledEvent, frozen=True, kw_only=True, tag="reinforcements-delayed"):
    """A card event delayed all Allied reinforcements in a turn (10.21, J-80)."""

    turn: int


class GroundStepsCut(RuledEvent, frozen=True, kw_only=True, tag="ground-steps-cut"):
    """A card event reduced a turn's Allied ground steps.

    Commonwealth units may not use the remaining steps (J-15, J-82, CP-26).
    """

    turn: int
    steps: int


class MandatesGained(EotsEvent, frozen=True, kw_only=True, tag="mandates-gained"):
    """A side gained the Mandates by controlling Rabaul and Guadalcanal in a National Status Segment (13.84)."""

    side: Side
