"""Events about the sequence of play: turns, phases, segments and chits (3)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.frames import Frame
from engine.cbps.ids import Direction, Segment
from engine.cbps.position import Position
from engine.kernel.decision import Outcome


class GameStarted(CbpsEvent, frozen=True, kw_only=True, tag="game-started"):
    """The battle was set up."""

    position: Position


class FramesChanged(CbpsEvent, frozen=True, kw_only=True, tag="frames-changed"):
    """The frame stack changed. The outermost ``keep`` frames remain, and the new frames are put on top of them."""

    keep: int
    frames: tuple[Frame, ...] = ()


class TurnBegan(CbpsEvent, frozen=True, kw_only=True, tag="turn-began"):
    """A game turn began, which resets the values tracked per turn (3.1)."""

    turn: int
    label: str
    """The day and time of the turn."""
    is_new_day: bool = False


class PhaseBegan(CbpsEvent, frozen=True, kw_only=True, tag="phase-began"):
    """An Action Phase began, which resets the values tracked per phase (3.1)."""

    phase: int


class SegmentBegan(CbpsEvent, frozen=True, kw_only=True, tag="segment-began"):
    """A segment began, which resets the values tracked per segment (3.1)."""

    segment: Segment


class CupFilled(CbpsEvent, frozen=True, kw_only=True, tag="cup-filled"):
    """The turn's activation chits were put into the cup (3.23)."""

    chits: tuple[str, ...]
    per_phase: int


class MissionDieSet(CbpsEvent, frozen=True, kw_only=True, tag="mission-die-set"):
    """The die that determines all mission moves in an Activation Segment was rolled (7.221)."""

    die: int


class ChitDrawn(CbpsEvent, frozen=True, kw_only=True, tag="chit-drawn"):
    """An activation chit was drawn from the cup (3.21)."""

    chit: str


class ChitSwapped(CbpsEvent, frozen=True, kw_only=True, tag="chit-swapped"):
    """An undrawn chit was swapped because its force's counter was replaced (9.11, 9.13)."""

    chit: str
    by: str


class WindSet(CbpsEvent, frozen=True, kw_only=True, tag="wind-set"):
    """The wind direction for the whole game was set (17.6)."""

    wind: Direction


class SearchDeclared(CbpsEvent, frozen=True, kw_only=True, tag="search-declared"):
    """This turn's Search Segment is being held now (8.22)."""


class PointsCounted(CbpsEvent, frozen=True, kw_only=True, tag="points-counted"):
    """One line of the final score was counted (15.1)."""

    what: str
    points: int


class GameEnded(CbpsEvent, frozen=True, kw_only=True, tag="game-ended"):
    """The scenario ended with a verdict (15.1)."""

    outcome: Outcome
