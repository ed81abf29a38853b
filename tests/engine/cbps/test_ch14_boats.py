"""US submarines: contact, shadowing, attack, ASW (14.1)."""

import pytest
from msgspec.structs import replace

from engine.cbps.commands import (
    Aim,
    BreakOff,
    CbpsCommand,
    Contact,
    Done,
    Hunt,
    Shadow,
    Stop,
    Torpedo,
)
from engine.cbps.directions import Direction
from engine.cbps.events.boats import BoatPinned, BoatPlaced, BoatShadows, BoatSunk
from engine.cbps.events.chance import ChartRead, Chosen
from engine.cbps.events.japan import Detected, ForceHit, ForceMoved, ForceRemoved, HullHit, HullSunk
from engine.cbps.frames import BoatHitsFrame, BoatsFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.ids import DOUBLE_FORCE
from engine.cbps.intelligence.ch07_double import resolve_double_force
from engine.cbps.run import Run
from engine.cbps.state import Boat, Hull, State
from engine.cbps.submarines.ch14_attack import resolve_torpedo_attack
from engine.cbps.submarines.ch14_boats import (
    activate_submarines,
    after_hit_modifiers,
    is_shadowed_by_boat,
    roll_asw,
    shadowing_boats_follow,
)
from engine.cbps.submarines.ch14_contact import Boats, contact_modifiers
from tests.engine.cbps.battle import (
    advanced,
    battle,
    facts,
    given,
    options,
    reads,
    refusals,
    running,
    with_force,
    with_frame,
    with_parts,
)

HERE = "1012"
NIGHT = 11  # 2010


def boat(state: State | None = None, **fields: object) -> State:
    """Return a state in which the Cavalla is the only boat at sea and about to act."""
    state = replace(battle("6"), turn=1) if state is None else state
    cavalla = replace(Boat(hex=HERE), **fields)
    state = replace(state, boats={"cavalla": cavalla})
    return with_frame(state, BoatsFrame(done=("none",)), BoatsFrame())


def with_target(state: State | None = None, **fields: object) -> State:
    """Return that state with a force of known type in the hex of the boat."""
    return with_force(boat(state), "A", HERE, **{"level": 1, "chit": "Small", **fields})


def ships(state: State, *names: str, force: str = "A", **fields: object) -> State:
    """Return a state with Japanese ships of a force."""
    return with_parts(state, hulls={name: replace(Hull(force=force), **fields) for name in names})


def in_contact(state: State) -> State:
    """Return a state in which the boat is in contact with the force."""
    return with_frame(state, BoatsFrame(), BoatsFrame(boat="cavalla", contact="A"))


def carriers(state: State | None = None) -> State:
    """Return a state with a known force of two carriers."""
    state = with_force(boat(state), "1", HERE, level=4, is_carrier=True, is_butai=True)
    return ships(state, "shokaku", "chitose", force="1")


def read_charts(run: Run) -> list[tuple[str, int, str]]:
    """Return the charts, dice and results of the reads."""
    return [(one.chart, one.die, one.result) for one in run.events if isinstance(one, ChartRead)]


# -- 14.12


def test_14_12_the_chit_reduces_pins_and_activates_other_boats() -> None:
    state = replace(
        battle("6"),
        boats={
            "albacore": Boat(hex="1620", pin=2),
            "bang": Boat(hex="1315", pin=1),
            "cavalla": Boat(hex="1718"),
            "finback": Boat(is_sunk=True),
        },
    )
    run = running(state)
    activate_submarines(run)
    assert facts(run) == (BoatPinned(boat="albacore", pin=1), BoatPinned(boat="bang", pin=0))
    assert run.stack == [BoatsFrame(done=("albacore", "bang"))]
    at_rest = with_frame(run.state, *run.stack)
    assert {one.boat for one in options(at_rest) if isinstance(one, Hunt)} == {"cavalla"}
    assert refusals(at_rest, Hunt(boat="albacore", hex="1619")) == ("14.171",)
    assert refusals(at_rest, Hunt(boat="bang", hex="1314")) == ("14.12",)
    assert refusals(at_rest, Hunt(boat="finback", hex="1314")) == ("14.11",)
    assert refusals(at_rest, Hunt(boat="nautilus", hex="1314")) == ("14.11",)


