"""Arrival of Japanese forces and the activation cup (7.1, 3.23)."""

import pytest
from msgspec.structs import replace

from engine.cbps.enemy.ch07_arrival import place_arrivals
from engine.cbps.enemy.ch07_cup import fill_cup
from engine.cbps.events.japan import ForceArrived
from engine.cbps.forces.ch07_forces import free_letters
from engine.cbps.run import Run
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, facts, reads, running, with_force

FAR = "1520"


def few(count: int, scenario: str = "6", **options: str) -> State:
    """Return a state with the given number of unused letters."""
    state = battle(scenario, **options)
    letters = state.game_data.scenarios[scenario].japan.letters
    for letter in letters[count:]:
        state = with_force(state, letter, FAR)
    return state


def arrivals(run: Run) -> list[tuple[str, str]]:
    found = facts(run, ForceArrived)
    return [(one.force, one.hex) for one in found if isinstance(one, ForceArrived)]


@pytest.mark.parametrize(("unused", "count"), [(18, 6), (12, 4), (5, 1), (2, 1), (1, 1), (0, 0)])
def test_7_1_a_third_of_the_unused_counters_arrives(unused: int, count: int) -> None:
    """The number is rounded down, but is one if there are one or two counters."""
    faces = (1, 1, 1, 2, 1, 3, 1, 4, 1, 5, 1, 6)
    run = running(few(unused), *faces[: 2 * count])
    place_arrivals(run)
    assert len(arrivals(run)) == count
    assert all(force.level == 0 for force in run.state.forces.values())


def test_7_1_counters_of_forces_that_left_the_map_do_not_arrive() -> None:
    """OP-71."""
    run = running(replace(few(1), gone_letters=("A",)))
    place_arrivals(run)
    assert not arrivals(run)


def test_13_24_nothing_arrives_beyond_the_limit() -> None:
    """No die is rolled."""
    run = running(replace(few(18), limit_reached=True))
    place_arrivals(run)
    assert run.events == ()


@pytest.mark.parametrize(
    ("zone_die", "hex_die", "hex"),
    [(1, 1, "0117"), (5, 3, "0418"), (6, 10, "2116"), (9, 4, "2414")],
)
def test_7_13_zone_and_hex_are_rolled(zone_die: int, hex_die: int, hex: str) -> None:
    """Zones I to IV, ten hexes each."""
    run = running(few(1), zone_die, hex_die)
    place_arrivals(run)
    assert arrivals(run) == [("A", hex)]


def test_7_13_scenario_5_has_its_own_zones() -> None:
    """II on 1-5, III on 6-10."""
    run = running(few(3, "5"), 1, 1)
    place_arrivals(run)
    assert arrivals(run) == [("A", "0217")]
    (read,) = reads(run, "japanese_arrival_zone")
    assert (read.column, read.result) == ("Scenario 5", "II")


def test_7_14_an_arrival_hex_already_taken_is_replaced_within_the_zone() -> None:
    """OP-20: the new hex contains no force."""
    run = running(few(6), *(1, 1, 1, 1), picks=["0112"])
    place_arrivals(run)
    assert arrivals(run) == [("A", "0117"), ("B", "0112")]


def test_7_14_a_full_zone_passes_the_arrival_to_the_next_zone_with_room() -> None:
    """OP-20: I to IV."""
    state = few(6)
    for number, hex in enumerate(state.game_data.map.arrival["I"][1:], 1):
        state = with_force(state, f"Z{number}", hex)
    run = running(state, *(1, 1, 1, 1), picks=["0317"])
    place_arrivals(run)
    assert arrivals(run) == [("A", "0117"), ("B", "0317")]


def near_zone(**options: str) -> State:
    """Return a state with the US fleet 6 hexes from 0117."""
    state = few(1, **options)
    groups = {name: replace(group, hex="0111") for name, group in state.groups.items()}
    return replace(state, groups=groups)


