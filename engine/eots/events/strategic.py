"""Facts about the strategic phase and national status (10-16) that move no counter by themselves."""

from engine.eots.events.base import EotsEvent, RuledEvent
from engine.eots.ids import Side


class SubmarineWarfareResolved(
    EotsEvent, frozen=True, kw_only=True, tag="submarine-warfare-resolved"
):
    """The submarine campaign of the turn was resolved; a success takes a card from the Japanese draw (12.21)."""

    success: bool


class ReinforcementsDelayed(RuledEvent, frozen=True, kw_only=True, tag="reinforcements-delayed"):
    """An event delays all Allied reinforcements of a turn (10.21, J-80)."""

    turn: int


class GroundStepsCut(RuledEvent, frozen=True, kw_only=True, tag="ground-steps-cut"):
    """An event takes Allied ground steps of a turn, and the rest of them from the Commonwealth (J-15, J-82, CP-26)."""

    turn: int
    steps: int


class MandatesGained(EotsEvent, frozen=True, kw_only=True, tag="mandates-gained"):
    """A side held Rabaul and Guadalcanal in a National Status Segment: the Mandates are its own (13.84)."""

    side: Side
