"""The planner, compared with every fall of the dice under the rules, for each answer to a ruling."""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import pytest
from msgspec.structs import replace

from engine.cbps.air.ch04_fuel import mission_units, spend_fuel
from engine.cbps.commands import Launch
from engine.cbps.damage.ch12_hulls import net_air_value
from engine.cbps.decks.ch06_landing import is_safe_return_needed, landing_fuel, roll_safe_return
from engine.cbps.evolve.folds import evolve
from engine.cbps.frames import InterceptionFrame, SearchLaunchFrame
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.locations import carriers_in, unit_hex
from engine.cbps.planner.attack import Losses, air_combat_losses
from engine.cbps.planner.fighters import Clash, clash_chances, raid_plan
from engine.cbps.planner.flight import FlightArrival, landing_estimate
from engine.cbps.planner.forces import force_hypotheses
from engine.cbps.planner.orders import landing_loss
from engine.cbps.planner.searches import search_plan
from engine.cbps.planner.strikes import launchable_units_in, targets_by_distance
from engine.cbps.raids.ch04_fight import COMBAT, resolve_interception
from engine.cbps.raids.ch04_interception import DivideAction, combat_cost
from engine.cbps.raids.ch10_flight import move_raids
from engine.cbps.run import Run
from engine.cbps.state import AirUnit, Hull, Mission, Raid, State
from engine.cbps.strikes.ch05_cap import strike_attackers, strike_combat, strike_escorts
from engine.cbps.strikes.ch05_contact import strike_targets_in
from engine.kernel.chances import map_results
from engine.kernel.dice import Dice, ScriptedDice
from engine.kernel.errors import ScriptedDiceError
from tests.engine.cbps.battle import advanced, battle, given, options, with_force, with_parts
from tests.engine.cbps.fleet_at import operations
from tests.engine.cbps.raiding import TF_58, day, with_interceptors, with_raid
from tests.engine.cbps.searching import at_flight, fleet, moved, searching
from tests.engine.cbps.strikes import ATTACKERS, ESCORTS, strike_state
from tests.engine.cbps.test_ch04_interception import COMMITTED, raided

T = TypeVar("T")
FACES = range(1, 11)


def outcomes(resolve: Callable[[Dice], T]) -> dict[T, Fraction]:
    """Return the probability of each result over all falls of the dice. Picks among equals take the first."""
    chances: dict[T, Fraction] = {}
    pending: list[tuple[int, ...]] = [()]
    while pending:
        faces = pending.pop()
        try:
            result = resolve(ScriptedDice(*faces))
        except ScriptedDiceError:
            pending.extend((*faces, face) for face in FACES)
        else:
            chances[result] = chances.get(result, Fraction(0)) + Fraction(1, 10) ** len(faces)
    return chances


def with_options(state: State, **chosen: str) -> State:
    """Return a state played with other options, given by names with underscores."""
    return replace(state, options=battle("6", **chosen).options)


# -- strikes against CAP


@pytest.mark.parametrize("odd_escorts", ["up", "down"])
@pytest.mark.parametrize("escort_modifier", ["one", "both"])
@pytest.mark.parametrize(("escorts", "cap"), [(0, 2), (1, 2), (3, 2)])
def test_op_10_op_67_strike_against_cap_matches_enumerated_dice(
    escorts: int, cap: int, odd_escorts: str, escort_modifier: str
) -> None:
    state = with_options(
        strike_state(*ESCORTS[:escorts], *ATTACKERS[:2], cap=cap),
        odd_escorts=odd_escorts,
        escort_modifier=escort_modifier,
    )

    def resolve(dice: Dice) -> Losses:
        run = Run(state, evolve, dice)
        strike_combat(run, "strike-1", "X", cap)
        left = mission_units(run.state, "strike-1")
        aborted = sum(run.state.units[unit].is_aborted for unit in left)
        attackers = len(strike_attackers(run.state, "strike-1"))
        return Losses(
            escorts - len(strike_escorts(run.state, "strike-1")),
            2 - attackers - aborted,
            aborted,
            has_fought=True,
        )

    assert air_combat_losses(state, "strike-1", cap) == outcomes(resolve)


# -- interceptions


