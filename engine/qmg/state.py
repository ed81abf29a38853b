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
    """The cards of one country apart from Statuses on the table (9.1). Unknown instances are ``?``.

    The deck consists of ``deck_top``, ``deck`` (shuffled; a card is picked at random when drawn) and ``deck_bottom``.
    """

    hand: tuple[CardId, ...] = ()
    deck: tuple[CardId, ...] = ()
    """Cards between those with known positions, in no particular order."""
    deck_top: tuple[CardId, ...] = ()
    """Known cards on top of the deck, in drawing order."""
    deck_bottom: tuple[CardId, ...] = ()
    discard: tuple[CardId, ...] = ()
    """The discard pile, bottom card first."""
    face_up: tuple[CardId, ...] = ()
    """Cards known to everyone to be in the discard pile."""
    responses: tuple[CardId, ...] = ()
    """Responses face down on the table."""

    @property
    def undrawn(self) -> tuple[str, ...]:
        """Return all cards of the deck."""
        return self.deck_top + self.deck + self.deck_bottom

    @property
    def deck_size(self) -> int:
        """Return the number of cards in the deck."""
        return len(self.deck_top) + len(self.deck) + len(self.deck_bottom)


class Shield(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Pieces that cannot be removed this turn, or in this battle (10.5)."""

    force: ForceId = ""
    piece: KindId = ""
    space: SpaceId = ""
    steps: ListName = ""
    """List with the protecting step, if it protects a query instead of one piece. :attr:`at` is the step's index."""
    at: int = 0
    owner: CountryId = ""
    battle: bool = False


class Grant(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Supply granted for this turn by a step's query."""

    steps: ListName
    at: int
    owner: CountryId


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Data that lasts until the end of the turn (9.9, 10.7)."""

    begin: Board = Board()
    """The board at the beginning of the turn."""
    used: tuple[str, ...] = ()
    """Abilities that have been used up: ``<instance>:<number>``."""
    blocked: tuple[CardId, ...] = ()
    """Statuses that may not be used this turn."""
    shields: tuple[Shield, ...] = ()
    grants: tuple[Grant, ...] = ()
    flags: tuple[str, ...] = ()
    reallocated: bool = False
    discarded: tuple[str, ...] = ()
    """Cards discarded in the Discard step."""
    departed: tuple[PieceAt, ...] = ()
    """Pieces that have left a space, in order. A piece that enters later is a different one (10.5)."""


class State(GameState, frozen=True, kw_only=True):
    """The complete state of a game."""

    scenario: str = ""
    total_war: bool = False
    options: Mapping[str, str] = msgspec.field(default_factory=dict)
    limits: tuple[tuple[str, int], ...] = ()
    """Number of cards of each type in constructed decks (13.9). Empty unless this variant is in use."""
    round: int = 0
    active: str = ""
    """Country whose turn it is. Empty during set-up."""
    step: str = ""
    vp: tuple[int, int] = (0, 0)
    """VP of the Axis and the Allies, not limited to the printed track (12.6)."""
    board: Board = Board()
    cards: tuple[Cards, ...] = (Cards(),) * len(COUNTRIES)
    """The cards of each country, in turn order."""
    statuses: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Statuses face up on the table, per country."""
    played: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Cards in the play area, per country. They stay face up until put away."""
    turn: Turn = Turn()
    frames: tuple[Frame, ...] = ()

    def cards_of(self, country: str) -> Cards:
        """Return a country's cards."""
        return self.cards[FORCE_INDEX[country]]

    def departed_count(self, force: str, kind: str, space: str) -> int:
        """Return the number of a force's pieces of one kind that have left a space this turn (10.5)."""
        departed = self.turn.departed
        return departed.count(f"{force}:{kind}:{space}") if departed else 0

    def is_still_there(self, piece: tuple[str, str, str], departed: int) -> bool:
        """Return whether a particular piece is still in its space (10.5).

        Args:
            piece: Force, kind and space.
            departed: The result of :meth:`departed_count` when the piece was identified.
        """
        force, kind, space = piece
        is_there = self.board.spaces_with(force, kind) & BIT[space]
        return bool(is_there) and self.departed_count(force, kind, space) == departed
