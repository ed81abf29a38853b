"""D ends a step or a move, / chooses a place, and the list keeps its shape."""

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Static

from engine.eots.commands import ChooseHq, Done, Drop, Fly, FlyVia, Halt, Pass, Sail
from engine.eots.ids import HexId, UnitId
from engine.kernel.decision import Decision
from engine.kernel.ids import Role, Rule
from play.choices import Choice, OptionState, Tick
from play.controller import GameController
from play.local_session import LocalSession
from play.questions import _with_ticks, build_question
from tests.tui.apps import app
from tests.tui.eots.offensives import PRESENTER, begun, commanded
from tui.screens.match.play import PlayScreen
from tui.widgets.lists.choice_lines import digit_rows, initial_row


class _Frontend:
    """Records messages, and answers questions with a fixed answer."""

    def __init__(self, *, answer: bool) -> None:
        self.answer = answer
        self.said: list[str] = []

    def show_question(self) -> None:
        """Do nothing."""

    def show_message(self, sentence: str) -> None:
        self.said.append(sentence)

    def report_draft(self, command: object, text: str) -> None:
        self.said.append(text)

    def prepare_send(self) -> None:
        """Do nothing."""

    async def confirm(self, question: str, about: object) -> bool:
        self.said.append(question)
        return self.answer

    async def deliver(self, request: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401
        return await request


def _controller(session: LocalSession, frontend: _Frontend) -> GameController:
    controller = GameController(session, PRESENTER, frontend)  # type: ignore[arg-type]
    controller.update()
    return controller


async def test_7_21_d_asks_once_about_unused_activations() -> None:
    session = await commanded("activate us-cv-enterprise")
    frontend = _Frontend(answer=False)
    await _controller(session, frontend).finish()
    assert frontend.said == ["Done: 5 activations unused. Continue anyway?"]
    assert session.draft.commands[-1] != Done()


async def test_8_31_d_lands_an_air_unit_or_says_why_not() -> None:
    session = await commanded("activate us-air-1maw", "done", "pick us-air-1maw")
    assert PRESENTER.step_ends(session.view(), session.offered_commands()) == (Drop(),)
    via = next(one for one in session.offered_commands() if isinstance(one, FlyVia))
    await session.give(via)
    frontend = _Frontend(answer=True)
    controller = _controller(session, frontend)
    if Halt() in session.offered_commands():
        assert PRESENTER.label(session.view(), Halt()) == "Land here"
    else:
        await controller.finish()
        assert frontend.said[0].startswith("Not yet. 8.31: air units must end on a friendly")


async def test_moves_are_in_separate_lists_whatever_their_number() -> None:
    session = await commanded("activate us-air-1maw", "done", "pick us-air-1maw")
    few = [one for one in session.offered_commands() if isinstance(one, Fly)][:2]
    tree = PRESENTER.choices(session.view(), [*few, Drop()])
    assert [line.title for line in tree] == ["Fly", "Leave the stack in place"]
    assert [line.count for line in tree] == [2, 1]
    lone = PRESENTER.choices(session.view(), [Sail(to=HexId("4423"))])
    assert lone[0].is_heading


async def test_7_21_initial_row_is_the_front_line_headquarters() -> None:
    session = await commanded()
    session.draft.undo()
    lines = build_question(session, PRESENTER, session.view()).lines
    under_bar = lines[initial_row(lines) or 0].command
    assert under_bar == ChooseHq(hq=UnitId("joint-hq-anzac"))
    assert under_bar != lines[0].command


@pytest.mark.parametrize(
    ("ticks", "is_offered", "boxes", "state"),
    [
        (0, True, "▮▮", OptionState.OPEN),
        (1, True, "▮▯", OptionState.OPEN),
        (2, False, "▯▯", OptionState.TICKED),
        (0, False, "▮▮", OptionState.BARRED),
    ],
)
def test_9_2_unit_has_one_line_with_a_box_per_step(
    ticks: int, is_offered: bool, boxes: str, state: OptionState
) -> None:
    line = Choice("Hit BB Hiei", "hit", cells=("▲", "BB Hiei", "17-14"))
    others = (Choice("Hit APD Kamikaze", "other"),)
    (shown,) = _with_ticks(line, Tick("Hits", boxes=2), ticks, is_offered=is_offered)
    assert shown.cells == ("▲", "BB Hiei", boxes, "17-14")
    assert (shown.state, shown.ticks) == (state, ticks)
    assert digit_rows((shown, *others)) == {1: 0, 2: 1}, "other lines keep their digits"


@pytest.mark.full
async def test_a_name_and_enter_choose_a_destination_on_the_map(tmp_path: Path) -> None:
    session = await commanded("activate us-cv-enterprise", "done", "pick us-cv-enterprise")
    session.switch_role(Role("allied"))
    screen = PlayScreen(session, PRESENTER)
    async with app(tmp_path, screen).run_test(size=(80, 24)) as pilot:
        screen.map.focus()
        await pilot.press("slash", *"rabaul", "enter")
        await pilot.pause()
        await pilot.app.workers.wait_for_complete()
        assert Sail(to=HexId("4021")) in session.draft.commands


def test_7_25_prompt_shows_which_intelligence_rolls_succeed() -> None:
    decision: Decision[Done] = Decision(
        role=Role("japan"),
        rule=Rule("7.25"),
        prompt="Intelligence: surprise; roll 5 or less (-2)",
        options=(Done(),),
        default=Done(),
    )
    assert PRESENTER.prompt(decision) == (
        "Intelligence: surprise. A roll of 0 to 7 finds the enemy out (5 after -2; a 9 always fails)"
    )


def test_5_32_a_reaction_card_is_asked_for_in_words() -> None:
    decision: Decision[Pass] = Decision(
        role=Role("japan"),
        rule=Rule("5.32"),
        prompt="Intelligence: intercept",
        options=(Pass(),),
        default=Pass(),
    )
    assert PRESENTER.prompt(decision).startswith("Intelligence: intercept. Play a reaction card")


async def test_7_21_d_after_the_last_activation_does_not_end_the_movement(tmp_path: Path) -> None:
    """The budget is full, so the step has ended already: D is answered, and only a second D asks."""
    session = begun()
    screen = PlayScreen(session, PRESENTER)
    program = app(tmp_path, screen)
    async with program.run_test(size=(80, 24)) as pilot:
        for key in ("enter", "4", "4", "A", "D"):
            await pilot.press(key)
            await pilot.pause()
            await program.workers.wait_for_complete()
        assert session.draft.size == 6
        assert program.screen is screen, "no question"
        assert "movement has begun" in str(screen.query_one(".status", Static).render())
        await pilot.press("D")
        await pilot.pause()
        assert program.screen is not screen
