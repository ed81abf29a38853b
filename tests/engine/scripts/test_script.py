"""Scripts that run, and scripts that fail with a file, a line and a sentence."""

import re
from pathlib import Path
from typing import Any

import pytest

from engine.kernel.ids import Rule
from engine.registry import games, ruleset, script_words
from engine.scripts.lines import TypedLine
from engine.scripts.script import ScriptError, ScriptFailure, ScriptResult, game_name, run_script
from engine.scripts.words import covers_rule
from tests.sizes import sampled
from tools.cmd_script import run_file
from tools.dev.script_tables import PAGES, fill_page, marker_line, tables

START = """
game eots                      # a comment
scenario 1943
setup hand allied A-31 A-13
setup hand japan J-23
setup play allied
"""
SCRIPTS = sorted((Path(__file__).parents[2] / "scripts").glob("*/[de][ox][c-]*.script"))


def run(*lines: str, start: str = START) -> ScriptResult:
    return run_script(ruleset("eots"), script_words("eots"), start + "\n".join(lines), "f.script")


def test_commands_and_expectations_are_counted_and_logged() -> None:
    result = run("allied: discard A-13", "expect discard A-13", "expect hand allied 1")
    assert (result.commands, result.expectations) == (1, 2)
    assert any("A-13" in sentence for sentence in result.log)


def test_a_signed_number_is_a_change_since_the_set_up() -> None:
    run("expect hand allied +0", "allied: discard A-13", "expect hand allied -1")
    run("allied: discard A-13", "expect pile allied discard +1", "expect hand allied 1")
    for line in ("+1", "-1", "-0", "+01"):
        with pytest.raises(ScriptError):
            run(f"expect hand allied {line}")
    with pytest.raises(ScriptFailure, match="it was 2 and is 1"):
        run("allied: discard A-13", "expect hand allied +1")
    dealt = "game qmg\nscenario base\nexpect deck germany -10\nexpect hand germany +10"
    run_script(ruleset("qmg"), script_words("qmg"), dealt, "f.script")


def test_consecutive_remark_lines_form_one_remark_without_effect() -> None:
    lines = ("> A first", ">   remark.", "", "> A second: not a command", "allied: discard A-13")
    result = run(*lines, "> # only a comment, and a third", "> third")
    assert (result.commands, result.expectations, result.remarks) == (1, 0, 3)


