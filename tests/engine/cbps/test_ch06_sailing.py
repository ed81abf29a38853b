"""The US Move chit: groups, TF 58, cripples, escorts, towing (6.3, 12.41-12.46)."""

from typing import Any

import pytest

from engine.cbps.commands import CbpsCommand, Detach, Done, Escort, Rejoin, Sail, Tow
from engine.cbps.events.fleet import GroupDetached, GroupMoved, ShipCrippled, ShipDetached
from engine.cbps.run import Run
from engine.cbps.state import Force, Hull, State
from engine.cbps.surface import ch06_sailing
from engine.kernel.dice import ScriptedDice
from tests.engine.cbps.battle import facts, given, given_by, options, refusals, with_parts
from tests.engine.cbps.fleet_at import HOME, cap, intercept, us_move

GUNS = {"surface-combat": "on"}
LONE = {"hits": 6, "group": "", "hex": HOME}
"""A crippled CV left behind."""


def moved(state: State, *commands: CbpsCommand) -> State:
    """Return a state after commands."""
    for command in commands:
        state = given(state, command).state
    return state


# -- moving


def test_6_31_groups_of_tf_58_move_together() -> None:
    run = given(us_move(), Sail(group="tf58", hex="1109"))
    assert facts(run, GroupMoved) == tuple(
        GroupMoved(group=name, hex="1109", heading="W")
        for name in ("58.1", "58.2", "58.3", "58.4", "58.7")
    )


def test_6_33_a_detached_group_moves_independently() -> None:
    state = moved(us_move(), Detach(group="58.4"), Sail(group="58.4", hex="1107"))
    assert state.groups["58.4"].hex == "1107"
    assert state.groups["58.1"].hex == HOME
    state = moved(state, Sail(group="tf58", hex="1109"))
    assert state.groups["58.4"].hex == "1107"


def test_6_33_a_group_rejoins_in_the_hex_of_tf_58() -> None:
    state = us_move(groups={"58.4": {"is_detached": True}})
    run = given(state, Rejoin(group="58.4"))
    assert facts(run, GroupDetached) == (GroupDetached(group="58.4", is_detached=False),)


def test_6_34_a_moved_group_rejoins_only_after_tf_58_has_moved() -> None:
    state = us_move(groups={"58.4": {"is_detached": True, "hex": "1107"}})
    state = moved(state, Sail(group="58.4", hex=HOME))
    assert refusals(state, Rejoin(group="58.4")) == ("6.34",)
    state = us_move(groups={"58.4": {"is_detached": True, "hex": "1110"}})
    state = moved(state, Sail(group="58.4", hex="1109"), Sail(group="tf58", hex="1109"))
    assert refusals(state, Rejoin(group="58.4")) == ()


def test_6_36_missions_stay_and_cap_moves_with_its_group() -> None:
    state = us_move(
        units={"hornet-f1": "intercept-1", "essex-f1": "intercept-2"},
        missions={"intercept-1": intercept(), "intercept-2": cap("58.4")},
    )
    after = moved(state, Sail(group="tf58", hex="1109"))
    assert after.missions["intercept-1"].hex == HOME
    assert ch06_sailing.moving_groups(after, "tf58")[0] == "58.1"
    assert after.groups[after.missions["intercept-2"].cap].hex == "1109"


