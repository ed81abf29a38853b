"""Course orders as a player gives them: keys from launch to landing, undo, cancelling, resuming, and plain mode."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from engine.cbps import commands as c
from engine.cbps.frames import (
    ActivationFrame,
    BoatsFrame,
    OperationsFrame,
    PhaseFrame,
    SailFrame,
    TurnFrame,
)
from engine.cbps.ruleset import CBPS
from engine.cbps.state import Boat, Force, Hull, Mission, State
from engine.kernel.errors import FlagplotError
from play.controller import GameController
from play.local_session import LocalSession
from saves.headers import Seat
from saves.match import Match
from tests.engine.cbps.battle import with_parts
from tests.engine.cbps.fleet_at import HOME, fleet
from tests.play.test_controller import Recorder
from tests.sizes import sampled
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, US, session
from tui.cbps.courses import course_entries
from tui.console.game import PlainGame
from tui.presenter.order_choices import order_entries
from tui.screens.match.play import PlayScreen

UNITS: Final = ("hornet-f1", "hornet-t1", "yorktown-f1", "yorktown-t1")
SHIPS: Final = ("shokaku", "zuikaku", "cruiser-force-8")
MOST_KEYS: Final = 25


def ready(hexes: int, scenario: str = "6", at: tuple[int, int] = (3, 1)) -> State:
    """Return US Air Operations with four ready units, and Force A at a distance from TF 58."""
    state = fleet(
        OperationsFrame(),
        segment="operations",
        scenario=scenario,
        at=at,
        units=dict.fromkeys(UNITS, "ready"),
    )
    origin, grid = state.groups["58.1"].hex, state.game_data.map.grid
    target = next(
        hex
        for hex in grid.hexes
        if hex[:2] == origin[:2] and hex > origin and grid.distance(origin, hex) == hexes
    )
    force = Force(
        hex=target, level=4, is_carrier=True, detection="L", raids=1, first_carriers=SHIPS[:2]
    )
    state = with_parts(state, forces={"A": force}, hulls={ship: Hull(force="A") for ship in SHIPS})
    frames = (TurnFrame(step="phase"), PhaseFrame(segment=5), OperationsFrame())
    return replace(state, frames=frames, chits_per_phase=0, has_searched=True)


def game(state: State, secret: int, path: Path | None = None) -> LocalSession:
    position = CBPS.to_position(state)
    seats = [Seat(role=US, player="us", seat_id="us")]
    match: Match[Any] = Match.create(
        CBPS, position, position.scenario, dict(position.options), seats, bytes([secret]) * 32
    )
    return LocalSession(match, {}, US, path)


async def launched(played: LocalSession) -> GameController:
    frontend = Recorder()
    controller = GameController(played, PRESENTER, frontend)
    frontend.controller = controller
    controller.update()
    for unit in UNITS:
        await controller.give(c.Launch(unit=unit, mission="strike-1"))
    return controller


def given(played: LocalSession) -> tuple[str, ...]:
    return played.orders.courses


def mission(played: LocalSession) -> Any:  # noqa: ANN401  # a Mission
    view: Any = played.view()
    return view.missions["strike-1"]


# -- giving, undoing, cancelling


async def test_undo_removes_the_course_and_its_launch_move_then_the_launch() -> None:
    played = session(ready(6))
    controller = await launched(played)
    assert await controller.give_course("strike-1 to a") == "Strike 1: to Force A and home"
    assert mission(played).hex == "1109"
    assert controller.undo_course()
    assert mission(played).hex == HOME
    assert given(played) == ()
    is_undone = controller.undo_course()
    assert not is_undone, "only the order was given since the launch"
    assert controller.undo() == c.Launch(unit=UNITS[-1], mission="strike-1")


async def test_new_course_replaces_the_old_one_and_undo_restores_it() -> None:
    played = session(ready(6))
    controller = await launched(played)
    await controller.give_course("strike-1 to a")
    (first,) = played.orders.courses
    await controller.give_course("strike-1 to home")
    assert [line.split()[2] for line in played.orders.courses] == ["home"]
    assert controller.undo_course()
    assert given(played) == (first,)
    assert controller.cancel_course("strike-1")
    assert given(played) == ()
    assert controller.undo_course()
    assert given(played) == (first,)
    assert not controller.cancel_course("strike-2")


async def test_course_is_dropped_when_its_mission_ends_but_not_during_commit() -> None:
    played = session(ready(6))
    controller = await launched(played)
    await controller.give_course("strike-1 to home")
    await controller.commit()
    assert played.orders.courses, "the launch was committed unit by unit"
    await controller.auto_advance()
    while played.decision() is not None and "strike-1" in played.view().missions:  # type: ignore[attr-defined]  # a CbpsView
        await controller.auto_advance()
        controller.update()
        if ending := controller.ending_commands():
            await controller.give(ending[0])
            await controller.commit()
    assert given(played) == ()


async def test_landings_are_undone_together_with_the_following_done() -> None:
    state = ready(6)
    flying = {unit: replace(state.units[unit], place="mission", at="strike-1") for unit in UNITS}
    back = Mission(kind="strike", hex=HOME, fuel=5, groups=("58.1",), is_flipped=True)
    played = session(with_parts(state, units=flying, missions={"strike-1": back}))
    frontend = Recorder()
    controller = GameController(played, PRESENTER, frontend)
    frontend.controller = controller
    controller.update()
    await controller.give_course("strike-1 to home")
    (done,) = controller.ending_commands()
    await controller.give(done)
    assert [type(command) for command in played.draft.commands] == [c.Land] * 4 + [c.Done]
    assert played.draft.size == 1
    assert controller.undo() == done
    assert not played.draft.entries


async def test_courses_are_stored_beside_the_record_and_continue_after_resume(
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.fplog"
    played = game(ready(6), 1, path)
    controller = await launched(played)
    await controller.give_course("strike-1 to a")
    await controller.commit()
    orders = played.orders.courses
    resumed = LocalSession(played.match, {}, US, path)
    assert resumed.orders.courses == orders
    frontend = Recorder()
    controller = GameController(resumed, PRESENTER, frontend)
    frontend.controller = controller
    controller.update()
    await controller.auto_advance()
    assert mission(resumed).hex == "1112", "one hex in the launch move and in each phase since"


# -- keys


async def counted(pilot: Pilot[int], screen: PlayScreen, keys: Iterable[str]) -> int:
    """Press keys, wait until the program rests, and return their number."""
    number = 0
    for key in keys:
        await pilot.press(key)
        await reached(pilot, lambda: not screen.controller.is_advancing)
        await pilot.pause()
        number += 1
    return number


@pytest.mark.full
@pytest.mark.parametrize("secret", [4, 14])
async def test_strike_eight_hexes_out_and_home_takes_at_most_25_keys(
    tmp_path: Path, secret: int
) -> None:
    """From the launch to the landing, everything included: the confirmed risk, chits, the attack and every stop."""
    played = game(ready(8, "5", (2, 1)), secret)
    screen = PlayScreen(played, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.press("escape")  # the briefing
        keys = await counted(pilot, screen, ("1", "A", "A", "j", "down", "enter", "y"))
        assert played.orders.courses, screen.panel.words
        has_attacked = False
        for _ in range(60):
            view: Any = played.view()
            if "strike-1" not in view.missions:
                break
            has_attacked |= view.missions["strike-1"].is_flipped
            keys += await counted(pilot, screen, ("G",))
            said = str(screen.query_one(".status", Static).render())
            if said.startswith(("Stopped:", "Your decision", "Strike 1:")):
                # A decision that only the player can make: the highlighted line, or Done.
                ends = screen.controller.ending_commands() and not said.startswith("Strike 1:")
                keys += await counted(pilot, screen, ("D" if ends else "enter",))
        view = played.view()
        assert has_attacked
        assert "strike-1" not in view.missions
        assert keys <= MOST_KEYS, keys


# -- plain mode


async def test_plain_mode_gives_lists_and_cancels_courses() -> None:
    played, printed = session(ready(6)), list[str]()
    lines = iter(
        [
            *(f"launch {unit} strike-1" for unit in UNITS),
            "auto course strike-1 to b",
            "auto course strike-1 to a",
            "auto",
            "undo",
            "auto course strike-1 to a",
            "auto cancel strike-1",
            "auto cancel strike-1",
            "quit",
        ]
    )

    async def read(prompt: str) -> str:
        return next(lines)

    await PlainGame(played, PRESENTER, read, printed.append).run()
    text = "\n".join(printed)
    for words in ("not a detected force", "wait goes on until something needs you", "  Strike 1: to Force A and home",
                  "The order is as it was before", "Order cancelled", "There is no such order"):  # fmt: skip
        assert words in text


# -- searches and CAP

SCOUT: Final = "wasp-b1"
FIGHTERS: Final = ("hornet-f1", "yorktown-f1")


def scouting(path: Path | None = None, secret: int = 6, *, is_alone: bool = False) -> LocalSession:
    """Return a game with a ready scout on a quiet sea, before the first search of the turn.

    If the scout is alone, no other unit is ready and no force is known.
    """
    state = ready(8, "6", (3, 1))
    if is_alone:
        hangar = {unit: replace(state.units[unit], place="hangar") for unit in UNITS}
        state = replace(with_parts(state, units=hangar), forces={}, hulls={})
    scout = replace(state.units[SCOUT], place="ready")
    return game(with_parts(replace(state, has_searched=False), units={SCOUT: scout}), secret, path)


@pytest.mark.parametrize("size", sampled([(80, 24), (120, 40)], 1))
async def test_search_out_and_home_is_ordered_by_typing_its_bearing(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    screen = PlayScreen(scouting(), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=size) as pilot:
        await pilot.press("escape")
        keys = await counted(pilot, screen, ("j", *"300", "enter"))
        (order,) = screen.session.orders.courses
        assert order.split()[1:3] == ["search", "300"]
        assert keys <= 5
        said = str(screen.query_one(".status", Static).render())
        assert said.startswith("Search 300 and back")
        await counted(pilot, screen, ("j", *"cancel search", "enter"))
        assert screen.session.orders.courses == ()


async def test_typed_hex_lists_orders_that_lead_there(tmp_path: Path) -> None:
    """The digits of a hex may fit no line until the last. Enter then does nothing."""
    screen = PlayScreen(scouting(), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        for unit in UNITS:
            await screen.controller.give(c.Launch(unit=unit, mission="strike-1"))
        await counted(pilot, screen, ("j", *"111"))
        rows = program.screen.query_one(OptionList)
        assert [str(row.prompt) for row in rows.options] == [
            "Nothing here fits. Type on, or delete with Backspace."
        ]
        await counted(pilot, screen, ("enter", "1"))
        lines = [str(row.prompt).partition("\n")[0] for row in rows.options]
        assert lines[0] == "Strike 1: to 1111 and home"
        assert any(line.startswith("Search ") for line in lines)
        await counted(pilot, screen, ("enter",))
        assert [order.split()[:3] for order in screen.session.orders.courses] == [
            ["strike-1", "to", "1111"]
        ]


async def test_typed_bearing_also_lists_the_search_with_two_units(tmp_path: Path) -> None:
    screen = PlayScreen(scouting(), PRESENTER)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await counted(pilot, screen, ("j", *"120", "down", "enter"))
        (order,) = screen.session.orders.courses
        _, _, course, _, units = order.split()
        assert course == "120"
        assert len(units.split(",")) == 2


async def test_one_line_orders_cap_over_every_group(tmp_path: Path) -> None:
    state = ready(8)
    fighter = replace(state.units["wasp-f1"], place="ready")
    screen = PlayScreen(game(with_parts(state, units={"wasp-f1": fighter}), 6), PRESENTER)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await counted(pilot, screen, ("j", *"2 groups until 1210", "enter"))
        courses = screen.session.orders.courses
        assert [order.split()[0] for order in courses] == ["cap-58.1", "cap-58.2"]
        assert len({order.split()[2] for order in courses}) == 1
        assert {type(command) for command in screen.session.draft.commands} == {c.Cap}


async def test_text_that_fits_no_order_is_shown_and_can_be_deleted(tmp_path: Path) -> None:
    screen = PlayScreen(scouting(), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        await counted(pilot, screen, ("j", *"xyz"))
        rows, title = (
            program.screen.query_one(OptionList),
            program.screen.query_one(".title", Static),
        )
        assert str(title.content).endswith("/ xyz")
        assert str(rows.get_option_at_index(0).prompt).startswith("Nothing here fits.")
        await counted(pilot, screen, ("backspace", "backspace", "backspace"))
        assert rows.option_count > 1


def test_order_list_does_not_mention_windows_in_a_game_without_them() -> None:
    _, entries = order_entries(scouting(), PRESENTER)
    texts = [text for _, text in entries]
    assert texts[-2:] == ["Give and repeat obvious answers", "Ask me every time"]
    assert not any("window" in text for text in texts)


async def test_first_search_points_to_the_nearest_force_beyond_its_range() -> None:
    view: Any = scouting().view()
    far = replace(view.forces["A"], hex=f"{HOME[:2]}25")
    index = PRESENTER._index(replace(view, forces={"A": far}))
    searches = [
        text for _, text in course_entries(index, HOME, "", ()) if text.startswith("Search")
    ]
    assert searches[0].startswith("Search 270")


async def flown(controller: GameController, goal: Any) -> int:  # noqa: ANN401  # a function of the view
    """Go on as with G, and answer each stop with Done, until a goal is reached. Return the number of keys."""
    keys = 0
    for _ in range(60):
        await controller.run_others()
        controller.update()
        if goal(controller.session.view()):
            return keys
        progress = await controller.auto_advance()
        keys += 1
        if not (progress.answers or progress.commits):
            ending = controller.ending_commands()
            decision = controller.session.decision()
            assert decision is not None
            await controller.give(ending[0] if ending else decision.default)
            keys += 1
            if controller.session.decision() is None:
                await controller.commit()
    raise AssertionError("the goal was never reached")


def controlled(played: LocalSession) -> GameController:
    frontend = Recorder()
    controller = GameController(played, PRESENTER, frontend)
    frontend.controller = controller
    controller.update()
    return controller


@pytest.mark.full
async def test_search_and_cap_courses_run_for_turns_and_survive_restart(tmp_path: Path) -> None:
    path = tmp_path / "game.fplog"
    played = scouting(path)
    controller = controlled(played)
    assert await controller.give_course(f"search 300 {SCOUT}") == "Search 300 and back (Wasp B1)"
    assert await controller.give_course("cap 58.1 until 1050") == "CAP over TG 58.1 until 1050"
    assert [type(command) for command in played.draft.commands] == [c.Cap, c.Cap]
    await controller.commit()
    await flown(controller, lambda view: view.searches and view.searches["search-1"].moves)
    orders = played.orders.courses
    resumed = LocalSession(played.match, {}, US, path)
    assert resumed.orders.courses == orders
    controller = controlled(resumed)
    view: Any = resumed.view()
    assert {view.units[unit].place for unit in FIGHTERS} == {"mission"}
    await flown(controller, lambda view: view.units[FIGHTERS[0]].place != "mission")
    view = resumed.view()
    assert view.turn >= 4, "it lands when its time has come"  # turn 4 is 1050
    await flown(controller, lambda view: not view.searches)
    view = resumed.view()
    assert view.units[SCOUT].place == "landed"
    assert resumed.orders.courses == ()


MOST_SEARCH_KEYS: Final = 45
"""Keys for a whole search of five turns, with 17 stops for raids, US Moves and submarines on the way."""
MOST_CAP_KEYS: Final = 15
ORDER_KEYS: Final = 5
"""Keys that give an order by its name, as measured on the screen above."""


@pytest.mark.full
async def test_a_whole_search_takes_45_keys() -> None:
    """From the order to the landing, five turns later."""
    played = scouting(secret=2, is_alone=True)
    controller = controlled(played)
    await controller.give_course(f"search 300 {SCOUT}")
    await controller.commit()
    keys = ORDER_KEYS + 1
    keys += await flown(controller, lambda view: view.searches)
    keys += await flown(controller, lambda view: not view.searches)
    view: Any = played.view()
    assert view.units[SCOUT].place == "landed"
    assert keys <= MOST_SEARCH_KEYS, keys


async def test_cap_until_the_next_turn_takes_15_keys_from_launch_to_landing() -> None:
    played = scouting(secret=1)
    controller = controlled(played)
    await controller.give_course("cap 58.1 until 1050")
    await controller.commit()
    keys = ORDER_KEYS + 1
    keys += await flown(
        controller, lambda view: all(view.units[unit].place != "mission" for unit in FIGHTERS)
    )
    view: Any = played.view()
    assert {view.units[unit].place for unit in FIGHTERS} == {"landed"}
    assert keys <= MOST_CAP_KEYS, keys


async def test_undo_removes_cap_with_all_its_launches() -> None:
    played = scouting()
    controller = controlled(played)
    await controller.give_course("cap 58.1 until 1050")
    assert len(played.draft.commands) == len(FIGHTERS)
    assert controller.undo_course()
    assert not played.draft.commands
    assert given(played) == ()


@pytest.mark.parametrize(
    "content",
    [
        b"{", b"[]", b'{"courses": 7}', b'{"courses": [7]}', b"\xff\xfe", b"[" * 70_000,
        b'{"courses": ["' + b"x" * 70_000 + b'"]}',
        b'{"courses": [' + b",".join([b'"cap-58.1 until 5 size 2"'] * 500) + b"]}",
        b'{"courses": ["nobody search 300 units nobody", "cap-58.9 until 99 size 99", "\\u001b[2J", ""]}',
        b'{"courses": ["wasp-b1 search 0 units wasp-b1,ghost", "strike-9 to Z least 1 by day units ,"]}',
    ],
)  # fmt: skip
async def test_damaged_or_hand_written_course_file_gives_no_orders(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "game.fplog"
    played = scouting(path)
    path.with_name(f"{path.name}.{US}.orders").write_bytes(content)
    resumed = LocalSession(played.match, {}, US, path)
    controller = controlled(resumed)
    view = resumed.view()
    assert PRESENTER.course_rows(view, given(resumed)) == ()
    assert PRESENTER.course_entries(view, HOME, None, given(resumed))
    assert not [line for line in resumed.orders.change("") if line.strip(".") == ""]
    await controller.auto_advance()
    assert resumed.view().searches == {}  # type: ignore[attr-defined]  # a CbpsView


# -- TF 58 and the submarines


def activated(frame: SailFrame | BoatsFrame) -> State:
    state = ready(8, "6", (3, 1))
    frames = (TurnFrame(step="phase"), PhaseFrame(segment=1), ActivationFrame(left=1), frame)
    boat = Boat(hex="1115")
    return replace(with_parts(state, boats={"finback": boat}), frames=frames)


@pytest.mark.parametrize(
    ("frame", "order"),
    [
        (SailFrame(), "tf-58 stay until 1210"),
        (BoatsFrame(), "submarines stay until 1210"),
    ],
)
async def test_order_to_stay_answers_its_chit_only(
    frame: SailFrame | BoatsFrame, order: str
) -> None:
    state, other = activated(frame), "submarines" if order.startswith("tf") else "tf-58"
    course = CBPS.read_course(state, US, order)
    assert CBPS.course_answer(state, US, (course,)) == c.Done()
    assert (
        CBPS.course_answer(state, US, (course.replace(order.split(maxsplit=1)[0], other),)) is None
    )
    begun = {
        SailFrame: replace(frame, origins={"58.1": HOME}) if isinstance(frame, SailFrame) else None,
        BoatsFrame: replace(frame, boat="finback") if isinstance(frame, BoatsFrame) else None,
    }[type(frame)]
    assert begun is not None
    is_answered = CBPS.course_answer(
        replace(state, frames=(*state.frames[:-1], begun)), US, (course,)
    )
    assert is_answered is None, "the player has begun to move"
    later = replace(state, turn=int(course.split()[-1]))
    assert CBPS.live_courses(later, (course,)) == ()
    assert CBPS.live_courses(state, (course,)) == (course,)


async def test_chosen_order_to_stay_goes_on_past_us_move(tmp_path: Path) -> None:
    screen = PlayScreen(session(activated(SailFrame())), PRESENTER)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("escape")
        asked = screen.session.decision()
        await counted(pilot, screen, ("j", "enter"))
        assert screen.session.orders.courses[0].startswith("tf-58 stay turn ")
        assert screen.session.decision() != asked
        await counted(pilot, screen, ("j", *"cancel: tf", "enter"))
        assert screen.session.orders.courses == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("tf-58 stay until 0530", "not a later turn"),
        ("submarines stay until end now", "write"),
        ("tf-59 stay until end", "write"),
    ],
)
def test_refused_orders_to_stay(text: str, reason: str) -> None:
    with pytest.raises(FlagplotError, match=reason):
        CBPS.read_course(activated(SailFrame()), US, text)
