"""Random walks through movement: every option resolves, there are no dead ends, and ends agree with chapter 7."""

import random

import pytest
from msgspec.structs import replace

from engine.eots.board import board
from engine.eots.ch06_supply.bitsets import bitsets_in_play
from engine.eots.ch06_supply.control import controls
from engine.eots.ch07_offensive.feasibility import declaration_requirements
from engine.eots.ch08_movement.battles import is_in_battle_position
from engine.eots.ch08_movement.reaction import can_react
from engine.eots.ch08_movement.search import hexes_within_by_sea
from engine.eots.ch08_movement.stack import ENDING_LEGS
from engine.eots.commands import Done, Drop, EotsCommand, March, Sail
from engine.eots.counters import counters
from engine.eots.events.offensive import MoveFinished, UnitMoved
from engine.eots.evolve import evolve
from engine.eots.frames import MovementFrame, Purpose, StackFrame
from engine.eots.ids import CHINA_BOX, HexId, Side, UnitId
from engine.eots.state import Mode, Moved, State
from tests.engine.eots.declarable import is_declarable
from tests.engine.eots.moving import Mover, moving, with_battles
from tests.engine.eots.positions import start_of
from tests.sizes import sampled, sized

SCENARIOS = ("campaign-1941", "1942", "1943", "1944", "south-pacific")
SEEDS = range(8)
PATIENCE = 500
"""Number of orders after which a walk takes the last option, which ends steps."""


def _fighters(state: State, side: Side) -> list[UnitId]:
    """Return the units on land: two US carriers begin the campaign at sea (17.11)."""
    land = {at for at, row in board().hexes.items() if row.is_land}
    return [
        unit
        for unit, piece in sorted(state.units.items())
        if (piece.at == CHINA_BOX or piece.at in land)
        and counters()[unit].side is side
        and not counters()[unit].is_hq
    ]


def _choose(options: tuple[EotsCommand, ...], rng: random.Random) -> EotsCommand:
    """Return a random option: first a kind of order, then one of that kind. Options that end steps are rare."""
    kinds = sorted({type(option) for option in options}, key=lambda kind: kind.__name__)
    weights = [0.1 if kind in {Done, Drop} else 1.0 for kind in kinds]
    kind = rng.choices(kinds, weights)[0]
    return rng.choice([option for option in options if type(option) is kind])


def _walk(game: Mover, rng: random.Random) -> None:
    orders = 0
    while not game.is_over:
        options = game.options
        assert options
        assert len(set(options)) == len(options)
        order = _choose(options, rng) if orders < PATIENCE else options[-1]
        frame = game.state.frames[-1]
        assert not game.refusals(order), (order, game.refusals(order))
        game(order)
        orders += 1
        assert orders < 2 * PATIENCE, frame
        if isinstance(game.state.frames[-1], MovementFrame) and game.state.offensive is not None:
            _check(game)


def _check(game: Mover) -> None:
    frame = game.state.frames[-1]
    assert isinstance(frame, MovementFrame)
    if frame.purpose is Purpose.OFFENSIVE:
        assert is_declarable(game.state)
    record = game.state.offensive
    assert record is not None
    tracks = game.state.tracks
    assert tracks.japan_asp_used <= max(tracks.japan_asp, record.before.tracks.japan_asp_used)
    assert tracks.allied_asp_used <= max(tracks.allied_asp, record.before.tracks.allied_asp_used)
    for unit, moved in record.moved.items():
        assert moved.origin == record.origins[unit]
        assert moved.path or game.at(unit) == CHINA_BOX


def _offensive(scenario: str, rng: random.Random) -> Mover:
    base = start_of(scenario)
    side = rng.choice(list(Side))
    activated = rng.sample(_fighters(base, side), 8)
    return moving(base, side, activated, ov=rng.randint(1, 3), event=rng.random() < 0.5)


def _react(state: State, rng: random.Random) -> Mover | None:
    battles = sorted(declaration_requirements(state).forced)
    record = state.offensive
    assert record is not None
    if not battles:
        return None
    enemy = record.side.enemy
    declared = with_battles(state, battles)
    able = [unit for unit in _fighters(declared, enemy) if can_react(declared, unit)]
    chosen = tuple(rng.sample(able, min(len(able), 6)))
    assert declared.offensive is not None
    origins = {**record.origins, **{unit: declared.units[unit].at for unit in chosen}}
    reaction = replace(record.reaction, activated=chosen)
    changed = replace(declared.offensive, reaction=reaction, origins=origins)
    frame = MovementFrame(side=enemy, purpose=Purpose.REACTION)
    return Mover(replace(declared, offensive=changed, frames=(*declared.frames, frame)))


