"""Interactions between chapters: states that one procedure leaves for another."""

from msgspec.structs import replace

from engine.cbps.commands import Hunt
from engine.cbps.damage.ch15_victory import score_lines
from engine.cbps.enemy.ch07_movement import move_force
from engine.cbps.events.chance import DieRolled
from engine.cbps.events.japan import ForceArrived, ForceMoved, ForceRemoved
from engine.cbps.events.raids import RaidCalledOff
from engine.cbps.evolve.folds import evolve
from engine.cbps.forces.ch07_forces import remove_force
from engine.cbps.frames import BoatsFrame, LightsFrame
from engine.cbps.handlers import MACHINE
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.raids.ch10_raids import raid_procedure
from engine.cbps.run import Run
from engine.cbps.sequence.ch15_end import score_scenario
from engine.cbps.state import Boat, Hull, UsShip
from engine.kernel.dice import DerivedDice
from tests.engine.cbps.battle import (
    battle,
    facts,
    name_after,
    running,
    with_force,
    with_frame,
    with_parts,
)


def test_7_35_a_reused_counter_is_not_linked_to_previously_lost_ships() -> None:
    """The ships of the first Force A have sunk. The new force does not consist only of cripples (12.41)."""
    state = with_force(battle("6"), "A", "1520", level=3, chit="surface")
    state = with_parts(state, hulls={"cruiser-force-5": Hull(force="A", fate="sunk")})
    run = running(replace(state, mission_die=5))
    remove_force(run, "A", "sunk")
    run.add(ForceArrived(force="A", hex="1520"))
    (arrived,) = run.state.forces
    move_force(run, arrived)
    assert arrived in run.state.forces
    assert run.state.hulls["cruiser-force-5"].force == ""


def test_21_0_forces_of_unknown_type_do_not_catch_us_cripples_after_the_last_turn() -> None:
    """Scenario 6 special rule 1: a surface force must be within 6 hexes."""
    state = with_force(battle("6"), "A", "1510")
    state = with_parts(state, ships={"hornet": UsShip(hex="1510", hits=6)})
    run = running(state)
    score_scenario(run)
    assert not run.state.ships["hornet"].is_sunk
    assert not facts(run, DieRolled)


def test_13_13_a_half_without_carriers_leaves_no_share_in_the_commitment_index() -> None:
    """With the historical fleet no other force has carriers, so the half was never in the index (OP-46)."""
    state = battle("6", historical_fleet="on", double_forces="on")
    state = with_force(state, "K", "1520")
    run = running(state, picks=("Double Force", "Carrier", "Large"))
    assert name_after(promote, run, "K", 1, "search") == ""
    assert run.state.departed_commitment == 0
    assert run.state.commitment == 0


def test_10_1_a_half_beside_the_historical_fleet_does_not_raid() -> None:
    """A force that would have carriers is a false contact, so that everything is undone (10.1C, 6H)."""
    state = battle("6", historical_fleet="on", double_forces="on")
    state = replace(with_force(state, "K", "1113"), turn=3)
    run = running(state, 10, picks=("Double Force", "Carrier", "Large"))
    assert name_after(raid_procedure, run, "K") == "K"
    assert run.state.forces == state.forces
    assert run.state.level_1_cup == state.level_1_cup
    assert run.state.double_chits == state.double_chits
    assert not run.state.raids
    assert facts(run, RaidCalledOff) == (RaidCalledOff(force="K", why="unproved"),)


def test_7_22_a_force_that_stays_logs_its_reason_every_time() -> None:
    """A carrier force that has raided keeps 9 hexes away (7.21)."""
    state = with_force(
        battle("6"), "1", "1117", level=2, chit="2-3 Carriers", is_carrier=True, raids=1
    )
    run = running(replace(state, turn=2, mission_die=5))
    for _ in range(2):
        move_force(run, "1")
    assert facts(run, ForceMoved) == (ForceMoved(force="1", hex="1117", why="hold"),) * 2


def test_7_23_a_half_removed_by_the_limit_does_not_also_exit() -> None:
    """The carriers that leave reach the Commitment Limit, so the unknown half turns out to be nothing (13.231)."""
    state = battle("6", double_forces="on")
    edge = min(state.game_data.map.exit_hexes)
    state = replace(state, turn=2, mission_die=5, departed_commitment=20, commitment=13)
    state = with_force(state, "A", edge, level=1, chit="Carrier", is_carrier=True, partner="B")
    state = with_force(state, "B", edge, level=1, chit="Large", partner="A")
    for number, name in enumerate("CDEF"):
        state = with_force(state, name, f"20{10 + number}", level=2, chit="Small Surface")
    run = Run(state, evolve, DerivedDice(bytes(32), 1))
    moved = move_force(run, "A")
    assert moved.forces == ()
    assert ForceRemoved(force="B", why="limit") in run.events
    assert not {"A", "B"} & set(run.state.forces)


def test_15_1_scenario_4_score_lists_forces_and_false_contacts() -> None:
    state = replace(battle("4"), found={"C": 2, "false-contact-1": 1})
    assert [line.label for line in score_lines(state)] == ["Force C", "False contact 1"]


def test_14_12_prompts_and_refusals_use_submarine_names() -> None:
    state = with_force(battle("6"), "A", "1520", level=1, chit="Large")
    state = with_parts(state, boats={"albacore": Boat(hex="1520")})
    state = with_frame(state, LightsFrame(), BoatsFrame(boat="albacore", contact="A"))
    assert MACHINE.decision(state, "us").prompt.startswith("Albacore has contact")
    (refusal,) = MACHINE.why_not(state, "us", Hunt(boat="cavalla", hex="1719"))
    assert str(refusal.text) == "Albacore acts first"
