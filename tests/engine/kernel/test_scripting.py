"""Scripts: what runs, what fails with which file, line and sentence."""

from pathlib import Path

import pytest

from engine.kernel import scripting
from engine.kernel.scripting import ScriptError, ScriptFailure, ScriptResult, game_of, run_script
from engine.registry import games, ruleset, script_words

START = """
game eots                      # a comment
scenario 1943
setup hand allied A-31 A-13
setup hand japan J-23
setup play allied
"""
DOCS = Path(__file__).parents[3] / "docs" / "scripts.md"


def run(*lines: str, start: str = START) -> ScriptResult:
    return run_script(ruleset("eots"), script_words("eots"), start + "\n".join(lines), "f.script")


def test_commands_and_expectations_are_counted_and_the_log_is_kept() -> None:
    result = run("allied: discard A-13", "expect discard A-13", "expect hand allied 1")
    assert (result.commands, result.expectations) == (1, 2)
    assert any("A-13" in sentence for sentence in result.said)


@pytest.mark.parametrize(
    "line",
    [
        "expect asked allied",
        "expect rule 4.22",
        "expect prompt Play a card",
        "expect heading to play",
        "expect option oc A-31",
        "expect option oc *",
        "expect no option pass",
        "expect no option future J-23",
        "expect default discard A-31",
        "expect dice used",
        "expect no end",
        "expect no said offensive",
        "refuse allied: pass by 12.4",
        "refuse japan: pass by 4.0",
        "refuse allied: oc A-1 by 4.22",
    ],
)
def test_a_line_that_holds(line: str) -> None:
    assert run(line).expectations == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("expect asked japan", "asked are: allied"),
        ("expect rule 7.21", "the open question is by 4.22"),
        ("expect prompt Roll", "asked is: Play a card"),
        ("expect heading Japan", "it is: T5"),
        ("expect option pass", "offered are"),
        ("expect option oc A-1", "such as: oc A-31"),
        ("expect no option oc A-31", "it is offered"),
        ("expect options 99", "options are offered"),
        ("expect default pass", "it is: discard A-31"),
        ("expect said dragons", "the log does not say 'dragons'"),
        ("expect winner japan", "the game goes on"),
        ("expect outcome 16.2", "the game goes on"),
        ("dice 3\nexpect dice used", "1 scripted faces were not rolled"),
        ("refuse allied: oc A-31 by 4.22", "this is legal here"),
        (
            "refuse allied: pass by 8.45",
            "not refused by 8.45 but so: 'pass' is not legal now: 12.4",
        ),
        ("allied: pass", "'pass' is not legal now: 12.4: no pass is left this turn"),
        ("japan: pass", "4.0: japan has no decision to make now"),
        ("default japan", "japan is not asked"),
        ("until 99.9", "the scripted dice are used up; add more faces"),
    ],
)
def test_a_line_that_does_not_hold_is_named_with_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(ScriptFailure) as failed:
        run(line)
    message = str(failed.value)
    assert message.startswith("f.script at line ")
    assert f"'{line.splitlines()[-1]}': " in message
    assert sentence in message
    assert failed.value.exit_code == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("nonsense", "this is no script line"),
        ("expect", "this is no script line"),
        ("expect pigs fly", "there is no expectation 'pigs fly'"),
        ("allied: fire cannons", "unknown command 'fire'"),
        ("allied: oc", "'oc' takes 1 word(s): card"),
        ("refuse allied: pass", "write 'refuse ROLE: COMMAND by RULE'"),
        ("refuse germany: pass by 4.0", "write 'refuse ROLE: COMMAND by RULE'"),
        ("dice 12", "'12' is no face of a die"),
        ("setup play germany", "'germany' is no side; write allied or japan"),
        ("setup unit us-unicorn 4017", "there is no unit 'us-unicorn'"),
        ("setup unit us-corps-xi 9999", "there is no hex '9999'"),
        ("setup unit us-corps-xi 4017 many", "'many' is no number"),
        ("setup control japan 4015", "hex 4015 is ocean and controlled by nobody"),
        ("setup control japan area atlantis", "there is no area 'atlantis'"),
        ("setup track morale 3", "there is no track 'morale'; known are political-will"),
        ("setup track us-rivalry 1", "track 'us-rivalry' is true or false"),
        ("setup track china-front fine", "there is no box 'fine'"),
        ("setup track political-will", "write the value of 'political-will'"),
        ("setup pool gold 3", "there is no pool 'gold'"),
        ("setup hand japan A-1", "A-1 is no card of the side 'japan'"),
        ("setup hand japan J-999", "there is no card 'J-999'"),
        ("setup phase tea", "there is no segment 'tea'"),
        ("setup weather fine", "there is no setup 'weather fine'"),
        ("begin\nsetup turn 6", "'setup' stands after 'scenario' and before the first command"),
        ("scenario 1942", "a script has one scenario"),
        ("option oahu-points us-units", "'option' stands before 'scenario'"),
        ("position p.json", "scenario files cannot be read here"),
        ("game qmg", "this script is for eots"),
    ],
)
def test_a_line_that_is_none_is_named_with_a_sentence(line: str, sentence: str) -> None:
    with pytest.raises(ScriptError) as failed:
        run(line)
    assert not isinstance(failed.value, ScriptFailure)
    assert str(failed.value).startswith("f.script at line ")
    assert sentence in str(failed.value)
    assert failed.value.exit_code == 3


@pytest.mark.parametrize(
    ("start", "sentence"),
    [
        ("game eots\nscenario 1899", "there is no playable scenario '1899'"),
        ("game eots\noption tea yes\nscenario 1943", "there is no option 'tea'"),
        ("game eots\nsetup turn 5", "'setup' stands after 'scenario'"),
        ("game eots\nbegin", "name a scenario first"),
        ("game eots\nposition p.json", "scenario files cannot be read here"),
    ],
)
def test_a_script_without_a_position(start: str, sentence: str) -> None:
    with pytest.raises(ScriptError, match=sentence.replace("(", r"\(")):
        run(start=start)


def test_a_position_that_no_game_could_reach_fails_at_the_line_that_begins() -> None:
    with pytest.raises(ScriptFailure, match=r"line 9: 'begin': .*turn 12 is outside"):
        run("setup turn 12", "begin", start=START + "\n")


@pytest.mark.parametrize("text", ["", "# only words\n", "scenario 1943\ngame eots\n"])
def test_the_first_line_names_the_game(text: str) -> None:
    with pytest.raises(ScriptError):
        game_of(text, "f.script")
    assert game_of(START, "f.script") == "eots"


def test_until_answers_by_default() -> None:
    result = run("until 4.22 japan", "expect asked japan", "expect hand allied 1")
    assert result.commands == 1


def test_the_documentation_lists_every_form() -> None:
    text = DOCS.read_text(encoding="utf-8")
    forms = [*scripting.WORDS, *(form for game in games() for form in script_words(game).words())]
    missing = [
        form
        for form, meaning in forms
        if f"| {'<br>'.join(f'`{part}`' for part in form.split(' / '))} | {meaning} |" not in text
    ]
    assert missing == []
