"""Damage to US ships, repair of decks, and fires (12.1, 12.3, 12.5)."""

import pytest
from msgspec.structs import replace

from engine.cbps.damage.ch12_fires import roll_fire_outbreaks, spread_fires
from engine.cbps.damage.ch12_hulls import us_level
from engine.cbps.damage.ch12_us_damage import hit_us_ship, repair_decks, units_in_boxes
from engine.cbps.events.air import UnitLost
from engine.cbps.events.fleet import DeckCrashed, DeckInoperative, FiresChanged, ShipHit, ShipSunk
from engine.cbps.frames import ActivationFrame, OperationsFrame
from engine.cbps.locations import units_aboard
from engine.cbps.state import State, UsShip
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    options,
    reads,
    running,
    with_frame,
    with_parts,
)


def ship(state: State, name: str = "hornet", **fields: object) -> State:
    """Return a state with changes to a ship."""
    return with_parts(state, ships={name: replace(state.ships[name], **fields)})


# -- hits


def test_12_14_losses_continue_in_servicing_then_hangar_where_units_count_as_two() -> None:
    run = running(battle())
    before = {
        box: len(units_in_boxes(run.state, "hornet", (box,)))
        for box in ("ready", "servicing", "hangar")
    }
    assert before == {"ready": 2, "servicing": 2, "hangar": 3}
    hit_us_ship(run, "hornet", 7, "raid")
    left = {
        box: len(units_in_boxes(run.state, "hornet", (box,)))
        for box in ("ready", "servicing", "hangar")
    }
    assert left == {"ready": 0, "servicing": 0, "hangar": 1}


def test_12_14_no_more_units_are_lost_than_are_aboard() -> None:
    state = battle()
    empty = with_parts(
        state,
        units={
            unit: replace(state.units[unit], place="gone", at="")
            for unit in units_aboard(state, "hornet")
        },
    )
    run = running(empty)
    hit_us_ship(run, "hornet", 3, "raid")
    assert not facts(run, UnitLost)


@pytest.mark.parametrize(
    ("name", "hits"),
    [
        pytest.param("hornet", 8, id="12.11-CV"),
        pytest.param("bataan", 5, id="12.11-CVL"),
        pytest.param("alabama", 20, id="12.51-BB-20"),
        pytest.param("iowa", 22, id="12.51-BB-22"),
    ],
)
def test_ships_sink_at_capacity(name: str, hits: int) -> None:
    run = running(battle())
    hit_us_ship(run, name, hits - 1, "submarine")
    assert not run.state.ships[name].is_sunk
    hit_us_ship(run, name, 1, "submarine")
    assert run.state.ships[name].is_sunk
    hit_us_ship(run, name, 1, "submarine")
    assert run.state.ships[name].hits == hits


def test_12_53_other_units_are_unaffected_below_capacity() -> None:
    run = running(battle())
    capacity = run.state.game_data.us_ships["desdiv-11"].damage_capacity
    hit_us_ship(run, "desdiv-11", capacity - 1, "gunfire")
    assert facts(run) == (ShipHit(ship="desdiv-11", hits=capacity - 1, why="gunfire"),)
    hit_us_ship(run, "desdiv-11", 1, "gunfire")
    assert facts(run, ShipSunk) == (ShipSunk(ship="desdiv-11"),)


def test_12_14_a_sinking_carrier_loses_all_units_aboard_at_its_group() -> None:
    run = running(battle())
    units = units_aboard(run.state, "bataan")
    hit_us_ship(run, "bataan", 5, "raid")
    lost = facts(run, UnitLost)
    assert lost == tuple(UnitLost(unit=unit, is_at_group=True, why="sunk") for unit in units)
    assert not facts(run, DeckInoperative)


def test_12_14_units_on_a_lone_sinking_carrier_are_lost_away_from_groups() -> None:
    state = ship(battle(), "bataan", group="", hex="1010", hits=4)
    run = running(state)
    hit_us_ship(run, "bataan", 1, "raid")
    assert facts(run, UnitLost)
    assert not any(one.is_at_group for one in facts(run, UnitLost))  # type: ignore[attr-defined]  # of this kind


# -- repair


@pytest.mark.parametrize(
    ("die", "is_repaired"),
    [pytest.param(6, False, id="12.13-stays"), pytest.param(7, True, id="12.13-repaired")],
)
def test_inoperative_decks_are_repaired_on_a_roll(die: int, *, is_repaired: bool) -> None:
    run = running(ship(battle(), hits=1, is_inoperative=True), die)
    repair_decks(run)
    assert run.state.ships["hornet"].is_inoperative is not is_repaired


@pytest.mark.parametrize(
    ("die", "is_cleared"),
    [pytest.param(7, True, id="4.453-cleared"), pytest.param(8, False, id="4.453-stays")],
)
def test_deck_crashes_are_cleared_on_a_roll(die: int, *, is_cleared: bool) -> None:
    run = running(ship(battle(), is_crashed=True), die)
    repair_decks(run)
    assert bool(facts(run, DeckCrashed)) is is_cleared


def test_12_13_inoperative_decks_and_deck_crashes_roll_separately() -> None:
    run = running(ship(battle(), is_crashed=True, is_inoperative=True), 1, 1)
    repair_decks(run)
    assert run.state.ships["hornet"].is_inoperative
    assert not run.state.ships["hornet"].is_crashed


