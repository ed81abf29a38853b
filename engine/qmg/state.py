"""The whole game as immutable data: a fold of events."""

from collections.abc import Mapping

import msgspec

from engine.kernel.machine import GameState
from engine.qmg.atlas import BIT
from engine.qmg.board import Board
from engine.qmg.frames import CardId, Frame, ListName, PieceAt
from engine.qmg.ids import COUNTRIES, FORCE_INDEX
from engine.qmg.names import CountryId, ForceId, KindId, SpaceId


class Cards(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The cards of one country outside the table's Statuses (9.1); instances, or ``?`` for one not known here.

    The deck is ``deck_top``, ``deck`` (shuffled: chance picks at the moment of the draw) and ``deck_bottom``.
    """

    hand: tuple[CardId, ...] = ()
    deck: tuple[CardId, ...] = ()
    """In no order."""
    deck_top: tuple[CardId, ...] = ()
    """Known cards on top of it, first drawn first."""
    deck_bottom: tuple[CardId, ...] = ()
    discard: tuple[CardId, ...] = ()
    """Bottom first."""
    face_up: tuple[CardId, ...] = ()
    """Those of the discard pile that everybody knows to lie there."""
    responses: tuple[CardId, ...] = ()
    """Face down on the table."""

    @property
    def undrawn(self) -> tuple[str, ...]:
        """Return the whole deck."""
        return self.deck_top + self.deck + self.deck_bottom

    @property
    def deck_size(self) -> int:
        """Return how many cards can be drawn."""
        return len(self.deck_top) + len(self.deck) + len(self.deck_bottom)


class Shield(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What cannot be removed this turn, or in this battle (10.5)."""

    force: ForceId = ""
    piece: KindId = ""
    space: SpaceId = ""
    steps: ListName = ""
    """Instead of one piece: the query of a step, as list name and number."""
    at: int = 0
    owner: CountryId = ""
    battle: bool = False


class Grant(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Supply granted for this turn by the query of a step."""

    steps: ListName
    at: int
    owner: CountryId


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What lasts until the end of the turn (9.9, 10.7)."""

    begin: Board = Board()
    """The board at its beginning."""
    used: tuple[str, ...] = ()
    """Abilities used up: ``<instance>:<number>``."""
    blocked: tuple[CardId, ...] = ()
    """Statuses that may not be used this turn."""
    shields: tuple[Shield, ...] = ()
    grants: tuple[Grant, ...] = ()
    flags: tuple[str, ...] = ()
    reallocated: bool = False
    discarded: tuple[str, ...] = ()
    """Cards discarded in the Discard step."""
    departed: tuple[PieceAt, ...] = ()
    """Pieces that have left a space, in order; what comes there later is another piece (10.5)."""


class State(GameState, frozen=True, kw_only=True):
    """Everything."""

    scenario: str = ""
    total_war: bool = False
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    limits: tuple[tuple[str, int], ...] = ()
    """Card types and counts of constructed decks (13.9); empty without the variant."""
    round: int = 0
    active: str = ""
    """Country whose turn it is; empty during set-up."""
    step: str = ""
    vp: tuple[int, int] = (0, 0)
    """Axis, Allies; plain numbers, whatever the printed track counts to (12.6)."""
    board: Board = Board()
    cards: tuple[Cards, ...] = (Cards(),) * len(COUNTRIES)
    """Per country in turn order."""
    statuses: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Face up on the table, per country."""
    played: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """In the play area, per country: face up until the card is put away."""
    turn: Turn = Turn()
    frames: tuple[Frame, ...] = ()

    def cards_of(self, country: str) -> Cards:
        """Return the cards of a country."""
        return self.cards[FORCE_INDEX[country]]

    def departed(self, force: str, kind: str, space: str) -> int:
        """Return how many pieces of a force and kind have left a space this turn (10.5)."""
        departed = self.turn.departed
        return departed.count(f"{force}:{kind}:{space}") if departed else 0

    def stands(self, piece: tuple[str, str, str], departed: int) -> bool:
        """Return whether a piece is where it was when so many like it had left the space this turn (10.5).

        Args:
            piece: Force, kind and space.
            departed: What :meth:`departed` said when the piece was named.
        """
        force, kind, space = piece
        is_there = self.board.of(force, kind) & BIT[space]
        return bool(is_there) and self.departed(force, kind, space) == departed
