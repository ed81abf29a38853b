"""The command line: help, exit codes, lazily imported subcommands and `flagplot rules`."""

import json
import re
import subprocess
import sys
from importlib.metadata import version

import click
import pytest

from engine.kernel.errors import DataError, FlagplotError
from saves.verdicts import EXIT_CODES
from tests.patience import patience
from tests.tui.terminals import ROOT
from tools import cli
from tools.cli import COMMANDS, EPILOG, GROUPS, flagplot, main


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.fixture(autouse=True)
def _eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture(name="ends")
def _ends(monkeypatch: pytest.MonkeyPatch) -> list[BaseException | int]:
    """Add a command `end` to the group, which raises or returns what the test puts into the list."""
    outcome: list[BaseException | int] = []

    @click.command()
    def end() -> int:
        result = outcome[0]
        if isinstance(result, BaseException):
            raise result
        return result

    monkeypatch.setattr(cli, "end", end, raising=False)
    monkeypatch.setitem(COMMANDS, "end", ("tools.cli:end", "End as told."))
    return outcome


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_option_prints_the_version(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(option) == 0
    assert capsys.readouterr().out == f"flagplot, version {version('flagplot')}\n"


def test_help_lists_every_command_and_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = capsys.readouterr().out
    assert [name for name in COMMANDS if f"\n  {name} " not in text] == []
    assert [line.split()[0] for line in text.split("Exit codes:\n")[1].splitlines()] == [
        "0", "1", "2", "3", "4", "5", "6", "7", "8", "130", "152", "129",
    ]  # fmt: skip


def test_help_lists_commands_in_five_groups(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--help") == 0
    text = capsys.readouterr().out.split("Options:\n")[1]
    assert re.findall(r"^(\w+):$", text, re.MULTILINE) == [
        "Play", "Network", "Records", "Reference", "Development",
    ]  # fmt: skip
    assert len(re.findall(r"^  [a-z]+  +\S", text, re.MULTILINE)) == len(COMMANDS)
    assert [line for _, line in COMMANDS.values() if len(line.split()) > 12] == []


def test_group_list_matches_the_commands_with_subcommands() -> None:
    context = click.Context(flagplot)
    commands = {name: flagplot.get_command(context, name) for name in COMMANDS}
    assert tuple(sorted(GROUPS)) == GROUPS
    assert {name for name in commands if isinstance(commands[name], click.Group)} == set(GROUPS)


@pytest.mark.parametrize(
    "words", [(), ("play",), ("scenario",), ("scenario", "list")], ids=" ".join
)
def test_h_option_prints_the_help_of_every_command(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words, "-h") == 0
    text = capsys.readouterr().out
    assert "-h, --help" in text
    assert run(*words, "--help") == 0
    assert capsys.readouterr().out == text


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("jion",), 2, "No such command 'jion'. Did you mean 'join'?"),
        (("send",), 2, "No such command 'send'. Did you mean 'mail send'?"),
        (("status",), 2, "No such command 'status'. Did you mean 'host status'?"),
        (("open", "eots"), 2, "(Did you mean one of: 'host open', 'mail open'?)"),
        (("scenario", "lst"), 2, "No such command 'lst'. Did you mean 'list'?"),
        (("play", "--plian"), 2, "No such option '--plian'. "),
        (("play", "eotss"), 3, "there is no game 'eotss'; did you mean eots?"),
        (("play", "--scenario", "south-pacifc"), 3, "did you mean south-pacific?"),
        (("play", "qmg", "--scenario", "totalwar"), 3, "did you mean total-war?"),
        (("play", "cbps", "--scenario", "4b"), 3, "there is no scenario '4b'; "),
        (("play", "--seat", "japn"), 3, "there is no seat 'japn'; did you mean japan?"),
        (("play", "--bot", "japan=gready"), 3, "there is no bot 'gready' for eots; did you mean"),
        (("play", "--bot", "gready"), 2, "there is no bot 'gready'; did you mean greedy"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_mistyped_name_is_refused_with_a_suggestion(
    words: tuple[str, ...], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == code
    assert sentence in " ".join(capsys.readouterr().err.split())


def test_manual_lists_every_exit_code() -> None:
    text = (ROOT / "docs" / "manual" / "troubleshooting.md").read_text(encoding="utf-8")
    codes = [line.split()[0] for line in EPILOG.splitlines()[2:]]
    assert re.findall(r"^\| (\d+) ", text.split("## Exit codes")[1], re.MULTILINE) == [
        *codes[: codes.index("130") + 1],
        "152",
        "129",
    ]
    verify = (ROOT / "tools" / "cmd_verify.py").read_text(encoding="utf-8")
    assert set(map(str, EXIT_CODES.values())) <= set(codes)
    assert all(f"\n    {code}  " in verify for code in EXIT_CODES.values())


def test_running_without_a_command_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert capsys.readouterr().out.startswith("Usage: flagplot ")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_registered_command_exists_and_has_help(name: str) -> None:
    command = flagplot.get_command(click.Context(flagplot), name)
    assert command is not None
    assert command.name == name
    assert command.help


def test_host_help_marks_fair_mode_as_experimental(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run("host", "open", "--help") == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "[joint|host|fair]" in text
    assert (
        "fair (experimental): like joint, and the seats deal the cards, so that the host cannot read"
        " hands; it has had no independent review." in text
    )
    assert "Default: host, or joint with a screen and two people." in text


@pytest.mark.parametrize(
    ("option", "packages"),
    [
        ("--help", ("textual", "pynng", "structlog", "tools.cmd_")),
        ("--version", ("textual", "pynng", "structlog", "tools.cmd_", "cloup", "rich")),
    ],
    ids=["help", "version"],
)
def test_help_imports_no_command_and_no_screen(option: str, packages: tuple[str, ...]) -> None:
    program = (
        "import sys\n"
        "from tools.cli import main\n"
        f"try:\n    main([{option!r}])\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in sys.modules if name.startswith({packages!r})], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == "[]\n"


def test_local_play_imports_neither_textual_nor_cryptography_early() -> None:
    program = (
        "import sys\n"
        "import tools.cmd_play\n"
        "from play import games\n"
        "from tui.app import launch\n"
        "print([name for name in sys.modules if name.startswith(('textual', 'cryptography'))])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[]\n"


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("frobnicate") == 2
    assert "No such command 'frobnicate'." in capsys.readouterr().err


def test_expected_failure_prints_one_sentence_and_sets_its_exit_code(
    ends: list[BaseException | int], capsys: pytest.CaptureFixture[str]
) -> None:
    ends.append(DataError("game.json", "units[3].hex", "there is no hex 9999"))
    assert run("end") == 3
    captured = capsys.readouterr()
    assert captured.err == "Error: game.json at units[3].hex: there is no hex 9999\n"
    assert captured.out == ""


def test_foreign_text_in_an_error_is_stripped_of_control_characters(
    ends: list[BaseException | int], capsys: pytest.CaptureFixture[str]
) -> None:
    ends.append(DataError("game.json", "\x1b]0;gone\x07units", "no hex \x9b2J\n\u202e9999"))
    assert run("end") == 3
    assert capsys.readouterr().err == "Error: game.json at units: no hex 9999\n"


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        pytest.param(FlagplotError("no."), 1, id="failure"),
        pytest.param(KeyboardInterrupt(), 130, id="interrupted"),
        pytest.param(EOFError(), 130, id="end-of-input-at-a-prompt"),
        pytest.param(click.UsageError("no."), 2, id="usage"),
        pytest.param(0, 0, id="done"),
        pytest.param(1, 1, id="returned-code"),
    ],
)
def test_outcomes_map_to_exit_codes(
    ends: list[BaseException | int], outcome: BaseException | int, code: int
) -> None:
    ends.append(outcome)
    assert run("end") == code


def test_internal_error_is_not_hidden(ends: list[BaseException | int]) -> None:
    ends.append(AssertionError("broken"))
    with pytest.raises(AssertionError, match="broken"):
        main(["end"])


@pytest.mark.full
def test_closed_output_pipe_ends_the_program_quietly() -> None:
    with subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from tools.cli import main; main()",
            "rules",
            "eots",
            *["8.45"] * 99,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        with patience(process):
            assert process.stderr.read() == b""
            assert process.wait() == 141


def test_rules_prints_the_paragraph(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "8.47") == 0
    text = capsys.readouterr().out
    assert text.startswith("8.47  Japanese barges\n- After the barge event (J-73) flip")
    assert max(map(len, text.splitlines())) <= 80


def test_rules_prints_several_paragraphs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "op-12", "EX-7-3", "J-43") == 0
    heads = [block.split("  ")[0].split("\n")[0] for block in capsys.readouterr().out.split("\n\n")]
    assert heads == ["OP-12", "EX-7-3", "J-43"]


def test_rules_prints_the_option_of_a_ruling(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "OP-12") == 0
    assert capsys.readouterr().out.endswith(
        "Option fo-last-card: When a future offensives card may be used\n"
        "  card-in-hand: with a card in hand\n"
        "  very-last-play: always, except as the very last play\n"
    )


def test_rules_lists_subparagraphs_of_a_heading(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "8.4") == 0
    below = capsys.readouterr().out.split("Subparagraphs:\n")[1].splitlines()
    assert below[0] == "  8.41 Restrictions"
    assert len(below) == 9


def test_rules_without_a_number_lists_the_chapters(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots") == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"7.0 Offensives", "13.0 National status", "17.10 South Pacific"} <= {
        line.partition(" (")[0] for line in lines
    }


def test_rules_search_shows_the_line_of_the_hit(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "--search", "barge hexside") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("8.47 Japanese barges After the barge event") for line in lines)
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        pytest.param(
            ["8.99"], "there is no paragraph '8.99'; similar numbers are 8.49.", id="number"
        ),
        pytest.param(["zzz"], "there is no paragraph 'zzz'.", id="nothing-near"),
        pytest.param(["--search", "zeppelin"], "no paragraph contains 'zeppelin'.", id="search"),
    ],
)
def test_rules_refuses_an_unknown_number_in_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rules", "eots", *arguments) == 2
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"Error: {sentence}\n")


