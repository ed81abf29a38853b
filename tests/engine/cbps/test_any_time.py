"""Splits, units overboard, ships detached and groups that rejoin, at any time (4.37, 6.15, 6.291, 6.33)."""

from typing import Any

import pytest

from engine.cbps.any_time import AnyTimeCommands
from engine.cbps.commands import (
    CbpsCommand,
    DetachShip,
    Done,
    Fly,
    Overboard,
    Rejoin,
    Sail,
    Split,
)
from engine.cbps.events.air import MissionFormed, UnitLost, UnitMoved
from engine.cbps.events.fleet import GroupFormed, ShipDetached
from engine.cbps.frames import InterceptFrame, JapaneseAttackFrame, SailFrame
from engine.cbps.ruleset import CBPS
from engine.cbps.run import Run
from engine.cbps.state import State
from engine.kernel.dice import ScriptedDice
from engine.kernel.ids import Role
from tests.engine.cbps.battle import facts, given, running, with_frame
from tests.engine.cbps.fleet_at import (
    PARKED,
    air_movement,
    cap,
    intercept,
    operations,
    strike,
    us_move,
)

ANY_TIME = AnyTimeCommands()
US = Role("us")
PAIR = {"hornet-f1": "intercept-1", "hornet-f2": "intercept-1", "essex-f1": "intercept-1"}


def why_not(state: State, command: CbpsCommand, role: str = "us") -> tuple[str, ...]:
    """Return the rules against a command that was not asked for."""
    return tuple(str(one.rule) for one in ANY_TIME.refusals(state, Role(role), command))


def done(state: State, command: CbpsCommand) -> Run:
    """Carry out a legal command that was not asked for."""
    assert why_not(state, command) == ()
    run = running(state)
    ANY_TIME.apply(run, US, command)
    return run


def in_flight(**fields: Any) -> State:  # noqa: ANN401  # those of Mission
    """Return three fighters on the map."""
    mission = intercept("1109", **{"moved": 1, "has_fought": True, **fields})
    return air_movement(units=PAIR, missions={"intercept-1": mission})


# -- 4.37


def test_4_37_a_split_mission_inherits_fuel_and_movement() -> None:
    run = done(in_flight(), Split(unit="hornet-f2", mission="intercept-2"))
    assert facts(run, MissionFormed, UnitMoved) == (
        MissionFormed(
            mission="intercept-2",
            kind_of="intercept",
            hex="1109",
            fuel=10,
            groups=("58.1",),
            parent="intercept-1",
        ),
        UnitMoved(unit="hornet-f2", place="mission", at="intercept-2", why="split"),
    )
    old, new = run.state.missions["intercept-1"], run.state.missions["intercept-2"]
    assert (new.fuel, new.moved, new.has_fought) == (old.fuel, old.moved, old.has_fought)


def test_4_37_more_units_can_join_a_new_mission_before_either_moves() -> None:
    state = done(in_flight(), Split(unit="hornet-f2", mission="intercept-2")).state
    run = done(state, Split(unit="essex-f1", mission="intercept-2"))
    assert not facts(run, MissionFormed)
    assert why_not(run.state, Split(unit="hornet-f1", mission="intercept-2")) == ("4.37",)


def test_4_37_missions_that_have_moved_apart_are_not_merged() -> None:
    state = done(in_flight(), Split(unit="hornet-f2", mission="intercept-2")).state
    state = given(state, Fly(mission="intercept-2", hex="1110"), 1).state
    assert why_not(state, Split(unit="essex-f1", mission="intercept-2")) == ("4.37",)


