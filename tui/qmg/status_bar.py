"""The status bar, with the round, the score, card counts, and the countries in turn order."""

from typing import Final

from engine.qmg.ids import COUNTRIES, ROUNDS
from engine.qmg.view import QmgView
from tui.drawing.colour_roles import CHIP_ROLES, TextRole
from tui.qmg.texts import CODES, FORCE_TITLES
from tui.status_bar import StatusSegment, Steps, Toned, status_segment

_CELLS: Final = 12
_SUDDEN: Final = 30
_STEPS: Final = ("play", "air", "supply", "victory", "discard", "draw")
CHIP_OF: Final = dict(zip(COUNTRIES, CHIP_ROLES, strict=True))
"""The colour of each country's pieces."""


def status_segments(view: QmgView, heading: str, status: str) -> tuple[StatusSegment, ...]:
    """Return the round, score, card counts, connection state and turn order."""
    where = heading.partition(" | ")[0]
    axis, allies = view.axis_vp, view.allies_vp
    own = view.countries.get(view.role)
    score = (
        (f"Axis {axis} ", TextRole.SIDE_TWO),
        *_lead(axis - allies),
        (f" Allies {allies}", TextRole.SIDE_ONE),
    )
    parts = [
        status_segment(f"Round {view.round} of {ROUNDS}", TextRole.HEAD, 2, f"Round {view.round}")
        if view.active
        else status_segment(where, TextRole.HEAD, 2),
        StatusSegment(score, 1, ((f"Axis {axis}, Allies {allies}", TextRole.PLAIN),)),
    ]
    if own is not None:
        cards = f"{FORCE_TITLES[view.role]}: hand {own.hand}, deck {own.deck}"
        parts.append(status_segment(cards, TextRole.DIM, 5))
    if status:
        parts.append(status_segment(status, TextRole.DIM, 4))
    return (*parts, _order(view))


def _lead(lead: int) -> tuple[tuple[str, TextRole], ...]:
    """Return a bar that shows the lead. A lead of 30 at the end of a round wins immediately (12.4)."""
    half = _CELLS // 2
    axis = min(max(half + round(lead * half / _SUDDEN), 0), _CELLS)
    return (("▮" * axis, TextRole.SIDE_TWO), ("▮" * (_CELLS - axis), TextRole.SIDE_ONE))


def _order(view: QmgView) -> StatusSegment:
    """Return the countries in turn order, highlighting the active one."""
    long: list[Toned] = []
    short: list[Toned] = []
    for country in COUNTRIES:
        is_active = country == view.active
        tone = TextRole.BADGE if is_active else CHIP_OF[country]
        gap = [(" ", TextRole.PLAIN)] if long else []
        name = FORCE_TITLES[country]
        long += [*gap, (f" {name.upper() if is_active else name} ", tone)]
        letters = f">{CODES[country]}<" if is_active else CODES[country]
        short += [*gap, (letters, tone)]
    return StatusSegment(tuple(long), 1, tuple(short), is_last=True)


def steps(view: QmgView) -> Steps | None:
    """Return the steps of the active country's turn; None outside a turn."""
    names = tuple(name for name in _STEPS if view.total_war or name != "air")
    if not view.active or view.step not in names:
        return None
    return Steps(f"TURN OF {FORCE_TITLES[view.active].upper()}", names, names.index(view.step))