@pytest.mark.parametrize(
    ("faces", "picks", "hex"),
    [
        ((1, 1, 9), (), "0117"),
        ((1, 1, 3, 2, 6, 2), (), "1320"),
        ((1, 1, 4, 5), (), "0113"),
        ((1, 1, 4, 1), ("0110",), "0110"),
    ],
)
def test_7_15_an_arrival_near_us_carriers_is_rerolled(
    faces: tuple[int, ...], picks: tuple[str, ...], hex: str
) -> None:
    """9-10: no change; 1-3: another zone; 4-8: another hex of the zone, even a near one. There is only one alarm."""
    run = running(near_zone(), *faces, picks=picks)
    place_arrivals(run)
    assert arrivals(run) == [("A", hex)]


@pytest.mark.parametrize(("ruling", "hex"), [("once", "0113"), ("again", "1320")])
def test_7_15_a_rerolled_hex_near_us_carriers_follows_the_ruling(ruling: str, hex: str) -> None:
    """OP-20, both readings: if another hex of the zone is near again, then another zone."""
    faces = (1, 1, 4, 5, 3, 6, 2)
    run = running(near_zone(arrival_alarm=ruling), *(faces if ruling == "again" else faces[:4]))
    place_arrivals(run)
    assert arrivals(run) == [("A", hex)]


def test_7_15_arrivals_beyond_six_hexes_are_not_rerolled() -> None:
    """0118 would be 7 hexes away, and 0417 is far."""
    run = running(near_zone(), 9, 1)
    place_arrivals(run)
    assert not reads(run, "arrival_near_us_carriers")


# -- the cup: 3.23


def test_3_24_example_14_forces_make_20_chits() -> None:
    """14 + US Move + US Subs + Guam = 17; three No Op; five in each phase."""
    state = few(4, land_reinforcements="off")
    run = running(state)
    fill_cup(run)
    assert len(state.forces) == 14
    assert run.state.chits_per_phase == 5
    assert run.state.cup.count("No Op") == 3
    assert len(run.state.cup) == 20
    assert run.state.cup == tuple(sorted(run.state.cup))


@pytest.mark.parametrize(
    ("turn", "reinforced", "chits"),
    [
        (1, (), ()),
        (2, (), ("Iwo Jima", "Yap/Peleliu")),
        (3, ("Iwo Jima",), ("Yap/Peleliu",)),
    ],
)
def test_16_11_reinforcement_chits_are_in_the_cup_from_0810(
    turn: int, reinforced: tuple[str, ...], chits: tuple[str, ...]
) -> None:
    """The chits stay until the base has sent its reinforcements for the day."""
    state = battle("6")
    guam = replace(state.guam, reinforced=reinforced)
    run = running(replace(state, turn=turn, guam=guam))
    fill_cup(run)
    assert tuple(one for one in run.state.cup if one in ("Iwo Jima", "Yap/Peleliu")) == chits


def test_3_22_cup_contents_depend_on_the_scenario() -> None:
    """Scenario 4 has only forces, 5 has the US Move; without submarines there is no US Subs chit (24.3)."""
    run = running(with_force(battle("4"), "A", FAR))
    fill_cup(run)
    assert run.state.cup == ("A", "No Op", "No Op", "No Op")
    run = running(battle("5"))
    fill_cup(run)
    assert run.state.cup == ("No Op", "No Op", "No Op", "US Move")
    run = running(battle("6", without_submarines="on", land_reinforcements="off"))
    fill_cup(run)
    assert "US Subs" not in run.state.cup


def test_3_23_without_forces_the_cup_is_empty() -> None:
    """Scenario 4 has no forces yet."""
    run = running(battle("4"))
    fill_cup(run)
    assert (run.state.cup, run.state.chits_per_phase) == ((), 0)


def test_7_11_arrivals_use_only_unused_counters() -> None:
    """An arriving counter was not in play, and those in play stay where they are."""
    before = few(6)
    run = running(before, 1, 1, 1, 2)
    place_arrivals(run)
    came = {name for name, _ in arrivals(run)}
    assert len(came) == 2
    assert came <= set(free_letters(before))
    assert {name: run.state.forces[name] for name in before.forces} == before.forces
