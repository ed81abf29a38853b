"""The steps of card effects, one class per operation (A.2); lists have names, so that a frame can point at one."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import msgspec

from engine.kernel.unions import kinds, union_of
from engine.qmg.deck_terms import (
    ONCE,
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
    listed,
)
from engine.qmg.ids import CardType, Force, Kind


class Step(msgspec.Struct, frozen=True, kw_only=True, tag_field="op", forbid_unknown_fields=True):
    """Base of all steps."""

    def inner(self) -> "Mapping[str, Steps]":
        """Return the lists inside the step by what follows the step's number in their names."""
        return {}


class Repeated(Step, frozen=True, kw_only=True):
    """Base of steps that may be done several times, each a new choice (A.1.4)."""

    count: Count = ONCE


class WithSteps(Step, frozen=True, kw_only=True):
    """Base of steps that may run a list of others."""

    steps: "Steps"

    def inner(self) -> "Mapping[str, Steps]":
        """Return the list."""
        return {"": self.steps}


class WithParts(Step, frozen=True, kw_only=True):
    """Base of steps that have several lists to choose from."""

    by: Word

    @property
    def parts(self) -> "tuple[Steps, ...]":
        """Return the lists."""
        raise NotImplementedError

    def inner(self) -> "Mapping[str, Steps]":
        """Return the lists by their numbers from 0."""
        return {f"-{number}": steps for number, steps in enumerate(self.parts)}


class OnBoard(Repeated, frozen=True, kw_only=True):
    """Base of steps by which a force does something in a space."""

    spaces: Selector
    force: Word = "self"
    by: Word = msgspec.field(name="decided_by", default="self")
    """Who decides."""


class Placing(OnBoard, frozen=True, kw_only=True):
    """Base of steps that place an Army or Navy."""

    piece: Literal["army", "navy"]


class Build(Placing, frozen=True, kw_only=True, tag="build"):
    """Build a piece (7.1, 7.2)."""


class Recruit(Placing, frozen=True, kw_only=True, tag="recruit"):
    """Recruit a piece (7.3)."""


class Battle(OnBoard, frozen=True, kw_only=True, tag="battle"):
    """Battle a space (7.4)."""

    kind: Literal["land", "sea", "any"]
    from_piece: Kind | Literal[""] = ""
    """Only beside a supplied piece of this kind; empty for any."""


class Eliminate(Repeated, frozen=True, kw_only=True, tag="eliminate"):
    """Eliminate an Army or Navy (7.5)."""

    piece: Kind | Ref
    owners: Owners = msgspec.field(name="owner", default=())
    spaces: Selector = "any"


class EliminateAir(Step, frozen=True, kw_only=True, tag="eliminate_air"):
    """Eliminate an Air Force (13.4)."""

    owners: Owners = msgspec.field(name="owner")
    spaces: Selector = "any"
    air: Ref | None = None
    """Exactly the one that acted."""


class RemoveOwn(Step, frozen=True, kw_only=True, tag="remove_own"):
    """A country removes its own piece (A.2)."""

    who: Word
    pieces: tuple[Kind, ...] = msgspec.field(name="piece")
    spaces: Selector
    count: Literal[1] = 1
    required: bool = False


class RebuildEach(Step, frozen=True, kw_only=True, tag="rebuild_each"):
    """Each listed piece may be taken off and built again (16.13)."""

    pieces: tuple[Kind, ...]
    force: Word


class DeployAir(OnBoard, frozen=True, kw_only=True, tag="deploy_air"):
    """Deploy an Air Force without an Air Power card (13.3)."""


class MarshalAir(OnBoard, frozen=True, kw_only=True, tag="marshal_air"):
    """Marshal an Air Force without the discard (13.3)."""


class AirSuperiority(OnBoard, frozen=True, kw_only=True, tag="air_superiority"):
    """Gain Air Superiority without an Air Power card (13.3)."""


class GainVp(Step, frozen=True, kw_only=True, tag="gain_vp"):
    """Victory points for the team of the owner."""

    amount: Amount


class Discard(Step, frozen=True, kw_only=True, tag="discard"):
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
    """The number discarded is recorded under this name."""

    @property
    def up_to(self) -> int:
        """Return how many real cards may be discarded at most; 0 when the number is fixed."""
        return self.amount.most if isinstance(self.amount, Formula) else 0

    @property
    def card_types(self) -> tuple[CardType, ...]:
        """Return the types that will do; empty for any."""
        return listed(self.card_type)


class UnlessDiscard(WithSteps, frozen=True, kw_only=True, tag="unless_discard"):
    """A country may discard; otherwise steps happen."""

    who: Who
    zone: Literal["hand"]
    n: int = msgspec.field(name="count")
    steps: "Steps" = msgspec.field(name="otherwise")


class Choice(Term, frozen=True, kw_only=True):
    """One of several countries for which a condition holds."""

    choose: tuple[Force, ...]
    where: Condition | None = None


class EwDiscard(Step, frozen=True, kw_only=True, tag="ew_discard"):
    """An Economic Warfare discard (11)."""

    target: Word | Choice
    amount: Amount


class ModifyEwDiscard(Step, frozen=True, kw_only=True, tag="modify_ew_discard"):
    """Change an Economic Warfare discard (11.1)."""

    target: Who
    delta: Amount | None = None
    exactly: int | None = msgspec.field(name="set", default=None)
    minimum: int | None = None


class Protected(Term, frozen=True, kw_only=True):
    """The piece of the event, or all that match a query."""

    ref: Literal["trigger.piece"] | None = None
    query: Query | None = None


