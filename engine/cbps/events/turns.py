"""The sequence of play: turns, phases, segments, chits (3)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.frames import Frame
from engine.cbps.ids import Direction, Segment
from engine.cbps.position import Position
from engine.kernel.decision import Outcome


class GameStarted(CbpsEvent, frozen=True, kw_only=True, tag="game-started"):
    """The battle was laid out."""

    position: Position


class FramesChanged(CbpsEvent, frozen=True, kw_only=True, tag="frames-changed"):
    """Where the game stands: so many outer frames stay, and these are on top of them."""

    keep: int
    frames: tuple[Frame, ...] = ()


class TurnBegan(CbpsEvent, frozen=True, kw_only=True, tag="turn-began"):
    """A game turn began; what counts per turn is reset (3.1)."""

    turn: int
    label: str
    """The day and time."""
    is_new_day: bool = False


class PhaseBegan(CbpsEvent, frozen=True, kw_only=True, tag="phase-began"):
    """An Action Phase began; what counts per phase is reset (3.1)."""

    phase: int


class SegmentBegan(CbpsEvent, frozen=True, kw_only=True, tag="segment-began"):
    """A segment began; what counts per segment is reset (3.1)."""

    segment: Segment


class CupFilled(CbpsEvent, frozen=True, kw_only=True, tag="cup-filled"):
    """The activation chits of the turn went into the cup (3.23)."""

    chits: tuple[str, ...]
    per_phase: int


class MissionDieSet(CbpsEvent, frozen=True, kw_only=True, tag="mission-die-set"):
    """One roll serves all mission moves of an Activation Segment (7.221)."""

    die: int


class ChitDrawn(CbpsEvent, frozen=True, kw_only=True, tag="chit-drawn"):
    """An activation chit was drawn from the cup (3.21)."""

    chit: str


class ChitSwapped(CbpsEvent, frozen=True, kw_only=True, tag="chit-swapped"):
    """An undrawn chit was exchanged for that of the counter that replaced its force (9.11, 9.13)."""

    chit: str
    by: str


class WindSet(CbpsEvent, frozen=True, kw_only=True, tag="wind-set"):
    """The wind blows in a direction for the whole game (17.6)."""

    wind: Direction


class SearchDeclared(CbpsEvent, frozen=True, kw_only=True, tag="search-declared"):
    """The Search Segment of this turn is held (8.22)."""


class PointsCounted(CbpsEvent, frozen=True, kw_only=True, tag="points-counted"):
    """One line of the score at the end (15.1)."""

    what: str
    points: int


class GameEnded(CbpsEvent, frozen=True, kw_only=True, tag="game-ended"):
    """The scenario has its verdict (15.1)."""

    outcome: Outcome