def test_14_12_a_boat_moves_one_hex_and_then_may_make_contact() -> None:
    state = with_force(boat(), "A", "1013", level=1, chit="Small")
    run = given(state, Hunt(boat="cavalla", hex="1013"))
    assert facts(run, BoatPlaced) == (BoatPlaced(boat="cavalla", hex="1013", why="move"),)
    assert options(run.state) == (Contact(boat="cavalla", target="A"), Stop())
    assert refusals(run.state, Hunt(boat="cavalla", hex="1012")) == ("14.12",)
    assert refusals(run.state, Done()) == ("14.12",)
    run = given(run.state, Stop())
    assert run.state.frames == (BoatsFrame(done=("none",)),)


def test_14_12_a_boat_that_finds_no_target_ends_its_action() -> None:
    state = replace(boat(), boats={"cavalla": Boat(hex=HERE), "bang": Boat(hex="2020")})
    run = given(state, Hunt(boat="cavalla", hex="1013"))
    assert run.top() == BoatsFrame(done=("cavalla",))


def test_14_12_a_boat_completes_its_action_before_the_next_acts() -> None:
    state = with_target()
    state = replace(state, boats={**state.boats, "bang": Boat(hex="1315")})
    state = with_frame(state, BoatsFrame(boat="cavalla", has_moved=True, heading="E"))
    assert refusals(state, Hunt(boat="bang", hex="1314")) == ("14.12",)
    assert refusals(state, Torpedo(boat="bang")) == ("14.12",)


@pytest.mark.parametrize("hex_id", ["1014", "1012", "0000"])
def test_14_12_a_boat_moves_only_to_an_adjacent_hex(hex_id: str) -> None:
    assert refusals(boat(), Hunt(boat="cavalla", hex=hex_id)) == ("14.12",)


def test_14_12_contact_is_attempted_only_in_the_same_hex() -> None:
    state = with_force(with_target(), "B", "1013", level=1, chit="Small")
    state = ships(state, "yamato", force="Z", hex=HERE, fate="")
    assert [one for one in options(state) if isinstance(one, Contact)] == [
        Contact(boat="cavalla", target="A"),
        Contact(boat="cavalla", target="yamato"),
    ]
    assert refusals(state, Contact(boat="cavalla", target="B")) == ("14.12",)


# -- 14.13, 14.131


def drms(state: State, frame: BoatsFrame, target: str = "A") -> dict[str, int]:
    """Return the modifiers of an attempt at contact."""
    return {one.id: one.drm for one in contact_modifiers(state, frame, "cavalla", target)}


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        pytest.param("SE", {"oblique": -2}, id="14.131-example-oblique"),
        pytest.param("E", {"stern_chase": -3}, id="14.131-example-stern-chase"),
        pytest.param("NE", {"oblique": -2}, id="14.131-oblique-from-the-other-side"),
        pytest.param("SW", {}, id="OP-48-from-ahead-aside"),
        pytest.param("W", {}, id="OP-48-from-ahead"),
        pytest.param("NW", {}, id="OP-48-from-ahead-other-side"),
    ],
)
def test_14_131_approach_modifiers_against_a_force_that_moved_east(
    heading: str, wanted: dict[str, int]
) -> None:
    state = with_target(heading="E")
    assert drms(state, BoatsFrame(boat="cavalla", has_moved=True, heading=heading)) == wanted


def test_14_131_approach_examples_by_hex() -> None:
    # the force moved 1013 to 1012; the boat comes from 0912, or from 1013
    for start, name in (("0912", "oblique"), ("1013", "stern_chase")):
        state = replace(with_target(heading="E"), boats={"cavalla": Boat(hex=start)})
        run = given(state, Hunt(boat="cavalla", hex=HERE))
        run = given(run.state, Contact(boat="cavalla", target="A"), 1)
        (read,) = reads(run, "submarine_contact")
        assert [one.id for one in read.modifiers] == [name]


def test_14_131_a_force_holding_its_hex_counts_as_stayed_until_its_next_activation() -> None:
    run = running(with_target())
    run.add(ForceMoved(force="A", hex=HERE, why="hold"))
    assert run.state.forces["A"].has_stayed
    run.add(ForceMoved(force="A", hex="1013", why="relocate"))
    run.add(ForceMoved(force="A", hex=HERE, heading="E", why="retreat"))
    assert run.state.forces["A"].has_stayed
    run.add(ForceMoved(force="A", hex="1013", heading="W", why="mission"))
    assert not run.state.forces["A"].has_stayed


