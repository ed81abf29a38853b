"""Choosing several units in one list: ticked in place, unticked in any order, found by part of a name."""

import re
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from engine.eots.commands import Activate, ChooseHq, Done, Ferry, Pick
from engine.eots.ids import UnitId
from play.choices import Choice, OptionState
from play.local_session import LocalSession
from play.questions import build_question, undo_commands
from tests.tui.apps import app, lines_in_sight
from tests.tui.eots.offensives import FLEET, PRESENTER, commanded, intercepted
from tui.app.app import FlagplotApp
from tui.console.game import PlainGame
from tui.screens.dialogs.lookup import FindDialog
from tui.screens.dialogs.prompt import SureDialog
from tui.screens.match.play import PlayScreen
from tui.text.fuzzy import filter_choices
from tui.widgets.lists.choice_lines import digit_rows, initial_row, lay_out_choices

ENTERPRISE = "us-cv-enterprise"


def _lines(session: LocalSession) -> tuple[Choice, ...]:
    return build_question(session, PRESENTER, session.view()).lines


def _ticked(lines: tuple[Choice, ...]) -> list[str]:
    return [str(line.command.unit) for line in lines if line.state is OptionState.TICKED]


async def test_7_21_ticked_units_keep_their_rows() -> None:
    session = await commanded()
    before = build_question(session, PRESENTER, session.view())
    for unit in FLEET:
        await session.give(Activate(unit=UnitId(unit)))
    after = build_question(session, PRESENTER, session.view())
    assert before.key == after.key
    assert sorted(_ticked(after.lines)) == sorted(FLEET)
    assert [line.cells for line in after.lines] == [line.cells for line in before.lines]
    barred = [line.title for line in after.lines if line.state is OptionState.BARRED]
    assert "Activate I Corps 4024 22-12" in barred
    assert before.lines[-1].title == "Done: 6 activations unused"
    assert after.lines[-1].title == "Done: 2 activations unused"


async def test_8_33_ferry_below_ticked_units_is_labelled_as_a_ferry() -> None:
    session = await commanded("activate us-air-1maw")
    ferry = next(line for line in _lines(session) if isinstance(line.command, Ferry))
    row = next(row for row, line in enumerate(_lines(session)) if line is ferry or line == ferry)
    shown = [line.text for line in lay_out_choices(_lines(session), 43) if line.row == row]
    assert "to another theatre: back next turn" in " ".join(" ".join(shown).split())
    ranges = [line.text for line in lay_out_choices(_lines(session), 43) if "1 MAW" in line.text]
    assert "r2/(4)" in ranges[0], "and costs the units above no column"


async def test_7_26_last_reacting_unit_ends_the_list_and_moves_get_their_own() -> None:
    session = await intercepted()
    hq = next(line.command for line in _lines(session) if isinstance(line.command, ChooseHq))
    await session.give(hq)
    while activated := [one for one in session.offered_commands() if isinstance(one, Activate)]:
        await session.give(activated[0])
    assert {type(line.command) for line in _lines(session)} <= {Pick, Done}
    session.draft.undo()
    assert len(_ticked(_lines(session))) == session.draft.size - 1, "back in the list of units"


async def test_7_21_unit_in_the_middle_can_be_unticked() -> None:
    session = await commanded(*(f"activate {unit}" for unit in FLEET))
    undone, lost = undo_commands(session, [Activate(unit=UnitId(FLEET[1]))])
    assert undone == (Activate(unit=UnitId(FLEET[1])),)
    assert not lost
    assert [getattr(one, "unit", "") for one in session.draft.commands[2:]] == [
        FLEET[0],
        *FLEET[2:],
    ]
    assert FLEET[1] not in _ticked(_lines(session))


