"""Butai displays and air points (9)."""

import pytest
from msgspec.structs import replace

from engine.cbps.events.japan import BoxesShifted, ForceArrived, ForceRenamed, PointsMoved
from engine.cbps.force_ids import arriving_force, counter_of, force_with_counter
from engine.cbps.forces.ch07_forces import remove_force
from engine.cbps.forces.ch09_butai import open_butai, replace_counter, shift_all_boxes, shift_boxes
from engine.cbps.forces.ch09_lost import become_surface_force
from engine.cbps.forces.ch09_points import known_strength
from engine.cbps.position import position_from_state
from engine.cbps.state import Boat, Force, Hits, Hull, Mission, Raid, State
from tests.engine.cbps.battle import (
    battle,
    facts,
    force_of,
    name_after,
    running,
    with_force,
    with_parts,
)


def butai(boxes: dict[str, int], **fields: object) -> State:
    """Return a state with Butai 1 of level 2."""
    fields = {"level": 2, "chit": "2-3 Carriers", "is_carrier": True, **fields}
    return with_force(battle("6"), "1", "1520", is_butai=True, boxes=boxes, **fields)


# -- the display (9.11)


def test_9_11_a_new_butai_inherits_all_references_to_the_force() -> None:
    """It takes over the partner, boats, searches and strike targets, and the letter is free again."""
    state = battle("6")
    state = with_force(state, "A", "1520", level=1, chit="Carrier", partner="B", detection="L")
    state = with_force(state, "B", "1520", partner="A")
    state = with_parts(
        state,
        boats={"bang": Boat(hex="1520", shadowing="A")},
        missions={"strike-1": Mission(kind="strike", hex="1110", toward=("A",))},
    )
    run = running(replace(state, cup=("A", "B")))
    assert name_after(open_butai, run, "A") == "1"
    shown = position_from_state(run.state)
    assert shown.forces["1"].detection == "L"
    assert shown.forces["B"].partner == "1"
    assert shown.boats["bang"].shadowing == "1"
    assert shown.missions["strike-1"].toward == ("1",)
    assert run.state.cup == ("1", "B")


def test_9_11_more_than_four_displays_are_allowed() -> None:
    """OP-32."""
    state = with_force(battle("6"), "A", "1520")
    for number in "1234":
        state = with_force(state, number, "1520", is_butai=True)
    assert name_after(open_butai, running(state), "A") == "5"


# -- a force keeps its id when its counter is replaced (9.11, 9.13)


def test_a_force_keeps_its_id_when_its_counter_changes() -> None:
    """The letter goes to another force while the first one has a Butai number."""
    run = running(with_force(battle("6"), "A", "1520", level=2))
    open_butai(run, "A")
    assert counter_of(run.state, "A") == "1"
    other = arriving_force(run.state, "A")
    run.add(ForceArrived(force="A", hex="0320"))
    replace_counter(run, "A", "B")
    assert {name: force.hex for name, force in run.state.forces.items()} == {
        "A": "1520",
        other: "0320",
    }
    assert (counter_of(run.state, "A"), counter_of(run.state, other)) == ("B", "A")
    assert force_with_counter(run.state, "A") == other
    assert force_with_counter(run.state, "B") == "A"


def test_a_released_counter_does_not_refer_to_its_former_force() -> None:
    run = running(with_force(battle("6"), "A", "1520"))
    open_butai(run, "A")
    assert force_with_counter(run.state, "A") not in run.state.forces
    assert force_with_counter(run.state, "zuikaku") == "zuikaku"


def test_an_undone_procedure_restores_the_counter() -> None:
    """The raid procedure takes back everything that it has revealed (10.1C)."""
    run = running(with_force(battle("6"), "A", "1520"))
    mark = run.mark()
    open_butai(run, "A")
    remove_force(run, "A", "sunk")
    assert "A" not in run.state.forces
    assert counter_of(run.state, "A") == "1"
    run.undo_to(mark)
    assert "A" in run.state.forces
    assert counter_of(run.state, "A") == "A"


def test_a_new_force_with_a_reused_counter_is_a_different_force() -> None:
    run = running(with_force(battle("6"), "A", "1520"))
    remove_force(run, "A", "sunk")
    other = arriving_force(run.state, "A")
    run.add(ForceArrived(force="A", hex="0320"))
    assert tuple(run.state.forces) == (other,)
    assert other != "A"
    open_butai(run, other)
    assert run.events[-1] == ForceRenamed(force="A", name="1")
    assert counter_of(run.state, "A") == "A"


# -- the boxes: 9.12


def test_9_12_example_a_returning_raid_is_readied_in_five_shifts() -> None:
    """Four shifts move it from R8 to S2, and the fifth brings the points to A3."""
    run = running(butai({"r8": 6}))
    boxes = []
    for _ in range(5):
        shift_boxes(run, "1")
        boxes.append(dict(run.state.forces["1"].boxes))
    assert boxes == [{"r4": 6}, {"r0": 6}, {"s1": 6}, {"s2": 6}, {"a3": 6}]


