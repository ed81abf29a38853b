"""The greedy player of Carrier Battle: whole games, its aims, and answers to single questions."""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple, cast

import pytest
from msgspec.structs import replace

from engine.bots.greedy_cbps import GreedyCbps
from engine.bots.greedy_cbps_aim import hit_counts
from engine.bots.greedy_cbps_decks import DeckPlanner
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.bots.player import Player, choose_command, last_reason
from engine.bots.registry import create_bot
from engine.cbps import commands as orders
from engine.cbps.commands import CbpsCommand
from engine.cbps.frames import AimFrame, OperationsFrame, SailFrame
from engine.cbps.ruleset import CBPS
from engine.cbps.state import AirUnit, Force, Hits, Hull, Mission, State
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from tests.engine.cbps.battle import battle, with_frame, with_parts
from tests.sizes import sampled, sized

SCENARIOS: Final = tuple("123456789")
MOST_COMMANDS: Final = 6_000
OPTIONS: Final[tuple[Mapping[str, str], ...]] = (
    {"leeward-movement": "on", "variable-wind": "on", "deck-crashes": "on", "retirement": "on"},
    {"surface-combat": "on", "search-shadowing": "on", "uncertain-location": "on"},
    {"night-operations": "on", "shuttle-raids": "on", "new-aircraft": "on", "morning-search": "on"},
    {"staff": "three", "without-58.1": "on", "long-searches": "on"},
    {"staff": "four", "additional-ships": "off", "double-forces": "off"},
)


class Step(NamedTuple):
    """A question of a game, its answer and the reason for it."""

    state: State
    role: Role
    command: CbpsCommand
    why: str


def derived(words: str) -> DerivedDice:
    """Return dice derived from some text."""
    return DerivedDice(words.encode().ljust(32, b"."), 0)


def play(scenario: str, seed: int, name: str, options: Mapping[str, str]) -> Iterator[Step]:
    """Yield every question of a game between bots of one kind, then the end with an empty role."""
    secret = bytes([seed]) * 32
    position = CBPS.position(scenario, options)
    state = CBPS.fold(CBPS.initial_state(), CBPS.open_game(position, DerivedDice(secret, 0)))
    players: dict[Role, Player] = {}
    for number in range(1, MOST_COMMANDS):
        role = CBPS.active_roles(state)[0]
        player = players.setdefault(role, create_bot(name, "cbps", derived(f"{role} {seed}")))
        command = cast("CbpsCommand", choose_command(CBPS, state, role, player))
        yield Step(state, role, command, last_reason(player))
        events = CBPS.decide(state, role, command, DerivedDice(secret, number))
        state = CBPS.fold(state, events)
        if not CBPS.active_roles(state):
            yield Step(state, Role(""), command, "")
            return
    raise AssertionError("the game never ends")


@cache
def game(scenario: str, seed: int, name: str = "greedy") -> tuple[Step, ...]:
    """Return a game with the default options."""
    return tuple(play(scenario, seed, name, {}))


def score(steps: tuple[Step, ...]) -> int:
    """Return the victory points at the end."""
    outcome = CBPS.outcome(steps[-1].state)
    assert outcome is not None
    assert outcome.score is not None
    return outcome.score


# -- whole games


@pytest.mark.parametrize("scenario", sampled(SCENARIOS, 1))
def test_plays_every_scenario_to_its_end(scenario: str) -> None:
    steps = game(scenario, 1)
    assert CBPS.outcome(steps[-1].state) is not None
    assert not any(CBPS.violations(steps[-1].state))


@pytest.mark.full
@pytest.mark.parametrize(
    ("scenario", "options"), zip("56868", OPTIONS, strict=True), ids=[*"abcde"]
)
def test_plays_with_optional_rules_and_with_several_seats(
    scenario: str, options: Mapping[str, str]
) -> None:
    *steps, last = play(scenario, 2, "greedy", options)
    assert CBPS.outcome(last.state) is not None
    seats = set(CBPS.scenario_info(scenario, options).roles)
    asked = {step.role for step in steps}
    assert asked <= seats  # a player whose group never has anything to decide is never asked
    assert len(asked) > 1 or len(seats) == 1


@pytest.mark.parametrize("scenario", sampled(("1", "5", "2", "7", "3", "9", "4", "6"), 1))
def test_beats_the_random_player(scenario: str) -> None:
    seeds = range(1, 1 + sized(1, 2, 4))
    greedy = sum(score(game(scenario, seed)) for seed in seeds)
    assert greedy > sum(score(game(scenario, seed, "random")) for seed in seeds)


