"""Overstacked hexes are reported before the end of the offensive removes units (8.24, 8.34, 8.48)."""

from typing import Any

from msgspec.structs import replace

from engine.eots import commands as c
from engine.eots.counters import counters
from engine.eots.frames import MovementFrame, Purpose
from engine.eots.ids import HexId, Side
from engine.eots.view import EotsView
from engine.kernel.ids import Role
from tests.tui.eots.offensives import PRESENTER, commanded
from tui.eots.orders.stacking import overstacked_hexes_text

MORESBY = HexId("3823")
FULL = (
    "3823 Port Moresby has 4 air and ground units: only 3 may stay after this card, and the excess"
    " leaves for some turns (8.34, 8.48)."
)


async def _view() -> EotsView:
    session = await commanded("activate us-cv-enterprise", "done", "pick us-cv-enterprise")
    session.switch_role(Role("allied"))
    view: Any = session.view()
    assert isinstance(view, EotsView)
    return view


def _ground(view: EotsView) -> list[Any]:
    own = [unit for unit in view.units if counters()[unit.id].side is Side.ALLIED]
    return [unit for unit in own if counters()[unit.id].is_ground and unit.at.isdigit()]


def _moved(view: EotsView, number: int) -> EotsView:
    """Return the view with the given number of Allied ground units in Port Moresby."""
    there = {unit.id for unit in _ground(view)[:number]}
    gone = {unit.id for unit in view.units if unit.at == MORESBY} - there
    units = tuple(
        replace(unit, at=MORESBY) if unit.id in there else unit
        for unit in view.units
        if unit.id not in gone
    )
    return replace(view, units=units)


async def test_8_48_overstacking_asks_before_ending_movement_or_committing() -> None:
    view = await _view()
    full = _moved(view, 4)
    assert overstacked_hexes_text(full) == FULL
    moving = MovementFrame(side=Side.ALLIED, purpose=Purpose.OFFENSIVE)
    ending = replace(full, frames=(*full.frames[:-1], moving))
    assert PRESENTER.consequence(ending, c.Done()).question == f"{FULL} End movement anyway?"
    assert PRESENTER.commit_question(full) == f"{FULL} Commit anyway?"
    assert not PRESENTER.commit_question(_moved(view, 3))


async def test_8_34_move_into_a_full_hex_warns_at_once() -> None:
    view = _moved(await _view(), 3)
    flying = replace(view.frames[-1], units=(_ground(view)[3].id,))
    moving = replace(view, frames=(*view.frames[:-1], flying))
    assert FULL in PRESENTER.draft_message(moving, c.March(to=MORESBY), ())
    assert "may stay" not in PRESENTER.draft_message(moving, c.March(to=HexId("3721")), ())


async def test_enemy_response_in_mid_movement_is_announced() -> None:
    view = await _view()
    assert "must respond to this move first" in PRESENTER.plan_complete_text(view)
    done = replace(view, frames=view.frames[:1])
    assert PRESENTER.plan_complete_text(done).startswith("Your plan is complete.")
