"""The steps of card effects, one class per operation (A.2); lists have names, so that a frame can point at one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

from engine.qmg.deck_terms import (
    ANYWHERE,
    Amount,
    Condition,
    Count,
    Query,
    Raw,
    Selector,
    amount,
    condition,
    count,
    listed,
    place,
    query,
    selector,
)


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all steps."""


class Build(Step, frozen=True, kw_only=True):
    """Build a piece (7.1, 7.2)."""

    piece: str
    spaces: Selector
    force: str = "self"
    by: str = "self"
    count: Count


class Recruit(Step, frozen=True, kw_only=True):
    """Recruit a piece (7.3)."""

    piece: str
    spaces: Selector
    force: str = "self"
    by: str = "self"
    count: Count


class Battle(Step, frozen=True, kw_only=True):
    """Battle a space (7.4)."""

    kind: str
    """``land``, ``sea`` or ``any``."""
    spaces: Selector
    force: str = "self"
    from_piece: str = ""
    """Only beside a supplied piece of this kind; empty for any."""
    count: Count


class Eliminate(Step, frozen=True, kw_only=True):
    """Eliminate an Army or Navy (7.5)."""

    piece: str
    """A kind, or ``trigger.piece``."""
    owners: tuple[str, ...] = ()
    spaces: Selector = ANYWHERE
    count: Count


class EliminateAir(Step, frozen=True, kw_only=True):
    """Eliminate an Air Force (13.4)."""

    owners: tuple[str, ...]
    spaces: Selector = ANYWHERE
    air: str = ""
    """``trigger.acting_air`` for exactly that one."""


class RemoveOwn(Step, frozen=True, kw_only=True):
    """A country removes its own piece (A.2)."""

    who: str
    pieces: tuple[str, ...]
    spaces: Selector


class RebuildEach(Step, frozen=True, kw_only=True):
    """Each listed piece may be taken off and built again (16.13)."""

    pieces: tuple[str, ...]
    force: str


class DeployAir(Step, frozen=True, kw_only=True):
    """Deploy an Air Force without an Air Power card (13.3)."""

    spaces: Selector
    force: str = "self"
    by: str = "self"


class MarshalAir(Step, frozen=True, kw_only=True):
    """Marshal an Air Force without the discard (13.3)."""

    spaces: Selector


class AirSuperiority(Step, frozen=True, kw_only=True):
    """Gain Air Superiority without an Air Power card (13.3)."""

    spaces: Selector
    force: str = "self"


class GainVp(Step, frozen=True, kw_only=True):
    """Victory points for the team of the owner."""

    amount: Amount


class Discard(Step, frozen=True, kw_only=True):
    """Discard cards (9.4)."""

    who: str
    zone: str
    """``hand``, ``deck``, ``table_response`` or ``table_status``."""
    amount: Amount
    up_to: int = 0
    """More than 0: any number of real cards up to this one."""
    card_types: tuple[str, ...] = ()
    random: bool = False
    name: str = ""
    """The number discarded is recorded under this name."""


class UnlessDiscard(Step, frozen=True, kw_only=True):
    """A country may discard; otherwise steps happen."""

    who: str
    n: int
    otherwise: str


class EwDiscard(Step, frozen=True, kw_only=True):
    """An Economic Warfare discard (11)."""

    target: str
    """A country, ``each``, or empty for a choice."""
    choose: tuple[str, ...] = ()
    where: Condition | None = None
    amount: Amount


class ModifyEwDiscard(Step, frozen=True, kw_only=True):
    """Change an Economic Warfare discard (11.1)."""

    target: str
    delta: Amount | None = None
    exactly: int | None = None
    minimum: int | None = None


class PreventRemoval(Step, frozen=True, kw_only=True):
    """Protect a piece, or all that match (10.5)."""

    query: Query | None
    """None protects the piece of the trigger."""
    duration: str


class CancelCard(Step, frozen=True, kw_only=True):
    """Cancel the text of a card or a use (A.2)."""

    scope: str


class DiscardStatus(Step, frozen=True, kw_only=True):
    """Discard the Status of the trigger from the table."""


class Draw(Step, frozen=True, kw_only=True):
    """Draw cards; none left is no penalty."""

    who: str
    n: int


class Search(Step, frozen=True, kw_only=True):
    """Take cards out of the deck or the discard pile."""

    zone: str
    card_type: str
    """Empty for any."""
    count: Count
    to: str
    """``hand`` or ``table``."""


class LookReorder(Step, frozen=True, kw_only=True):
    """Look at the top cards and put them back in any order."""

    n: int


class MoveCard(Step, frozen=True, kw_only=True):
    """Change where a card goes."""

    card: str
    """``trigger.card``, ``this`` or ``hand`` for cards that the owner picks."""
    to: str
    """``deck_top``, ``deck_bottom``, ``deck_shuffle`` or ``hand``."""
    count: Count


class PlaceCard(Step, frozen=True, kw_only=True):
    """Put a card on the table."""

    who: str
    zone: str
    card_type: str


