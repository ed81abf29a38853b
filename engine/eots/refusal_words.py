"""Refusals in the words of a player: units and hexes by the names that stand on counters and map."""

import re
from typing import Final

from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.counters import counters
from engine.eots.ids import HexId, UnitId
from engine.kernel.ids import Refusal

_ID: Final = re.compile(r"\b[a-z0-9]+(?:-[a-z0-9]+)+\b")
"""Looks like the id of a unit: small letters and digits with hyphens."""
_HEX: Final = re.compile(r"\b\d{4}\b")


def in_names(refusal: Refusal) -> Refusal:
    """Return a refusal with units by their names and hexes with theirs, so that rules may write ids."""
    text = _ID.sub(_unit, refusal.text)
    return replace(refusal, text=_HEX.sub(lambda found: _hex(found[0], text), text))


def _unit(found: re.Match[str]) -> str:
    row = counters().get(UnitId(found[0]))
    return found[0] if row is None else row.name


def _hex(at: str, text: str) -> str:
    row = board().hexes.get(HexId(at))
    return at if row is None or not row.name or row.name in text else f"{at} {row.name}"