@pytest.mark.parametrize(
    ("fields", "command", "rule"),
    [
        pytest.param({}, Sail(group="tf58", hex="1110"), "6.34", id="6.34-two-hexes"),
        pytest.param({}, Sail(group="tf58", hex="9999"), "6.34", id="6.34-off-the-map"),
        pytest.param({}, Sail(group="58.4", hex="1109"), "6.33", id="6.33-not-detached"),
        pytest.param({}, Sail(group="surface-1", hex="1109"), "6.31", id="6.31-no-group"),
        pytest.param(
            {
                "groups": {
                    name: {"hex": "1306"} for name in ("58.1", "58.2", "58.3", "58.4", "58.7")
                }
            },
            Sail(group="tf58", hex="1407"),
            "2.12",
            id="2.12-no-carriers-at-islands",
        ),
        pytest.param(
            {"groups": {"58.7": {"is_detached": True, "hex": "1306"}}},
            Sail(group="58.7", hex="1407"),
            "",
            id="2.12-battleships-may",
        ),
        pytest.param({}, Detach(group="surface-1"), "6.33", id="6.33-nothing-to-detach"),
        pytest.param(
            {"groups": {name: {"is_detached": True} for name in ("58.2", "58.3", "58.4", "58.7")}},
            Detach(group="58.1"),
            "6.33",
            id="6.33-alone-it-is-tf-58",
        ),
        pytest.param({}, Rejoin(group="58.1"), "6.33", id="6.33-it-never-left"),
        pytest.param(
            {"groups": {"58.4": {"is_detached": True, "hex": "1109"}}},
            Rejoin(group="58.4"),
            "6.33",
            id="6.33-in-another-hex",
        ),
        pytest.param(
            {
                "groups": {"surface-1": {"is_detached": True}},
                "ships": {"iowa": {"group": "surface-1"}},
            },
            Rejoin(group="surface-1"),
            "6.15",
            id="6.15-surface-groups-never-rejoin",
        ),
        pytest.param(
            {
                "groups": {
                    name: {"is_detached": True} for name in ("58.1", "58.2", "58.3", "58.4", "58.7")
                }
            },
            Sail(group="tf58", hex="1109"),
            "6.31",
            id="6.31-nobody-is-tf-58",
        ),
    ],
)
def test_6_3_illegal_moves_are_refused(
    fields: dict[str, Any], command: CbpsCommand, rule: str
) -> None:
    found = refusals(us_move(**fields), command)
    assert rule in found if rule else found == ()


def test_6_34_no_group_moves_twice() -> None:
    state = moved(us_move(), Detach(group="58.4"), Sail(group="tf58", hex="1109"))
    assert refusals(state, Sail(group="tf58", hex="1110")) == ("6.34",)
    assert refusals(state, Detach(group="58.1")) == ("6.33",)


def test_6_35_entering_a_hex_with_a_japanese_force_is_refused() -> None:
    state = with_parts(us_move(), forces={"A": Force(hex="1109")})
    assert refusals(state, Sail(group="tf58", hex="1109")) == ("6.35",)


def test_6_35_surface_combat_rules_allow_entry() -> None:
    state = with_parts(us_move(options=GUNS), forces={"A": Force(hex="1109")})
    assert refusals(state, Sail(group="tf58", hex="1109")) == ()


def test_21_0_surface_combat_starts_after_all_groups_have_moved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    met: list[tuple[str, str, dict[str, str]]] = []

    def meet(run: Run, hex: str, mover: str, origin: dict[str, str]) -> None:
        met.append((hex, mover, origin))

    monkeypatch.setattr(ch06_sailing, "begin_surface_combat", meet)
    state = with_parts(
        us_move(options=GUNS, groups={"58.7": {"is_detached": True}}),
        forces={"A": Force(hex="1109"), "B": Force(hex="1107"), "C": Force(hex="0909")},
    )
    state = moved(state, Sail(group="58.7", hex="1109"))
    assert met == []
    given(state, Sail(group="tf58", hex="1107"))
    assert met == [
        ("1107", "us", dict.fromkeys(("58.1", "58.2", "58.3", "58.4"), HOME)),
        ("1109", "us", {"58.7": HOME}),
    ]  # in the order of the groups, whichever sailed first


def test_12_46_entering_a_hex_sinks_lone_japanese_cripples(monkeypatch: pytest.MonkeyPatch) -> None:
    sunk: list[str] = []
    monkeypatch.setattr(ch06_sailing, "sink_lone_cripples", lambda _run, hex: sunk.append(hex))
    state = with_parts(us_move(), hulls={"zuikaku": Hull(force="A", hex="1109")})
    given(state, Sail(group="tf58", hex="1109"))
    assert sunk == ["1109"]


