"""Terms of card data: selectors of spaces, queries for pieces, conditions, amounts, triggers.

The classes say what a card says; ``terms.py`` evaluates them on a board.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from engine.qmg.atlas import BIT, EVERYWHERE, mask, titled

Raw: TypeAlias = Mapping[str, Any]


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all terms."""


class Named(Term, frozen=True, kw_only=True):
    """These spaces."""

    spaces: int


class Near(Term, frozen=True, kw_only=True):
    """Spaces at a distance from one space (5.6)."""

    of: str
    """A space id, a reference such as ``trigger.space``, or ``home:`` and a country or reference."""
    least: int
    most: int


class NextTo(Term, frozen=True, kw_only=True):
    """Spaces adjacent to at least one matching piece."""

    query: "Query"


class Holding(Term, frozen=True, kw_only=True):
    """Spaces with a matching piece."""

    query: "Query"


class AtTurnBegin(Term, frozen=True, kw_only=True):
    """Spaces with a matching piece on the board of the turn's beginning."""

    query: "Query"


Selector: TypeAlias = Named | Near | NextTo | Holding | AtTurnBegin
ANYWHERE = Named(spaces=EVERYWHERE)


class Query(Term, frozen=True, kw_only=True):
    """Pieces on the board."""

    owners: tuple[str, ...]
    """Forces, teams, ``self``, ``each`` or ``chosen``."""
    pieces: tuple[str, ...]
    spaces: Selector = ANYWHERE
    not_spaces: int = 0
    supplied: bool = False


class Exists(Term, frozen=True, kw_only=True):
    """At least ``n`` pieces match."""

    query: Query
    n: int = 1


class Not(Term, frozen=True, kw_only=True):
    """The condition does not hold."""

    condition: "Condition"


class Both(Term, frozen=True, kw_only=True):
    """All conditions hold."""

    conditions: tuple["Condition", ...]


class HasCard(Term, frozen=True, kw_only=True):
    """A zone of a country holds a card of a type."""

    who: str
    zone: str
    card_type: str


Condition: TypeAlias = Exists | Not | Both | HasCard


class Fixed(Term, frozen=True, kw_only=True):
    """A number."""

    n: int


class Per(Term, frozen=True, kw_only=True):
    """So many for each matching piece."""

    query: Query
    each: int


class Either(Term, frozen=True, kw_only=True):
    """One number if a condition holds, else another."""

    condition: Condition
    then: int
    otherwise: int


class Recorded(Term, frozen=True, kw_only=True):
    """The number that an earlier step recorded."""

    name: str


class Discarded(Term, frozen=True, kw_only=True):
    """Cards of a type discarded in this Discard step."""

    card_type: str


Amount: TypeAlias = Fixed | Per | Either | Recorded | Discarded


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """How often: up to ``most``; ``least`` restates the card (A.1.4)."""

    least: int
    most: int


class TriggerFilter(Term, frozen=True, kw_only=True):
    """When a reaction may be used (10.3, A.4); None and empty filter nothing."""

    event: str
    whose: str = ""
    by: tuple[str, ...] = ()
    owner: tuple[str, ...] = ()
    piece: str = ""
    spaces: Selector | None = None
    supplied: bool = False
    adjacent_to_piece: Query | None = None
    own_turn: bool = False
    space_kind: str = ""
    last: bool = False
    tag: str = ""
    country: str = ""
    card_type: str = ""
    not_card_type: tuple[str, ...] = ()
    step: str = ""
    against: str = ""


def listed(value: object) -> tuple[str, ...]:
    """Return one name or a list of names as a tuple; None is empty."""
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    assert isinstance(value, Sequence), value
    return tuple(map(str, value))


def place(raw: object) -> str:
    """Return a space id or reference as :class:`Near` wants it."""
    if isinstance(raw, Mapping):
        if "home_of" in raw:
            return f"home:{raw['home_of']}"
        return str(raw["ref"])
    return str(raw)


