"""The steps of card effects, with one class per operation (A.2). Frames refer to lists of steps by name."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec
from typing_extensions import override

from engine.kernel.unions import leaf_types, union_of
from engine.qmg.deck_terms import (
    EXACTLY_ONE,
    Amount,
    Condition,
    Count,
    Formula,
    Owners,
    Query,
    Ref,
    Selector,
    Term,
    Who,
    Word,
    as_tuple,
)
from engine.qmg.ids import CardType, Force, Kind


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """Base class of all steps."""

    def inner(self) -> "Mapping[str, Steps]":
        """Return the lists of steps inside this step, by the suffix of the list's name."""
        return {}


class Repeated(Step, frozen=True, kw_only=True):
    """Base class of steps that may be carried out several times, each time with a new choice (A.1.4)."""

    count: Count = EXACTLY_ONE


class WithSteps(Step, frozen=True, kw_only=True):
    """Base class of steps that may run another list of steps."""

    steps: "Steps"

    @override
    def inner(self) -> "Mapping[str, Steps]":
        return {"": self.steps}


class WithParts(Step, frozen=True, kw_only=True):
    """Base class of steps that contain several lists of steps to choose from."""

    by: Word

    @property
    def parts(self) -> "tuple[Steps, ...]":
        """Return the lists to choose from."""
        raise NotImplementedError

    @override
    def inner(self) -> "Mapping[str, Steps]":
        return {f"-{number}": steps for number, steps in enumerate(self.parts)}


class SpaceStep(Repeated, frozen=True, kw_only=True):
    """Base class of steps that a force carries out in a space."""

    spaces: Selector
    force: Word = "self"
    by: Word = msgspec.field(name="decided_by", default="self")
    """The country that makes the decisions."""


class Placing(SpaceStep, frozen=True, kw_only=True):
    """Base class of steps that place an Army or Navy."""

    piece: Literal["army", "navy"]


class BuildEffect(Placing, frozen=True, kw_only=True, tag="build"):
    """Build a piece (7.1, 7.2)."""


class RecruitEffect(Placing, frozen=True, kw_only=True, tag="recruit"):
    """Recruit a piece (7.3)."""


class BattleEffect(SpaceStep, frozen=True, kw_only=True, tag="battle"):
    """Battle a space (7.4)."""

    kind: Literal["land", "sea", "any"]
    from_piece: Kind | Literal[""] = ""
    """Kind of supplied piece that must be next to the space, or empty if any kind is sufficient."""


class EliminateEffect(Repeated, frozen=True, kw_only=True, tag="eliminate"):
    """Eliminate an Army or Navy (7.5)."""

    piece: Kind | Ref
    owners: Owners = msgspec.field(name="owner", default=())
    spaces: Selector = "any"


class EliminateAir(Step, frozen=True, kw_only=True, tag="eliminate_air"):
    """Eliminate an Air Force (13.4)."""

    owners: Owners = msgspec.field(name="owner")
    spaces: Selector = "any"
    air: Ref | None = None
    """If set, only the Air Force that acted in the event can be eliminated."""


class RemoveOwn(Step, frozen=True, kw_only=True, tag="remove_own"):
    """A country removes one of its own pieces (A.2)."""

    who: Word
    pieces: tuple[Kind, ...] = msgspec.field(name="piece")
    spaces: Selector
    count: Literal[1] = 1
    required: bool = False


class RebuildEach(Step, frozen=True, kw_only=True, tag="rebuild_each"):
    """The listed pieces may be removed and built again, one at a time (16.13)."""

    pieces: tuple[Kind, ...]
    force: Word


class DeployAir(SpaceStep, frozen=True, kw_only=True, tag="deploy_air"):
    """Deploy an Air Force without discarding an Air Power card (13.3)."""


class MarshalAir(SpaceStep, frozen=True, kw_only=True, tag="marshal_air"):
    """Marshal an Air Force without discarding a card (13.3)."""


class AirSuperiority(SpaceStep, frozen=True, kw_only=True, tag="air_superiority"):
    """Gain Air Superiority without discarding an Air Power card (13.3)."""


