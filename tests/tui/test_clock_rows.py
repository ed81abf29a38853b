"""Clocks and mode in the host form: questions, refusals, and the resulting match."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static

from engine.kernel.errors import DataError
from engine.registry import ruleset
from netplay.wire.modes import CHOICES, FAIR, HOST, JOINT
from saves.clocks import Clock
from saves.modes import TITLES
from tests.sizes import sampled
from tests.toy_game import TOY
from tests.tui.apps import app, reached
from tui.screens.dialogs.prompt import LineDialog
from tui.screens.forms.clock_rows import read_clock, time_problem
from tui.screens.forms.form import Field
from tui.screens.forms.host import HostDialog, _fields, build_plan

SMALL = (80, 24)


def form(**changes: str) -> dict[str, str]:
    values = {field.id: field.value for field in _fields(TOY, "Ann")}
    return values | {name.replace("_", ":"): value for name, value in changes.items()}


@pytest.mark.parametrize(
    ("values", "clock"),
    [
        ({}, None),
        ({"clock": "decision"}, Clock(per="decision", seconds=120)),
        ({"clock": "decision", "time_decision": "45s"}, Clock(per="decision", seconds=45)),
        ({"clock": "game"}, Clock(per="game", seconds=3_600, more=30)),
        ({"clock": "game", "time_game": "2h"}, Clock(per="game", seconds=7_200)),
        (
            {"clock": "move", "time_move": "2d/6d", "flag": "loses"},
            Clock(per="move", seconds=172_800, more=172_800, most=518_400, flag="loses"),
        ),
    ],
    ids=["none", "decision", "own-decision", "game", "own-game", "days-that-lose"],
)
def test_form_sets_the_clock_of_the_match(values: dict[str, str], clock: Clock | None) -> None:
    assert build_plan(TOY, form(**values), Path()).clock == clock


def test_a_match_by_move_files_has_no_clock() -> None:
    assert build_plan(TOY, form(clock="move", come="mail"), Path()).clock is None


@pytest.mark.parametrize(
    ("row", "text"),
    [("decision", "soon"), ("decision", "3d"), ("game", "1d/9d"), ("move", "2h"), ("move", "0d")],
)
def test_time_in_the_wrong_format_is_refused(row: str, text: str) -> None:
    assert f"'{text}'" in time_problem(f"time:{row}", text)
    with pytest.raises(DataError):
        read_clock(form(clock=row, **{f"time_{row}": text}))


def test_only_time_rows_are_validated() -> None:
    assert time_problem("seat:red", "soon") == ""


def rows(dialog: HostDialog) -> list[str]:
    return [row.id if isinstance(row, Field) else "" for row in dialog._shown_rows]


async def to_row(pilot: Pilot[int], dialog: HostDialog, row: str) -> None:
    dialog.query_one(OptionList).highlighted = rows(dialog).index(row)
    await pilot.pause()


def text_of(dialog: HostDialog, row: str) -> str:
    return str(dialog.query_one(OptionList).get_option(row).prompt)


def help_of(dialog: HostDialog) -> str:
    return " ".join(str(dialog.query_one(".help", Static).render()).split())


@pytest.mark.full
async def test_clock_rows_follow_the_clock_type_at_80x24(tmp_path: Path) -> None:
    dialog = HostDialog(TOY, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=SMALL) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        assert {"time:decision", "time:game", "time:move", "flag"}.isdisjoint(rows(dialog))
        await to_row(pilot, dialog, "clock")
        seen = []
        for _ in range(4):
            seen.append([row for row in rows(dialog) if row.startswith(("time:", "flag"))])
            assert dialog.query_one(OptionList).highlighted == rows(dialog).index("clock")
            await pilot.press("right")
        assert seen == [[], *([f"time:{kind}", "flag"] for kind in ("decision", "game", "move"))]
        await pilot.press("right", "right")
        await to_row(pilot, dialog, "time:game")
        assert "1 h, 30 s more for each command" in text_of(dialog, "time:game")
        for row in ("clock", "time:game", "flag"):
            await to_row(pilot, dialog, row)
            assert help_of(dialog)
        assert build_plan(TOY, dict(dialog.values), tmp_path).clock == Clock(
            per="game", seconds=3_600, more=30
        )


@pytest.mark.full
async def test_invalid_time_is_asked_again(tmp_path: Path) -> None:
    dialog = HostDialog(TOY, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=SMALL) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        await to_row(pilot, dialog, "clock")
        await pilot.press("right")
        await to_row(pilot, dialog, "time:decision")

        def asked() -> str:
            title = program.screen.query_one(".title", Static)
            return str(title.render()) if isinstance(program.screen, LineDialog) else ""

        await pilot.press("enter")
        await reached(pilot, lambda: "such as 45s or 3m" in asked())
        program.screen.query_one(Input).value = "3d"
        await pilot.press("enter")
        await reached(pilot, lambda: "'3d' is not a valid time" in asked())
        assert program.screen.query_one(Input).value == "3d"
        program.screen.query_one(Input).value = "3m"
        await pilot.press("enter")
        await reached(pilot, lambda: program.screen is dialog)
        assert dialog.values["time:decision"] == "3m"


async def test_invalid_port_is_asked_again(tmp_path: Path) -> None:
    dialog = HostDialog(TOY, "Ann")
    port = next(field for field in _fields(TOY, "Ann") if field.id == "port")
    assert dialog.problem(port, "http") == "Port: a number from 0 to 65535"
    assert dialog.problem(port, "70000")
    assert dialog.problem(port, "7481") == dialog.problem(port, "") == ""


@pytest.mark.full
async def test_default_mode_is_named_and_follows_the_seats(tmp_path: Path) -> None:
    dialog = HostDialog(TOY, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=SMALL) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        usual = build_plan(TOY, dict(dialog.values), tmp_path).chance
        assert f"as usual: {TITLES[usual]}" in text_of(dialog, "chance")
        await to_row(pilot, dialog, "seat:blue")
        await pilot.press("right")
        assert dialog.values["seat:blue"].startswith("bot:")
        assert f"as usual: {TITLES[HOST]}" in text_of(dialog, "chance")
        await to_row(pilot, dialog, "chance")
        shown = []
        for _ in CHOICES:
            await pilot.press("right")
            shown.append(text_of(dialog, "chance").split("<")[1].strip(" >"))
            assert "online for each roll" in help_of(dialog) or shown[-1] == TITLES[HOST]
        assert shown == [TITLES[mode] for mode in CHOICES]
        assert shown == ["joint", "trusted host", "fair (experimental)"]
        assert help_of(dialog).startswith(
            "Experimental: like joint, but the players' programs deal"
        )
        assert "Not reviewed yet." in help_of(dialog)


@pytest.mark.full
@pytest.mark.parametrize("size", sampled([SMALL, (200, 60)], 1))
async def test_joint_is_the_default_for_two_players_of_a_game_with_hands(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    rules = ruleset("eots")
    dialog = HostDialog(rules, "Ann")
    program = app(tmp_path)
    async with program.run_test(size=size) as pilot:
        program.push_screen(dialog)
        await pilot.pause()
        assert build_plan(rules, dict(dialog.values), tmp_path).chance == JOINT
        assert "as usual: joint" in text_of(dialog, "chance")
        await to_row(pilot, dialog, "chance")
        assert help_of(dialog).startswith("Joint for two people, else trusted host.")
        await pilot.press(*(["right"] * len(CHOICES)))
        assert "< fair (experimental) >" in text_of(dialog, "chance")
        assert build_plan(rules, dict(dialog.values), tmp_path).chance == FAIR
        strips = program.screen._compositor.render_strips()
        assert any("< fair (experimental) >" in strip.text for strip in strips)