class PlayCard(Step, frozen=True, kw_only=True):
    """Play a card of a zone with full effect."""

    who: str
    zone: str
    card_type: str = ""
    exclude_self: bool = False


class ReturnRandomDiscards(Step, frozen=True, kw_only=True):
    """Random cards of the discard pile go on top of the deck."""

    who: str
    amount: Amount


class GrantSupply(Step, frozen=True, kw_only=True):
    """Matching pieces are in supply this turn."""

    query: Query


class SetFlag(Step, frozen=True, kw_only=True):
    """A rule is off this turn."""

    flag: str


class Snapshot(Step, frozen=True, kw_only=True):
    """The board of the turn's beginning is remembered anyway; this names what is asked of it."""


class Choose(Step, frozen=True, kw_only=True):
    """Pick one list of steps."""

    by: str
    options: tuple[str, ...]


class ChooseCountry(Step, frozen=True, kw_only=True):
    """Pick a country; it is ``chosen`` in the steps."""

    countries: tuple[str, ...]
    steps: str


class ForEachCountry(Step, frozen=True, kw_only=True):
    """Run the steps for each country; it is ``each``."""

    countries: tuple[str, ...]
    steps: str


class AnyOrder(Step, frozen=True, kw_only=True):
    """Parts joined without "then" (7.8)."""

    by: str
    parts: tuple[str, ...]
    """One list of a single step each."""


class If(Step, frozen=True, kw_only=True):
    """Run the steps if the condition holds now."""

    condition: Condition
    steps: str


class PayThen(Step, frozen=True, kw_only=True):
    """Pay to run the steps, or decline."""

    cost: str
    steps: str


Op: TypeAlias = (
    Build
    | Recruit
    | Battle
    | Eliminate
    | EliminateAir
    | RemoveOwn
    | RebuildEach
    | DeployAir
    | MarshalAir
    | AirSuperiority
    | GainVp
    | Discard
    | UnlessDiscard
    | EwDiscard
    | ModifyEwDiscard
    | PreventRemoval
    | CancelCard
    | DiscardStatus
    | Draw
    | Search
    | LookReorder
    | MoveCard
    | PlaceCard
    | PlayCard
    | ReturnRandomDiscards
    | GrantSupply
    | SetFlag
    | Snapshot
    | Choose
    | ChooseCountry
    | ForEachCountry
    | AnyOrder
    | If
    | PayThen
)

STEP_LISTS: Final[dict[str, tuple[Op, ...]]] = {}
"""Every list of steps by name: ``<card>:<ability>`` with a path behind it for lists inside steps."""


class Compiler:
    """Turns the steps of one ability into classes and files their lists."""

    def __init__(self, name: str) -> None:
        """Compile an ability; the name becomes that of its list."""
        self._name = name
        self._snapshots: dict[str, Query] = {}

    def compile(self, raw: Sequence[Raw], path: str = "") -> str:
        """File a list of steps and return its name; an empty list has no name."""
        if not raw:
            return ""
        name = self._name + path
        STEP_LISTS[name] = tuple(
            self._step(step, f"{path}.{number}") for number, step in enumerate(raw)
        )
        return name

    def _spaces(self, raw: Raw) -> Selector:
        return selector(raw.get("spaces"), self._snapshots)

    def _step(self, raw: Raw, path: str) -> Op:
        op = raw["op"]
        if op == "snapshot":
            self._snapshots[raw["name"]] = query(raw["query"])
            return Snapshot()
        nested = _NESTED.get(op)
        if nested is not None:
            return nested(self, raw, path)
        return _PLAIN[op](raw, self._spaces(raw))


def _who(raw: object) -> str:
    return place(raw) if raw is not None else "self"


def _card(raw: Mapping[str, Any]) -> str:
    return "hand" if "from" in raw else place(raw)


def _discard(raw: Raw, spaces: Selector) -> Discard:
    del spaces
    number = raw["count"]
    is_range = isinstance(number, Mapping) and "min" in number
    return Discard(
        who=_who(raw["who"]),
        zone=raw["zone"],
        amount=amount(0 if is_range else number),
        up_to=number["max"] if is_range else 0,
        card_types=listed(raw.get("card_type")),
        random=bool(raw.get("random", False)),
        name=raw.get("name", ""),
    )


def _ew_discard(raw: Raw, spaces: Selector) -> EwDiscard:
    del spaces
    target = raw["target"]
    if isinstance(target, str):
        return EwDiscard(target=target, amount=amount(raw["amount"]))
    return EwDiscard(
        target="",
        choose=listed(target["choose"]),
        where=condition(target.get("where")),
        amount=amount(raw["amount"]),
    )


def _eliminate(raw: Raw, spaces: Selector) -> Eliminate:
    piece = raw["piece"]
    return Eliminate(
        piece=piece if isinstance(piece, str) else place(piece),
        owners=listed(raw.get("owner")),
        spaces=spaces,
        count=count(raw.get("count")),
    )