# -- cripples


def test_12_41_a_cripple_stays_behind_when_its_group_moves() -> None:
    run = given(us_move(ships={"hornet": {"hits": 6}}), Sail(group="tf58", hex="1109"))
    assert facts(run, ShipCrippled) == (ShipCrippled(ship="hornet", hex=HOME),)
    ship = run.state.ships["hornet"]
    assert (ship.group, ship.hex) == ("", HOME)


def test_12_41_a_cripple_stays_in_a_group_that_does_not_move() -> None:
    state = us_move(ships={"hornet": {"hits": 6}})
    assert given(state, Done()).state.ships["hornet"].group == "58.1"


def test_12_41_a_group_of_cripples_cannot_move() -> None:
    state = us_move(
        groups={"surface-1": {"is_detached": True}},
        ships={"iowa": {"group": "surface-1", "hits": 15}},
    )
    assert refusals(state, Sail(group="surface-1", hex="1109")) == ("12.41",)


def test_2_12_a_group_leaving_its_crippled_carriers_may_pass_islands() -> None:
    ships = {name: {"hits": 7} for name in ("essex",)}
    ships |= {name: {"hits": 4} for name in ("langley", "cowpens")}
    state = us_move(groups={"58.4": {"is_detached": True, "hex": "1306"}}, ships=ships)
    assert refusals(state, Sail(group="58.4", hex="1407")) == ()


def test_12_411_a_surface_unit_escorts_a_cripple() -> None:
    state = us_move(options=GUNS, ships={"hornet": {"hits": 6}})
    run = given(state, Escort(ship="oakland", cripple="hornet"))
    assert facts(run, ShipCrippled, ShipDetached) == (
        ShipCrippled(ship="hornet", hex=HOME),
        ShipDetached(ship="oakland", escorts="hornet", hex=HOME),
    )
    run = given(run.state, Escort(ship="desron-46", cripple="hornet"))
    assert not facts(run, ShipCrippled)


@pytest.mark.parametrize(
    ("fields", "command", "rule"),
    [
        pytest.param(
            {"options": {}}, Escort(ship="oakland", cripple="hornet"), "12.411", id="12.411-21.0"
        ),
        pytest.param({}, Escort(ship="yorktown", cripple="hornet"), "12.411", id="12.411-cv"),
        pytest.param({}, Escort(ship="oakland", cripple="wasp"), "12.411", id="12.411-sound"),
        pytest.param(
            {"groups": {"58.4": {"hex": "1109"}}},
            Escort(ship="san-diego", cripple="hornet"),
            "12.411",
            id="12.411-elsewhere",
        ),
        pytest.param(
            {"ships": {"hornet": LONE, "san-diego": {"group": "", "is_sunk": True}}},
            Escort(ship="san-diego", cripple="hornet"),
            "12.411",
            id="12.411-sunk",
        ),
        pytest.param(
            {
                "ships": {"hornet": LONE, "iowa": {"group": "surface-1"}},
                "groups": {"surface-1": {"is_detached": True}},
            },
            Escort(ship="iowa", cripple="hornet"),
            "12.411",
            id="12.411-last-ship",
        ),
    ],
)
def test_12_411_illegal_escort_orders_are_refused(
    fields: dict[str, Any], command: CbpsCommand, rule: str
) -> None:
    state = us_move(**{"options": GUNS, "ships": {"hornet": {"hits": 6}}, **fields})
    assert rule in refusals(state, command)


def test_12_411_escorts_cannot_be_assigned_after_the_move() -> None:
    state = us_move(options=GUNS, ships={"hornet": {**LONE, "hex": "1109"}})
    state = moved(state, Sail(group="tf58", hex="1109"))
    assert refusals(state, Escort(ship="oakland", cripple="hornet")) == ("12.411",)


