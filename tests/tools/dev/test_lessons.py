"""The rehearsal of guided lessons: every line holds, and no command is left out."""

import pytest

from engine import registry
from engine.scripts.script import ScriptFailure
from play.lesson import LESSON_ONLY_WORDS, LessonStepKind, load_lesson, strip_lesson_lines
from tools.dev.lessons import command_lines, rehearse, with_secret

DICE = """game eots
scenario 1943
secret 5
title Dice
learner allied
setup turn 6
setup phase strategic-warfare
until 4.22
expect said draws one card fewer
"""


@pytest.mark.parametrize("game", registry.games())
def test_lesson_expectations_hold_and_every_command_is_rehearsed(game: str) -> None:
    rehearsal = rehearse(game, registry.lesson(game).read_text(encoding="utf-8"))
    steps = [step for step in load_lesson(game).steps if step.kind is LessonStepKind.GIVE]
    assert rehearsal.given == [(step.role, step.command) for step in steps]
    assert rehearsal.expectations
    assert len([*command_lines(rehearsal)]) == len(steps)


def test_secret_search_finds_the_first_secret_that_satisfies_all_lines() -> None:
    found = with_secret("eots", DICE)
    number = int(found.splitlines()[2].split()[1])
    rehearse("eots", found)
    with pytest.raises(ScriptFailure, match="does not contain"):
        rehearse("eots", DICE.replace("secret 5", f"secret {number - 1}"))


def test_lesson_only_lines_are_replaced_by_blank_lines() -> None:
    text = "> one\npoint 4322\ndo this\nbut x: y\npress hand\ncommit\nany order\nexpect rule 4.22"
    assert strip_lesson_lines(text).splitlines() == ["> one", *[""] * 6, "expect rule 4.22"]
    assert "expect" not in LESSON_ONLY_WORDS
