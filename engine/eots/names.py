"""Checks that the names in commands exist, and replaces ids in refusals with printed names (1.2)."""

import re
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch09_battle.participants import INTRINSIC
from engine.eots.commands import EotsCommand, Hit, WeakCritical
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CHINA_BOX, CardId, HexId, UnitId
from engine.kernel.ids import Refusal, Rule

_ID: Final = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")
"""Matches text that looks like a unit id: lower-case letters and digits with hyphens."""
_UNITS: Final = ("unit", "hq", "loser", "gainer")
_PLACES: Final = ("at", "to")
_HEX: Final = re.compile(r"\b\d{4}\b")


def with_unit_names(refusal: Refusal) -> Refusal:
    """Replace unit ids with names, and add names to hexes. The rules can therefore use ids in refusals."""
    text = _ID.sub(_unit_display_name, refusal.text)
    return replace(refusal, text=_HEX.sub(lambda match: _hex_display_name(match[0], text), text))


def _unit_display_name(match_: re.Match[str]) -> str:
    row = counters().get(UnitId(match_[0]))
    return match_[0] if row is None else row.name


def _hex_display_name(place: str, text: str) -> str:
    row = board().hexes.get(HexId(place))
    return place if row is None or not row.name or row.name in text else f"{place} {row.name}"


def name_refusals(command: EotsCommand) -> Iterator[Refusal]:
    """Yield a refusal for each name that does not exist. The rules look up names without checking them (1.2)."""
    for field in command.__struct_fields__:
        value = getattr(command, field)
        if (
            field in _UNITS
            and UnitId(value) not in counters()
            and not _is_intrinsic(command, value)
        ):
            yield Refusal(Rule("1.2"), f"there is no unit '{value}'")
        elif field == "card" and CardId(value) not in cards():
            yield Refusal(Rule("1.2"), f"there is no card '{value}'")
        elif field in _PLACES and not _is_place(command, field, value):
            yield Refusal(Rule("0.2"), f"there is no hex '{value}' in play")


def _is_intrinsic(command: EotsCommand, name: str) -> bool:
    """Return whether a command removes a step from an intrinsic unit. Such units have no counter (13.76)."""
    return name == INTRINSIC and isinstance(command, Hit | WeakCritical)


def _is_place(command: EotsCommand, field: str, name: str) -> bool:
    """Return whether a field of a command accepts this place. Only some fields accept the China box."""
    if name == CHINA_BOX:
        # A field that accepts the China box is declared as str, any other as HexId.
        return type(command).__annotations__[field] is str
    return HexId(name) in board().hexes