async def test_7_23_undo_drops_commands_that_depend_on_it() -> None:
    session = await commanded(f"activate {ENTERPRISE}", "done", f"pick {ENTERPRISE}")
    lost = session.undo_entry(2)
    assert [session.ruleset.notation.line(one) for one in lost] == [f"pick {ENTERPRISE}"]
    assert [session.ruleset.notation.line(one) for one in session.draft.commands[2:]] == ["done"]


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("xi c", "XI Corps"),
        ("ent", "CV Enterprise"),
        ("nou wash", "BB Washington"),
        ("2mar", "2 Marine Division"),
        ("xic", "XI Corps"),
    ],
)
async def test_part_of_a_name_finds_a_line(words: str, first: str) -> None:
    session = await commanded()
    assert filter_choices(_lines(session), words)[0].cells[1] == first


async def test_filter_without_a_match_returns_no_lines() -> None:
    session = await commanded()
    assert filter_choices(_lines(session), "yamato") == ()


async def test_7_21_each_hq_shows_its_budget() -> None:
    session = await commanded()
    session.draft.undo()
    halsey = next(line for line in _lines(session) if "South Pacific" in line.title)
    assert halsey.cells[1:3] == ("South Pacific HQ", "6 of 13")
    assert halsey.title.endswith("activates 6 of 13 in range")


async def test_columns_are_aligned_at_every_width() -> None:
    session = await commanded()
    lines = _lines(session)
    for width in (33, 43, 60):
        rows = [
            line for line in lay_out_choices(lines, width) if line.row >= 0 and "-" in line.text
        ]
        assert len({line.text.index("-", 18) for line in rows if "Done" not in line.text}) <= 2
        assert all(len(line.mark + line.text) <= width for line in lay_out_choices(lines, width))


async def test_range_and_reduced_marker_both_fit() -> None:
    session = await commanded(*(f"activate {unit}" for unit in FLEET), "done")
    for width, reduced in ((60, "8-12 red. r2"), (38, "8-12 · r2")):
        row = next(
            line.text for line in lay_out_choices(_lines(session), width) if "Enterp" in line.text
        )
        assert row.endswith(reduced), (width, row)
        assert "4828" in row


def test_losing_option_has_no_digit_and_is_not_the_initial_row() -> None:
    end = Choice("Done: 2 activations unused", "done", loss="2 activations unused")
    lines = (end, Choice("Activate I Corps", "activate"))
    assert digit_rows(lines) == {1: 1}
    assert initial_row(lines) == 1
    assert initial_row((end,)) == 0


async def test_lines_are_ticked_by_number_in_plain_mode() -> None:
    session = await commanded()
    printed: list[str] = []
    typed = iter(["1", "1", "2", "quit"])

    async def read(prompt: str) -> str:
        printed.append(prompt)
        return next(typed)

    await PlainGame(session, PRESENTER, read, printed.append).run()
    text = "\n".join(printed)
    assert "   1 x Activate" in text
    assert "Undone: Activate" in text
    assert len(session.draft.commands) == 0 or session.draft.size == 3


async def _settle(program: FlagplotApp, pilot: Pilot[int]) -> None:
    await pilot.pause()
    await program.workers.wait_for_complete()
    await pilot.pause()


@pytest.mark.full
async def test_enter_space_and_typed_names_tick_the_highlighted_line(tmp_path: Path) -> None:
    session = await commanded()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        rows, first = len(screen.panel.shown_choices), screen.panel.rows.highlighted
        for presses, key in enumerate(("space", "space", "space", "space")):
            assert screen.panel.rows.highlighted == first
            assert len(_ticked(screen.panel.shown_choices)) == presses % 2
            await pilot.press(key)
            await _settle(program, pilot)
        for ticked in (1, 2):
            await pilot.press("enter")
            await _settle(program, pilot)
            under_bar = screen.panel.rows.under_bar
            assert under_bar is not None
            assert under_bar.state is OptionState.OPEN
            assert len(_ticked(screen.panel.shown_choices)) == ticked
        await pilot.press("u", "u")
        await _settle(program, pilot)
        await pilot.press("slash", *"xi c")
        await pilot.pause()
        assert len(screen.panel.shown_choices) < rows
        await pilot.press("enter")
        await _settle(program, pilot)
        assert _ticked(screen.panel.shown_choices) == ["us-corps-xi"]
        assert len(screen.panel.shown_choices) == rows
        assert screen.panel.rows.has_focus


