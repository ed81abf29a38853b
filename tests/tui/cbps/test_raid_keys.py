"""Four missions against one raid: committed at once, and divided once (4.51, 4.52)."""

import pytest
from msgspec.structs import replace

from engine.cbps import commands as c
from engine.cbps.frames import InterceptFrame, PhaseFrame, TurnFrame
from engine.cbps.state import Mission, Raid, State
from play.controller import GameController
from play.lesson_session import commands_given
from play.local_session import LocalSession
from tests.engine.cbps.battle import battle, with_frame, with_parts
from tests.play.test_controller import Recorder
from tests.tui.cbps.battles import PRESENTER, session
from tui.widgets.lists.choice_lines import initial_row

HOME = battle("6")
HEX = HOME.groups["58.1"].hex
UNITS = [
    unit
    for unit, one in HOME.units.items()
    if HOME.game_data.air_units[unit].type == "F6F" and not one.at.startswith("intercept")
]
RAID = Raid(origin="Guam", hex=HEX, target="58.1", points=12)


def met(*, cap: bool, raids: int = 1) -> State:
    """Return the US Intercept Segment with four missions of four units over the raid."""
    names = [f"intercept-{number}" for number in range(1, 5)]
    cap_groups = ("58.1", "58.2", "58.3", "58.4")
    missions = {
        name: Mission(kind="intercept", cap=group)
        if cap
        else Mission(kind="intercept", hex=HEX, fuel=12, groups=("58.1",))
        for name, group in zip(names, cap_groups, strict=True)
    }
    units = {
        unit: replace(HOME.units[unit], place="mission", at=names[number // 4])
        for number, unit in enumerate(UNITS[:16])
    }
    origins = ("Guam-a", "Guam-b")[:raids]
    state = with_parts(HOME, missions=missions, units=units, raids=dict.fromkeys(origins, RAID))
    frame = InterceptFrame(hexes=(HEX,))
    return with_frame(state, TurnFrame(step="phase"), PhaseFrame(segment=3), frame)


def fights(table: LocalSession) -> list[c.Intercept]:
    commands = [PRESENTER.ruleset.notation.parse(line) for line in given(table)]
    return [one for one in commands if isinstance(one, c.Intercept)]


def given(table: LocalSession) -> list[str]:
    """Return the lines of the commands in the record."""
    return [PRESENTER.ruleset.notation.line(one) for _, one in commands_given(table.match)]


@pytest.mark.parametrize("cap", [True, False], ids=["cap", "on-the-map"])
async def test_4_51_four_missions_meet_a_raid_with_at_most_six_keys(*, cap: bool) -> None:
    controller, table = _controller(met(cap=cap))
    keys = 1
    await controller.tick_all(controller.lines, None)  # A
    while len(fights(table)) < 4:
        keys += 1
        line = controller.lines[
            initial_row(controller.lines) or 0
        ]  # Enter takes the line below the bar
        steps = len(given(table))
        await (controller.commit() if line.is_commit else controller.choose(line))
        keys += any(line.startswith("divide") for line in given(table)[steps:])  # ends the playback
    assert keys <= 6
    assert {one.mission for one in fights(table)} == {f"intercept-{n}" for n in range(1, 5)}


def _controller(state: State) -> tuple[GameController, LocalSession]:
    shown, table = Recorder(), session(state)
    controller = GameController(table, PRESENTER, shown)
    shown.controller = controller
    controller.update()
    return controller, table


async def _divided(state: State, escorts: int, *, asks: bool = False) -> list[str]:
    """Commit all missions, divide the first, and return the lines of the commands given."""
    controller, table = _controller(state)
    if asks:
        controller.change_orders("off")
    await controller.tick_all(controller.lines, None)
    if table.decision() is None:
        await controller.commit()
    first = next(one for one in table.offered_commands() if isinstance(one, c.Intercept))
    await controller.give(first)
    await controller.give(c.Divide(escorts=escorts))
    return given(table)


@pytest.mark.parametrize("escorts", [2, 3, 4])
async def test_4_52_other_missions_divide_like_the_first(escorts: int) -> None:
    lines = await _divided(met(cap=False), escorts)
    divisions = [int(line.split()[1]) for line in lines if line.startswith("divide")]
    assert sum(line.startswith("intercept ") for line in lines) == 4
    assert divisions[0] == escorts
    if escorts == 4:
        assert set(divisions) == {4}
    if escorts == 2:
        assert divisions == sorted(divisions, reverse=True)


async def test_4_51_auto_off_asks_for_each_mission() -> None:
    lines = await _divided(met(cap=False), 2, asks=True)
    assert sum(line.startswith("intercept ") for line in lines) == 1


async def test_4_51_with_two_raids_each_mission_is_asked_for_its_raid() -> None:
    lines = await _divided(met(cap=False, raids=2), 2)
    assert sum(line.startswith("intercept ") for line in lines) == 1
