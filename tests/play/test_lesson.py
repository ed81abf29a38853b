"""Guided lessons: their scripts, their course, and commands that they do not accept."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import registry
from engine.scripts.script import ScriptError
from play.lesson import Lesson, LessonStepKind, load_lesson, parse_lesson
from play.lesson_session import LessonError, LessonSession, commands_given
from play.lesson_store import begin_lesson, open_lesson, progress_text
from saves.match import Match
from saves.verify import verify_file

LONGEST = 320
"""Maximum number of characters on a card."""
GAMES = pytest.mark.parametrize("game", registry.games())
SMALL = """game qmg
scenario base
secret 0
title Small
learner germany
setup active germany
setup homes
setup hand germany de_build_army de_land_battle
setup hand uk uk_raf uk_land_battle
> Play.
but drop *: Play it, do not drop it.
germany: play de_build_army#1
germany: build germany army western_europe
> Look.
press hand
germany: done
> The others.
uk: drop uk_raf#1
"""


def taught(text: str = SMALL) -> LessonSession:
    return begin_lesson(parse_lesson(text, "small"))


async def walk(session: LessonSession, steps: int = 1_000, *, last_first: bool = False) -> None:
    """Follow the lesson until a step, or its end. If several commands are possible, take the first or the last one."""
    while session.step_index < steps and (step := session.step) is not None:
        match step.kind:
            case LessonStepKind.TELL:
                assert session.mark_read()
            case LessonStepKind.PRESS:
                assert session.record_action(step.action)
            case LessonStepKind.COMMIT:
                assert await session.commit()
            case LessonStepKind.GIVE if await session.advance():
                pass
            case LessonStepKind.GIVE:
                assert step.role == session.lesson.learner
                await session.give(session.expected_commands[-1 if last_first else 0])


@GAMES
@pytest.mark.parametrize("last_first", [False, True])
def test_a_lesson_is_played_to_its_end_and_its_record_verifies(
    tmp_path: Path, game: str, *, last_first: bool
) -> None:
    path = tmp_path / "one.fplog"
    session = begin_lesson(load_lesson(game), path)
    asyncio.run(walk(session, last_first=last_first))
    assert session.step is None
    assert session.card_position[0] == session.card_position[1]
    assert len(commands_given(session.match)) == len(session.lesson.command_steps)
    session.match.close()
    assert verify_file(path).status == "ok"


@GAMES
def test_every_wrong_command_is_explained_and_loses_nothing(game: str) -> None:
    session = begin_lesson(load_lesson(game))

    async def stumble() -> int:
        tried = 0
        while (step := session.step) is not None:
            await walk(session, session.step_index)
            before = session.seq, session.draft.commands, session.step_index
            wrong = [
                one for one in session.offered_commands() if one not in session.expected_commands
            ]
            for command in wrong[:: max(len(wrong) // 3, 1)]:
                with pytest.raises(LessonError, match=r"\w.*[.:]$"):
                    await session.give(command)
                tried += 1
            assert (session.seq, session.draft.commands, session.step_index) == before
            at = session.step_index
            await walk(session, at + 1)
            if session.step_index == at:  # tried commands are taken back first
                assert step.kind is LessonStepKind.GIVE
        return tried

    assert asyncio.run(stumble()) > 30


def lesson_texts(told: Lesson) -> Iterator[str]:
    """Yield every text written for a lesson itself."""
    for step in told.steps:
        yield from (text for text in (step.text, step.instruction) if text)
        yield from (text for _, text in step.replies)


@GAMES
def test_cards_are_short_and_cite_existing_rules(game: str) -> None:
    told = load_lesson(game)
    cards = [step.text for step in told.steps if step.text]
    assert 15 <= len(cards) <= 30
    assert [text for text in lesson_texts(told) if len(text) > LONGEST] == []
    reference = registry.reference(game)
    numbers = {
        number
        for named in re.findall(r"\(([^()]*)\)", " ".join(cards))
        for number in re.findall(r"\b\d+\.\d+\b", named)
    }
    assert len(numbers) > 5
    assert [number for number in sorted(numbers) if not reference.find(number)] == []


def test_only_the_next_command_is_accepted_and_the_rest_refused_by_the_rules() -> None:
    session = taught()
    parse = session.ruleset.notation.parse
    with pytest.raises(LessonError, match="Play it, do not drop it"):
        asyncio.run(session.give(parse("drop de_build_army#1")))
    with pytest.raises(LessonError, match="Not yet"):
        asyncio.run(session.give(parse("play de_land_battle#1")))
    illegal = parse("build germany army moscow")
    assert session.objection(illegal) == ""
    assert session.refusals(illegal)
    asyncio.run(session.give(parse("play de_build_army#1")))
    assert session.draft.commands
    assert session.draft.undo() is not None
    assert session.step_index == 0


def test_takebacks_and_standing_orders_are_refused() -> None:
    session = taught()
    with pytest.raises(LessonError):
        asyncio.run(session.negotiation.take_back())
    with pytest.raises(LessonError):
        session.orders.change("pass")
    assert session.orders.change("")


def test_step_waits_for_its_action_and_can_be_skipped() -> None:
    session = taught()
    asyncio.run(walk(session, 2))
    assert not session.mark_read()
    assert not session.record_action("log")
    assert session.instruction() == "Press hand."
    session.skip_action()
    assert session.step_index == 3


def test_group_can_be_drafted_in_any_order_and_asks_again_after_undo() -> None:
    told = load_lesson("eots")
    first = next(place for place, step in enumerate(told.steps) if step.group == place)
    session = begin_lesson(told)

    async def tick() -> None:
        await walk(session, first)
        before = len(session.draft.commands)
        group = session.expected_commands
        for command in reversed(group):
            await session.give(command)
        await session.give(session.expected_commands[0])  # the step is completed
        session.undo_entry(before)
        assert session.expected_commands == group[-1:]
        assert len(session.draft.commands) == before + len(group) - 1

    asyncio.run(tick())


def test_lesson_is_resumed_after_leaving(tmp_path: Path) -> None:
    assert "15 minutes" in progress_text("qmg", tmp_path)
    session = open_lesson("qmg", tmp_path)
    asyncio.run(walk(session, 10))
    asyncio.run(session.commit())
    place, given = session.step_index, commands_given(session.match)
    asyncio.run(session.close())
    assert "% done" in progress_text("qmg", tmp_path)
    again = open_lesson("qmg", tmp_path)
    assert commands_given(again.match) == given
    assert again.step_index <= place
    asyncio.run(walk(again))
    assert again.step is None
    asyncio.run(again.close())
    anew = open_lesson("qmg", tmp_path)
    assert anew.step_index == 0
    asyncio.run(anew.close())


def test_draft_of_a_lesson_is_restored_on_resume(tmp_path: Path) -> None:
    session = open_lesson("eots", tmp_path)

    async def try_some() -> None:
        while len(session.draft.commands) < 4:
            await walk(session, session.step_index + 1)

    asyncio.run(try_some())
    place, tried = session.step_index, session.draft.commands
    asyncio.run(session.close())
    again = open_lesson("eots", tmp_path)
    assert again.draft.commands == tried
    assert again.step_index == place
    asyncio.run(walk(again))
    assert again.step is None
    asyncio.run(again.close())


def test_saved_draft_that_does_not_follow_the_lesson_is_ignored(tmp_path: Path) -> None:
    path = tmp_path / "a.fplog"
    session = begin_lesson(parse_lesson(SMALL, "small"), path)
    asyncio.run(session.close())
    (tmp_path / "a.fplog.germany.tries").write_text(
        '{"tries": 1, "seq": 0, "lines": [{"line": "drop de_build_army#1"}]}'
    )
    again = LessonSession(Match.resume(path), session.lesson, path)
    assert (again.draft.commands, again.drafts.restored_count) == ((), 0)
    asyncio.run(again.close())


def test_wrong_game_or_damaged_file_restarts_the_lesson(tmp_path: Path) -> None:
    path = tmp_path / "qmg-lesson.fplog"
    other = begin_lesson(load_lesson("cbps"), path)
    asyncio.run(other.close())
    session = open_lesson("qmg", tmp_path)
    assert isinstance(session.match, Match)
    assert session.match.header.game == "qmg"
    asyncio.run(session.close())
    path.write_bytes(b"nothing")
    session = open_lesson("qmg", tmp_path)
    assert session.step_index == 0
    asyncio.run(session.close())


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("point", ""),
        ("dance", "not a valid lesson line"),
        ("but x", "but PATTERN: TEXT"),
        ("germany: play nothing at all", "line 19"),
    ],
)
def test_script_error_is_reported_with_its_line(line: str, problem: str) -> None:
    text = f"{SMALL}{line}\n"
    if problem:
        with pytest.raises(ScriptError, match=problem):
            parse_lesson(text, "small")
    else:
        assert isinstance(parse_lesson(text, "small"), Lesson)