def test_4_37_a_unit_cannot_return_to_its_parent_mission() -> None:
    state = done(in_flight(), Split(unit="hornet-f2", mission="intercept-2")).state
    state = done(state, Split(unit="essex-f1", mission="intercept-2")).state
    assert why_not(state, Split(unit="essex-f1", mission="intercept-1")) == ("4.37",)


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        pytest.param(Split(unit="hornet-b1", mission="intercept-5"), "4.25", id="4.25-strike"),
        pytest.param(Split(unit="wasp-f1", mission="intercept-5"), "4.37", id="4.37-aboard"),
        pytest.param(Split(unit="saratoga-f1", mission="intercept-5"), "4.37", id="4.37-no-unit"),
        pytest.param(Split(unit="cabot-f1", mission="intercept-5"), "4.37", id="4.37-cap"),
        pytest.param(Split(unit="essex-f1", mission="intercept-5"), "4.37", id="4.37-alone"),
        pytest.param(Split(unit="hornet-f1", mission="intercept-6"), "4.13", id="4.13-display"),
        pytest.param(Split(unit="hornet-f1", mission="strike-5"), "4.11", id="4.11-kind"),
        pytest.param(Split(unit="hornet-f1", mission="intercept-4"), "4.37", id="4.37-merge"),
    ],
)
def test_4_37_illegal_splits_are_refused(command: CbpsCommand, rule: str) -> None:
    state = air_movement(
        units={
            "hornet-f1": "intercept-1",
            "hornet-f2": "intercept-1",
            "hornet-b1": "strike-2",
            "cabot-f1": "intercept-3",
            "cabot-f2": "intercept-3",
            "essex-f1": "intercept-4",
        },
        missions={
            "intercept-1": intercept(),
            "strike-2": strike(),
            "intercept-3": cap("58.2"),
            "intercept-4": intercept(),
        },
    )
    assert rule in why_not(state, command)


def test_4_37_a_split_during_combat_is_refused() -> None:
    split = Split(unit="hornet-f1", mission="intercept-2")
    fight = InterceptFrame(hexes=("1109",), committed=("intercept-1",), is_fighting=True)
    assert why_not(with_frame(in_flight(), PARKED, fight), split) == ("4.37",)
    attack = JapaneseAttackFrame(left=())
    assert why_not(with_frame(in_flight(), PARKED, attack), split) == ("4.37",)
    assert ANY_TIME.options(with_frame(in_flight(), PARKED, attack), US) == ()


def test_4_51_a_committed_mission_is_not_split() -> None:
    split = Split(unit="hornet-f1", mission="intercept-2")
    before = InterceptFrame(hexes=("1109",), committed=("intercept-1",))
    assert why_not(with_frame(in_flight(), PARKED, before), split) == ("4.51",)
    free = InterceptFrame(hexes=("1109",))
    assert why_not(with_frame(in_flight(), PARKED, free), split) == ()


# -- 6.291


def test_6_291_landed_units_can_be_pushed_overboard() -> None:
    run = done(operations(units={"hornet-f1": "landed"}), Overboard(unit="hornet-f1"))
    assert facts(run) == (UnitLost(unit="hornet-f1", is_at_group=True, why="overboard"),)


def test_6_291_ready_units_cannot_be_pushed_overboard() -> None:
    state = operations(units={"hornet-f1": "ready"})
    assert why_not(state, Overboard(unit="hornet-f1")) == ("6.291",)
    assert why_not(state, Overboard(unit="saratoga-f1")) == ("6.291",)


# -- 6.15


def test_6_15_ships_of_the_battle_line_form_a_surface_group() -> None:
    run = done(us_move(), DetachShip(ship="iowa", group="surface-1"))
    assert facts(run) == (
        GroupFormed(group="surface-1", hex="1108"),
        ShipDetached(ship="iowa", group="surface-1"),
    )
    assert run.state.groups["surface-1"].is_detached
    run = done(run.state, DetachShip(ship="crudiv-6", group="surface-1"))
    assert not facts(run, GroupFormed)


