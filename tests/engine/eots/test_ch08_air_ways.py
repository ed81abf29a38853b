"""Hexes that an air leg enters: the least observed path, and paths of the player's choice (8.31, 8.33, 7.25E)."""

import random
from functools import cache

import pytest

from engine.eots.ch06_supply.bitsets import Bits, BoardBitsets, advance_front, whole_map
from engine.eots.ch08_movement.search import (
    air_steps,
    hexes_within,
    least_detected_path,
    open_air,
)
from engine.eots.commands import Fly, FlyStrategic, FlyVia
from engine.eots.events.offensive import ZoiTouched
from engine.eots.frames import StackFrame
from engine.eots.ids import HexId, Side, UnitId
from engine.eots.state import Moved, State
from tests.engine.eots.moving import HALT, Mover, fly, moving, pick, reacting
from tests.engine.eots.positions import Place, position
from tests.sizes import sized

JAPAN, ALLIED = Side.JAPAN, Side.ALLIED
FLOTILLA, WING, BOMBER = "jp-air-flotilla-25", "us-air-1maw", "us-lrb-5af"
WATCHED: dict[str, Place] = {
    FLOTILLA: "4020",
    "jp-hq-south-seas": "4017",
    "us-air-13af": "4222",
    "us-hq-south-pacific-halsey": "4825",
}
"""The zone of 4222 covers every path of four hexes from 4020 to 4024."""
FIELDS = ("4020", "4024")


def via(to: str) -> FlyVia:
    return FlyVia(to=HexId(to))


def _watched() -> State:
    return position(WATCHED, japan=FIELDS, allied=["4222", "4825"])


def _flight(ov: int = 1) -> Mover:
    return moving(_watched(), JAPAN, [FLOTILLA], ov=ov)(*pick(FLOTILLA))


def _moved(game: Mover, unit: str) -> Moved:
    record = game.state.offensive
    assert record is not None
    return record.moved[UnitId(unit)]


def _path(game: Mover, unit: str) -> tuple[HexId, ...]:
    return _moved(game, unit).path


def _is_seen(game: Mover) -> bool:
    return any(isinstance(event, ZoiTouched) for event in game.events)


# -- the search


def _best(
    ground: BoardBitsets, start: str, goal: str, most: int, zones: Bits
) -> tuple[int, int] | None:
    """Return zone hexes and length of the best path, computed hex by hex."""

    @cache
    def rest(at: Bits, left: int) -> tuple[int, int] | None:
        if at == ground.bit_by_id[goal]:
            return 0, 0
        if not left:
            return None
        found = []
        for name in ground.ids(advance_front(at, air_steps(ground)) & open_air(ground)):
            after = rest(ground.bit_by_id[name], left - 1)
            if after is not None:
                found.append((after[0] + bool(ground.bit_by_id[name] & zones), after[1] + 1))
        return min(found, default=None)

    return rest(ground.bit_by_id[start], most)


@pytest.mark.parametrize("seed", range(sized(15, 60, 300)))
def test_7_25_no_path_within_range_enters_fewer_zone_hexes(seed: int) -> None:
    chance = random.Random(seed)
    ground = whole_map()
    names = ground.ids(open_air(ground))
    start, most = chance.choice(names), chance.randint(1, 6)
    near = hexes_within(ground, ground.board.index[start], 4) & open_air(ground)
    goal = chance.choice(ground.ids(near & ~ground.bit_by_id[start]))
    zones = 0
    for place in chance.sample(ground.ids(near), min(4, near.bit_count())):
        zones |= chance.choice((ground.bit_by_id[place], ground.around[place]))
    path = least_detected_path(
        ground,
        air_steps(ground),
        ground.bit_by_id[start],
        ground.bit_by_id[goal],
        max_distance=most,
        allowed_hexes=open_air(ground),
        zoi_hexes=zones,
    )
    best = _best(ground, start, goal, most, zones)
    if path is None:
        assert best is None
        return
    assert path[-1] == goal
    assert len(set(path)) == len(path)
    for one, other in zip((start, *path), path, strict=False):
        assert ground.bit_by_id[other] & advance_front(ground.bit_by_id[one], air_steps(ground))
    assert best == (sum(bool(ground.bit_by_id[at] & zones) for at in path), len(path))


# -- the default path


def test_8_33_strategic_transport_also_avoids_neutralised_zones() -> None:
    """7.25E counts zones whether they are neutralised or not."""
    units: dict[str, Place] = {**WATCHED, "jp-air-flotilla-24": "4022"}
    state = position(units, japan=(*FIELDS, "4022"), allied=["4222", "4825"])
    game = moving(state, JAPAN, [FLOTILLA], ov=1)(*pick(FLOTILLA), FlyStrategic(to="4024"))
    assert not _is_seen(game)


# -- paths of the player's choice


def test_8_31_a_waypoint_with_an_airfield_can_end_the_move() -> None:
    halted = _flight(ov=2)(via("4024"), HALT)
    assert _path(halted, FLOTILLA)[-1] == "4024"
    landed = _flight(ov=2)(via("4024"), fly("4024"))
    assert HALT in landed.options
    assert "4020" in landed.ends(Fly)  # the second leg


def test_8_31_hex_count_restarts_after_a_landing() -> None:
    game = _flight(ov=2)(via("4022"), fly("4024"))
    frame = game.state.frames[-1]
    assert isinstance(frame, StackFrame)
    assert frame.flown == 0
    assert len(frame.path) == 5
    game(via("4022"), fly("4020"))
    assert _path(game, FLOTILLA)[-1] == "4020"


def test_8_31_waypoints_are_refused_in_reaction() -> None:
    game = reacting(_watched(), JAPAN, [FLOTILLA], ["4222"], ov=1)(*pick(FLOTILLA))
    assert not game.ends(FlyVia)
    assert game.refusals(via("4022")) == ["8.31"]


def test_13_74_a_flight_to_china_has_no_waypoints() -> None:
    """The flight is one leg whatever the distance, from an airfield and to one."""
    units: dict[str, Place] = {"us-air-14af": "1905", "cw-hq-seac": "1805"}
    state = position(units, allied=["1905", "1805", "2104"])
    game = moving(state, ALLIED, ["us-air-14af"], ov=1)(*pick("us-air-14af"))
    assert fly("china-box") in game.options
    game(via(game.ends(FlyVia)[0]))
    assert fly("china-box") not in game.options