@pytest.mark.parametrize("odd_escorts", ["up", "down"])
@pytest.mark.parametrize(("fighters", "attackers", "fuel"), [(3, 2, 16), (1, 0, 16), (0, 2, 3)])
def test_op_10_interception_with_the_fewest_units_matches_enumerated_dice(
    fighters: int, attackers: int, fuel: int, odd_escorts: str
) -> None:
    points = fighters + attackers
    raid = {"is_split": True, "fighters": fighters, "attackers": attackers, "points": points}
    state = with_options(raided(2, **raid), odd_escorts=odd_escorts)
    state = with_parts(state, missions={COMMITTED: replace(state.missions[COMMITTED], fuel=fuel)})
    frame = InterceptionFrame(mission=COMMITTED, raid="1-a")
    least = next(iter(DivideAction().candidates(state, frame, "us"))).escorts

    def resolve(dice: Dice) -> tuple[int, Clash]:
        run = Run(state, evolve, dice)
        spend_fuel(run, COMMITTED, combat_cost(state), COMBAT)
        resolve_interception(run, COMMITTED, "1-a", least)
        left = run.state.raids.get("1-a", Raid(origin="1", hex=""))
        lost = 2 - len(mission_units(run.state, COMMITTED))
        return attackers, Clash(fighters - left.fighters, attackers - left.attackers, lost)

    assert clash_chances(state, COMMITTED, "1-a") == outcomes(resolve)


@pytest.mark.parametrize("second_hex", ["off", "on"])
def test_op_68_interception_two_hexes_away_with_one_fuel_point(second_hex: str) -> None:
    state = with_raid(day(second_hex=second_hex), points=6, hex=TF_58)
    near = state.game_data.map.grid.neighbours(TF_58)
    two_away = next(
        hex
        for hex in state.game_data.map.grid.neighbours(near[0])
        if state.game_data.map.grid.distance(hex, TF_58) == 2
    )
    state = with_interceptors(state, 2, fuel=1, hex=two_away)
    met = {meeting.mission for meeting in raid_plan(state, "1-a").meetings}
    assert (COMMITTED in met) is (second_hex == "on")


@pytest.mark.parametrize("lost_target", ["nearest", "home"])
def test_op_38_a_raid_whose_target_lost_its_carriers(lost_target: str) -> None:
    state = with_raid(day(lost_target=lost_target), points=6, hex="1113", origin="Yap")
    carriers = [name for name in carriers_in(state, "1108") if state.ships[name].group == "58.1"]
    sunk = {name: replace(state.ships[name], is_sunk=True, group="") for name in carriers}
    far = replace(state.groups["58.2"], hex="1413")
    state = with_parts(state, ships=sunk, groups={"58.2": far})
    run = Run(state, evolve, ScriptedDice())
    move_raids(run)
    plan = raid_plan(state, "1-a")
    if lost_target == "home":
        assert "1-a" not in run.state.raids
        assert (plan.goal, plan.path) == ("", ("1113",))
    else:
        assert plan.goal == far.hex
        assert plan.path[1] == run.state.raids["1-a"].hex


# -- forces


@pytest.mark.parametrize("suspect_row", ["literal", "shifted"])
@pytest.mark.parametrize("serviced_cap", ["off", "on"])
@pytest.mark.parametrize("chit", ["1-2 Carriers", "3-4 Carriers"])
def test_op_13_op_57_level_3_hypotheses_match_enumerated_dice(
    chit: str, serviced_cap: str, suspect_row: str
) -> None:
    boxes = {"aall": 4, "s1": 3, "s2": 1, "raid-a": 1}
    state = with_force(
        battle("6", serviced_cap=serviced_cap, suspect_row=suspect_row),
        "1",
        "1116",
        level=2,
        chit=chit,
        is_carrier=True,
        is_butai=True,
        detection="L",
        boxes=boxes,
    )

    def resolve(dice: Dice) -> tuple[int, int]:
        run = Run(state, evolve, dice)
        promote(run, "1", 3, "strike")
        drawn = state.game_data.level_three[run.state.forces["1"].chit]
        return drawn.cv + drawn.cvl, net_air_value(run.state, "1")

    found = force_hypotheses(state, "1")
    assert map_results(found, lambda one: (one.carriers, one.air_value)) == outcomes(resolve)


def test_7_41_hypotheses_with_the_historical_fleet() -> None:
    state = battle("6", historical_fleet="on")
    name = next(iter(state.forces))
    drawn = Run(state, evolve, ScriptedDice())
    promote(drawn, name, 1, "search")
    promoted = Run(drawn.state, evolve, ScriptedDice())
    promote(promoted, name, 3, "search")
    ((nature, chance),) = force_hypotheses(drawn.state, name).items()
    chit = state.game_data.level_three[promoted.state.forces[name].chit]
    assert chance == 1
    assert (nature.carriers, nature.air_value) == (
        chit.cv + chit.cvl,
        net_air_value(promoted.state, name),
    )
    other = with_force(state, "H", "1113", level=1, chit="Medium", detection="L")
    assert not any(one.carriers for one in force_hypotheses(other, "H"))