def test_14_131_a_newly_revealed_half_has_not_been_activated() -> None:
    state = with_force(boat(), "A", HERE, has_stayed=True)
    run = running(state, picks=("Carrier",))
    assert resolve_double_force(run, "A") == DOUBLE_FORCE
    half = run.state.forces["A"].partner
    assert drms(run.state, BoatsFrame()) == {"force_did_not_move": 1}
    assert drms(run.state, BoatsFrame(), half) == {}


def test_14_131_modifier_for_a_force_that_entered_the_hex_of_the_boat() -> None:
    heading: Direction = "E"
    state = with_target(heading=heading, entered=("cavalla",))
    assert drms(state, BoatsFrame()) == {"force_moved_into_sub": 1}
    assert drms(with_target(heading=heading, entered=("bang",)), BoatsFrame()) == {}


@pytest.mark.parametrize(
    ("turn", "phase"),
    [pytest.param(10, 2, id="14.131-dusk"), pytest.param(NIGHT, 1, id="14.131-night")],
)
def test_14_131_modifier_for_dusk_and_night(turn: int, phase: int) -> None:
    state = replace(with_target(heading="E"), turn=turn, phase=phase)
    assert drms(state, BoatsFrame()) == {"dusk_or_night": -1}


@pytest.mark.parametrize(
    ("die", "has_contact"),
    [pytest.param(4, False, id="14.13-fail"), pytest.param(5, True, id="14.13-contact")],
)
def test_14_13_contact_depends_on_the_die(die: int, has_contact: bool) -> None:
    run = given(with_target(heading="E"), Contact(boat="cavalla", target="A"), die)
    assert (run.top() == BoatsFrame(boat="cavalla", contact="A")) == has_contact
    assert not facts(run, Detected)  # OP-28
    if not has_contact:
        assert run.state.frames == (BoatsFrame(done=("none",)),)


def test_14_14_a_level_0_force_draws_its_chit() -> None:
    state = with_force(boat(), "A", HERE, heading="E")
    run = given(state, Contact(boat="cavalla", target="A"), 10, picks=("Large",))
    assert run.state.forces["A"].chit == "Large"
    assert run.state.forces["A"].detection == ""
    assert options(run.state) == (Torpedo(boat="cavalla"), Shadow(name="cavalla"))


def test_op_28_other_ruling_detects_the_force_on_contact() -> None:
    state = with_target(replace(battle("6", submarine_contact="on"), turn=1))
    run = given(state, Contact(boat="cavalla", target="A"), 10)
    assert facts(run, Detected) == (Detected(force="A", detection="S", why="submarine"),)
    state = ships(with_frame(boat(state), *state.frames), "zuikaku", hex=HERE)
    run = given(state, Contact(boat="cavalla", target="zuikaku"), 10)
    assert not facts(run, Detected)


def test_14_141_another_force_may_be_attempted_after_a_false_contact() -> None:
    state = with_force(boat(), "A", HERE, heading="E")
    state = with_force(state, "B", HERE, level=1, chit="Small", heading="E")
    run = given(state, Contact(boat="cavalla", target="A"), 10, picks=("False Contact",))
    assert facts(run, ForceRemoved)
    assert options(run.state) == (Contact(boat="cavalla", target="B"), Stop())
    assert refusals(run.state, Hunt(boat="cavalla", hex="1013")) == ("14.12",)
    run = given(run.state, Contact(boat="cavalla", target="B"), 1)
    assert run.state.frames == (BoatsFrame(done=("none",)),)


def test_14_141_a_false_contact_alone_in_the_hex_ends_the_action() -> None:
    state = with_force(boat(), "A", HERE, heading="E")
    run = given(state, Contact(boat="cavalla", target="A"), 10, picks=("False Contact",))
    assert run.state.frames == (BoatsFrame(done=("none",)),)


# -- 14.15


