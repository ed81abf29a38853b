"""Waiting until something happens: automatic answers for a commander who waits, and questions that stop it (3.1)."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.widgets import Static

from engine.cbps import commands as c
from engine.cbps.events.japan import Detected
from engine.cbps.events.raids import RaidPlaced
from engine.cbps.events.turns import PhaseBegan, TurnBegan
from engine.cbps.frames import (
    AirMovementFrame,
    FrameBase,
    InterceptFrame,
    OperationsFrame,
    OverflightFrame,
    PhaseFrame,
    SearchChoiceFrame,
    SearchLandingFrame,
    TurnFrame,
)
from engine.cbps.state import Mission, Raid, Search, State
from engine.kernel.ruleset import Command
from tests.engine.cbps.battle import battle, with_frame, with_parts
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, question, session, states
from tui.console.game import PlainGame
from tui.panels.status_segments import status_bar_text
from tui.screens.match.play import PlayScreen

HOME = battle("6")
HEX = HOME.groups["58.1"].hex


def asked(state: State, frame: FrameBase, phase: int = 1) -> State:
    return replace(
        with_frame(state, TurnFrame(step="phase"), PhaseFrame(segment=3), frame), phase=phase
    )


def flying(mission: Mission) -> State:
    unit = replace(HOME.units["hornet-f1"], place="mission", at="intercept-1")
    return with_parts(HOME, missions={"intercept-1": mission}, units={"hornet-f1": unit})


def back(unit: str) -> State:
    units = {unit: replace(HOME.units[unit], place="search", at="search-1")}
    search = Search(kind="standard", origin=HEX, group="58.1", hex=HEX, is_back=True)
    state = with_parts(HOME, units=units, searches={"search-1": search})
    return asked(state, SearchLandingFrame(left=(unit,)))


CAP = Mission(kind="intercept", cap="58.1")
OVER_HOME = Mission(kind="intercept", hex=HEX, fuel=5, groups=("58.1",))
FRESH = replace(OVER_HOME, is_fresh=True)
OVERHEAD = {"Guam-a": Raid(origin="Guam", hex=HEX, target="58.1", points=3)}
READY = {
    "hornet-f1": replace(HOME.units["hornet-f1"], place="ready", at="hornet"),
    "hornet-b1": replace(HOME.units["hornet-b1"], place="hangar", at="hornet"),
}
BELOW = {
    unit: replace(piece, place="hangar")
    for unit, piece in HOME.units.items()
    if piece.place == "servicing"
}
RAIDS = {"Guam-a": Raid(origin="Guam", hex="1408", target="58.1", points=3)}


def given(state: State) -> Command | None:
    return PRESENTER.automatic_answer_while_waiting(*question(state))


@pytest.mark.parametrize(
    ("state", "answer"),
    [
        (asked(HOME, SearchChoiceFrame()), c.Done()),
        (asked(HOME, SearchChoiceFrame(), phase=4), None),
        (asked(HOME, SearchChoiceFrame(is_morning=True)), None),
        (asked(HOME, OperationsFrame()), c.Done()),
        (asked(flying(CAP), OperationsFrame()), c.Done()),
        (asked(flying(OVER_HOME), OperationsFrame()), None),
        (asked(flying(FRESH), OperationsFrame()), None),
        (asked(flying(CAP), AirMovementFrame()), c.Done()),
        (asked(with_parts(flying(CAP), raids=RAIDS), AirMovementFrame()), None),
        (asked(with_parts(HOME, raids=OVERHEAD), OperationsFrame()), None),
        (asked(with_parts(HOME, raids=RAIDS, units=BELOW), OperationsFrame()), c.Done()),
        (asked(with_parts(HOME, raids=RAIDS, units={**BELOW, **READY}), OperationsFrame()), None),
        (asked(with_parts(HOME, raids=RAIDS), OperationsFrame()), None),
        (asked(flying(OVER_HOME), AirMovementFrame()), None),
        (asked(with_parts(HOME, raids=RAIDS), OverflightFrame(raid="Guam-a", target="58.1")), c.Done()),
        (back("hornet-b1"), c.Land(unit="hornet-b1", carrier="hornet")),
    ],
    ids=["search-later", "last-search", "morning-search", "decks", "decks-below-cap", "landing",
         "just-launched", "cap-stays", "raid-comes", "decks-below-raid", "no-fighter-ready",
         "fighter-ready", "fighter-below",
         "missions-fly", "battle-line-fires", "search-lands"],
)  # fmt: skip
def test_waiting_player_is_asked_only_when_the_answer_matters(
    state: State, answer: Command | None
) -> None:
    assert given(state) == answer


def test_8_28_search_must_be_landed_by_hand_when_its_carrier_is_full() -> None:
    state = back("hornet-b1")
    crowd = {
        unit: replace(one, place="ready", at="hornet")
        for unit, one in state.units.items()
        if unit.startswith(("hornet-f", "hornet-t", "yorktown-"))
    }
    assert given(with_parts(state, units=crowd)) is None


def test_4_51_only_the_order_of_fights_against_one_raid_is_automatic() -> None:
    view, decision = question(asked(HOME, OperationsFrame()))
    one, other = (c.Intercept(mission=f"intercept-{n}", raid="Guam-a") for n in (1, 2))
    third = c.Intercept(mission="intercept-1", raid="3-b")
    view = replace(view, frames=(InterceptFrame(hexes=(HEX,), is_fighting=True),))
    for options, answer in (((one, other), one), ((one, third), None), ((one, c.Done()), None)):
        assert (
            PRESENTER.automatic_answer_while_waiting(view, replace(decision, options=options))
            == answer
        )


def test_raid_or_new_turn_ends_waiting() -> None:
    quiet = (PhaseBegan(phase=2), Detected(force="A", detection="", why="activation"))
    raid = RaidPlaced(raid="Guam-a", origin="Guam", hex="1408", target="58.1", points=3)
    assert not PRESENTER.interruption(quiet)
    assert "Raid Guam-A" in PRESENTER.interruption((*quiet, raid))
    turn = (TurnBegan(turn=1, label="19 June 0650", is_new_day=False),)
    assert "0650" in PRESENTER.interruption(turn)
    assert not PRESENTER.interruption(turn, has_courses=True)
    assert "Raid Guam-A" in PRESENTER.interruption((*turn, raid), has_courses=True)


@pytest.mark.full
async def test_one_key_waits_until_the_last_search_of_the_turn(tmp_path: Path) -> None:
    played = session(states("4", 1)[0])
    screen = PlayScreen(played, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        assert screen.panel.rows.has_focus, "the list is what the first key goes to"
        await pilot.press("enter")
        await reached(
            pilot, lambda: "Esc: back" in str(screen.panel.query_one(".prompt", Static).render())
        )
        await pilot.press("D", "c")  # D also ends the step from a list below
        await reached(pilot, lambda: "Hold this turn's Search" in screen.panel.words)
        await pilot.press("G")
        await reached(pilot, lambda: "Stopped: Hold this turn's Search" in _status(screen))
        assert "0530 | phase 4" in status_bar_text(PRESENTER.status_segments(played.view(), "", ""))
        assert sum("moved" in line for line in screen._report_lines) >= 2, (
            "all that was seen on the way"
        )
        await pilot.press("G")
        await reached(pilot, lambda: "press D for done" in _status(screen))


async def test_keys_typed_while_waiting_give_no_orders(tmp_path: Path) -> None:
    played = session(states("4", 1)[0])
    screen = PlayScreen(played, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        screen.controller.is_advancing = True
        await pilot.press("D")
        await reached(pilot, lambda: "The game is advancing automatically" in _status(screen))
        assert not played.draft.commands
        screen.controller.is_advancing = False
        await pilot.press("D")
        await reached(pilot, lambda: bool(played.draft.commands))


async def test_line_mode_wait_continues_to_the_last_search_of_the_turn() -> None:
    played, printed = session(states("4", 1)[0]), list[str]()
    lines = iter(["done", "commit", "wait", "wait", "quit"])

    async def read(prompt: str) -> str:
        return next(lines)

    await PlainGame(played, PRESENTER, read, printed.append).run()
    text = "\n".join(printed)
    assert "0530 | phase 4" in status_bar_text(PRESENTER.status_segments(played.view(), "", ""))
    assert all(f"Phase {phase}, mission movement" in text for phase in (2, 3, 4))
    assert printed.count("You have to choose something here.") == 1


def _status(screen: PlayScreen) -> str:
    return str(screen.query_one(".status", Static).render())
