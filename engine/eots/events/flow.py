"""Events that track the progress of the game (4)."""

from engine.eots.events.base import EotsEvent
from engine.eots.frames import Frame
from engine.eots.position import Position
from engine.kernel.decision import Outcome


class GameStarted(EotsEvent, frozen=True, kw_only=True, tag="game-started"):
    """The position was set up (2.0). In a redacted copy, the cards in the other side's hand and deck are hidden."""

    position: Position


class FrameEntered(EotsEvent, frozen=True, kw_only=True, tag="frame-entered"):
    """A decision or procedure began inside the current one, as a new frame on the stack."""

    frame: Frame


class FrameReplaced(EotsEvent, frozen=True, kw_only=True, tag="frame-replaced"):
    """The top frame was replaced, because it went on to its next stage."""

    frame: Frame


class FrameLeft(EotsEvent, frozen=True, kw_only=True, tag="frame-left"):
    """The top frame finished and was removed."""


class TurnBegan(EotsEvent, frozen=True, kw_only=True, tag="turn-began"):
    """The turn marker advanced and per-turn counters were reset (4.5)."""

    turn: int


class GameEnded(EotsEvent, frozen=True, kw_only=True, tag="game-ended"):
    """The game is over (16, 17)."""

    outcome: Outcome