def test_14_14_in_contact_the_boat_shadows_or_attacks() -> None:
    state = in_contact(with_target())
    assert refusals(state, Stop()) == ("14.14",)
    assert refusals(state, Contact(boat="cavalla", target="A")) == ("14.12",)
    assert refusals(state, Shadow(name="bang")) == ("14.12",)
    run = given(state, Shadow(name="cavalla"))
    assert facts(run, BoatShadows) == (BoatShadows(boat="cavalla", force="A"),)
    assert is_shadowed_by_boat(run.state, "A")
    assert not is_shadowed_by_boat(run.state, "B")


def test_14_14_shadowing_and_attack_require_contact() -> None:
    assert refusals(with_target(), Shadow(name="cavalla")) == ("14.14",)
    assert refusals(with_target(), Torpedo(boat="cavalla")) == ("14.16",)
    assert refusals(with_target(), Stop()) == ("14.12",)


def shadowing(state: State | None = None) -> State:
    """Return a state in which the boat shadows the force."""
    return replace(with_target(state), boats={"cavalla": Boat(hex=HERE, shadowing="A")})


def test_14_151_a_shadowing_boat_may_continue_stop_or_attack() -> None:
    state = shadowing()
    assert options(state) == (Torpedo(boat="cavalla"), BreakOff(boat="cavalla"), Done())
    assert Boats().decision(state, BoatsFrame(), "us").default == Done()
    assert refusals(state, Hunt(boat="cavalla", hex="1013")) == ("14.151",)
    assert refusals(state, Contact(boat="cavalla", target="A")) == ("14.151",)
    run = given(state, BreakOff(boat="cavalla"))
    assert facts(run, BoatShadows) == (BoatShadows(boat="cavalla"),)
    assert run.state.boats["cavalla"] == Boat(hex=HERE)
    assert refusals(with_target(), BreakOff(boat="cavalla")) == ("14.151",)


def test_14_151_a_shadowing_boat_attacks_its_force() -> None:
    run = given(shadowing(), Torpedo(boat="cavalla"), 1, 1)
    assert [one[0] for one in read_charts(run)] == ["us_submarine_attack", "asw"]
    assert run.state.boats["cavalla"].shadowing == "A"


@pytest.mark.parametrize(
    ("dice", "then"),
    [
        pytest.param((4,), Boat(hex="1013", shadowing="A"), id="14.152-follows"),
        pytest.param((5,), Boat(hex=HERE, pin=1), id="14.152-pinned"),
        pytest.param((10, 9), Boat(is_sunk=True), id="14.152-destroyed"),
    ],
)
def test_14_152_a_boat_follows_the_force_that_it_shadows(dice: tuple[int, ...], then: Boat) -> None:
    state = with_force(shadowing(), "A", "1013", level=1, chit="Small", heading="W")
    run = running(state, *dice)
    shadowing_boats_follow(run, "A", HERE)
    assert run.state.boats["cavalla"] == then


def test_op_49_no_asw_roll_if_the_force_does_not_move() -> None:
    run = running(shadowing())
    shadowing_boats_follow(run, "A", HERE)
    assert not facts(run)


def test_op_49_other_ruling_rolls_asw_at_every_activation() -> None:
    state = shadowing(battle("6", submarine_shadowing="activated"))
    run = running(state, 5)
    shadowing_boats_follow(run, "A", HERE)
    assert facts(run, BoatPinned) == (BoatPinned(boat="cavalla", pin=1),)
    run = running(state, 1)
    shadowing_boats_follow(run, "A", HERE)
    assert not facts(run, BoatPlaced)


def test_14_15_shadowing_ends_when_the_force_leaves_play() -> None:
    run = running(shadowing())
    run.add(ForceRemoved(force="A", why="limit"))
    assert run.state.boats["cavalla"] == Boat(hex=HERE)


# -- 14.16


def test_14_16_a_miss_is_followed_by_asw_without_modifier() -> None:
    run = running(with_target(), 6, 4)
    resolve_torpedo_attack(run, "cavalla", "A")
    assert read_charts(run) == [("us_submarine_attack", 6, "0"), ("asw", 4, "none")]
    assert not facts(run, ForceHit)