@pytest.mark.full
def test_the_same_dice_give_the_same_game() -> None:
    again = play("6", 1, "greedy", {})
    assert [step.command for step in again] == [step.command for step in game("6", 1)]


@pytest.mark.full
def test_a_game_uses_every_kind_of_operation() -> None:
    given = {type(step.command) for step in game("6", 1)}
    wanted: set[type[CbpsCommand]] = {
        *(orders.Launch, orders.Cap, orders.Raise, orders.Service, orders.Lower, orders.Land),
        *(orders.Fly, orders.Commit, orders.Intercept, orders.SearchOut),
        *(orders.Sail, orders.Hunt),
    }
    assert given >= wanted


# -- its aims: it finds the enemy, keeps CAP, strikes in range and recovers its aircraft


@pytest.mark.full
def test_searches_and_detects_forces() -> None:
    states = [step.state for step in game("6", 1)]
    assert any(isinstance(step.command, orders.SearchOut) for step in game("6", 1))
    assert any(force.detection for state in states for force in state.forces.values())


def test_fills_cap_boxes_before_the_first_turn() -> None:
    first = next(step.state for step in game("6", 1) if step.state.segment)
    for group in ("58.1", "58.2", "58.3"):
        over = {name for name, mission in first.missions.items() if mission.cap == group}
        assert sum(unit.at in over for unit in first.units.values()) == 3


@pytest.mark.full
def test_strikes_reach_their_targets() -> None:
    games = [game("6", seed) for seed in (1, 2)]
    assert any(isinstance(step.command, orders.Attack) for steps in games for step in steps)


def test_loses_less_than_a_quarter_of_its_aircraft() -> None:
    for seed in range(1, 1 + sized(1, 2)):
        *_, last = game("6", seed)
        units = last.state.units.values()
        assert sum(unit.place == "lost" for unit in units) * 4 < len(units)


def test_does_not_repeat_a_reason_within_a_turn() -> None:
    found = [(step.state.turn, step.why) for step in game("6", 1) if step.why]
    assert len(found) > 10
    assert len(found) == len(set(found))
    assert all(why.endswith(".") and why[0].isupper() for _, why in found)
    text = " ".join(why for _, why in found)
    assert "strike-" not in text
    assert "intercept-" not in text


# -- single questions


def answer(state: State) -> CbpsCommand:
    """Return the greedy player's answer."""
    return cast("CbpsCommand", choose_command(CBPS, state, Role("us"), GreedyCbps(derived("one"))))


def at_noon(state: State, **fields: object) -> State:
    """Return a state in the 1210 turn of Scenario 6."""
    return replace(state, turn=5, segment="operations", **fields)


def test_scenario_2_strikes_all_target_the_most_valuable_hex() -> None:
    steps = game("2", 1)
    stations = [step.command for step in steps if isinstance(step.command, orders.Station)]
    assert {command.hex for command in stations} == {"1025"}


def test_launches_a_strike_at_carriers_in_range_and_gives_a_reason() -> None:
    force = Force(hex="1114", level=2, chit="2-3 Carriers", is_carrier=True, detection="S")
    state = with_parts(at_noon(battle("6")), forces={"1": force})
    player = GreedyCbps(derived("one"))
    command = choose_command(CBPS, with_frame(state, OperationsFrame()), Role("us"), player)
    given = []
    while isinstance(command, orders.Cap):
        given.append(command)
        state = with_parts(
            state, units={command.unit: AirUnit(place="mission", at=command.mission)}
        )
        command = choose_command(CBPS, with_frame(state, OperationsFrame()), Role("us"), player)
    assert isinstance(command, orders.Launch)
    assert command.mission.startswith("strike-")
    assert last_reason(player) == f"Strike {command.mission[-1]} goes for Butai 1, 6 hexes away."


def test_does_not_launch_a_strike_at_undetected_forces() -> None:
    force = Force(hex="1114", level=2, chit="2-3 Carriers", is_carrier=True)
    state = with_parts(at_noon(battle("6")), forces={"1": force})
    for _ in range(80):
        command = answer(with_frame(state, OperationsFrame()))
        assert not isinstance(command, orders.Launch)
        if not isinstance(command, orders.Cap):
            return
        unit = {command.unit: AirUnit(place="mission", at=command.mission)}
        state = with_parts(state, units=unit)
    raise AssertionError("CAP without end")