_PLAIN: Final[Mapping[str, Callable[[Raw, Selector], Op]]] = {
    "build": lambda raw, spaces: Build(
        piece=raw["piece"],
        spaces=spaces,
        force=raw.get("force", "self"),
        by=raw.get("decided_by", ""),
        count=count(raw.get("count")),
    ),
    "recruit": lambda raw, spaces: Recruit(
        piece=raw["piece"],
        spaces=spaces,
        force=raw.get("force", "self"),
        by=raw.get("decided_by", ""),
        count=count(raw.get("count")),
    ),
    "battle": lambda raw, spaces: Battle(
        kind=raw["kind"],
        spaces=spaces,
        force=raw.get("force", "self"),
        from_piece=raw.get("from_piece", ""),
        count=count(raw.get("count")),
    ),
    "eliminate": _eliminate,
    "eliminate_air": lambda raw, spaces: EliminateAir(
        owners=listed(raw["owner"]), spaces=spaces, air=place(raw["air"]) if "air" in raw else ""
    ),
    "remove_own": lambda raw, spaces: RemoveOwn(
        who=_who(raw["who"]), pieces=listed(raw["piece"]), spaces=spaces
    ),
    "rebuild_each": lambda raw, _spaces: RebuildEach(
        pieces=listed(raw["pieces"]), force=raw["force"]
    ),
    "deploy_air": lambda raw, spaces: DeployAir(
        spaces=spaces, force=raw.get("force", "self"), by=raw.get("decided_by", "")
    ),
    "marshal_air": lambda _raw, spaces: MarshalAir(spaces=spaces),
    "air_superiority": lambda raw, spaces: AirSuperiority(
        spaces=spaces, force=raw.get("force", "self")
    ),
    "gain_vp": lambda raw, _spaces: GainVp(amount=amount(raw["amount"])),
    "discard": _discard,
    "ew_discard": _ew_discard,
    "modify_ew_discard": lambda raw, _spaces: ModifyEwDiscard(
        target=_who(raw["target"]),
        delta=amount(raw["delta"]) if "delta" in raw else None,
        exactly=raw.get("set"),
        minimum=raw.get("minimum"),
    ),
    "prevent_removal": lambda raw, _spaces: PreventRemoval(
        query=query(raw["piece"]["query"]) if "query" in raw["piece"] else None,
        duration=raw["duration"],
    ),
    "cancel_card": lambda raw, _spaces: CancelCard(scope=raw["scope"]),
    "discard_status": lambda _raw, _spaces: DiscardStatus(),
    "draw": lambda raw, _spaces: Draw(who=_who(raw["who"]), n=raw["count"]),
    "search": lambda raw, _spaces: Search(
        zone=raw["zone"],
        card_type=raw.get("card_type", ""),
        count=count(raw["count"]),
        to=raw["to"],
    ),
    "look_reorder": lambda raw, _spaces: LookReorder(n=raw["count"]),
    "move_card": lambda raw, _spaces: MoveCard(
        card=_card(raw["card"]), to=raw["to"], count=count(raw.get("count"))
    ),
    "place_card": lambda raw, _spaces: PlaceCard(
        who=_who(raw["who"]), zone=raw["zone"], card_type=raw["card_type"]
    ),
    "play_card": lambda raw, _spaces: PlayCard(
        who=_who(raw["who"]),
        zone=raw["zone"],
        card_type=raw.get("card_type", ""),
        exclude_self=bool(raw.get("exclude_self", False)),
    ),
    "return_random_discards": lambda raw, _spaces: ReturnRandomDiscards(
        who=_who(raw["who"]), amount=amount(raw["count"])
    ),
    "grant_supply": lambda raw, _spaces: GrantSupply(query=query(raw["query"])),
    "set_flag": lambda raw, _spaces: SetFlag(flag=raw["flag"]),
}


def _if(compiler: Compiler, raw: Raw, path: str) -> If:
    holds = condition(raw["condition"])
    assert holds is not None
    return If(condition=holds, steps=compiler.compile(raw["steps"], path))


_NESTED: Final[Mapping[str, Callable[[Compiler, Raw, str], Op]]] = {
    "choose": lambda compiler, raw, path: Choose(
        by=raw["by"],
        options=tuple(
            compiler.compile(option, f"{path}-{number}")
            for number, option in enumerate(raw["options"])
        ),
    ),
    "choose_country": lambda compiler, raw, path: ChooseCountry(
        countries=listed(raw["countries"]), steps=compiler.compile(raw["steps"], path)
    ),
    "for_each_country": lambda compiler, raw, path: ForEachCountry(
        countries=listed(raw["countries"]), steps=compiler.compile(raw["steps"], path)
    ),
    "any_order": lambda compiler, raw, path: AnyOrder(
        by=raw["by"],
        parts=tuple(
            compiler.compile([step], f"{path}-{number}") for number, step in enumerate(raw["steps"])
        ),
    ),
    "if": _if,
    "pay_then": lambda compiler, raw, path: PayThen(
        cost=compiler.compile(raw["cost"], f"{path}c"), steps=compiler.compile(raw["steps"], path)
    ),
    "unless_discard": lambda compiler, raw, path: UnlessDiscard(
        who=_who(raw["who"]),
        n=raw["count"],
        otherwise=compiler.compile(raw["otherwise"], path),
    ),
}