@pytest.mark.full
async def test_keys_in_quick_succession_have_no_double_effect(tmp_path: Path) -> None:
    session = await commanded()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        drafted = len(session.draft.commands)
        for _ in range(3):
            screen.panel.take()
        await _settle(program, pilot)
        assert len(session.draft.commands) == drafted + 1
        assert program.screen is screen
        assert "Planned" in str(screen.query_one(".status", Static).render())


@pytest.mark.full
async def test_choosing_a_hex_ticks_and_unticks_its_units(tmp_path: Path) -> None:
    session = await commanded()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        await pilot.press("tab")
        screen.map.point_at("4828")
        for ticked in (list(FLEET), []):
            await pilot.press("enter")
            await _settle(program, pilot)
            assert sorted(_ticked(screen.panel.shown_choices)) == sorted(ticked)
            assert screen.map.has_focus
            assert screen.map.cursor == "4828"


@pytest.mark.full
async def test_moving_no_unit_is_confirmed_by_a_separate_key(
    tmp_path: Path,
) -> None:
    session = await commanded(f"activate {ENTERPRISE}", "done")
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        assert screen.panel.shown_choices[-1].title == "Done: CV Enterprise does not move"
        drafted = len(session.draft.commands)
        await pilot.press("D", "D", "enter", "enter")
        await pilot.pause()
        assert isinstance(program.screen, SureDialog)
        assert len(session.draft.commands) == drafted
        await pilot.press("y")
        await _settle(program, pilot)
        assert len(session.draft.commands) > drafted


async def test_8_21_a_destination_is_chosen_on_the_map(tmp_path: Path) -> None:
    session = await commanded(f"activate {ENTERPRISE}", "done", f"pick {ENTERPRISE}")
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        assert screen.map.has_focus
        assert screen.map.cursor == "4828"
        screen.map.point_at("4826")
        await pilot.press("enter")
        await _settle(program, pilot)
        assert session.ruleset.notation.line(session.draft.commands[-1]) == "sail 4826"


@pytest.mark.full
async def test_words_missing_from_the_list_open_the_global_search(tmp_path: Path) -> None:
    session = await commanded()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        await pilot.press("slash", *"tokyo")
        await pilot.pause()
        assert not screen.panel.shown_choices
        assert "No line contains 'tokyo'" in str(screen.panel.query_one(".prompt", Static).render())
        await pilot.press("enter")
        await _settle_dialog(pilot)
        assert isinstance(program.screen, FindDialog)
        await pilot.press("enter")
        await _settle(program, pilot)
        assert "Tokyo" in PRESENTER.place_name(screen.map.cursor)
        assert screen.panel.shown_choices


async def _settle_dialog(pilot: Pilot[int]) -> None:
    for _ in range(4):
        await pilot.pause()


@pytest.mark.full
async def test_complete_plan_offers_a_commit_line(tmp_path: Path) -> None:
    session = await commanded(
        "activate us-air-1maw", "done", "done", "battle-with us-air-1maw 4322"
    )
    while session.decision() is not None:
        await session.give(session.parse("done"))
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        seq = session.seq
        assert screen.panel.rows.under_bar == screen.panel.shown_choices[0]
        assert screen.panel.shown_choices[0].title.startswith("Commit")
        assert "Your plan is complete" in screen.panel.words
        await pilot.press("1")
        await _settle(program, pilot)
        assert session.seq == seq, "a digit that was typed ahead commits nothing"
        await pilot.press("enter")
        await _settle(program, pilot)
        assert session.seq > seq


@pytest.mark.full
async def test_scroll_arrows_do_not_cover_list_text(tmp_path: Path) -> None:
    session = await commanded()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        await _settle(program, pilot)
        rows = screen.panel.rows
        assert rows.line_count > rows.size.height
        last = lines_in_sight(rows)[-1]
        shown = rows.render_line(rows.size.height - 1).text
        text, arrow, count = shown.rpartition("↓")
        assert arrow
        assert (last.mark + last.text).rstrip() == text.rstrip()
        assert re.fullmatch(r"( [1-9][0-9]* more)?", count)