def test_14_16_example_with_two_damage_rolls_and_a_second_asw_roll() -> None:
    # 10 is two damage rolls: 9 is 5 hits, 10 rolls again and 7 is 6 hits; ASW 7 + 1 is pin 2
    run = running(with_target(chit="Carrier", is_carrier=True), 10, 9, 10, 7, 7)
    resolve_torpedo_attack(run, "cavalla", "A")
    assert facts(run, ForceHit) == (ForceHit(force="A", hits=11),)
    assert run.state.forces["A"].hits.current == 11  # 14.161
    (read,) = reads(run, "asw")
    assert [(one.id, one.drm) for one in read.modifiers] == [("after_hit", 1)]
    assert facts(run, BoatPinned) == (BoatPinned(boat="cavalla", pin=2),)


def test_14_164_sinking_an_unknown_ship_gives_99_hits() -> None:
    run = running(with_target(), 7, 10, 10, 1)
    resolve_torpedo_attack(run, "cavalla", "A")
    assert facts(run, ForceHit) == (ForceHit(force="A", hits=99),)


def test_14_162_hits_on_unknown_or_carrier_forces_stay_with_the_force() -> None:
    for fields in ({"chit": "Large"}, {"level": 3, "chit": "2CV", "is_carrier": True}):
        run = running(with_target(**fields), 7, 5, 1)
        resolve_torpedo_attack(run, "cavalla", "A")
        assert facts(run, ForceHit) == (ForceHit(force="A", hits=2),)
        assert run.state.forces["A"].level == fields.get("level", 1)


def test_14_163_a_level_3_surface_force_takes_hits_in_its_heaviest_class() -> None:
    state = with_target(level=3, chit="surface")
    state = ships(state, "destroyer-force-1", "yamato", "musashi", "cruiser-force-1")
    run = running(state, 7, 5, 1, picks=("musashi",))
    resolve_torpedo_attack(run, "cavalla", "A")
    assert facts(run, Chosen) == (Chosen(rule="14.163", about="A", among=2, one="musashi"),)
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert (hit.ship, hit.hits) == ("musashi", 2)


def test_14_163_a_known_surface_force_rises_to_level_3() -> None:
    state = with_target(level=2, chit="Small Surface")
    run = running(state, 7, 5, 1, 1, picks=("destroyer-force-1",))
    resolve_torpedo_attack(run, "cavalla", "A")
    assert run.state.forces["A"].level == 3
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert hit.hits == 2
    assert hit.is_permanent  # OP-42
    assert not facts(run, ForceHit), "the hits fall on the ship (14.163)"
    assert run.state.forces["A"].hits.total == 0


def test_14_163_a_level_1_surface_force_revealed_as_carriers_keeps_the_hits() -> None:
    state = with_target(chit="Surface")
    for die in range(1, 11):
        run = running(state, 7, 5, die, 1, 1, 1)
        resolve_torpedo_attack(run, "cavalla", "A")
        now = next((one for one in run.state.forces.values() if one.is_carrier), None)
        if now is not None:
            assert now.hits.current == 2
            assert now.level == 3
            return
    raise AssertionError("no roll makes it a carrier force")


def test_14_16_the_player_chooses_among_several_carriers() -> None:
    state = with_frame(carriers(), BoatsFrame(done=("none",)), BoatsFrame())
    state = with_frame(state, state.frames[0], BoatsFrame(boat="cavalla", contact="1"))
    run = given(state, Torpedo(boat="cavalla"), 7, 5)
    assert run.top() == BoatHitsFrame(boat="cavalla", force="1", hits=2)
    assert set(options(run.state)) == {Aim(ship="shokaku"), Aim(ship="chitose")}
    assert refusals(run.state, Aim(ship="yamato")) == ("14.16",)
    assert decided(run.state) == Aim(ship="shokaku")
    run = given(run.state, Aim(ship="chitose"), 1)
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert (hit.ship, hit.hits, hit.is_permanent) == ("chitose", 2, False)
    assert [read.modifiers[0].id for read in reads(run, "asw")] == ["after_hit"]
    assert run.state.frames == (BoatsFrame(done=("none",)),)


def test_op_50_other_ruling_chooses_a_carrier_at_random() -> None:
    state = carriers(battle("6", submarine_target="random"))
    run = running(ships(state, "zuikaku", force="1"), 7, 5, 1, picks=("zuikaku",))
    resolve_torpedo_attack(run, "cavalla", "1")
    assert facts(run, Chosen) == (Chosen(rule="14.16", about="1", among=2, one="zuikaku"),)
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert hit.ship == "zuikaku"


