"""Strikes and surface combats between random forces, played at random (5.1, 21)."""

from hashlib import blake2b
from random import Random

import pytest
from msgspec.structs import replace

from engine.cbps.commands import Attack, CbpsCommand
from engine.cbps.damage.ch12_hulls import hull_level, us_level
from engine.cbps.evolve.folds import evolve
from engine.cbps.frames import LightsFrame, SurfaceCombatFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.ids import Detection
from engine.cbps.run import Run
from engine.cbps.state import AirUnit, Force, Group, Hits, Hull, Mission, State
from engine.cbps.surface.ch21_sides import Side
from engine.kernel.dice import DerivedDice
from tests.engine.cbps.battle import BOOK, battle, with_frame, with_parts
from tests.engine.cbps.strikes import at
from tests.sizes import sized

HEX, WEST = "1018", "1019"
SEEN: tuple[Detection, ...] = ("?", "L", "S")
SIDES: tuple[Side, ...] = ("us", "japan")
SHIPS = tuple(BOOK.japanese_ships)


def play(state: State, chance: Random) -> State:
    """Answer every question at random until the one about lights."""
    for number in range(200):
        run = Run(
            state,
            evolve,
            DerivedDice(blake2b(digest_size=32, key=chance.randbytes(8)).digest(), number),
        )
        if number == 0:
            MACHINE.advance(run)
            state = run.state
            continue
        if isinstance(state.frames[-1], LightsFrame):
            return state
        (role,) = MACHINE.active_roles(state)
        decision = MACHINE.decision(state, role)
        assert decision.default in decision.options
        command = chance.choice(wanted(decision.options))
        assert not list(MACHINE.why_not(state, role, command))
        MACHINE.resolve(run, role, command)
        MACHINE.advance(run)
        state = run.state
    raise AssertionError("no end", state.frames)


def wanted(options: tuple[CbpsCommand, ...]) -> tuple[CbpsCommand, ...]:
    """Return the attacks among some options, or all options if there are none, so that games do not end at once."""
    return tuple(one for one in options if isinstance(one, Attack)) or options


def forces(
    chance: Random, names: str, hexes: tuple[str, ...]
) -> tuple[dict[str, Force], dict[str, Hull]]:
    """Return forces of every level with random ships, some of them damaged."""
    left = list(SHIPS)
    chance.shuffle(left)
    found: dict[str, Force] = {}
    hulls: dict[str, Hull] = {}
    for name in names:
        level = chance.choice((0, 1, 1, 2, 3, 4, 4))
        hex = chance.choice(hexes)
        detection: Detection = chance.choice(SEEN) if level else ""
        if level < 3:
            chit = {0: "", 1: "Medium", 2: "Large Surface"}[level]
            found[name] = Force(hex=hex, level=level, chit=chit, detection=detection)
            continue
        ships = [left.pop() for _ in range(chance.randint(1, 6))]
        carriers = tuple(ship for ship in ships if BOOK.japanese_ships[ship].is_carrier)
        found[name] = Force(
            hex=hex,
            level=4 if carriers else 3,
            chit="" if carriers else "surface",
            is_carrier=bool(carriers),
            detection=detection,
            raids=chance.randint(0, 2),
            first_carriers=carriers,
            boxes={"aall": 6, "s1": chance.randint(1, 9), "lost": chance.randint(1, 9)},
        )
        for ship in ships:
            capacity = BOOK.japanese_ships[ship].damage_capacity
            hits = chance.choice((0, 0, chance.randint(0, capacity - 1)))
            hulls[ship] = Hull(force=name, hits=Hits(permanent=hits))
    return found, hulls


@pytest.mark.parametrize("seed", range(sized(25, 150, 1500)))
def test_5_1_random_strikes_terminate(seed: int) -> None:
    chance = Random(seed)
    found, hulls = forces(chance, "XYZ", (HEX, HEX, WEST))
    units = list(BOOK.air_units)
    chance.shuffle(units)
    missions = {
        f"strike-{number}": Mission(
            kind="strike", hex=HEX, fuel=chance.randint(-6, 8), groups=("58.1",)
        )
        for number in (1, 2, 3)
    }
    flying = {
        units.pop(): AirUnit(place="mission", at=mission)
        for mission in missions
        for _ in range(chance.randint(1, 9))
    }
    start = with_parts(
        battle(chance.choice(("6", "9")), retirement="on"),
        forces=found,
        hulls=hulls,
        missions=missions,
        units=flying,
    )
    state = play(at(start), chance)
    for name, mission in state.missions.items():
        if mission.kind == "intercept":
            continue
        assert any(unit.at == name for unit in state.units.values())
        assert mission.fuel > -7
    check(state)


@pytest.mark.parametrize("seed", range(sized(25, 150, 1500)))
def test_21_0_random_surface_combats_terminate(seed: int) -> None:
    chance = Random(seed)
    found, hulls = forces(chance, "XY"[: chance.randint(1, 2)], (HEX,))
    start = battle("9", surface_combat="on", retirement=chance.choice(("on", "off")))
    ours = chance.sample(list(start.ships), chance.randint(1, 7))
    start = with_parts(
        start,
        groups={
            "58.1": replace(start.groups["58.1"], is_lit=True),
            "surface-1": Group(hex=HEX, is_detached=True),
        },
        ships={
            ship: replace(
                start.ships[ship],
                group="surface-1",
                hits=chance.randint(0, BOOK.us_ships[ship].damage_capacity - 1),
            )
            for ship in ours
        },
        forces=found,
        hulls=hulls,
    )
    start = replace(start, turn=chance.choice((0, 13)))
    mover = chance.choice(SIDES)
    origin = {"surface-1": "1017"} if mover == "us" else {"X": WEST}
    frame = SurfaceCombatFrame(hex=HEX, mover=mover, origin=origin)
    state = play(with_frame(start, LightsFrame(), frame), chance)
    check(state)


def check(state: State) -> None:
    """Check the invariants of every state: ships are sunk when they must be, and forces have ships."""
    for ship, hull in state.hulls.items():
        assert (hull.fate == "sunk") == (hull_level(state, ship) == "sunk")
        if not hull.fate and not hull.hex:
            assert hull.force in state.forces
    for ship, now in state.ships.items():
        assert now.is_sunk == (us_level(state, ship) == "sunk")
    for name, force in state.forces.items():
        if force.level == 4:
            ships = [ship for ship, hull in state.hulls.items() if hull.force == name]
            assert any(BOOK.japanese_ships[ship].is_carrier for ship in ships)
            assert force.cap is None or force.cap >= 0