class PreventRemoval(Step, frozen=True, kw_only=True, tag="prevent_removal"):
    """Protect a piece, or all that match (10.5)."""

    piece: Protected
    duration: Literal["turn", "battle"]

    @property
    def query(self) -> Query | None:
        """Return what is protected; None for the piece of the event."""
        return self.piece.query


class CancelCard(Step, frozen=True, kw_only=True, tag="cancel_card"):
    """Cancel the text of a card or a use (A.2)."""

    card: Ref
    scope: Literal["effect", "use", "use_this_turn"]


class DiscardStatus(Step, frozen=True, kw_only=True, tag="discard_status"):
    """Discard the Status of the event from the table."""

    card: Ref


class Draw(Step, frozen=True, kw_only=True, tag="draw"):
    """Draw cards; none left is not a penalty."""

    who: Word
    n: int = msgspec.field(name="count")


class Search(Step, frozen=True, kw_only=True, tag="search"):
    """Take cards out of the own deck or discard pile."""

    who: Literal["self"]
    zone: Literal["deck", "discard"]
    card_type: CardType | Literal[""] = ""
    """Empty for any."""
    count: Count
    to: Literal["hand", "table"]
    shuffle: bool = False


class LookReorder(Step, frozen=True, kw_only=True, tag="look_reorder"):
    """Look at the top cards of the own deck and put them back in any order."""

    who: Literal["self"]
    zone: Literal["deck"]
    n: int = msgspec.field(name="count")


class MovedCard(Term, frozen=True, kw_only=True):
    """The card of the event, this one, or one that the owner picks from hand."""

    ref: Literal["trigger.card", "this"] | None = None
    zone: Literal["hand"] | None = msgspec.field(name="from", default=None)
    who: Literal["self"] = "self"


class MoveCard(Repeated, frozen=True, kw_only=True, tag="move_card"):
    """Change where a card goes."""

    card: MovedCard
    to: Literal["deck_top", "deck_bottom", "deck_shuffle", "hand"]


class PlaceCard(Step, frozen=True, kw_only=True, tag="place_card"):
    """Put a card on the table."""

    who: Word
    zone: Literal["hand", "discard"]
    card_type: CardType
    to: Literal["table"]


class PlayCard(Step, frozen=True, kw_only=True, tag="play_card"):
    """Play a card of a zone with full effect."""

    who: Word
    zone: Literal["hand", "discard"]
    card_type: CardType | Literal[""] = ""
    count: Literal[1]
    exclude_self: bool = False
    optional: bool = False


class ReturnRandomDiscards(Step, frozen=True, kw_only=True, tag="return_random_discards"):
    """Random cards of the discard pile go on top of the deck."""

    who: Word
    amount: Amount = msgspec.field(name="count")
    to: Literal["deck_top"]


class GrantSupply(Step, frozen=True, kw_only=True, tag="grant_supply"):
    """Matching pieces are in supply this turn."""

    query: Query
    duration: Literal["turn"]


class SetFlag(Step, frozen=True, kw_only=True, tag="set_flag"):
    """A rule is off this turn."""

    flag: Literal["no_air_defense"]
    duration: Literal["turn"]


class Snapshot(Step, frozen=True, kw_only=True, tag="snapshot"):
    """The board of the turn's beginning is remembered anyway; this names what is asked of it."""

    name: str
    when: Literal["turn_begin"]
    query: Query


class Choose(WithParts, frozen=True, kw_only=True, tag="choose"):
    """Pick one list of steps."""

    parts: "tuple[Steps, ...]" = msgspec.field(name="options")


class ForCountries(WithSteps, frozen=True, kw_only=True):
    """Base of steps that run others for countries."""

    countries: tuple[Force, ...]


class ChooseCountry(ForCountries, frozen=True, kw_only=True, tag="choose_country"):
    """Pick a country; it is ``chosen`` in the steps."""

    by: Literal["self"]


class ForEachCountry(ForCountries, frozen=True, kw_only=True, tag="for_each_country"):
    """Run the steps for each country; it is ``each``."""


class AnyOrder(WithParts, frozen=True, kw_only=True, tag="any_order"):
    """Parts joined without "then" (7.8)."""

    steps: "Steps"

    @property
    def parts(self) -> "tuple[Steps, ...]":
        """Return one list for each step."""
        return tuple((step,) for step in self.steps)


class If(WithSteps, frozen=True, kw_only=True, tag="if"):
    """Run the steps if the condition holds now."""

    condition: Condition


class PayThen(WithSteps, frozen=True, kw_only=True, tag="pay_then"):
    """Pay to run the steps, or decline."""

    cost: "Steps"
    optional: Literal[True]

    def inner(self) -> "Mapping[str, Steps]":
        """Return the costs and the steps."""
        return {"c": self.cost, "": self.steps}


STEPS: Final = kinds(Step, globals())
"""All steps."""
if TYPE_CHECKING:
    Op = Step
else:
    Op = union_of(STEPS)  # by which msgspec decodes
Steps: TypeAlias = tuple[Op, ...]

STEP_LISTS: Final[dict[str, Steps]] = {}
"""Every list of steps by name: ``<card>:<ability>`` with a path behind it for lists inside steps."""


def inner_name(name: str, at: int, suffix: str = "") -> str:
    """Return the name of a list inside a step of a named list."""
    return f"{name}.{at}{suffix}"


def named_lists(name: str, steps: Steps) -> Iterator[tuple[str, Steps]]:
    """Yield a list and all lists inside it with their names; an empty one has none."""
    if not steps:
        return
    yield name, steps
    for at, step in enumerate(steps):
        for suffix, inside in step.inner().items():
            yield from named_lists(inner_name(name, at, suffix), inside)
