"""Lists begin with what is nearest: destinations, and the units that a headquarters activates."""

from typing import cast

from engine.eots.board import board
from engine.eots.commands import Activate, Assault, Done, EotsCommand, Sail
from engine.eots.ids import HexId, UnitId
from engine.eots.view import EotsView
from engine.kernel.ids import Role
from play.local_session import LocalSession
from play.questions import build_question
from tests.tui.eots.offensives import FLEET, PRESENTER, commanded
from tui.eots.orders.option_list import loss

FIRST_UNITS = tuple(f"activate {unit}" for unit in FLEET)
LANDING = ("activate us-marine-2-division", *FIRST_UNITS, "done")


def _view(session: LocalSession) -> EotsView:
    view = session.view()
    assert isinstance(view, EotsView)
    return view


def _destinations(session: LocalSession, kind: type[Sail | Assault]) -> list[HexId]:
    question = build_question(session, PRESENTER, session.view())
    commands = (command for line in question.lines for command in line.commands())
    return [command.to for command in commands if type(command) is kind]


async def test_7_21_activation_list_begins_at_the_headquarters() -> None:
    session = await commanded()
    question = build_question(session, PRESENTER, session.view())
    units = [line.command.unit for line in question.lines if isinstance(line.command, Activate)]
    assert tuple(units[: len(FLEET)]) == FLEET


async def test_8_2_nearest_port_is_listed_first() -> None:
    session = await commanded(*FIRST_UNITS, "done", "pick us-cv-enterprise")
    hexes = _destinations(session, Sail)
    distances = [board().distance(HexId("4828"), at) for at in hexes]
    assert distances == sorted(distances)


async def test_8_45_enemy_landings_are_listed_before_own_coasts() -> None:
    session = await commanded(*LANDING, "pick us-marine-2-division")
    hexes, held = _destinations(session, Assault), set(_view(session).japan_controls)
    assert hexes[0] in held
    assert [at in held for at in hexes] == sorted((at in held for at in hexes), reverse=True)


async def test_9_6_unit_at_its_base_is_not_counted_as_lost() -> None:
    """An air unit in reach of a battle need not move to it, and on the way home it is at its base already."""
    session = await commanded(
        "activate us-air-1maw", *FIRST_UNITS[:1], "done", "pick us-bb-north-carolina", "sail 4322"
    )
    session.switch_role(Role("allied"))
    options = [cast("EotsCommand", option) for option in session.offered_commands()]
    assert any(getattr(option, "unit", "") == UnitId("us-air-1maw") for option in options)
    assert loss(_view(session), Done(), options) == ""