def decided(state: State) -> CbpsCommand | None:
    """Return the default of the innermost question."""
    return MACHINE.decision(state, "us").default


def test_14_16_a_single_carrier_is_targeted_without_a_choice() -> None:
    state = with_force(boat(), "1", HERE, level=4, is_carrier=True)
    run = running(ships(state, "shokaku", "yamato", force="1"), 7, 5, 1)
    resolve_torpedo_attack(run, "cavalla", "1")
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert hit.ship == "shokaku"


def test_14_164_a_known_ship_sinks_at_once() -> None:
    run = running(ships(boat(), "zuikaku", hex=HERE), 7, 10, 10, 2)
    resolve_torpedo_attack(run, "cavalla", "zuikaku")
    assert facts(run, HullSunk) == (HullSunk(ship="zuikaku"),)


def test_14_16_attack_on_a_crippled_ship_uses_the_modifier() -> None:
    run = running(ships(boat(), "zuikaku", hex=HERE), 5, 3, 2)
    resolve_torpedo_attack(run, "cavalla", "zuikaku")
    (read,) = reads(run, "us_submarine_attack")
    assert [(one.id, one.drm) for one in read.modifiers] == [("crippled", 2)]
    (hit,) = facts(run, HullHit)
    assert isinstance(hit, HullHit)
    assert (hit.ship, hit.hits) == ("zuikaku", 1)


# -- 14.17


@pytest.mark.parametrize(
    ("dice", "then"),
    [
        pytest.param((4,), Boat(hex=HERE), id="14.17-none"),
        pytest.param((5,), Boat(hex=HERE, pin=1), id="14.17-pin-1"),
        pytest.param((8,), Boat(hex=HERE, pin=2), id="14.17-example-pin-2"),
        pytest.param((10, 8), Boat(hex=HERE, pin=2), id="14.17-second-pin-2"),
        pytest.param((10, 9), Boat(is_sunk=True), id="14.17-destroyed"),
    ],
)
def test_14_17_asw_pins_or_sinks_the_boat(dice: tuple[int, ...], then: Boat) -> None:
    run = running(boat(), *dice)
    roll_asw(run, "cavalla")
    assert run.state.boats["cavalla"] == then
    assert bool(facts(run, BoatSunk)) == then.is_sunk


def test_14_16_only_the_first_asw_roll_after_hits_has_a_modifier_of_1() -> None:
    state = boat()
    run = running(state, 9, 8)
    roll_asw(run, "cavalla", after_hit_modifiers(state))
    assert read_charts(run) == [("asw", 9, "second_roll"), ("asw_second", 8, "pin 2")]
    assert [len(read.modifiers) for read in reads(run)] == [1, 0]


@pytest.mark.parametrize(
    ("dice", "then"),
    [
        pytest.param((10, 9), Boat(hex=HERE), id="14.172-example"),
        pytest.param((7,), Boat(hex=HERE), id="14.172-odd"),
        pytest.param((8,), Boat(hex=HERE, pin=2), id="14.172-even"),
        pytest.param((10, 10), Boat(is_sunk=True), id="14.172-even-both"),
    ],
)
def test_14_172_odd_asw_dice_have_no_effect_against_a_lone_ship(
    dice: tuple[int, ...], then: Boat
) -> None:
    run = running(boat(), *dice)
    roll_asw(run, "cavalla", is_against_lone=True)
    assert run.state.boats["cavalla"] == then


def test_14_172_the_unmodified_die_counts() -> None:
    state = boat()
    run = running(state, 9)
    roll_asw(run, "cavalla", after_hit_modifiers(state), is_against_lone=True)
    assert read_charts(run) == [("asw", 9, "none")]


def test_14_171_a_pin_ends_shadowing() -> None:
    run = running(shadowing(), 6)
    roll_asw(run, "cavalla")
    assert run.state.boats["cavalla"] == Boat(hex=HERE, pin=1)


def test_14_12_the_activation_ends_when_all_boats_have_acted() -> None:
    state = with_frame(boat(), BoatsFrame(done=("none",)), BoatsFrame(done=("cavalla",)))
    assert advanced(state).state.frames == (BoatsFrame(done=("none",)),)
