"""All events of the game. The state is produced by folding events (14.2)."""

from typing import Final

from engine.kernel.decision import Outcome
from engine.kernel.ruleset import Event
from engine.kernel.unions import leaf_types, union_of
from engine.qmg.frames import Frame
from engine.qmg.position import Position


class QmgEvent(Event, frozen=True, kw_only=True, tag_field="kind", omit_defaults=True):
    """Base class of all events."""


class PieceEvent(QmgEvent, frozen=True, kw_only=True):
    """Base class of events about a piece in a space."""

    force: str
    piece: str
    space: str


class GameStarted(QmgEvent, frozen=True, kw_only=True, tag="game-started"):
    """The game started from a position."""

    position: Position


class CardsMoved(QmgEvent, frozen=True, kw_only=True, tag="cards-moved"):
    """A country's cards moved from one place to another (9.1).

    Sources are ``deck`` (the top card), ``deck-below`` (below the cards with a known order), ``hand``, ``responses``,
    ``statuses``, ``play`` (the play area) and ``discard``. Destinations are ``deck-top``, ``deck-top-end`` (below the
    known cards), ``deck-pool``, ``deck-bottom``, ``hand``, ``responses``, ``statuses``, ``play``, ``discard-top`` (face
    up), ``discard-bottom`` (face down) and ``out`` (the box; see 13.9).
    """

    country: str
    cards: tuple[str, ...]
    """The cards. Each card that is hidden from this copy is ``?``."""
    source: str
    to: str
    shown: bool = False
    """True if everyone sees the faces."""
    why: str = ""
    card_type: str = ""
    """The card type, if everyone sees the type but not the face; otherwise empty (9.3)."""
    top: str = ""
    """The discard pile's new top card after unseen cards left the pile; empty if it is face down."""


class DeckShuffled(QmgEvent, frozen=True, kw_only=True, tag="deck-shuffled"):
    """A country shuffled its deck. The order of the cards is unknown again."""

    country: str


class TopOrdered(QmgEvent, frozen=True, kw_only=True, tag="top-ordered"):
    """A country rearranged the cards on top of its deck."""

    country: str
    cards: tuple[str, ...]


class PiecePlaced(PieceEvent, frozen=True, kw_only=True, tag="piece-placed"):
    """A piece entered the board (7.1, 7.2, 7.3, 13.3)."""

    how: str
    """Reason: ``build``, ``recruit``, ``deploy`` or ``setup``."""


class PieceDesignated(PieceEvent, frozen=True, kw_only=True, tag="piece-designated"):
    """A piece was designated as just built (7.6)."""


class AirMoved(QmgEvent, frozen=True, kw_only=True, tag="air-moved"):
    """An Air Force was marshaled or repositioned (13.3, 13.4)."""

    force: str
    origin: str
    space: str
    how: str


class PieceRemoved(PieceEvent, frozen=True, kw_only=True, tag="piece-removed"):
    """A piece left the board for its pool (4, 7.7)."""

    why: str
    """``battle``, ``eliminate``, ``supply``, ``own``, ``air-defense``, ``air-attack``, ``air`` or ``stranded``."""


class BattleFought(QmgEvent, frozen=True, kw_only=True, tag="battle-fought"):
    """A battle was declared on a space (7.4)."""

    force: str
    space: str
    piece: str
    target: str = ""
    """Owner of the target; empty if the space contains no target."""


class AirSuperiorityGained(QmgEvent, frozen=True, kw_only=True, tag="air-superiority-gained"):
    """An Air Force gained Air Superiority over a space (13.3)."""

    force: str
    origin: str
    space: str
    target: str = ""


class PieceProtected(QmgEvent, frozen=True, kw_only=True, tag="piece-protected"):
    """Protection from removal began for a piece, or for every piece that matches a step's query (10.5)."""

    force: str = ""
    piece: str = ""
    space: str = ""
    steps: str = ""
    at: int = 0
    owner: str = ""
    battle: bool = False
    """True if the protection lasts only for this battle, False if it lasts for the whole turn."""


class ProtectionEnded(PieceEvent, frozen=True, kw_only=True, tag="protection-ended"):
    """The protection of a battle's target ended with the battle (10.5)."""


class SupplyGranted(QmgEvent, frozen=True, kw_only=True, tag="supply-granted"):
    """Pieces that match a step's query are in supply this turn."""

    steps: str
    at: int
    owner: str


class FlagSet(QmgEvent, frozen=True, kw_only=True, tag="flag-set"):
    """A rule was suspended for this turn."""

    flag: str


class VpChanged(QmgEvent, frozen=True, kw_only=True, tag="vp-changed"):
    """A team gained or lost victory points (12)."""

    team: str
    amount: int
    why: str
    """A card instance, a force that scored its spaces, ``cards`` for missing cards (9.4), or ``discard-step`` (8.4)."""


class StepBegan(QmgEvent, frozen=True, kw_only=True, tag="step-began"):
    """A step of the turn began (8.1)."""

    step: str


class TurnBegan(QmgEvent, frozen=True, kw_only=True, tag="turn-began"):
    """A country's turn began (10.7)."""

    country: str
    round: int


class CardPlayed(QmgEvent, frozen=True, kw_only=True, tag="card-played"):
    """A card's text began to be carried out (10.7)."""

    country: str
    card: str
    target: str = ""


class UseDeclared(QmgEvent, frozen=True, kw_only=True, tag="use-declared"):
    """The use of a Status, Response or Bolster was declared (10.4)."""

    country: str
    card: str


class AbilityUsed(QmgEvent, frozen=True, kw_only=True, tag="ability-used"):
    """A once-per-turn ability was used and cannot be used again this turn (10.1)."""

    card: str
    ability: int


class UseCancelled(QmgEvent, frozen=True, kw_only=True, tag="use-cancelled"):
    """The use of a card, or a card's text, was cancelled (A.2)."""

    card: str
    blocked: bool = False
    """True if the Status may not be used again this turn."""


class TargetDiscards(QmgEvent, frozen=True, kw_only=True, tag="target-discards"):
    """A country must discard cards because of Economic Warfare (11)."""

    country: str
    amount: int
    card: str


class ResourcesReallocated(QmgEvent, frozen=True, kw_only=True, tag="resources-reallocated"):
    """A country began to reallocate resources (8.3)."""

    country: str


class RoundEnded(QmgEvent, frozen=True, kw_only=True, tag="round-ended"):
    """A round ended (8.6)."""

    round: int


class FramesChanged(QmgEvent, frozen=True, kw_only=True, tag="frames-changed"):
    """The stack of frames changed. The ``keep`` outermost frames stay. ``frames`` replaces all others (10.4)."""

    keep: int
    frames: tuple[Frame, ...] = ()


class GameEnded(QmgEvent, frozen=True, kw_only=True, tag="game-ended"):
    """The game ended (12.4, 12.5)."""

    outcome: Outcome


EVENTS: Final = leaf_types(QmgEvent, globals())
"""Every event type."""
EVENT_UNION: Final[object] = union_of(EVENTS)
"""Tagged union of all events, for decoding."""
