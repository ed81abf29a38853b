"""The complete state of the game as immutable data, produced by folding events."""

from collections.abc import Mapping

import msgspec

from engine.kernel.machine import GameState
from engine.qmg.atlas import BIT
from engine.qmg.board import Board
from engine.qmg.frames import CardId, Frame, ListName, PieceAt
from engine.qmg.ids import COUNTRIES, FORCE_INDEX
from engine.qmg.names import CountryId, ForceId, KindId, SpaceId


class Cards(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """One country's cards, except for Statuses on the table (9.1). Hidden cards are ``?``.

    The deck consists of ``deck_top``, ``deck`` and ``deck_bottom``. A card in ``deck`` is picked at random when it is
    drawn.
    """

    hand: tuple[CardId, ...] = ()
    deck: tuple[CardId, ...] = ()
    """Shuffled cards between the cards with known positions. Their order has no meaning."""
    deck_top: tuple[CardId, ...] = ()
    """Cards on top of the deck with a known order, in drawing order."""
    deck_bottom: tuple[CardId, ...] = ()
    discard: tuple[CardId, ...] = ()
    """The discard pile, bottom card first."""
    face_up: tuple[CardId, ...] = ()
    """Cards that everyone knows to be in the discard pile."""
    responses: tuple[CardId, ...] = ()
    """Responses and Bolsters face down on the table."""

    @property
    def undrawn_cards(self) -> tuple[str, ...]:
        """Return all cards in the deck."""
        return self.deck_top + self.deck + self.deck_bottom

    @property
    def deck_size(self) -> int:
        """Return the number of cards in the deck."""
        return len(self.deck_top) + len(self.deck) + len(self.deck_bottom)


class Shield(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Protection of pieces from removal, for this turn or this battle (10.5)."""

    force: ForceId = ""
    piece: KindId = ""
    space: SpaceId = ""
    steps: ListName = ""
    """List that contains the protecting step, if the step protects a query's pieces. Empty if it protects one piece.

    :attr:`at` is the step's index in the list.
    """
    at: int = 0
    owner: CountryId = ""
    battle: bool = False


class Grant(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A grant of supply this turn to all pieces that match a step's query."""

    steps: ListName
    at: int
    owner: CountryId


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Data that lasts until the end of the turn (9.9, 10.7)."""

    begin: Board = Board()
    """The board at the beginning of the turn."""
    used: tuple[str, ...] = ()
    """Once-per-turn abilities that have been used, in the form ``<instance>:<number>``."""
    blocked: tuple[CardId, ...] = ()
    """Statuses that may not be used this turn."""
    shields: tuple[Shield, ...] = ()
    grants: tuple[Grant, ...] = ()
    flags: tuple[str, ...] = ()
    reallocated: bool = False
    discarded: tuple[str, ...] = ()
    """Cards discarded in the Discard step."""
    departed: tuple[PieceAt, ...] = ()
    """Pieces that have left a space, in order. A piece that enters the space later is a different piece (10.5)."""


class State(GameState, frozen=True, kw_only=True):
    """The complete state of a game."""

    scenario: str = ""
    total_war: bool = False
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    limits: tuple[tuple[str, int], ...] = ()
    """Number of cards of each type in constructed decks (13.9). Empty if the usual decks are used."""
    round: int = 0
    active: str = ""
    """The active country. Empty during set-up."""
    step: str = ""
    vp: tuple[int, int] = (0, 0)
    """VP of the Axis and of the Allies. The numbers may exceed the printed track (12.6)."""
    board: Board = Board()
    cards: tuple[Cards, ...] = (Cards(),) * len(COUNTRIES)
    """Each country's cards, in turn order."""
    statuses: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Each country's Statuses face up on the table, in turn order."""
    played: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Each country's cards in the play area, in turn order.

    They stay there, face up, until they move to their final place.
    """
    turn: Turn = Turn()
    frames: tuple[Frame, ...] = ()

    def cards_of(self, country: str) -> Cards:
        """Return a country's cards."""
        return self.cards[FORCE_INDEX[country]]

    def departed_count(self, force: str, kind: str, space: str) -> int:
        """Return the number of a force's pieces of one kind that have left a space this turn (10.5)."""
        departed_pieces = self.turn.departed
        return departed_pieces.count(f"{force}:{kind}:{space}") if departed_pieces else 0

    def is_still_there(self, piece: tuple[str, str, str], departed_count: int) -> bool:
        """Return whether a piece is still in its space and has not been replaced (10.5).

        Args:
            piece: The piece's force, kind and space.
            departed_count: The result of :meth:`departed_count` when the piece was identified.
        """
        force, kind, space = piece
        is_there = self.board.spaces_with(force, kind) & BIT[space]
        return bool(is_there) and self.departed_count(force, kind, space) == departed_count