# -- searches


@pytest.mark.parametrize("homeward_zones", ["hex", "order"])
def test_op_31_a_search_whose_group_has_moved_flies_as_planned(homeward_zones: str) -> None:
    state = searching(fleet(homeward_zones=homeward_zones), hex="1225", moves=3, zone="far")
    assert_flown_as_planned(moved(state, "0720"))


def test_8_28_a_search_of_a_sunk_group_flies_as_planned() -> None:
    state = searching(moved(fleet(), "1415", "58.2"), hex="1225", moves=3, zone="far")
    sunk = {
        name: replace(ship, is_sunk=True, group="")
        for name, ship in state.ships.items()
        if ship.group == "58.1"
    }
    home = replace(state.groups["58.1"], hex="1010")
    assert_flown_as_planned(with_parts(state, ships=sunk, groups={"58.1": home}))


def assert_flown_as_planned(state: State) -> None:
    """Fly a search under the rules and compare its hexes and zones with its plan."""
    state = replace(state, frames=(SearchLaunchFrame(),))
    plan = search_plan(state, state.searches["search-1"], ("hornet-b1",), "search-1")
    assert plan.is_home
    for leg in plan.legs:
        run = advanced(at_flight(state))
        search = run.state.searches["search-1"]
        assert (search.hex, search.zone, search.is_back) == (leg.hex, leg.zone, leg.is_back)
        state = replace(run.state, has_searched=False)


# -- landings


@pytest.mark.parametrize("lit_landing", ["off", "on"])
@pytest.mark.parametrize("turn", [3, 10, 11])
@pytest.mark.parametrize("fuel", [5, 1, -2])
@pytest.mark.parametrize("is_lit", [False, True])
def test_op_19_landing_estimate_in_a_lit_hex(
    lit_landing: str, turn: int, fuel: int, *, is_lit: bool
) -> None:
    state = replace(battle("6", lit_landing=lit_landing), turn=turn, phase=2, segment="operations")
    group = replace(state.groups["58.1"], is_lit=is_lit)
    state = with_parts(
        state,
        groups={"58.1": group},
        units={"hornet-b1": AirUnit(place="mission", at="strike-1")},
        missions={"strike-1": Mission(kind="strike", hex=group.hex, fuel=fuel)},
    )
    hex, after = unit_hex(state, "hornet-b1"), landing_fuel(state, "strike-1")

    def is_lost(dice: Dice) -> bool:
        if not is_safe_return_needed(state, "hornet-b1", hex, after):
            return False
        return not roll_safe_return(Run(state, evolve, dice), "hornet-b1", hex, after)

    lost = outcomes(is_lost).get(True, Fraction(0))
    assert landing_loss(state, "hornet-b1") == lost
    home = {FlightArrival(0, fuel): Fraction(1)}
    estimate = landing_estimate(state, home, ("hornet-b1",))
    assert (estimate.lost_lit if is_lit else estimate.lost) == lost


# -- targets and launches


@pytest.mark.parametrize("crippled_targets", ["on", "off"])
def test_op_61_lone_cripples_are_listed_as_targets_by_the_ruling(crippled_targets: str) -> None:
    state = with_parts(
        battle("6", crippled_targets=crippled_targets), hulls={"zuikaku": Hull(hex="1113")}
    )
    assert targets_by_distance(state) == strike_targets_in(state, "1113")
    assert bool(targets_by_distance(state)) is (crippled_targets == "on")


@pytest.mark.parametrize("marker", ["", "leeward", "station"])
def test_17_2_17_3_planned_launches_match_the_limits_of_a_marked_group(marker: str) -> None:
    ready = {
        "hornet-b1": "ready",
        "hornet-b2": "ready",
        "yorktown-b1": "ready",
        "yorktown-b2": "ready",
    }
    state = operations(
        units=ready, groups={"58.1": {"marker": marker}}, options={"leeward-movement": "on"}
    )
    planned = launchable_units_in(state, "1108")
    launched = []
    while launch := next((one for one in options(state) if isinstance(one, Launch)), None):
        launched.append(launch.unit)
        state = given(state, launch).state
    assert sorted(planned) == sorted(launched)
    assert len(planned) == {"": 4, "leeward": 1, "station": 2}[marker]