@pytest.mark.parametrize("scenario", SCENARIOS)
@pytest.mark.parametrize("seed", sampled(SEEDS, 3, of="positions"))
def test_random_walks_reach_legal_ends(scenario: str, seed: int) -> None:
    rng = random.Random(seed)
    game = _offensive(scenario, rng)
    _walk(game, rng)
    record = game.state.offensive
    assert record is not None
    reaction = _react(game.state, rng)
    state = game.state
    if reaction is not None:
        _walk(reaction, rng)
        state = reaction.state
        _check_reaction(state)
    for side in (record.side.enemy, record.side):
        frame = MovementFrame(side=side, purpose=Purpose.POST_BATTLE)
        after = Mover(replace(state, frames=(*state.frames, frame)))
        _walk(after, rng)
        state = after.state
        _check_home(state, side)


def _check_reaction(state: State) -> None:
    """Check that every unit that is still active takes part in a battle (7.26)."""
    record = state.offensive
    assert record is not None
    assert all(is_in_battle_position(state, unit) for unit in record.reaction.activated)


def _check_home(state: State, side: Side) -> None:
    """Check that active ships are in friendly ports and active air units on friendly airfields (9.61, 9.62)."""
    record = state.offensive
    assert record is not None
    active = record.activated if side is record.side else record.reaction.activated
    of = bitsets_in_play(state).board
    for unit in active:
        counter, piece = counters()[unit], state.units[unit]
        if not piece.is_on_map or counter.is_ground:
            continue
        index = of.index[HexId(piece.at)]
        assert controls(state, side, piece.at)
        assert of.is_airfield[index] if counter.is_air else of.is_port[index]


@pytest.mark.series("P4")
@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 2, of="scenarios"))
@pytest.mark.parametrize(
    "seed", range(sized(1, 4, 40, of="positions of each scenario whose movement is compared"))
)
def test_movement_ends_match_the_declaration_rules(scenario: str, seed: int) -> None:
    """7.24: a carrier may end exactly where a legal step 3 could follow, and so may ground units."""
    rng = random.Random(seed)
    base = start_of(scenario)
    side = rng.choice(list(Side))
    fighters = _fighters(base, side)
    carriers = [unit for unit in fighters if counters()[unit].carrier]
    troops = [unit for unit in fighters if counters()[unit].is_ground]
    activated = [*rng.sample(carriers, min(3, len(carriers))), *rng.sample(troops, 5)]
    game = moving(base, side, activated, ov=3, event=bool(seed % 2))
    for _ in range(25):
        if game.is_over:
            return
        frame = game.state.frames[-1]
        if isinstance(frame, StackFrame) and frame.mode is None and len(frame.units) == 1:
            _compare(game, frame)
        options = tuple(option for option in game.options if not isinstance(option, (Done, Drop)))
        game(_choose(options or game.options, rng))


def _compare(game: Mover, frame: StackFrame) -> None:
    state, unit = game.state, frame.units[0]
    assert state.offensive is not None
    counter, ground = counters()[unit], bitsets_in_play(state)
    if counter.carrier:
        start = ground.bit_by_id[frame.at]
        reach = hexes_within_by_sea(ground, start, state.offensive.naval_move) & ~start
        legal = {at for at in ground.ids(reach) if is_declarable(_ended(state, unit, at))}
        assert set(game.ends(Sail)) == legal
    elif counter.is_ground:
        for at in game.ends(March):
            assert is_declarable(_ended(state, unit, HexId(at)))


def _ended(state: State, unit: UnitId, at: HexId) -> State:
    mode = Mode.NAVAL if counters()[unit].is_naval else Mode.GROUND
    origin = state.units[unit].at
    moved = Moved(mode=mode, origin=origin, path=(at,), entered_from=origin)
    gone = evolve(state, UnitMoved(unit=unit, entered=(at,)))
    return evolve(gone, MoveFinished(unit=unit, moved=moved))


def test_default_answers_finish_every_step() -> None:
    """A clock that always chooses the default ends every step (9-i, 9-j)."""
    for seed in range(6):
        rng = random.Random(seed)
        game = _offensive("1943", rng)
        _walk(game, rng)
        record = game.state.offensive
        assert record is not None
        state = game.state
        for side in (record.side.enemy, record.side):
            frame = MovementFrame(side=side, purpose=Purpose.POST_BATTLE)
            after = Mover(replace(state, frames=(*state.frames, frame)))
            for _ in range(60):
                if after.is_over:
                    break
                after(after.default)
            assert after.is_over
            state = after.state


def test_ending_legs_exclude_waypoints() -> None:
    assert all(not leg.kind.__name__.endswith("Via") for leg in ENDING_LEGS)
