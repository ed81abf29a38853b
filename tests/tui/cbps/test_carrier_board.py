"""The carrier board: the contents of the boxes, and the keys for each order (6.2)."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from rich.cells import cell_len

from engine.cbps import commands as c
from engine.cbps.frames import OperationsFrame, PhaseFrame, SetupFrame, TurnFrame
from engine.cbps.ids import ABOARD
from engine.cbps.state import AirUnit, Mission, State
from tests.engine.cbps.battle import battle, with_frame, with_parts
from tests.sizes import sampled
from tests.tui.apps import app, reached
from tests.tui.cbps.battles import PRESENTER, SIZES, index_of, question, session, states, view_of
from tui.cbps.panels import carrier_board
from tui.cbps.panels.page_texts import situation_lines
from tui.drawing.colour_roles import TextRole
from tui.panels.game_board import GameBoard, lay_out_board
from tui.presenter.presenter import Selection
from tui.screens.dialogs.prompt import ChoiceDialog, TextDialog
from tui.screens.match.play import PlayScreen
from tui.screens.table.board_panel import BoardPanel, BoardScreen

TURN = (TurnFrame(step="phase"), PhaseFrame(segment=5))


def operations(state: State) -> State:
    return replace(with_frame(state, *TURN, OperationsFrame()), segment="operations")


def moved(state: State, **places: tuple[str, str]) -> State:
    units = {
        name.replace("_", "-"): AirUnit(place=place, at=at)  # type: ignore[arg-type]  # one of its words
        for name, (place, at) in places.items()
    }
    return with_parts(state, units=units)


READY = operations(
    moved(
        battle("6"),
        hornet_b1=("ready", "hornet"),
        hornet_b2=("ready", "hornet"),
        hornet_f1=("servicing", "hornet"),
        hornet_f2=("mission", "strike-3"),
        wasp_f1=("landed", "bunker-hill"),
    )
)
READY = with_parts(READY, missions={"strike-3": Mission(kind="strike", hex="1108", fuel=6)})


def board(state: State) -> GameBoard:
    view, decision = question(state)
    found = PRESENTER.board(view, "k", decision.options)
    assert found is not None
    return found


def keys(found: GameBoard, item: str) -> dict[str, str]:
    return {act.key: act.word for act in found.actions_for(item)}


def text(found: GameBoard, width: int) -> str:
    return "\n".join(
        "".join(piece.text for piece in line).rstrip() for line in lay_out_board(found, width).lines
    )


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_every_unit_aboard_is_listed_once_at_every_size(width: int, height: int) -> None:
    for state in (READY, *states("6")[::50]):
        found = carrier_board.carrier_board(index_of(state), ())
        layout = lay_out_board(found, width)
        shown = [spot.item for spot in layout.positions]
        aboard = {name for name, unit in state.units.items() if unit.place in ABOARD}
        assert aboard <= set(shown)
        assert len(shown) == len(set(shown))
        assert max(cell_len(line) for line in text(found, width).splitlines()) <= width


def test_a_group_fits_a_small_screen() -> None:
    lines = text(board(READY), 80).splitlines()
    assert lines[0].startswith("TG 58.1 at 1108")
    assert next(n for n, line in enumerate(lines) if line.startswith("TG 58.2")) <= 20


def test_6_22_boxes_show_limits_and_completed_actions() -> None:
    hornet = replace(READY.ships["hornet"], launched=1, serviced=2, lowered=1)
    lines = carrier_board.carrier_lines(
        index_of(with_parts(READY, ships={"hornet": hornet})), "hornet"
    )
    assert lines[0] == "flight deck 2/3"
    assert "READY   SB2C B1, SB2C B2 (launched 1/2)" in lines
    assert any(line.startswith("service F6F F1") and "(moved 2/2)" in line for line in lines)
    assert "landed  - (lowered 1/2)" in lines


def test_12_1_damage_fires_and_markers_are_shown() -> None:
    hurt = replace(READY.ships["hornet"], hits=3, fires=(1,), is_inoperative=True, is_crashed=True)
    found = board(with_parts(READY, ships={"hornet": hurt}))
    head = found.sections[0].blocks[0].rows[0]
    assert (head.tail, head.tail_tone) == (
        "deck 2/3 light 3/8, FIRE 1, DECK OUT, CRASH",
        TextRole.BAD,
    )
    shown = text(found, 80)
    assert "deck 2/3 light" in shown
    assert "FIRE 1, DECK OUT" in shown


def test_6_28_guest_unit_shows_its_home_carrier() -> None:
    assert "landed  +F6F Wasp" in text(board(READY), 160)


def test_units_are_chips_in_the_colour_of_their_box() -> None:
    rows = board(READY).sections[0].blocks[0].rows
    tones = {row.label.strip(): {item.tone for item in row.items} for row in rows[1:]}
    assert tones["hangar"] == {TextRole.CHIP_STORED}
    assert tones["service"] == {TextRole.CHIP_WORKED}
    assert tones["READY"] == {TextRole.CHIP_READY}


def test_4_33_cap_and_missions_over_the_group_can_land() -> None:
    found = board(READY)
    shown = text(found, 160)
    assert re.search(r"Strike 3 +\+F6F +fuel 6", shown)
    assert re.search(r"Intercept 1 +\+F6F +CAP", shown)
    assert keys(found, "hornet-f2") == {"l": "land"}


def test_unit_keys_depend_on_its_box() -> None:
    found = board(READY)
    assert keys(found, "hornet-b1") == {"t": "strike"}
    assert keys(found, "hornet-f1")["r"] == "raise"
    assert keys(found, "wasp-f1") == {"o": "lower", "x": "overboard"} or keys(found, "wasp-f1") == {
        "o": "lower"
    }
    assert [act.key for act in found.general_actions] == ["D"]


def test_4_14_existing_strike_in_the_hex_is_offered_before_a_new_one() -> None:
    fresh = Mission(kind="strike", hex="1108", fuel=6, is_fresh=True)
    found = board(with_parts(READY, missions={"strike-3": fresh}))
    act = next(act for act in found.actions_for("hornet-b1") if act.key == "t")
    assert next(order.mission for order in act.commands) == "strike-3"
    assert len(act.commands) == 2


def test_6_28_home_carrier_is_offered_first() -> None:
    home = moved(READY, wasp_f1=("mission", "strike-3"), hornet_b3=("gone", ""))
    found = board(with_parts(home, missions=READY.missions))
    act = next(act for act in found.actions_for("wasp-f1") if act.key == "l")
    assert act.commands[0].carrier == "wasp"
    assert len(act.commands) > 1


def test_6_24_overfull_deck_shows_no_launch() -> None:
    full = moved(READY, hornet_f1=("ready", "hornet"))
    heads = [board(state).sections[0].blocks[0].rows[0] for state in (READY, full)]
    assert [head.tail for head in heads] == ["deck 2/3", "deck 3/3 no launch"]
    assert not keys(board(full), "hornet-b1").get("t")


def test_6_22_units_can_be_placed_during_setup() -> None:
    state = with_frame(battle("6"), SetupFrame())
    words = {word for unit in state.units for word in keys(board(state), unit).values()}
    assert words == {"ready", "hangar", "CAP"}


def test_action_keys_of_an_item_are_unique() -> None:
    for state in states("6")[::10]:
        if state.outcome is None:
            found = board(state)
            for acts in found.actions.values():
                used = [act.key for act in acts]
                assert len(used) == len(set(used))


def test_spectator_sees_the_board_without_actions() -> None:
    found = PRESENTER.board(view_of(READY), "k", ())
    assert found is not None
    assert not found.actions
    assert PRESENTER.board(view_of(READY), "z", ()) is None


def test_side_board_shows_the_group_being_ordered() -> None:
    view, decision = question(READY)
    by_unit = {
        order.unit: order for order in decision.options if isinstance(order, c.Raise | c.Service)
    }

    def title(highlighted: Any = None, cursor: str = "", options: Any = ()) -> str:  # noqa: ANN401
        found = PRESENTER.side_board(
            view, Selection(options=options, highlighted=highlighted, cursor=cursor)
        )
        assert found is not None
        assert len(found.sections) == 1
        return found.sections[0].title[:7]

    assert title() == "TG 58.1"
    assert title(highlighted=by_unit["wasp-b3"]) == "TG 58.2"
    assert title(options=(by_unit["essex-t1"],)) == "TG 58.4"
    moving = replace(READY, segment="us-air-movement")
    assert PRESENTER.side_board(view_of(moving), Selection()) is None


# -- in the screen


def _units(screen: PlayScreen, place: str) -> set[str]:
    view: Any = screen.session.view()
    return {name for name, unit in view.units.items() if unit.place == place}


@pytest.mark.full
@pytest.mark.parametrize("size", sampled(SIZES[:2], 1))
async def test_a_unit_is_raised_and_launched_without_leaving_the_board(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    screen = PlayScreen(session(READY), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=size) as pilot:
        await pilot.press("escape", "k")  # closes the page about the scenario
        await reached(pilot, lambda: isinstance(program.screen, BoardScreen))
        front = program.screen
        assert isinstance(front, BoardScreen)
        front.panel.view.go("hornet-f1")
        await pilot.press("r")
        await reached(pilot, lambda: "hornet-f1" in _units(screen, "ready"))
        assert isinstance(program.screen, BoardScreen)
        assert any(act.word == "raise" for act in front.panel._actions()), "the next can be raised"
        await pilot.press("u")
        await reached(pilot, lambda: "hornet-f1" in _units(screen, "servicing"))
        front.panel.view.go("hornet-b1")
        await pilot.press("v")
        await reached(pilot, lambda: isinstance(program.screen, TextDialog))
        shown = program.screen
        assert isinstance(shown, TextDialog)
        assert any("No target is detected" in line for line in shown._lines)
        await pilot.press("escape")
        await pilot.press("t")
        await reached(pilot, lambda: isinstance(program.screen, ChoiceDialog))
        await pilot.press("enter")
        await reached(pilot, lambda: "hornet-b1" in _units(screen, "mission"))
        await pilot.press("c")
        await reached(pilot, lambda: not screen.session.draft.commands)
        assert "hornet-b1" in _units(screen, "mission")
        await pilot.press("escape")
        await reached(pilot, lambda: program.screen is screen)


@pytest.mark.full
async def test_docked_board_is_focused_and_left_by_key(tmp_path: Path) -> None:
    screen = PlayScreen(session(READY), PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(160, 46)) as pilot:
        docked = screen.query_one("#sideboard", BoardPanel)
        await pilot.press("escape", "k")
        await reached(pilot, lambda: docked.has_focus_within)
        assert program.screen is screen
        docked.view.go("hornet-f1")
        await pilot.press("r")
        await reached(pilot, lambda: "hornet-f1" in _units(screen, "ready"))
        assert docked.has_focus_within
        await pilot.press("k")
        await reached(pilot, lambda: isinstance(program.screen, BoardScreen))
        await pilot.press("escape")
        await reached(pilot, lambda: program.screen is screen)
        docked.view.focus()
        await pilot.press("escape")
        await reached(pilot, lambda: screen.map.has_focus)


def test_situation_counts_a_single_unit_of_a_group() -> None:
    state = operations(battle("6"))
    aboard = [
        unit
        for unit, one in state.units.items()
        if one.at in state.ships and state.ships[one.at].group == "58.1"
    ]
    gone = dict.fromkeys(aboard[1:], AirUnit(place="mission", at="strike-1"))
    lines = situation_lines(index_of(with_parts(state, units=gone)))
    assert any("; 1 unit aboard, " in line for line in lines)