def test_free_rolls_depend_on_the_secret_and_the_preceding_lines() -> None:
    def dealt(*lines: str) -> tuple[str, ...]:
        start = (
            "game eots",
            "scenario 1943",
            *lines,
            "setup phase strategic-warfare",
            "until 4.22",
        )
        return run(start="\n".join(start)).log

    assert dealt("secret 1") == dealt("secret 1")
    assert len({dealt(f"secret {number}") for number in range(8)}) > 1
    with pytest.raises(ScriptError, match="used up"):
        dealt()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (">", "write '> TEXT'"),
        ("secret", "write 'secret NUMBER'"),
        ("secret x", "write 'secret NUMBER' before the first command"),
        ("begin\nsecret 1", "write 'secret NUMBER' before the first command"),
    ],
)
def test_invalid_remarks_and_secrets_are_refused(line: str, sentence: str) -> None:
    with pytest.raises(ScriptError, match=sentence):
        run(line)


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
def test_a_true_expectation_passes(line: str) -> None:
    assert run(line).expectations == 1


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("expect asked japan", "roles being asked: allied"),
        ("expect rule 7.21", "the open question comes from 4.22"),
        ("expect prompt Roll", "the question is: Play a card"),
        ("expect heading Japan", "it is: T5"),
        ("expect option pass", "options are offered"),
        ("expect option oc A-1", "such as: oc A-31"),
        ("expect no option oc A-31", "it is offered"),
        ("expect options 99", "options are offered"),
        ("expect default pass", "the default is: discard A-31"),
        ("expect said dragons", "the log does not contain 'dragons'"),
        ("expect winner japan", "the game is not over"),
        ("expect outcome 16.2", "the game is not over"),
        ("dice 3\nexpect dice used", "1 scripted face was not rolled"),
        ("refuse allied: oc A-31 by 4.22", "this is legal here"),
        (
            "refuse allied: pass by 8.45",
            "not refused by 8.45, but instead: 'pass' is not legal now: ",
        ),
        ("allied: pass", "12.4: no pass is left this turn"),
        ("allied: pass", " options are offered, such as: oc A-31"),
        ("japan: pass", "4.0: japan has no decision to make now"),
        ("default japan", "japan is not being asked"),
        ("until 99.9", "the scripted dice are used up; add more faces"),
    ],
)
def test_a_failed_expectation_is_reported_with_its_line(line: str, sentence: str) -> None:
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
        ("nonsense", "this is not a script line"),
        ("expect", "this is not a script line"),
        ("expect pigs fly", "there is no expectation 'pigs fly'"),
        ("allied: fire cannons", "unknown command 'fire'"),
        (
            "allied: future A-1 J-2 3",
            "'future' takes 1 word: card; 29 options are offered, such as",
        ),
        ("refuse allied: oc by 4.22", "'oc' takes 1 word: card, as in 'japan: oc J-23'"),
        ("expect no option oc A-999", "there is no 'A-999' in this game"),
        ("refuse allied: pass", "write 'refuse ROLE: COMMAND by RULE'"),
        ("refuse germany: pass by 4.0", "write 'refuse ROLE: COMMAND by RULE'"),
        ("dice 12", "'12' is not a face of a die"),
        ("setup play germany", "'germany' is not a side; write allied or japan"),
        ("setup unit us-unicorn 4017", "there is no unit 'us-unicorn'"),
        ("setup unit us-corps-xi 9999", "there is no hex '9999'"),
        ("setup unit us-corps-xi 4017 many", "'many' is not a whole number"),
        ("setup control japan 4015", "hex 4015 is ocean"),
        ("setup control japan area atlantis", "there is no area 'atlantis'"),
        ("setup track morale 3", "there is no track 'morale'; known: political-will"),
        ("setup track us-rivalry 1", "track 'us-rivalry' is true or false"),
        ("setup track china-front fine", "there is no box 'fine'"),
        ("setup track political-will", "write the value of 'political-will'"),
        ("setup pool gold 3", "there is no pool 'gold'"),
        ("setup hand japan A-1", "A-1 is not a card of the side 'japan'"),
        ("setup hand japan J-999", "there is no card 'J-999'"),
        ("setup phase tea", "there is no segment 'tea'"),
        ("setup weather fine", "there is no setup 'weather fine'"),
        ("begin\nsetup turn 6", "'setup' must come after 'scenario' and before the first command"),
        ("scenario 1942", "a script can have only one scenario"),
        ("option oahu-points us-units", "'option' must come before the first 'setup'"),
        ("position p.json", "scenario files cannot be read here"),
        ("game qmg", "this script is for eots"),
    ],
)
def test_an_invalid_line_is_reported_with_its_line(line: str, sentence: str) -> None:
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
        ("game eots\nsetup turn 5", "'setup' must come after 'scenario'"),
        ("game eots\nbegin", "name a scenario first"),
        ("game eots\nposition p.json", "scenario files cannot be read here"),
    ],
)
def test_a_script_without_a_position_is_refused(start: str, sentence: str) -> None:
    with pytest.raises(ScriptError, match=sentence.replace("(", r"\(")):
        run(start=start)


def test_an_impossible_position_fails_at_the_begin_line() -> None:
    with pytest.raises(ScriptFailure, match=r"line 9: 'begin': .*turn 12 is outside"):
        run("setup turn 12", "begin", start=START + "\n")


@pytest.mark.parametrize("text", ["", "# only words\n", "scenario 1943\ngame eots\n"])
def test_the_first_line_names_the_game(text: str) -> None:
    with pytest.raises(ScriptError):
        game_name(text, "f.script")
    assert game_name(START, "f.script") == "eots"


def test_until_uses_default_answers() -> None:
    result = run("until 4.22 japan", "expect asked japan", "expect hand allied 1")
    assert result.commands == 1


@pytest.mark.parametrize("game", games())
def test_every_command_has_a_valid_example(game: str) -> None:
    notation, words = ruleset(game).notation, script_words(game)
    assert sorted(words.examples) == [verb.word for verb in notation.verbs()]
    for verb, line in words.examples.items():
        role, _, order = line.partition(": ")
        assert role in ruleset(game).roles(ruleset(game).initial_state())
        typed = TypedLine(words.lexicon(), order)
        assert typed.unknown_word_error() == ""
        assert notation.verb(notation.parse(next(typed.spellings()))) == verb