def selector(raw: object, snapshots: Mapping[str, Query] | None = None) -> Selector:
    """Return a selector of spaces."""
    if raw is None or raw == "any":
        return ANYWHERE
    if not isinstance(raw, Mapping):
        return Named(spaces=mask(listed(raw)))
    ((key, value),) = raw.items()
    if key == "within":
        return Near(of=place(value["of"]), least=0, most=value["distance"])
    if key in _DISTANCES:
        least, most = _DISTANCES[key]
        of = f"home:{value}" if key == "in_or_adjacent_home_of" else place(value)
        return _checked(Near(of=of, least=least, most=most))
    if key == "title_contains":
        return Named(spaces=titled(value))
    if key == "adjacent_to_pieces":
        return NextTo(query=query(value))
    if key == "with_piece":
        return Holding(query=query(value))
    if key == "snapshot":
        assert snapshots is not None, raw
        return AtTurnBegin(query=snapshots[value])
    raise ValueError(f"unknown selector {key}")


_DISTANCES = {
    "adjacent": (1, 1),
    "adjacent_to_ref": (1, 1),
    "in_or_adjacent": (0, 1),
    "in_or_adjacent_to_ref": (0, 1),
    "in_or_adjacent_home_of": (0, 1),
    "ref": (0, 0),
}


def _checked(near: Near) -> Near:
    if "." not in near.of and not near.of.startswith("home:") and near.of not in BIT:
        raise ValueError(f"unknown space {near.of}")
    return near


def query(raw: Raw) -> Query:
    """Return a query for pieces."""
    return Query(
        owners=listed(raw["owner"]),
        pieces=listed(raw["piece"]),
        spaces=selector(raw.get("spaces")),
        not_spaces=mask(listed(raw.get("not_spaces"))),
        supplied=bool(raw.get("supplied", False)),
    )


def condition(raw: Raw | None) -> Condition | None:
    """Return a condition; None when there is none."""
    if raw is None:
        return None
    ((key, value),) = raw.items()
    if key == "exists":
        return Exists(query=query(value))
    if key == "at_least":
        return Exists(query=query(value["query"]), n=value["n"])
    if key == "not":
        return Not(condition=_some(value))
    if key == "all":
        return Both(conditions=tuple(_some(part) for part in value))
    if key == "has_card":
        return HasCard(who=value["who"], zone=value["zone"], card_type=value["card_type"])
    raise ValueError(f"unknown condition {key}")


def _some(raw: Raw) -> Condition:
    found = condition(raw)
    assert found is not None
    return found


def amount(raw: object) -> Amount:
    """Return an amount."""
    if isinstance(raw, int):
        return Fixed(n=raw)
    assert isinstance(raw, Mapping), raw
    if "per" in raw:
        return Per(query=query(raw["per"]), each=raw["each"])
    if "if" in raw:
        return Either(condition=_some(raw["if"]), then=raw["then"], otherwise=raw["else"])
    if "ref" in raw:
        return Recorded(name=raw["ref"])
    if "discarded" in raw:
        return Discarded(card_type=raw["discarded"]["card_type"])
    raise ValueError(f"unknown amount {raw}")


def count(raw: object) -> Count:
    """Return how often a step may be repeated; once when the card says nothing."""
    if raw is None:
        return Count(least=1, most=1)
    if isinstance(raw, int):
        return Count(least=raw, most=raw)
    assert isinstance(raw, Mapping), raw
    return Count(least=raw["min"], most=raw["max"])


def trigger(raw: Raw) -> TriggerFilter:
    """Return the filter of a reaction."""
    near = raw.get("adjacent_to_piece")
    return TriggerFilter(
        event=raw["event"],
        whose=raw.get("whose", ""),
        by=listed(raw.get("by")),
        owner=listed(raw.get("owner")),
        piece=raw.get("piece", ""),
        spaces=selector(raw["spaces"]) if "spaces" in raw else None,
        supplied=bool(raw.get("supplied", False)),
        adjacent_to_piece=query(near) if near is not None else None,
        own_turn=bool(raw.get("own_turn", False)),
        space_kind=raw.get("space_kind", ""),
        last=bool(raw.get("last", False)),
        tag=raw.get("tag", ""),
        country=raw.get("country", ""),
        card_type=raw.get("card_type", ""),
        not_card_type=listed(raw.get("not_card_type")),
        step=raw.get("step", ""),
        against=raw.get("against", ""),
    )