class GainVp(Step, frozen=True, kw_only=True, tag="gain_vp"):
    """Gain victory points for the owner's team."""

    amount: Amount


class DiscardEffect(Step, frozen=True, kw_only=True, tag="discard"):
    """Discard cards (9.4)."""

    who: Who
    zone: Literal["hand", "deck", "table_response", "table_status"]
    amount: Amount = msgspec.field(name="count")
    card_type: CardType | tuple[CardType, ...] = ()
    random: bool = False
    hidden: bool = False
    mandatory: bool = False
    chosen_by: Force | None = None
    name: str = ""
    """Name under which the number of discarded cards is recorded; empty if it is not recorded."""

    @property
    def up_to(self) -> int:
        """Return the maximum number of cards if the country chooses the number, or 0 if the number is fixed."""
        return self.amount.most if isinstance(self.amount, Formula) else 0

    @property
    def card_types(self) -> tuple[CardType, ...]:
        """Return the accepted card types. An empty tuple means that any type is accepted."""
        return as_tuple(self.card_type)


class UnlessDiscard(WithSteps, frozen=True, kw_only=True, tag="unless_discard"):
    """A country may discard cards to prevent other steps."""

    who: Who
    zone: Literal["hand"]
    n: int = msgspec.field(name="count")
    steps: "Steps" = msgspec.field(name="otherwise")


class CountryChoice(Term, frozen=True, kw_only=True):
    """A choice among countries that meet a condition."""

    choose: tuple[Force, ...]
    where: Condition | None = None


class EwDiscard(Step, frozen=True, kw_only=True, tag="ew_discard"):
    """Discard cards because of Economic Warfare (11)."""

    target: Word | CountryChoice
    amount: Amount


class ModifyEwDiscard(Step, frozen=True, kw_only=True, tag="modify_ew_discard"):
    """Change the number of cards discarded for Economic Warfare (11.1)."""

    target: Who
    delta: Amount | None = None
    exactly: int | None = msgspec.field(name="set", default=None)
    minimum: int | None = None


class Protected(Term, frozen=True, kw_only=True):
    """The pieces that a step protects: the event's piece, or all pieces that match a query."""

    ref: Literal["trigger.piece"] | None = None
    query: Query | None = None


class PreventRemoval(Step, frozen=True, kw_only=True, tag="prevent_removal"):
    """Protect one piece, or all pieces that match a query (10.5)."""

    piece: Protected
    duration: Literal["turn", "battle"]

    @property
    def query(self) -> Query | None:
        """Return the query for protected pieces, or None for the event's piece."""
        return self.piece.query


class CancelCard(Step, frozen=True, kw_only=True, tag="cancel_card"):
    """Cancel a card's text, or the use of a card (A.2)."""

    card: Ref
    scope: Literal["effect", "use", "use_this_turn"]


class DiscardStatus(Step, frozen=True, kw_only=True, tag="discard_status"):
    """Discard the event's Status from the table."""

    card: Ref


class Draw(Step, frozen=True, kw_only=True, tag="draw"):
    """Draw cards. An empty deck has no penalty."""

    who: Word
    n: int = msgspec.field(name="count")


class Search(Step, frozen=True, kw_only=True, tag="search"):
    """Take cards from the owner's deck or discard pile."""

    who: Literal["self"]
    zone: Literal["deck", "discard"]
    card_type: CardType | Literal[""] = ""
    """Type of the cards, or empty if any type is accepted."""
    count: Count
    to: Literal["hand", "table"]
    shuffle: bool = False


class LookReorder(Step, frozen=True, kw_only=True, tag="look_reorder"):
    """Look at the top cards of the owner's deck and put them back in any order."""

    who: Literal["self"]
    zone: Literal["deck"]
    n: int = msgspec.field(name="count")


class MovedCard(Term, frozen=True, kw_only=True):
    """The card that a step moves: the event's card, this card, or a card that the owner chooses from the hand."""

    ref: Literal["trigger.card", "this"] | None = None
    zone: Literal["hand"] | None = msgspec.field(name="from", default=None)
    who: Literal["self"] = "self"


