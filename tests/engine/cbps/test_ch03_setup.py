"""Set-up of scenarios (2.35, 4.33)."""

import pytest

from engine.cbps.commands import Cap, Done, Place
from engine.cbps.frames import SetupFrame
from engine.cbps.state import State
from tests.engine.cbps.battle import battle, options, refusals, with_frame


def laid_out(scenario: str) -> State:
    """Return a scenario in which the player places."""
    return with_frame(battle(scenario), SetupFrame())


def test_4_3_scenario_4_has_no_cap() -> None:
    state = laid_out("4")
    assert not state.missions
    assert refusals(state, Cap(unit="hornet-f1", mission="intercept-1")) == ("4.11",)
    assert not any(isinstance(one, Cap) for one in options(state))


@pytest.mark.parametrize("scenario", ["3", "5", "6", "8", "9"])
def test_4_33_each_carrier_group_starts_with_cap(scenario: str) -> None:
    state = laid_out(scenario)
    boxes = [mission.cap for mission in state.missions.values()]
    assert sorted(boxes) == sorted(name for name in state.groups if name != "58.7")


def test_6_22_boxes_are_filled_within_the_limits() -> None:
    state = laid_out("6")
    held = [name for name, unit in state.units.items() if unit.at == "hornet"]
    ready = [name for name in held if state.units[name].place == "ready"]
    free = next(name for name in held if state.units[name].place == "hangar")
    assert len(ready) == 2
    assert refusals(state, Place(unit=free, box="ready")) == ()
    assert refusals(state, Place(unit=free, box="servicing")) == ("6.22",)
    assert refusals(state, Place(unit=free, box="landed")) == ("6.21",)
    assert refusals(state, Place(unit=free, box="hangar")) == ("6.21",)
    assert refusals(state, Place(unit="akagi-f1", box="ready")) == ("6.2",)
    assert Done() in options(state)