def test_9_12_all_boxes_shift_together_in_order() -> None:
    """All boxes move at once. Points on raids stay."""
    boxes = {"a11": 1, "a7": 2, "a3": 3, "s2": 4, "s1": 5, "r0": 6, "r4": 7, "r8": 8, "r12": 9}
    run = running(butai({**boxes, "aall": 10, "raid-a": 11, "lost": 12}))
    shift_boxes(run, "1")
    assert run.state.forces["1"].boxes == {
        "aall": 11,
        "a11": 2,
        "a7": 3,
        "a3": 4,
        "s2": 5,
        "s1": 6,
        "r0": 7,
        "r4": 8,
        "r8": 9,
        "raid-a": 11,
        "lost": 12,
    }


def test_10_33_returning_points_without_a_deck_are_lost() -> None:
    """Both carriers have half their capacity in hits."""
    state = butai({"r0": 6}, level=4, first_carriers=("shokaku",))
    state = with_parts(state, hulls={"shokaku": Hull(force="1", hits=Hits(current=4))})
    run = running(state)
    shift_boxes(run, "1")
    assert facts(run, BoxesShifted) == (BoxesShifted(owner="1", is_deck_operable=False),)
    assert run.state.forces["1"].boxes == {"lost": 6}


def test_9_12_boxes_shift_by_phase_under_the_other_ruling() -> None:
    """OP-33, the alternative. Under the default ruling nothing happens."""
    run = running(butai({"s1": 6}))
    shift_all_boxes(run)
    assert run.events == ()
    state = replace(butai({"s1": 6}), options={"box-shift": "phase"})
    run = running(state)
    shift_all_boxes(run)
    assert run.state.forces["1"].boxes == {"s2": 6}


# -- air points: 9.2


@pytest.mark.parametrize(
    ("boxes", "strength"),
    [({}, None), ({"aall": 3, "lost": 4, "r8": 2, "raid-a": 1}, 10)],
)
def test_9_24_known_air_strength_counts_every_box(
    boxes: dict[str, int], strength: int | None
) -> None:
    """No points: Unknown, which is not 0."""
    assert known_strength(Force(hex="1520", boxes=boxes)) == strength  # type: ignore[arg-type]  # box names


# -- carriers lost (9.13)


def beaten(*ships: str, **fields: object) -> State:
    state = butai(
        {"r4": 5, "lost": 2, "raid-a": 3},
        **{"level": 4, "chit": "1 CV", "first_carriers": ("shokaku",), **fields},
    )
    hulls = {"shokaku": Hull(force="1", fate="sunk"), **{ship: Hull(force="1") for ship in ships}}
    return with_parts(state, hulls=hulls)


def test_9_13_a_force_without_carriers_becomes_a_level_3_surface_force() -> None:
    """A letter replaces the Butai. Its own raids are lost on return, and everything else carries over."""
    raid = Raid(origin="1", hex="1212", slot="a")
    state = with_parts(beaten("haruna", is_retiring=True, detection="S"), raids={"raid-1": raid})
    run = running(replace(state, cup=("1",)))
    assert name_after(become_surface_force, run, "1") == "A"
    force = force_of(run, "A")
    assert (force.level, force.chit, force.is_carrier, force.is_butai) == (
        *(3, "surface"),
        *(False, False),
    )
    assert (force.is_retiring, force.detection) == (True, "S")
    assert force.boxes == {"lost": 7, "raid-a": 3}
    shown = position_from_state(run.state)
    assert shown.raids["raid-1"].origin == "A"
    assert shown.hulls["haruna"].force == "A"
    assert run.state.cup == ("A",)
    assert facts(run, PointsMoved) == (PointsMoved(owner="1", points=5, source="r4", to="lost"),)


def test_9_13_without_a_free_letter_the_force_keeps_its_number() -> None:
    """All eighteen letters are in play."""
    state = beaten("haruna")
    for letter in state.game_data.letters:
        state = with_force(state, letter, "0320")
    run = running(state)
    assert name_after(become_surface_force, run, "1") == "1"
    assert not run.state.forces["1"].is_butai


def test_9_13_a_force_with_a_remaining_carrier_is_unchanged() -> None:
    """A crippled carrier that is still with the force counts."""
    run = running(beaten("zuikaku"))
    assert name_after(become_surface_force, run, "1") == "1"
    assert run.events == ()


def test_9_13_a_force_without_ships_is_removed() -> None:
    """Its lost points, and those on their way back, stay lost (10.33)."""
    run = running(beaten())
    assert name_after(become_surface_force, run, "1") == ""
    assert run.state.forces == {}
    assert run.state.destroyed_naval == 7
