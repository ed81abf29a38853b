"""The status bar: the round, the score, card counts, and the countries in turn order."""

from typing import Final

from engine.qmg.ids import COUNTRIES, ROUNDS
from engine.qmg.view import QmgView
from tui.drawing.colour_roles import CHIP_ROLES, TextRole
from tui.panels.status_segments import StatusSegment, Steps, Toned, status_segment
from tui.qmg.texts import CODES, FORCE_TITLES

_LEAD_BAR_CELLS: Final = 12
_WINNING_LEAD: Final = 30
_TURN_STEPS: Final = ("play", "air", "supply", "victory", "discard", "draw")
COUNTRY_CHIPS: Final = dict(zip(COUNTRIES, CHIP_ROLES, strict=True))
"""The colour of each country's pieces."""


def status_segments(view: QmgView, heading: str, status: str) -> tuple[StatusSegment, ...]:
    """Return status segments for the round, score, card counts, connection and turn order."""
    place_text = heading.partition(" | ")[0]
    axis, allies = view.axis_vp, view.allies_vp
    own_country = view.countries.get(view.role)
    score = (
        (f"Axis {axis} ", TextRole.SIDE_TWO),
        *_lead_bar(axis - allies),
        (f" Allies {allies}", TextRole.SIDE_ONE),
    )
    parts = [
        status_segment(f"Round {view.round} of {ROUNDS}", TextRole.HEAD, 2, f"Round {view.round}")
        if view.active
        else status_segment(place_text, TextRole.HEAD, 2),
        StatusSegment(score, 1, ((f"Axis {axis}, Allies {allies}", TextRole.PLAIN),)),
    ]
    if own_country is not None:
        cards = f"{FORCE_TITLES[view.role]}: hand {own_country.hand}, deck {own_country.deck}"
        parts.append(status_segment(cards, TextRole.DIM, 5))
    if status:
        parts.append(status_segment(status, TextRole.DIM, 4))
    return (*parts, _turn_order(view))


def _lead_bar(point_lead: int) -> tuple[tuple[str, TextRole], ...]:
    """Return a bar that shows the lead. The bar is full at a lead of 30, which wins at the end of a round (12.4)."""
    half_width = _LEAD_BAR_CELLS // 2
    axis_cells = min(
        max(half_width + round(point_lead * half_width / _WINNING_LEAD), 0), _LEAD_BAR_CELLS
    )
    return (
        ("▮" * axis_cells, TextRole.SIDE_TWO),
        ("▮" * (_LEAD_BAR_CELLS - axis_cells), TextRole.SIDE_ONE),
    )


def _turn_order(view: QmgView) -> StatusSegment:
    """Return a segment with the countries in turn order. The active country is highlighted."""
    long_pieces: list[Toned] = []
    short_pieces: list[Toned] = []
    for country in COUNTRIES:
        is_active = country == view.active
        tone = TextRole.BADGE if is_active else COUNTRY_CHIPS[country]
        gap = [(" ", TextRole.PLAIN)] if long_pieces else []
        name = FORCE_TITLES[country]
        long_pieces += [*gap, (f" {name.upper() if is_active else name} ", tone)]
        code = f">{CODES[country]}<" if is_active else CODES[country]
        short_pieces += [*gap, (code, tone)]
    return StatusSegment(tuple(long_pieces), 1, tuple(short_pieces), is_last=True)


def steps(view: QmgView) -> Steps | None:
    """Return the steps of the active country's turn; None outside a turn."""
    names = tuple(name for name in _TURN_STEPS if view.total_war or name != "air")
    if not view.active or view.step not in names:
        return None
    return Steps(f"TURN OF {FORCE_TITLES[view.active].upper()}", names, names.index(view.step))
