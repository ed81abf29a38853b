"""The progress of the game: a stack of frames, with the innermost frame last (10.4, 10.5).

Frames contain only public information, so every copy of a record has the same stack. The only exception is a country
that is looking at cards: other copies contain blanks instead of the cards.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal, TypeAlias

import msgspec
from typing_extensions import override

from engine.kernel.unions import leaf_types, union_of
from engine.qmg.atlas import SPACE
from engine.qmg.deck import CARD
from engine.qmg.deck_steps import STEP_LISTS
from engine.qmg.ids import AIR, FORCES, HIDDEN, KINDS, CardType
from engine.qmg.names import CountryId, ForceId, KindId, Known, SpaceId, TeamId

CardId: TypeAlias = Annotated[str, Known("card", CARD)]
ListName: TypeAlias = Annotated[str, Known("list of steps", STEP_LISTS)]
_PIECES = tuple(f"{kind}:{space}" for kind in KINDS for space in SPACE)
PieceAt: TypeAlias = Annotated[
    str, Known("piece", frozenset(f"{force}:{piece}" for force in FORCES for piece in _PIECES))
]
"""A piece, formatted as ``force:kind:space``."""
Left: TypeAlias = Annotated[
    str, Known("part", frozenset(("", *SPACE, *_PIECES, *map(str, range(100)))))
]
"""An entry of a step's data: a space, a ``kind:space`` pair or the number of a part."""
Why: TypeAlias = Literal["battle", "eliminate", "supply", "own", "air", "stranded"]
"""The reason for a removal."""
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
Departed: TypeAlias = Number
"""Number of pieces of the same force and kind that had left the space this turn when the frame was recorded (10.5).

If more have left since, the piece now in the space is a different piece.
"""


class FrameBase(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="frame", omit_defaults=True, gc=False
):
    """Base class of all frames."""


class OfCountry(FrameBase, frozen=True, kw_only=True):
    """Base class of frames that belong to one country."""

    country: CountryId