@pytest.mark.parametrize(
    ("fields", "command", "rule"),
    [
        pytest.param({}, DetachShip(ship="oakland", group="surface-1"), "6.15", id="6.15-58.7"),
        pytest.param({}, DetachShip(ship="iowa", group="58.1"), "6.15", id="6.15-markers"),
        pytest.param({}, DetachShip(ship="iowa", group="surface-2"), "6.15", id="6.15-next"),
        pytest.param(
            {
                "groups": {"surface-1": {"is_detached": True, "hex": "1109"}},
                "ships": {"alabama": {"group": "surface-1"}},
            },
            DetachShip(ship="iowa", group="surface-1"),
            "6.15",
            id="6.15-other-hex",
        ),
    ],
)
def test_6_15_illegal_detachments_are_refused(
    fields: dict[str, Any], command: CbpsCommand, rule: str
) -> None:
    assert rule in why_not(us_move(**fields), command)


def test_6_15_the_last_ship_cannot_be_detached() -> None:
    ships = {
        name: {"group": "58.1"}
        for name, ship in us_move().ships.items()
        if ship.group == "58.7" and name != "iowa"
    }
    state = us_move(ships=ships)
    assert why_not(state, DetachShip(ship="iowa", group="surface-1")) == ("6.15",)


def test_6_34_no_ship_is_detached_after_the_battle_line_has_moved() -> None:
    state = us_move(groups={"58.1": {"is_detached": True}})
    state = given(state, Sail(group="tf58", hex="1109")).state
    assert isinstance(state.frames[-1], SailFrame)
    assert why_not(state, DetachShip(ship="iowa", group="surface-1")) == ("6.34",)


# -- commanders and options


def test_6_1_seats_cannot_command_units_of_other_seats() -> None:
    state = operations(
        units={**PAIR, "essex-f2": "landed"},
        missions={"intercept-1": intercept()},
        options={"staff": "two"},
    )
    assert why_not(state, Overboard(unit="essex-f2")) == ("6.1",)
    assert why_not(state, Split(unit="hornet-f1", mission="intercept-2"), "us-2") == ("6.1",)
    assert why_not(state, DetachShip(ship="iowa", group="surface-1"), "us-2") == ("6.1",)


def test_3_1_other_commands_are_not_any_time_commands() -> None:
    assert why_not(operations(), Done()) == ("3.1",)
    assert not ANY_TIME.is_free_only(Done())
    assert ANY_TIME.is_free_only(Overboard(unit="hornet-f1"))


def test_4_37_the_options_are_the_legal_commands() -> None:
    state = operations(
        units={**PAIR, "wasp-f1": "landed", "cabot-f1": "intercept-2"},
        missions={"intercept-1": intercept(), "intercept-2": intercept(parent="intercept-1")},
    )
    found = ANY_TIME.options(state, US)
    every: list[CbpsCommand] = [
        *(Overboard(unit=unit) for unit in state.units),
        *(
            Split(unit=unit, mission=f"intercept-{number}")
            for unit in state.units
            for number in range(1, 9)
        ),
        *(
            DetachShip(ship=ship, group=f"surface-{number}")
            for ship in state.ships
            for number in range(1, 4)
        ),
    ]
    legal = [one for one in every if not why_not(state, one)]
    assert sorted(map(repr, legal)) == sorted(map(repr, found))


def test_6_33_a_group_rejoins_at_any_time_in_the_hex_of_tf_58() -> None:
    state = operations(groups={"58.4": {"is_detached": True}})
    command = Rejoin(group="58.4")
    assert command in CBPS.free_actions(state, Role("us"))
    ledger = CBPS.ledger(state, ScriptedDice())
    CBPS.resolve(ledger, Role("us"), command)
    assert not ledger.state.groups["58.4"].is_detached
    away = operations(groups={"58.4": {"is_detached": True, "hex": "1110"}})
    assert command not in CBPS.free_actions(away, Role("us"))
    sailing = us_move(groups={"58.4": {"is_detached": True}})
    assert command not in CBPS.free_actions(sailing, Role("us")), "the question offers it"
    assert command in CBPS.decision(sailing, Role("us")).options
