"""The whole game as immutable data: a fold of events."""

from collections.abc import Mapping

import msgspec

from engine.kernel.machine import GameState
from engine.qmg.board import Board
from engine.qmg.frames import CardId, Frame, ListName
from engine.qmg.ids import COUNTRIES, FORCE_INDEX
from engine.qmg.names import CountryId, ForceId, KindId, SpaceId


class Cards(msgspec.Struct, frozen=True, kw_only=True):
    """The cards of one country outside the table's Statuses (9.1).

    The deck is ``top`` (known order, first is drawn first), ``pool`` (shuffled: a set, chance picks at the
    moment of the draw) and ``bottom``. Other copies hold ``?`` for every card that they do not know.
    """

    hand: tuple[str, ...] = ()
    top: tuple[str, ...] = ()
    pool: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    discard: tuple[str, ...] = ()
    """Bottom first."""
    open: tuple[str, ...] = ()
    """Cards that everybody knows to be in the discard pile."""
    responses: tuple[str, ...] = ()
    """Face down on the table."""

    @property
    def deck_size(self) -> int:
        """Return how many cards can be drawn."""
        return len(self.top) + len(self.pool) + len(self.bottom)


class Shield(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What cannot be removed this turn, or in this battle (10.5)."""

    force: ForceId = ""
    piece: KindId = ""
    space: SpaceId = ""
    steps: ListName = ""
    """Instead of one piece: the query of a step, as list name and number."""
    at: int = 0
    owner: CountryId = ""
    battle: bool = False


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """Supply granted for this turn by the query of a step."""

    steps: ListName
    at: int
    owner: CountryId


class Turn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
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
    """Axis, Allies."""
    board: Board = Board()
    cards: tuple[Cards, ...] = (Cards(),) * len(COUNTRIES)
    """Per country in turn order."""
    statuses: tuple[tuple[str, ...], ...] = ((),) * len(COUNTRIES)
    """Face up on the table, per country."""
    turn: Turn = Turn()
    frames: tuple[Frame, ...] = ()

    def cards_of(self, country: str) -> Cards:
        """Return the cards of a country."""
        return self.cards[FORCE_INDEX[country]]