class MoveCard(Repeated, frozen=True, kw_only=True, tag="move_card"):
    """Move a card to another place."""

    card: MovedCard
    to: Literal["deck_top", "deck_bottom", "deck_shuffle", "hand"]


class PlaceCard(Step, frozen=True, kw_only=True, tag="place_card"):
    """Put a card on the table."""

    who: Word
    zone: Literal["hand", "discard"]
    card_type: CardType
    to: Literal["table"]


class PlayCard(Step, frozen=True, kw_only=True, tag="play_card"):
    """Play a card from a zone, with its full effect."""

    who: Word
    zone: Literal["hand", "discard"]
    card_type: CardType | Literal[""] = ""
    count: Literal[1]
    exclude_self: bool = False
    optional: bool = False


class ReturnRandomDiscards(Step, frozen=True, kw_only=True, tag="return_random_discards"):
    """Put random cards from the discard pile on top of the deck."""

    who: Word
    amount: Amount = msgspec.field(name="count")
    to: Literal["deck_top"]


class GrantSupply(Step, frozen=True, kw_only=True, tag="grant_supply"):
    """Keep matching pieces in supply this turn."""

    query: Query
    duration: Literal["turn"]


class SetFlag(Step, frozen=True, kw_only=True, tag="set_flag"):
    """Suspend a rule this turn."""

    flag: Literal["no_air_defense"]
    duration: Literal["turn"]


class Snapshot(Step, frozen=True, kw_only=True, tag="snapshot"):
    """Give a name to a query about the board at the beginning of the turn."""

    name: str
    when: Literal["turn_begin"]
    query: Query


class ChooseEffect(WithParts, frozen=True, kw_only=True, tag="choose"):
    """Choose one list of steps."""

    parts: "tuple[Steps, ...]" = msgspec.field(name="options")


class ForCountries(WithSteps, frozen=True, kw_only=True):
    """Base class of steps that run other steps for countries."""

    countries: tuple[Force, ...]


class ChooseCountry(ForCountries, frozen=True, kw_only=True, tag="choose_country"):
    """Choose a country and run the steps. The steps refer to the country as ``chosen``."""

    by: Literal["self"]


class ForEachCountry(ForCountries, frozen=True, kw_only=True, tag="for_each_country"):
    """Run the steps for each country. The steps refer to the current country as ``each``."""


class AnyOrder(WithParts, frozen=True, kw_only=True, tag="any_order"):
    """Parts that may be carried out in any order, because the text does not join them by "then" (7.8)."""

    steps: "Steps"

    @property
    @override
    def parts(self) -> "tuple[Steps, ...]":
        return tuple((step,) for step in self.steps)


class If(WithSteps, frozen=True, kw_only=True, tag="if"):
    """Run the steps if the condition is met now."""

    condition: Condition


class PayThen(WithSteps, frozen=True, kw_only=True, tag="pay_then"):
    """Pay a cost and run the steps, or decline to do so."""

    cost: "Steps"
    optional: Literal[True]

    @override
    def inner(self) -> "Mapping[str, Steps]":
        return {"c": self.cost, "": self.steps}


STEPS: Final = leaf_types(Step, globals())
"""All step types."""
if TYPE_CHECKING:
    Op = Step
else:
    Op = union_of(STEPS)  # used by msgspec for decoding
Steps: TypeAlias = tuple[Op, ...]

STEP_LISTS: Final[dict[str, Steps]] = {}
"""Every list of steps, by name. Names have the form ``<card>:<ability>``, plus a path for lists inside steps."""


def inner_name(name: str, index: int, suffix: str = "") -> str:
    """Return the name of a list nested in a step of a named list."""
    return f"{name}.{index}{suffix}"


def named_lists(name: str, steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Yield a list and all lists inside it, with their names. Empty lists are skipped."""
    if not steps:
        return
    yield name, steps
    for index, step in enumerate(steps):
        for suffix, nested_steps in step.inner().items():
            yield from named_lists(inner_name(name, index, suffix), nested_steps)
