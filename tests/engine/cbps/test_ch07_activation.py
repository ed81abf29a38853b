"""Activation of chits (3.1, 3.22)."""

from msgspec.structs import replace

from engine.cbps.enemy.ch07_activation import activate_chit
from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.japan import (
    AdvantageChanged,
    BoxesShifted,
    Detected,
    ForceActivated,
    ForceMoved,
)
from engine.cbps.frames import SurfaceCombatFrame
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, running, with_force


def night(**options: str) -> State:
    """Return a night turn, in which there are no raids, with the fleet in 1108."""
    return replace(battle("6", **options), turn=10, phase=4, boats={}, mission_die=5)


def kinds(events: tuple[CbpsEvent, ...]) -> list[type[CbpsEvent]]:
    return [type(event) for event in events]


def test_3_1_activation_steps_follow_the_order_of_the_rules() -> None:
    """Detection fades, boxes shift, the force moves, and the US Advantage ends."""
    state = with_force(
        night(),
        *("1", "1520"),
        level=2,
        chit="2-3 Carriers",
        is_carrier=True,
        is_butai=True,
        boxes={"s1": 5},
        detection="S",
        has_advantage=True,
    )
    run = running(state)
    activate_chit(run, "1")
    order = [ForceActivated, Detected, BoxesShifted, ForceMoved, AdvantageChanged]
    assert kinds(run.events) == order
    force = run.state.forces["1"]
    assert (force.detection, force.boxes, force.hex) == ("L", {"s2": 5}, "1519")
    assert not force.has_advantage


def test_9_12_other_ruling_does_not_shift_boxes_at_activation() -> None:
    """OP-33."""
    state = with_force(
        night(box_shift="phase"),
        *("1", "1520"),
        level=2,
        chit="2-3 Carriers",
        is_carrier=True,
        is_butai=True,
        boxes={"s1": 5},
    )
    run = running(state)
    activate_chit(run, "1")
    assert run.state.forces["1"].boxes == {"s1": 5}


def test_7_53_the_first_chit_activates_both_halves_and_the_second_has_no_effect() -> None:
    """OP-3a."""
    state = with_force(night(), "A", "1520", partner="B", detection="L")
    state = with_force(state, "B", "1520", partner="A", detection="?")
    run = running(state)
    activate_chit(run, "B")
    assert [run.state.forces[name].detection for name in "AB"] == ["?", ""]
    assert {force.hex for force in run.state.forces.values()} == {"1519"}
    count = len(run.events)
    activate_chit(run, "A")
    assert len(run.events) == count


def test_19_4_separated_halves_move_independently() -> None:
    """One half retires, and the other continues its mission. Both have been activated."""
    state = with_force(night(), "A", "1520", partner="B", is_retiring=True)
    state = with_force(state, "B", "1520", partner="A")
    run = running(state)
    activate_chit(run, "A")
    assert run.state.forces["A"].hex == "1521"
    assert run.state.forces["B"].hex == "1519"
    assert run.state.forces["A"].partner == ""


def test_21_0_a_force_that_enters_a_us_hex_triggers_surface_combat() -> None:
    """The combat comes last in its activation."""
    state = night(surface_combat="on")
    groups = {name: replace(group, hex="1519") for name, group in state.groups.items()}
    state = with_force(replace(state, groups=groups), "A", "1520", level=2, chit="Large Surface")
    run = running(state)
    activate_chit(run, "A")
    frame = run.top()
    assert isinstance(frame, SurfaceCombatFrame)
    assert (frame.hex, frame.mover, frame.origin) == ("1519", "japan", {"A": "1520"})