@pytest.mark.parametrize(
    ("game", "words", "head"),
    [
        pytest.param("qmg", "su_rasputitsa", "su_rasputitsa  Rasputitsa", id="qmg-id"),
        pytest.param("qmg", "SU-Rasputitsa", "su_rasputitsa  Rasputitsa", id="qmg-any-case"),
        pytest.param("qmg", "rasputitsa", "su_rasputitsa  Rasputitsa", id="qmg-name"),
        pytest.param("qmg", "130", "su_rasputitsa  Rasputitsa", id="qmg-number"),
        pytest.param("qmg", "T19", "de_tw_fall_weiss  Fall Weiss", id="qmg-total-war"),
        pytest.param("qmg", "card 1", "de_build_army  Build Army", id="qmg-number-of-a-chapter"),
        pytest.param("qmg", "card 2", "de_build_army  Build Army", id="qmg-number-of-a-copy"),
        pytest.param("eots", "j-23", "J-23  Operation RE", id="eots-id"),
        pytest.param(
            "eots", "operation re attack on milne bay", "J-23  Operation RE", id="eots-name"
        ),
    ],
)
def test_rules_prints_a_card(
    game: str, words: str, head: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rules", game, words) == 0
    assert capsys.readouterr().out.startswith(head)


@pytest.mark.parametrize(
    ("game", "words", "hit"),
    [
        pytest.param("qmg", "su_rasputitsa", "su_rasputitsa Rasputitsa", id="qmg-id"),
        pytest.param("qmg", "Fall Weiss", "de_tw_fall_weiss Fall Weiss", id="qmg-name"),
        pytest.param("qmg", "T19", "de_tw_fall_weiss Fall Weiss", id="qmg-number"),
        pytest.param("eots", "J-23", "J-23 Operation RE", id="eots-id"),
    ],
)
def test_rules_search_finds_cards(
    game: str, words: str, hit: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("rules", game, "--search", words) == 0
    assert any(line.startswith(hit) for line in capsys.readouterr().out.splitlines())


def test_rules_prints_every_card_with_the_same_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "qmg", "Sea Battle") == 0
    heads = [line for line in capsys.readouterr().out.splitlines() if line.endswith("  Sea Battle")]
    assert heads[0] == "de_sea_battle  Sea Battle"
    assert len(heads) >= 6


def test_rules_refuses_a_number_combined_with_a_search() -> None:
    assert run("rules", "eots", "8.45", "--search", "barge") == 2


def test_rules_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("rules", "eots", "OPB-4", "--json") == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["number"] == "OPB-4"
    assert record["title"] == "Does a critical lift F-4 and F-5?"
    assert record["text"].startswith("Recommended ruling: no\n")


def test_host_serve_refuses_a_seat_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("host", "serve", "--seat", "japan") == 2
    assert "No such option '--seat'" in " ".join(capsys.readouterr().err.split())
