"""Lights: all task groups in a hex are lit, or none is (6.43-6.433)."""

from typing import Any

from engine.cbps.any_time import AnyTimeCommands
from engine.cbps.commands import CbpsCommand, Darken, DetachShip, Done, Sail
from engine.cbps.events.fleet import GroupMoved, LightsSwitched
from engine.cbps.frames import LightsFrame, SurfaceCombatFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.state import State
from engine.cbps.surface.ch21_retreat import retreat_sides
from engine.kernel.ids import Role
from tests.engine.cbps.battle import facts, given, options, refusals, running
from tests.engine.cbps.fleet_at import HOME, NIGHT, fleet, us_move

AWAY = "1110"
LIT = {"is_lit": True}
TOGETHER = ("58.1", "58.2", "58.3", "58.4", "58.7")


def lit(state: State) -> list[str]:
    return [name for name, group in state.groups.items() if group.is_lit]


def at_the_end_of_the_turn(**groups: dict[str, Any]) -> State:
    """Return a lit TF 58 at the end of the turn."""
    fields = {name: dict(LIT) for name in TOGETHER} | groups
    return fleet(LightsFrame(), segment="us-attack", at=NIGHT, groups=fields)


def test_6_433_lights_are_turned_off_for_all_groups_in_the_hex() -> None:
    run = given(at_the_end_of_the_turn(), Darken(group="58.3"))
    assert facts(run, LightsSwitched) == tuple(
        LightsSwitched(group=name, is_lit=False) for name in TOGETHER
    )
    assert not lit(run.state)


def test_6_433_lights_in_another_hex_stay_on() -> None:
    state = at_the_end_of_the_turn(**{"58.4": {"hex": AWAY, "is_detached": True, **LIT}})
    run = given(state, Darken(group="58.4"))
    assert lit(run.state) == ["58.1", "58.2", "58.3", "58.7"]
    assert refusals(run.state, Darken(group="58.4")) == ("6.433",)
    run = given(run.state, Done())
    assert lit(run.state) == ["58.1", "58.2", "58.3", "58.7"]


def test_6_433_all_lights_are_turned_off_by_default() -> None:
    state = at_the_end_of_the_turn(**{"58.4": {"hex": AWAY, "is_detached": True, **LIT}})
    for _ in range(2):
        state = given(state, MACHINE.decision(state, "us").default).state
    assert not lit(state)


def test_6_433_no_option_is_offered_for_a_lit_group_without_ships() -> None:
    state = at_the_end_of_the_turn()
    ships = {
        name: {"is_sunk": True, "group": ""}
        for name, ship in state.ships.items()
        if ship.group == "58.4"
    }
    groups = {name: dict(LIT) for name in TOGETHER}
    state = fleet(LightsFrame(), segment="us-attack", at=NIGHT, groups=groups, ships=ships)
    assert Darken(group="58.4") not in options(state)
    assert refusals(state, Darken(group="58.4")) == ("6.433",)


def sailed(group: str, **groups: dict[str, Any]) -> State:
    command: CbpsCommand = Sail(group=group, hex=HOME)
    return given(us_move(groups=groups), command).state


def test_op_19_a_lit_group_lights_the_groups_it_joins() -> None:
    state = sailed("58.4", **{"58.4": {"hex": "1109", "is_detached": True, **LIT}})
    assert lit(state) == list(TOGETHER)


def test_6_431_a_group_that_enters_a_lit_hex_is_lit() -> None:
    fields = {name: dict(LIT) for name in TOGETHER}
    state = sailed("58.4", **fields | {"58.4": {"hex": "1109", "is_detached": True}})
    assert lit(state) == list(TOGETHER)


def test_op_19_a_lit_group_stays_lit_when_it_moves() -> None:
    state = us_move(groups={"58.4": {"is_detached": True, **LIT}})
    run = given(state, Sail(group="58.4", hex="1109"))
    assert run.state.groups["58.4"].is_lit


def test_6_431_groups_retreating_to_a_hex_share_their_lights() -> None:
    state = us_move(groups={"58.4": {"hex": "1109", "is_detached": True, **LIT}})
    run = running(state)
    combat = SurfaceCombatFrame(hex="1109", mover="us", origin={"58.4": HOME})
    retreat_sides(run, combat, ("us",))
    assert facts(run, GroupMoved)
    assert run.state.groups["58.4"].hex == HOME
    assert lit(run.state) == list(TOGETHER)


def test_6_431_a_surface_group_formed_in_a_lit_hex_is_lit() -> None:
    state = us_move(groups={name: dict(LIT) for name in TOGETHER})
    run = running(state)
    AnyTimeCommands().apply(run, Role("us"), DetachShip(ship="iowa", group="surface-1"))
    assert run.state.groups["surface-1"].is_lit