def test_the_task_force_closes_on_carriers() -> None:
    force = Force(hex="0715", level=1, chit="Carrier", is_carrier=True)
    state = with_parts(at_noon(battle("6")), forces={"A": force})
    command = answer(with_frame(state, SailFrame()))
    assert isinstance(command, orders.Sail)
    grid = state.game_data.map.grid
    assert command.group == "tf58"
    assert grid.distance(command.hex, "0715") < grid.distance("1108", "0715")


def test_strikes_land_before_units_are_raised_on_their_decks() -> None:
    strike = Mission(kind="strike", hex="1108", fuel=3, is_flipped=True, groups=("58.1",))
    state = with_parts(at_noon(battle("6")), missions={"strike-8": strike})
    crew = [name for name in state.units if name.startswith("hornet-b")]
    state = with_parts(
        state, units={name: AirUnit(place="mission", at="strike-8") for name in crew}
    )
    given = []
    for _ in range(200):
        command = answer(with_frame(state, OperationsFrame()))
        given.append(command)
        if isinstance(command, orders.Land):
            assert command.unit in crew
            raised = {state.units[one.unit].at for one in given if isinstance(one, orders.Raise)}
            assert command.carrier not in raised
            return
        state = after(state, command)
    raise AssertionError("nothing lands")


def test_deck_space_is_reserved_only_where_a_unit_can_land() -> None:
    """6.22: a light carrier with a unit on its flight deck has no room for another."""
    strike = Mission(kind="strike", hex="1108", fuel=3, is_flipped=True, groups=("58.1",))
    state = with_parts(at_noon(battle("6")), missions={"strike-8": strike})
    crew = [name for name in state.units if name.startswith("hornet-b")]
    state = with_parts(
        state, units={name: AirUnit(place="mission", at="strike-8") for name in crew}
    )
    situation = CbpsSituation(CBPS.project(state, Role("us")))
    planner = DeckPlanner(situation, TargetAnalysis(situation))
    assert planner.recovering_carriers
    room = {
        name: situation.landing_room(name, situation.deck_unit_count(name))
        for name in planner.recovering_carriers
    }
    assert all(room.values())
    assert sum(room.values()) >= len(planner.waiting_to_land) == len(crew)


def after(state: State, command: CbpsCommand) -> State:
    """Return a state after a command that needs no dice."""
    framed = with_frame(state, OperationsFrame())
    return CBPS.fold(framed, CBPS.decide(framed, Role("us"), command, derived("fight")))


def aimed(ships: Mapping[str, int], *dice: int) -> str:
    """Return the ship hit by the first of some dice, rolled against a force of ships with hits."""
    force = Force(hex="1114", level=4, is_carrier=True, detection="S")
    hulls = {ship: Hull(force="1", hits=Hits(current=hits)) for ship, hits in ships.items()}
    strike = Mission(kind="strike", hex="1114", fuel=6, is_flipped=True)
    state = with_parts(
        at_noon(battle("6")), forces={"1": force}, hulls=hulls, missions={"strike-8": strike}
    )
    command = answer(with_frame(state, AimFrame(mission="strike-8", target="1", dice=dice)))
    assert isinstance(command, orders.Aim)
    return command.ship


@pytest.mark.parametrize(
    ("ships", "dice", "ship"),
    [
        ({"shokaku": 0, "zuiho": 0}, (1, 1, 1, 0, 0, 0, 0), "shokaku"),
        ({"shokaku": 0, "zuiho": 3}, (0,), "zuiho"),
        ({"shokaku": 12, "zuiho": 0}, (1, 0), "zuiho"),
        ({"yamato": 0, "zuiho": 0}, (1, 0, 0), "zuiho"),
    ],
)
def test_5_61_dice_are_aimed_for_the_most_value(
    ships: Mapping[str, int], dice: tuple[int, ...], ship: str
) -> None:
    assert aimed(ships, *dice) == ship


def test_hit_counts_cover_every_die_result() -> None:
    cells = ((0, 5, 0), (6, 9, 1), (10, 12, 4))
    assert hit_counts((0,), cells) == (5, 4, 0, 0, 1)
    assert sum(hit_counts((1, 0, -1), cells)) == 1_000