def test_12_42_a_cripple_is_towed_with_its_escorts() -> None:
    state = us_move(
        ships={
            "hornet": LONE,
            "oakland": {"group": "", "escorts": "hornet", "hex": HOME},
        }
    )
    run = given(state, Tow(ship="hornet", hex="1107"))
    assert run.state.ships["hornet"].hex == run.state.ships["oakland"].hex == "1107"
    assert refusals(run.state, Tow(ship="hornet", hex="1106")) == ("12.42",)


@pytest.mark.parametrize(
    ("fields", "command", "rule"),
    [
        pytest.param({"at": (1, 1)}, Tow(ship="hornet", hex="1107"), "12.42", id="12.42-turn-0650"),
        pytest.param({}, Tow(ship="hornet", hex="1110"), "12.42", id="12.42-two-hexes"),
        pytest.param({}, Tow(ship="wasp", hex="1107"), "12.42", id="12.42-no-cripple"),
        pytest.param(
            {"ships": {"hornet": LONE, "oakland": {"group": "", "escorts": "hornet", "hex": HOME}}},
            Tow(ship="oakland", hex="1107"),
            "12.42",
            id="12.42-escorts-follow",
        ),
        pytest.param(
            {"ships": {"hornet": {**LONE, "hex": "1306"}}},
            Tow(ship="hornet", hex="1407"),
            "2.12",
            id="2.12-towed-carriers",
        ),
    ],
)
def test_12_42_illegal_towing_is_refused(
    fields: dict[str, Any], command: CbpsCommand, rule: str
) -> None:
    assert rule in refusals(us_move(**{"ships": {"hornet": LONE}, **fields}), command)


def test_12_42_towing_into_an_enemy_hex_is_refused() -> None:
    state = with_parts(us_move(ships={"hornet": LONE}), forces={"A": Force(hex="1107")})
    assert refusals(state, Tow(ship="hornet", hex="1107")) == ("6.35",)


# -- commanders


def test_6_31_each_seat_moves_the_groups_it_commands() -> None:
    state = us_move(options={"staff": "two", **GUNS}, ships={"hornet": LONE})
    assert refusals(state, Detach(group="58.4")) == ("6.1",)
    assert refusals(state, Sail(group="tf58", hex="1109"), "us-2") == ("6.31",)
    assert refusals(state, Tow(ship="hornet", hex="1107"), "us-2") == ("12.42",)
    assert refusals(state, Escort(ship="oakland", cripple="hornet"), "us-2") == ("6.1",)
    detached = given_by("us-2", state, Detach(group="58.4"), ScriptedDice()).state
    assert refusals(detached, Sail(group="58.4", hex="1109")) == ("6.1",)
    assert refusals(detached, Rejoin(group="58.4")) == ("6.1",)
    sailed = given_by("us-2", detached, Sail(group="58.4", hex="1109"), ScriptedDice()).state
    assert sailed.groups["58.4"].hex == "1109"


def test_12_411_cripples_of_another_commander_cannot_be_escorted() -> None:
    state = us_move(options={"staff": "two", **GUNS}, ships={"essex": {"hits": 6}})
    assert refusals(state, Escort(ship="oakland", cripple="essex")) == ("6.1",)


# -- the complete question


def test_6_32_the_options_are_the_legal_commands() -> None:
    state = with_parts(
        us_move(
            options=GUNS,
            groups={
                "58.3": {"is_detached": True},
                "58.4": {"is_detached": True, "hex": "1306"},
            },
            ships={"hornet": {"hits": 6}, "wasp": LONE},
        ),
        forces={"A": Force(hex="1009")},
    )
    names = (*state.groups, "tf58")
    every: list[CbpsCommand] = [
        *(Sail(group=name, hex=hex) for name in names for hex in state.game_data.map.hexes),
        *(kind(group=name) for kind in (Detach, Rejoin) for name in state.groups),
        *(Escort(ship=one, cripple=other) for one in state.ships for other in state.ships),
        *(Tow(ship=name, hex=hex) for name in state.ships for hex in state.game_data.map.hexes),
        Done(),
    ]
    legal = [one for one in every if not refusals(state, one)]
    assert sorted(map(repr, legal)) == sorted(map(repr, options(state)))
