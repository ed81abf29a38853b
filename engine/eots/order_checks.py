"""Names in a command that no counter, card or place has (1.2): typing mistakes and foreign messages."""

from collections.abc import Iterator
from typing import Final

from engine.eots.board import board
from engine.eots.ch09_battle.participants import INTRINSIC
from engine.eots.commands import EotsCommand, Hit, WeakCritical
from engine.eots.counters import counters
from engine.eots.deck import cards
from engine.eots.ids import CHINA_BOX, CardId, HexId, UnitId
from engine.kernel.ids import Refusal, Rule

_UNITS: Final = ("unit", "hq", "loser", "gainer")
_PLACES: Final = ("at", "to")


def check_names(command: EotsCommand) -> Iterator[Refusal]:
    """Yield a refusal for every name that does not exist; rules look names up and rely on them (1.2)."""
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
    """Return whether a command lets an intrinsic unit lose a step, which has no counter (13.76)."""
    return name == INTRINSIC and isinstance(command, Hit | WeakCritical)


def _is_place(command: EotsCommand, field: str, name: str) -> bool:
    """Return whether a command can name a place: a hex, or the China box where its field is not of hexes alone."""
    if name == CHINA_BOX:
        return type(command).__annotations__[field] is str
    return HexId(name) in board().hexes