class Trigger(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The event that opens a window (10.2)."""

    kind: str
    cause: TeamId
    """Team of the force or country that caused the event."""
    by: ForceId = ""
    """Force or country that acted. For the beginning or end of a step, this is the active country."""
    space: SpaceId = ""
    piece: KindId = ""
    owner: ForceId = ""
    """Force that owns the event's piece."""
    card: Annotated[str, Known("card", {*CARD, HIDDEN})] = ""
    targets: tuple[CountryId, ...] = ()
    """Countries targeted by an Economic Warfare card."""
    was_supplied: bool = False
    """True if the piece was in supply just before its removal."""
    last: bool = False
    why: Why | Literal[""] = ""
    """The reason for a removal; empty for other events."""
    step: Literal["", "play"] = ""
    """``play`` for a card played as the action of the Play step."""
    against: ForceId = ""
    origin: SpaceId = ""
    """Space of the Air Force that gained Air Superiority; empty for other events."""
    departed: Departed = 0

    @property
    def subject(self) -> tuple[str, str, str]:
        """Return the force, kind and space of the piece that responses may refer to.

        If there is no such piece, all three strings are empty.
        """
        if self.origin:
            return self.by, AIR, self.origin
        return (self.owner, self.piece, self.space) if self.owner and self.piece else ("", "", "")


class Binds(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Values of the names used in a card's text (A.1.5)."""

    spaces: tuple[Annotated[str, Known("space", ("", *SPACE))], ...] = ()
    """The space used by each earlier step in the list; an empty string if the step did not use a space."""
    chosen: ForceId = ""
    each: ForceId = ""
    numbers: tuple[tuple[str, int], ...] = ()

    @override
    def __reduce__(self) -> str | tuple[object, ...]:
        """Pickle ``NO_BINDS`` by name, so that it stays a single object: msgspec recognises defaults by identity."""
        return "NO_BINDS" if self is NO_BINDS else super().__reduce__()


NO_BINDS: Final = Binds()
"""Default for texts that use no names."""


class Source(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The card whose text is being carried out, and the event that triggered it."""

    owner: CountryId
    """The country that owns the card."""
    card: CardId
    """The card instance."""
    trigger: Trigger | None = None
    by_build_card: bool = False
    """True for the text of a Build card, which may designate a piece (7.6)."""


class SetupFrame(FrameBase, frozen=True, kw_only=True, tag="setup"):
    """Countries discard cards from their first hands (3.1)."""

    left: Annotated[tuple[Number, ...], msgspec.Meta(min_length=6, max_length=6)]
    """Number of cards that each country must still discard, in turn order."""


class ConstructionFrame(FrameBase, frozen=True, kw_only=True, tag="construction"):
    """Countries choose the cards of their decks before set-up (13.9)."""

    left: Annotated[tuple[Number, ...], msgspec.Meta(min_length=6, max_length=6)]
    """Number of cards that each country must still choose, in turn order."""


class TurnFrame(OfCountry, frozen=True, kw_only=True, tag="turn"):
    """A country's turn (10.7)."""

    stage: str


class PlayStepFrame(OfCountry, frozen=True, kw_only=True, tag="play-step"):
    """The action of the Play step is being chosen (8.2)."""

    barred: tuple[str, ...] = ()
    """Statuses that were used and then cancelled. The country takes another action instead (18.31)."""
    using: str = ""
    """The Status that is used instead of playing a card; ``?`` after any other action; empty before the action."""


class WindowFrame(FrameBase, frozen=True, kw_only=True, tag="window"):
    """A response window (10.4)."""

    trigger: Trigger
    done: tuple[str, ...] = ()
    """Cards already used for this event."""
    passes: Annotated[int, msgspec.Meta(ge=0, le=1)] = 0
    turn: Number = 0
    """Index of the poll, from 0. In polls with an even index, the team that did not cause the event is asked."""
    polled: Annotated[int, msgspec.Meta(ge=0, le=2)] = 0
    """Index of the country being asked, in its team's order."""
    cancelled: bool = False
    air_defended: bool = False
    changes: tuple[tuple[CountryId, int], ...] = ()
    """For ``ew_played``, each target's boost. For ``ew_targeted``, the number of cards that the target will discard."""


class UseFrame(OfCountry, frozen=True, kw_only=True, tag="use"):
    """A card's ability is being used (10.4)."""

    card: CardId
    ability: Number
    trigger: Trigger | None = None
    stage: Literal["", "declared", "paid", "over", "end"] = ""


class StepsFrame(FrameBase, frozen=True, kw_only=True, tag="steps"):
    """A list of steps is being carried out (A.2)."""

    steps: ListName
    """Name of the list of steps."""
    source: Source
    at: Number = 0
    binds: Binds = NO_BINDS
    repeats: Number = 0
    """Number of completed repetitions of the current step."""
    stage: Literal["", "inside", "pick", "built", "build:army", "build:navy"] = ""
    """Stage of the current step. Each operation uses its own values."""
    is_cost: bool = False
    """True for a cost, which must be paid in full and cannot be declined."""
    rest: tuple[Left, ...] = ()
    """Data about the current step: the remaining pieces, the parts already carried out, or the space used."""


class PlayFrame(OfCountry, frozen=True, kw_only=True, tag="card"):
    """A card is being played (10.7)."""

    card: CardId
    step: Literal["", "play"] = ""
    """``play`` if the card is the action of the Play step."""
    stage: Literal["", "target", "answered", "cost", "paid", "after", "end"] = ""
    cancelled: bool = False
    boosts: tuple[tuple[str, int], ...] = ()
    target: ForceId = ""
    """Country chosen as the target of an Economic Warfare card; empty if no target was chosen."""
    to: Literal["", "deck_top", "deck_bottom", "deck_shuffle", "hand"] = ""
    """The card's destination. If empty, the card goes to the discard pile."""


class EwFrame(FrameBase, frozen=True, kw_only=True, tag="economic-warfare"):
    """A country is about to discard for Economic Warfare (11.1)."""

    target: CountryId
    amount: Number
    cause: TeamId
    by: ForceId
    card: CardId
    stage: Literal["", "reduced"] = ""


class BattleFrame(FrameBase, frozen=True, kw_only=True, tag="battle"):
    """A battle (10.5)."""

    by: ForceId
    space: SpaceId
    piece: KindId
    """``army`` on land, ``navy`` at sea."""
    target: ForceId = ""
    departed: Departed = 0
    stage: Literal["", "battled", "over", "end"] = ""


class RemovalFrame(FrameBase, frozen=True, kw_only=True, tag="removal"):
    """A piece is about to be removed (10.5)."""

    owner: ForceId
    piece: KindId
    space: SpaceId
    by: ForceId
    """Force that causes the removal."""
    cause: TeamId
    why: Why
    stage: Literal["", "asked", "defended", "take", "taken", "end"] = ""
    departed: Departed = 0
    was_supplied: bool = False


class SuperiorityFrame(FrameBase, frozen=True, kw_only=True, tag="superiority"):
    """An Air Force gains Air Superiority (13.3 c)."""

    force: ForceId
    origin: SpaceId
    space: SpaceId
    target: ForceId = ""
    departed: Departed = 0
    stage: Literal["", "removed", "end"] = ""


class RepositionFrame(FrameBase, frozen=True, kw_only=True, tag="reposition"):
    """An Air Force without an Army or Navy in its space must move (13.4)."""

    force: ForceId
    space: SpaceId


class HandDiscardFrame(OfCountry, frozen=True, kw_only=True, tag="hand-discard"):
    """A country discards cards from hand (9.4)."""

    left: Number
    types: tuple[CardType, ...] = ()
    """Accepted card types, or empty if any type is accepted."""
    optional: bool = False
    """True if the country may stop at any time."""
    count: Number = 0
    """Number of cards discarded so far."""
    overflow: Number = 0
    """Number of cards that must be discarded from the deck afterwards."""
    shown: bool = False
    """True if everyone sees the types of the discarded cards (9.3)."""
    why: str = ""


class ReallocateFrame(OfCountry, frozen=True, kw_only=True, tag="reallocate"):
    """Resources are being reallocated (8.3)."""

    stage: Literal["", "search", "end"] = ""


class AirStepFrame(OfCountry, frozen=True, kw_only=True, tag="air-step"):
    """The Air step (13.3)."""

    stage: Literal[""] = ""
    pending: tuple[str, ...] = ()
    """Force, origin and destination of a Marshal that is being paid for; otherwise empty."""
    minor_done: bool = False
    action_done: bool = False


class SupplyStepFrame(OfCountry, frozen=True, kw_only=True, tag="supply-step"):
    """Pieces out of supply are being removed (6.6)."""

    left: tuple[PieceAt, ...]
    """Pieces that are still to be removed."""
    departed: tuple[PieceAt, ...] = ()
    """Pieces that had already left these spaces. A piece that enters later was not out of supply (10.5)."""


class BonusFrame(OfCountry, frozen=True, kw_only=True, tag="bonuses"):
    """Statuses are scoring in the Victory step (12.1)."""

    done: tuple[str, ...] = ()


class DiscardStepFrame(OfCountry, frozen=True, kw_only=True, tag="discard-step"):
    """The Discard step (8.4)."""

    count: int = 0


class SearchFrame(OfCountry, frozen=True, kw_only=True, tag="search"):
    """A country takes cards from a zone (A.2)."""

    zone: Annotated[str, Known("zone", ("deck", "discard", "deck+discard"))]
    type: CardType | Literal["", "basic"]
    left: Number
    to: Literal["hand", "statuses"]
    shown: bool


class LookFrame(OfCountry, frozen=True, kw_only=True, tag="look"):
    """A country arranges the top cards of its deck (A.2)."""

    ordered: Number
    """Number of cards placed so far. These cards are on top of the other cards."""
    total: Number


FRAMES: Final = leaf_types(FrameBase, globals())
"""All frame types."""
if TYPE_CHECKING:
    Frame = FrameBase
else:
    Frame = union_of(FRAMES)  # used by msgspec for decoding