# -- fires


def test_12_31_one_outbreak_roll_covers_all_hits_of_the_segment() -> None:
    run = running(battle(), 6)
    hit_us_ship(run, "hornet", 2, "raid")
    hit_us_ship(run, "hornet", 1, "raid")
    roll_fire_outbreaks(run)
    (read,) = reads(run)
    assert [one.id for one in read.modifiers] == ["hits_3_4", "armed_planes"]
    assert facts(run, FiresChanged) == (FiresChanged(ship="hornet", levels=(1,)),)


@pytest.mark.parametrize(
    ("hits", "modifier"),
    [
        pytest.param(1, [], id="12.31-one-hit"),
        pytest.param(2, ["hits_2"], id="12.31-two"),
        pytest.param(5, ["hits_5"], id="12.31-five"),
    ],
)
def test_fire_outbreak_modifier_depends_on_hits(hits: int, modifier: list[str]) -> None:
    run = running(ship(battle(), segment_hits=hits), 5)
    roll_fire_outbreaks(run)
    assert [one.id for one in reads(run)[0].modifiers] == modifier
    assert not facts(run, FiresChanged)


def test_12_311_submarine_and_fire_hits_do_not_start_fires() -> None:
    run = running(battle())
    hit_us_ship(run, "hornet", 2, "submarine")
    hit_us_ship(run, "hornet", 2, "fire")  # OP-44
    roll_fire_outbreaks(run)
    assert not reads(run)


def test_12_31_gunfire_hits_roll_for_fire_in_the_activation_segment() -> None:
    state = ship(battle(), segment_hits=2)
    run = advanced(with_frame(state, OperationsFrame(), ActivationFrame(left=0)), 10)
    assert run.state.ships["hornet"].fires == (1,)


def test_12_35_surface_ships_do_not_catch_fire() -> None:
    run = running(battle())
    hit_us_ship(run, "iowa", 3, "raid")
    roll_fire_outbreaks(run)
    assert not reads(run)


def test_scenarios_1_to_5_have_no_fires() -> None:
    run = running(ship(battle("3"), "bunker-hill", segment_hits=3))
    roll_fire_outbreaks(run)
    assert not reads(run)


@pytest.mark.parametrize(
    ("level", "die", "levels", "hits"),
    [
        pytest.param(2, 4, (), 0, id="12.33-extinguished"),
        pytest.param(2, 5, (1,), 0, id="12.33-down"),
        pytest.param(1, 6, (), 0, id="12.33-level-1-goes-out"),
        pytest.param(2, 7, (3,), 0, id="12.33-up"),
        pytest.param(3, 7, (3,), 0, id="12.33-at-most-3"),
        pytest.param(2, 8, (2,), 2, id="12.33-damage-example"),
        pytest.param(2, 10, (2,), 4, id="12.33-double-damage-example"),
    ],
)
def test_fires_spread_and_damage_by_level(
    level: int, die: int, levels: tuple[int, ...], hits: int
) -> None:
    run = running(ship(battle(), fires=(level,)), die)
    spread_fires(run)
    assert run.state.ships["hornet"].fires == levels
    assert run.state.ships["hornet"].hits == hits


def test_12_36_each_fire_rolls_alone() -> None:
    run = running(ship(battle(), fires=(1, 3)), 4, 5)
    spread_fires(run)
    assert facts(run, FiresChanged) == (FiresChanged(ship="hornet", levels=(2,)),)


def test_12_33_a_fire_sinks_the_ship() -> None:
    run = running(ship(battle(), fires=(3, 1), hits=4), 10)
    spread_fires(run)
    assert run.state.ships["hornet"] == UsShip(hits=10, is_sunk=True)
    assert not facts(run, FiresChanged)


def test_12_15_hits_are_never_repaired() -> None:
    run = running(ship(battle(), hits=2, is_inoperative=True), 10)
    repair_decks(run)
    assert run.state.ships["hornet"].hits == 2


@pytest.mark.parametrize(
    ("name", "hits", "level"),
    [
        pytest.param("hornet", 3, "light", id="12.11-CV-light"),
        pytest.param("hornet", 4, "heavy", id="12.11-CV-heavy"),
        pytest.param("hornet", 6, "crippled", id="12.16-CV"),
        pytest.param("bataan", 2, "light", id="12.11-CVL-light"),
        pytest.param("bataan", 3, "heavy", id="12.11-CVL-heavy"),
        pytest.param("bataan", 4, "crippled", id="12.16-CVL"),
        pytest.param("alabama", 14, "heavy", id="12.51-heavy"),
        pytest.param("alabama", 15, "crippled", id="12.51-crippled"),
        pytest.param("oakland", 1, "", id="12.53-CLAA"),
    ],
)
def test_us_damage_levels_depend_on_hits(name: str, hits: int, level: str) -> None:
    run = running(battle())
    hit_us_ship(run, name, hits, "submarine")
    assert us_level(run.state, name) == level


def test_12_34_a_burning_carrier_cannot_operate_aircraft() -> None:
    state = with_frame(battle(), OperationsFrame())
    units = set(units_aboard(state, "hornet"))
    assert units & {getattr(one, "unit", "") for one in options(state)}
    state = ship(state, fires=(1,))
    assert not units & {getattr(one, "unit", "") for one in options(state)}
