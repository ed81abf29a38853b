"""The play screen: games played only with keys, drafts, replay, lookups."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input, Static
from typing_extensions import override

from engine.eots.commands import DiscardCard
from engine.kernel.decision import Decision
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command
from play.clock_readings import ClockReading, format_clock_readings
from play.games import NewGame, create_game, resume
from play.local_session import LocalSession
from play.log_lines import LogLine
from play.replay_session import FULL_VIEW, ReplaySession
from play.session import CommandResult
from saves.headers import Seat
from saves.logfile import LogWriter
from saves.match import Match
from tests.play.tables import First, toy_match, toy_session
from tests.sizes import sampled
from tests.toy_game import BLUE, RED, TOY
from tests.tui.apps import app, reached
from tests.tui.eots.still import HAND, StillSession, still_view
from tui.app.app import FlagplotApp
from tui.drawing.colour_roles import OverlayRole
from tui.eots.presenter import EotsPresenter
from tui.maps.enums import Zoom
from tui.presenter.presenter import Presenter
from tui.qmg.presenter import QmgPresenter
from tui.screens.dialogs.prompt import ConfirmDialog, CoverDialog
from tui.screens.match.play import PlayScreen
from tui.screens.reference.page import PageScreen
from tui.screens.replay.replay import ReplayScreen
from tui.widgets.bars.cards import HandView
from tui.widgets.bars.key_line import KeyLine
from tui.widgets.base_screens import active_actions
from tui.widgets.lines import Lines
from tui.widgets.pages import Pages


def _status(screen: PlayScreen | ReplayScreen) -> str:
    return str(screen.query_one(".status", Static).render())


def _still() -> PlayScreen:
    session = StillSession(still_view())
    return PlayScreen(session, EotsPresenter(session.ruleset))


async def _settle(program: FlagplotApp, pilot: Pilot[int]) -> None:
    await pilot.pause()
    await program.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.full
async def test_whole_game_is_played_by_keys_alone(tmp_path: Path) -> None:
    session = toy_session(BLUE, log=LogWriter.create(tmp_path / "toy.fplog"))
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for _ in range(60):
            if session.outcome() is not None:
                break
            await pilot.press("c" if session.draft.commands else "d")
            await _settle(program, pilot)
        assert session.outcome() is not None
        assert "The game is over" in str(screen.query_one(".prompt", Static).render())
    replay = ReplaySession.open(tmp_path / "toy.fplog", TOY)
    assert replay.log_file.records[-1].kind == "reveal"


@pytest.mark.full
async def test_draft_is_shown_undone_and_committed(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await _settle(program, pilot)
        await pilot.press("d")
        await _settle(program, pilot)
        assert len(session.draft.commands) == 1
        assert "u undo 1" in str(screen.query_one(".note", Static).render())
        await pilot.press("u")
        await _settle(program, pilot)
        assert [*session.draft.commands] == []
        await pilot.press("u")
        assert "Nothing to undo" in _status(screen)
        await pilot.press("c")
        await _settle(program, pilot)
        assert "Nothing planned yet" in _status(screen)


@pytest.mark.full
async def test_hotseat_covers_the_screen_between_players(tmp_path: Path) -> None:
    session = toy_session()
    program = app(tmp_path, PlayScreen(session, Presenter(TOY)))
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("d")
        await pilot.pause()
        await pilot.press("c")
        await reached(pilot, lambda: isinstance(program.screen, CoverDialog))
        assert program.screen.query_one("Vertical").outer_size == program.size
        await pilot.press("enter")
        await _settle(program, pilot)
        assert session.role == BLUE


async def test_command_line_completes_and_refuses_input(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("colon", "h", "tab")
        await pilot.pause()
        assert program.screen.query_one(Input).value == "hold"
        await pilot.press("enter")
        await _settle(program, pilot)
        assert len(session.draft.commands) == 1
        await pilot.press("u", "colon", *"roll", "enter")
        await reached(pilot, lambda: "'roll' is not legal now" in _status(screen))
        await pilot.press("colon", *"dance", "enter")
        await reached(pilot, lambda: "dance" in _status(screen))


async def test_take_back_asks_for_confirmation(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    program = app(tmp_path, PlayScreen(session, Presenter(TOY)))
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("d", "c")
        await _settle(program, pilot)
        await pilot.press("ctrl+z")
        await reached(pilot, lambda: isinstance(program.screen, ConfirmDialog))
        await pilot.press("y")
        await _settle(program, pilot)
        assert any(record.takeback_to is not None for record in session.match.records)


@pytest.mark.full
async def test_map_moves_zooms_and_highlights(tmp_path: Path) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("tab")
        screen.map.point_at("5808")
        await pilot.press("up", "left")
        assert screen.map.cursor == "5707"
        await pilot.press("z")
        zooms = [screen.map.zoom]
        await pilot.press("minus", "minus")
        assert [*zooms, screen.map.zoom] == [Zoom.DETAIL, Zoom.OVERVIEW]
        await pilot.press("n", "n")
        await pilot.pause()
        assert screen.map.cursor in {"4825", "4828", "4423", "4024"}
        await pilot.press("O")
        await pilot.pause()
        assert any(cell.tint is OverlayRole.THEIRS for cell in screen.map.scene.cells.values())
        await pilot.press("x", "s")
        await pilot.pause()
        assert any(cell.tint is OverlayRole.SUPPLIED for cell in screen.map.scene.cells.values())


@pytest.mark.full
async def test_hex_without_options_is_reported(tmp_path: Path) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=(120, 40)) as pilot:
        await pilot.pause()
        await pilot.press("tab")
        screen.map.point_at("5808")
        await pilot.press("enter")
        await pilot.pause()
        assert "Nothing to choose in 5808" in _status(screen)


@pytest.mark.full
async def test_palette_lists_each_action_once_whatever_has_focus(tmp_path: Path) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for focused in (screen.panel.rows, screen.map):
            focused.focus()
            await pilot.pause()
            rows = active_actions(program.screen)
            assert len({row.name for row in rows}) == len(rows)
            (back,) = (row for row in rows if row.name == "Back to the list above")
            assert "Esc" in back.keys.split()
        assert program.focused is screen.map


@pytest.mark.full
@pytest.mark.parametrize("key", sampled(["h", "l", "t", "T", "f", "g", "b", "e", "w"], 1))
async def test_pages_open_and_close(tmp_path: Path, key: str) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        screen.map.point_at("4828")
        await pilot.press(key)
        await reached(pilot, lambda: isinstance(program.screen, PageScreen))
        page = program.screen
        assert isinstance(page, PageScreen)
        assert page.query_one(Lines).text.strip()
        await pilot.press("pagedown", "end", "home", "escape")
        await pilot.pause()
        assert program.screen is screen


@pytest.mark.full
async def test_find_moves_the_cursor_to_a_hex(tmp_path: Path) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.press("tab", "slash", *"rabaul", "enter")
        await reached(pilot, lambda: screen.map.cursor == "4021")


async def test_f1_opens_the_rule_of_the_current_step(tmp_path: Path) -> None:
    program = app(tmp_path, _still())
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("f1")
        await pilot.pause()
        assert "7.21" in str(program.screen.query_one("#paragraph", Static).render())


@pytest.mark.parametrize(
    ("size", "shown"),
    sampled(
        [
            ((80, 24), {"hex"}),
            ((120, 40), {"hex", "steps", "log", "minimap"}),
            ((160, 46), {"hex", "steps", "sidelog", "hand", "minimap"}),
            ((200, 60), {"hex", "steps", "sidelog", "hand", "minimap", "pages"}),
        ],
        1,
    ),
)
async def test_screen_size_decides_which_panels_are_shown(
    tmp_path: Path, size: tuple[int, int], shown: set[str]
) -> None:
    screen = _still()
    async with app(tmp_path, screen).run_test(size=size) as pilot:
        await pilot.pause()
        assert _panels(screen) == shown


@pytest.mark.full
async def test_panel_switched_off_stays_off_at_this_size(tmp_path: Path) -> None:
    program = app(tmp_path, _still())
    async with program.run_test(size=(160, 46)) as pilot:
        await pilot.press("f3", "f5")
        assert "hand" not in _panels(program.screen)
        await pilot.resize_terminal(200, 60)
        await pilot.pause()
        assert "hand" in _panels(program.screen)
    again = app(tmp_path, _still())
    async with again.run_test(size=(160, 46)) as pilot:
        assert _panels(again.screen) == {"hex", "steps", "log"}
        await pilot.press("f2")
        await pilot.press("enter")
        await pilot.pause()
        assert "steps" not in _panels(again.screen)


@pytest.mark.full
async def test_panels_added_by_a_resize_are_filled_immediately(tmp_path: Path) -> None:
    program = app(tmp_path, _still())
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        await pilot.resize_terminal(160, 46)
        await _settle(program, pilot)
        logs = [panel for panel in program.screen.query(Lines) if panel.id in {"log", "sidelog"}]
        assert any(panel.display and panel.text.strip() for panel in logs)
        assert "(0)" not in str(program.screen.query_one(HandView).border_title)


@pytest.mark.full
async def test_game_pages_are_tabs_beside_a_large_map(tmp_path: Path) -> None:
    program = app(tmp_path, _still())
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(200, 60)
        await _settle(program, pilot)
        pages = program.screen.query_one(Pages)
        assert "How Japan wins" in pages.query_one(Lines).text
        await pilot.click("#page-T")
        await _settle(program, pilot)
        assert "Political Will" in pages.query_one(Lines).text
        await pilot.click("#page-g")
        await _settle(program, pilot)
        assert "Air-naval combat" in pages.query_one(Lines).text
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert _panels(program.screen) == {"hex"}


def _panels(screen: Screen[Any]) -> set[str]:
    names = ("hex", "steps", "log", "sidelog", "hand", "minimap", "pages", "battle")
    found = {name: screen.query(f"#{name}") for name in names}
    return {name for name, nodes in found.items() if any(map(_is_shown, nodes))}


def _is_shown(node: DOMNode) -> bool:
    return all(one.display for one in node.ancestors_with_self)


class Cards(StillSession):
    """The question which card to discard, which stores the commands given."""

    def __init__(self) -> None:
        orders = tuple(DiscardCard(card=card) for card in HAND)
        view, role = still_view(), Role("allied")
        question = Decision(
            role=role, rule=Rule("5.1"), prompt="Discard", options=orders, default=orders[0]
        )
        super().__init__(view, question)
        self.given: list[Command] = []

    @override
    async def give(self, command: Command) -> CommandResult:
        self.given.append(command)
        return CommandResult.DRAFTED


@pytest.mark.full
async def test_card_is_highlighted_with_its_option_and_clickable(tmp_path: Path) -> None:
    session = Cards()
    screen = PlayScreen(session, EotsPresenter(session.ruleset))
    async with app(tmp_path, screen).run_test(size=(160, 46)) as pilot:
        hand = screen.query_one(HandView)
        await pilot.press("down")
        await pilot.pause()
        assert hand.highlighted == HAND[1]
        await pilot.hover(HandView, offset=(2, 3))
        assert hand.faces[0].title in str(hand.tooltip)
        await pilot.click(HandView, offset=(2, 3))
        await pilot.pause()
        assert session.given == [DiscardCard(card=HAND[0])]


@pytest.mark.full
async def test_key_line_shows_the_keys_of_the_focused_widget(tmp_path: Path) -> None:
    screen = _still()
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        screen.map.focus()
        await pilot.pause()
        line = screen.query_one(KeyLine)
        assert "Enter pick" in line.text
        assert "Tab list" in line.text
        assert "commit" not in line.text
        assert line.text.rstrip().endswith("? keys")
        await pilot.press("tab")
        await pilot.pause()
        assert "Enter take" in line.text
        assert "Tab map" in line.text
        await pilot.click(KeyLine, offset=(line.text.index("Tab") + 1, 0))
        await pilot.pause()
        assert screen.map.has_focus


@pytest.mark.full
async def test_status_message_stays_until_the_next_log_entry(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        await pilot.press("u")
        screen.show_log()
        assert "Nothing to undo" in _status(screen)
        await pilot.press("d")
        await _settle(program, pilot)
        await pilot.press("c")
        await _settle(program, pilot)
        assert "Nothing to undo" not in _status(screen)


@pytest.mark.full
async def test_status_line_skips_bare_log_headings(tmp_path: Path) -> None:
    class Announced(StillSession):
        @override
        def log(self, after: int = -1) -> Iterator[LogLine]:
            yield LogLine(1, "Japan is dealt 7 cards")
            yield LogLine(2, "Offensives:")

    session = Announced(still_view())
    screen = PlayScreen(session, EotsPresenter(session.ruleset))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "Offensives:" not in _status(screen)
        assert "Japan is dealt 7 cards" in _status(screen)


@pytest.mark.full
async def test_replay_is_stepped_by_keys(tmp_path: Path) -> None:
    path = tmp_path / "toy.fplog"
    played = toy_session(RED, BLUE, log=LogWriter.create(path))
    while await played.advance():
        pass
    await played.close()
    replay = ReplaySession.open(path, TOY)
    screen = ReplayScreen(replay, Presenter(TOY))
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        await pilot.press("right_square_bracket")
        assert replay.seq == 1
        screen.map.focus()
        place = replay.status()
        await pilot.press("full_stop")
        assert replay.status() != place
        await pilot.press("full_stop", "comma")
        await pilot.press("right_parenthesis")
        assert replay.seq > 1
        await pilot.press("greater_than_sign")
        assert replay.seq == replay.last_seq
        await pilot.press("right_square_bracket")
        assert "nothing more" in _status(screen)
        seats = []
        for _ in range(4):
            seats.append(replay.shown_role)
            await pilot.press("y")
        assert set(seats) == {RED, BLUE, None, FULL_VIEW}
        await pilot.press("less_than_sign")
        assert replay.seq == 0


@pytest.mark.full
async def test_leaving_releases_the_record_file(tmp_path: Path) -> None:
    path = tmp_path / "toy.fplog"
    session = toy_session(BLUE, log=LogWriter.create(path))
    program = app(tmp_path, PlayScreen(session, Presenter(TOY)))
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await pilot.pause()
    again = Match.resume(path, TOY)
    again.close()


def test_role_names_and_people_of_a_session() -> None:
    assert Presenter(TOY).role_name(None) == "spectator"
    assert Seat(role=Role("red"), player="x", seat_id="y").role == RED
    assert LocalSession(toy_match(), {BLUE: First()}).people == (RED,)


@pytest.mark.full
@pytest.mark.parametrize(
    ("size", "words"),
    sampled(
        [
            ((80, 24), "l: 2 new | Allies activate CV Enterprise at 4828 Noumea (7.21)"),
            ((120, 40), "Allies activate CV Enterprise at 4828 Noumea (7.21)"),
        ],
        1,
    ),
)
async def test_status_counts_new_log_lines_when_the_log_panel_is_hidden(
    tmp_path: Path, size: tuple[int, int], words: str
) -> None:
    screen = _still()
    program = app(tmp_path, screen)
    async with program.run_test(size=size) as pilot:
        await pilot.pause()
        assert str(screen.query_one(".status", Static).render()) == words
        screen.mark_log_read()
        screen.show_log()
        assert str(screen.query_one(".status", Static).render()) == words, "it stays as it is"
        await pilot.press("u")
        await pilot.pause()
        assert "new" not in str(screen.query_one(".status", Static).render())


@pytest.mark.full
async def test_auto_advance_is_disabled_in_games_without_waiting(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("G")
        await _settle(program, pilot)
        assert not session.draft.commands
        assert "G" not in screen.active_bindings, "the key is not told, either"


async def test_done_key_says_when_nothing_can_be_ended(tmp_path: Path) -> None:
    screen = PlayScreen(toy_session(BLUE), Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("D")
        await _settle(program, pilot)
        assert "Not finished: " in _status(screen)


@pytest.mark.full
async def test_long_status_message_is_shown_in_full(tmp_path: Path) -> None:
    screen = PlayScreen(toy_session(BLUE), Presenter(TOY))
    program = app(tmp_path, screen)
    why = "14.1C: under rivalry, only navy units may be activated, and XIV Corps is an army unit."
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        body = screen.query_one("#body").region
        screen.show_message(why)
        await pilot.pause()
        assert screen.query_one(".status").size.height == 2
        assert not screen.query_one(KeyLine).display, "the line of the keys is lent"
        assert screen.query_one("#body").region == body, "the map does not jump"
        screen.show_message("Planned: Done")
        await pilot.pause()
        assert screen.query_one(".status").size.height == 1
        assert screen.query_one(KeyLine).display


@pytest.mark.full
async def test_returning_player_is_told_about_the_draft(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    others = {Role(role): "greedy" for role in ("uk", "japan", "ussr", "italy", "usa")}
    session = create_game(NewGame(game="qmg", scenario="base", bots=others), path)
    decision = session.decision()
    assert decision is not None
    await session.give(decision.options[0])
    await session.close()
    screen = PlayScreen(resume(path, Role("germany")), QmgPresenter(session.ruleset))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        assert "1 command is not committed yet" in _status(screen)


@pytest.mark.full
async def test_offers_are_available_as_list_and_command(tmp_path: Path) -> None:
    session = toy_session(BLUE)
    screen = PlayScreen(session, Presenter(TOY))
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await pilot.press("X", "down", "down", "enter")
        await pilot.pause()
        assert isinstance(program.screen, ConfirmDialog)
        await pilot.press("y")
        await _settle(program, pilot)
        assert "adjourned" in str(screen.query_one(".prompt", Static).render())
        await pilot.press("colon", *"resume", "enter")
        await pilot.pause()
        await pilot.press("y")
        await _settle(program, pilot)
        assert not session.is_adjourned
        await pilot.press("colon", *"resign", "enter")
        await pilot.pause()
        await pilot.press("n")
        await _settle(program, pilot)
        assert session.outcome() is None
        await pilot.press("X", "enter")
        await pilot.pause()
        await pilot.press("y")
        await _settle(program, pilot)
        assert "Red resigned." in str(screen.query_one(".prompt", Static).render())


class Timed(StillSession):
    """A table with clocks."""

    @override
    def clock_readings(self) -> tuple[ClockReading, ...]:
        return (
            ClockReading(role=Role("allied"), left_ms=2_712_000, runs=True),
            ClockReading(role=Role("japan"), left_ms=-5_000, runs=False),
        )

    @override
    def clock(self, *, is_brief: bool = False) -> str:
        return format_clock_readings(self.clock_readings(), {}, self.own_roles, is_brief=is_brief)


@pytest.mark.parametrize("size", sampled([(80, 24), (120, 40), (160, 46), (200, 60)], 1), ids=str)
async def test_clocks_are_shown_at_every_size(tmp_path: Path, size: tuple[int, int]) -> None:
    session = Timed(still_view())
    program = app(tmp_path, PlayScreen(session, EotsPresenter(session.ruleset)))
    async with program.run_test(size=size) as pilot:
        await pilot.pause()
        lines = program.export_screenshot(simplify=True)
        assert "45:12" in lines