@pytest.mark.parametrize("path", sampled(SCRIPTS, 20), ids=lambda path: path.stem)
def test_every_decision_rule_is_documented_with_its_commands(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met: set[tuple[str, str]] = set()
    rules = ruleset(path.parent.name)
    fold = rules.fold

    def noted(state: object, events: tuple[Any, ...]) -> object:
        after = fold(state, events)
        for question in rules.pending_decisions(after):
            met.update((question.rule, rules.notation.verb(option)) for option in question.options)
        return after

    monkeypatch.setattr(rules, "fold", noted)
    run_file(path)
    told = {
        (one.rule, verb)
        for one in script_words(path.parent.name).decision_rules
        for verb in (*one.verbs.split(), "withdraw")
    }
    assert met - told == set()


def test_generated_tables_in_the_documentation_are_current() -> None:
    texts = [page.read_text(encoding="utf-8") for page in PAGES]
    for text in texts:
        assert fill_page(text) == text, "run python -m tools.dev.script_tables"
    for name in tables():
        assert sum(marker_line(name) in text for text in texts) == 1, name


def test_links_between_documentation_pages_are_valid() -> None:
    links = [
        (page, target)
        for page in PAGES
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    ]
    assert len(links) > len(PAGES)
    for page, target in links:
        assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize(
    ("typed", "fits"),
    [
        ("build western_europe", True),
        ("BUILD Germany western-europe", True),
        ("build germany army", True),
        ("build germany army *", True),
        ("build germany army west*", True),
        ("build western_europe germany", False),
        ("build moscow", False),
        ("recruit germany army western_europe", False),
    ],
)
def test_words_of_a_command_may_be_omitted_in_order(typed: str, *, fits: bool) -> None:
    line = TypedLine(script_words("qmg").lexicon(), typed)
    assert line.matches("build germany army western_europe") == fits


def test_a_card_without_a_number_matches_any_copy() -> None:
    line = TypedLine(script_words("qmg").lexicon(), "play de_build_army")
    assert line.matches("play de_build_army#3")
    assert not line.matches("play de_land_battle#1")
    assert [*line.spellings()][:2] == ["play de_build_army#1", "play de_build_army#2"]


@pytest.mark.parametrize(
    ("wanted", "rule", "met"),
    [
        ("8.45", "8.45", True),
        ("8.45", "8.45A", True),
        ("9.2F", "9.2F-5", True),
        ("8.4", "8.45", False),
        ("8.45A", "8.45", False),
        ("18.1", "18.12", False),
    ],
)
def test_a_rule_covers_its_subrules(wanted: str, rule: str, *, met: bool) -> None:
    assert covers_rule(wanted, Rule(rule)) == met


QMG = """
game qmg
scenario total-war
setup active germany
setup homes
setup hand germany de_build_army#3 de_land_battle de_tw_ju_87
setup piece germany army ukraine
"""


def test_a_command_skips_windows_without_other_answers() -> None:
    def run_qmg(*lines: str) -> ScriptResult:
        return run_script(ruleset("qmg"), script_words("qmg"), QMG + "\n".join(lines), "q.script")

    result = run_qmg(
        "expect rule 10.4",
        "refuse germany: play de_tw_ju_87 by 13.2",
        "Germany: play DE-Build-Army",
        "expect option germany: build eastern_europe",
        "expect no option uk: build",
        "expect no option build moscow",
        "germany: build eastern_europe",
        "expect piece germany army eastern_europe ukraine",
        "expect pieces germany army 3",
    )
    assert (result.commands, result.expectations) == (2, 7)
    with pytest.raises(ScriptFailure, match="this is legal here"):
        run_qmg("refuse germany: play de_build_army by 8.2")
    run_qmg("refuse germany: play de_build_army by 10.4", "expect rule 10.4")
    with pytest.raises(ScriptFailure, match="this may mean 2 commands"):
        run_qmg("germany: play")
    with pytest.raises(ScriptFailure, match=r"options are offered, such as: build germany army"):
        run_qmg("germany: play de_build_army", "expect option build moscow")


def test_irrelevant_dice_are_free_but_reproducible() -> None:
    start = "game eots\nscenario 1942\nsetup phase strategic-warfare\n"
    with pytest.raises(ScriptFailure, match=r"used up; add more faces, or 'any'"):
        run("until 4.22", start=start)
    logs = [run("dice any", "until 4.22", "expect dice used", start=start).log for _ in range(2)]
    assert logs[0] == logs[1]
    assert run("dice 0 any", "until 4.22", "expect track japan-asp 6", start=start).expectations


def test_a_hex_off_the_sheet_has_no_controller() -> None:
    """17.10."""
    start = "game eots\nscenario south-pacific\nbegin\n"
    for line in ("expect control japan 3407", "expect control 3407 japan"):
        with pytest.raises(ScriptError, match=r"'expect .*': hex 3407 is off the map of this"):
            run(line, start=start)


DIE = "game eots\nscenario 1942\nsetup phase strategic-warfare\n"


def test_a_die_line_applies_to_the_adjacent_command() -> None:
    told = [
        run("dice 0 any", "until 4.22", start=DIE).log,
        run("until 4.22", "dice 0 any", start=DIE).log,
        run("until 4.22", "dice 0", "dice any  # of the same command", start=DIE).log,
    ]
    assert told[0] == told[1] == told[2]
    with pytest.raises(ScriptFailure, match=r"'until 4.22': the scripted dice are used up"):
        run("until 4.22", "expect no end", "dice 0 any", start=DIE)


def test_an_unused_die_line_is_refused() -> None:
    with pytest.raises(ScriptFailure, match=r"line 8: 'dice 3 4': 2 faces are left") as failed:
        run("allied: discard A-13", "dice 3 4", "expect discard A-13")
    assert "before the command that rolls, or directly after it" in str(failed.value)
    with pytest.raises(ScriptFailure, match=r"line 6: 'dice 1 any': 1 face is left"):
        run("dice any", "until 4.22", "dice 1 any", start=DIE)
    with pytest.raises(ScriptError, match=r"line 6: 'dice 12': '12' is not a face"):
        run("until 4.22", "dice 12", start=DIE + "dice any\n")


def test_a_failed_script_keeps_its_log() -> None:
    with pytest.raises(ScriptFailure) as failed:
        run("allied: discard A-13", "expect hand allied 2")
    assert any("A-13" in sentence for sentence in failed.value.log)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("expect control 4017 allied", "it is japan"),
        ("expect control allied 4828 4017", "4017 is japan"),
        ("expect units 4017 jp-hq-south-seas", "there are jp-"),
        ("expect unit us-corps-xi at 4017", "it is "),
        ("expect unit us-corps-xi steps reduced", "it is 2"),
        ("expect hand allied A-31", "it is A-31 A-13"),
        ("expect pile japan removed 99", "it is "),
        ("expect on-map cw-air-fe", "this is not the case"),
        ("expect steps us-corps-xi 2", "did you mean 'expect unit UNIT steps STEPS'"),
        ("expect turnn 5", "did you mean turn?"),
        ("expect turn", "write 'expect turn NUMBER'"),
        ("setup hnd japan J-23", "'setup' must come after"),
        ("allied: ec A-31", "the options include: oc A-31; event A-31"),
        ("allied: decline", "unknown command 'decline'; did you mean pass?"),
        ("draws J-999", "there is no 'J-999' in this game"),
        ("until 99.9 nobody", "there is no role 'nobody'; known: allied, japan"),
        ("untl 7.21", "did you mean until?"),
    ],
)
def test_an_error_message_suggests_the_correct_form(line: str, sentence: str) -> None:
    with pytest.raises(ScriptError) as failed:
        run("begin", line)
    assert sentence in str(failed.value)


@pytest.mark.parametrize("game", games())
def test_first_scripts_in_the_documentation_run(game: str) -> None:
    texts = [each.read_text(encoding="utf-8") for each in PAGES]
    pages = [text for text in texts if f"    game {game}\n" in text]
    assert pages, f"add a script that begins with 'game {game}' to a page in docs/scripts"
    page = pages[0]
    start = page.index(f"    game {game}\n")
    block = page[start:].split("\n\n")[0]
    text = "\n".join(line.removeprefix("    ") for line in block.splitlines())
    assert run_script(ruleset(game), script_words(game), text, "docs").expectations > 0
