"""Options with a special form: any other form is refused in one sentence that shows what to type."""

import socket
from pathlib import Path

import pytest

from engine import registry
from engine.kernel.errors import DataError
from play.seating import assign_players, split_seat_names
from tests.tools.commands import Cli

HOST = ("host", "open", "qmg", "--headless", "--once", "--listen", "127.0.0.1:0")


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    def listen(*_: object) -> None:
        pytest.fail("the host began")

    monkeypatch.setattr(socket.socket, "bind", listen)
    return Cli(capsys)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        pytest.param("3:Ann,Bob,Cat", "3,Ann,Bob,Cat", id="number-colon"),
        pytest.param("3: Ann,Bob,Cat", "3,Ann,Bob,Cat", id="number-colon-space"),
        pytest.param("3=Ann,Bob,Cat", "3,Ann,Bob,Cat", id="number-equals"),
        pytest.param("3;Ann;Bob;Cat", "3,Ann,Bob,Cat", id="semicolons"),
        pytest.param("3 Ann,Bob,Cat", "3,Ann,Bob,Cat", id="number-space"),
        pytest.param("Ann;Bob", "Ann,Bob", id="names-with-semicolons"),
        pytest.param("Ann Lee;Bob", "'Ann Lee,Bob'", id="a-name-with-a-space"),
        pytest.param("germany:Ann", "germany=Ann", id="role-colon"),
        pytest.param("Germany=Ann", "germany=Ann", id="capital-letter"),
        pytest.param("germany&italy=Ann,uk=Bob", "germany+italy=Ann,uk=Bob", id="ampersand"),
        pytest.param("germany/italy:Ann", "germany+italy=Ann", id="stroke-colon"),
        pytest.param("germany italy=Ann", "germany+italy=Ann", id="roles-with-a-space"),
        pytest.param("germany+italy", "germany+italy=NAME", id="roles-without-a-name"),
        pytest.param("germany=Ann,italy", "germany=Ann,italy=NAME", id="a-role-without-a-name"),
        pytest.param("germany=", "germany=NAME", id="no-name"),
        pytest.param("germany:bot:random", "germany=bot:random", id="a-bot"),
        pytest.param("4:germany=Ann", "4,germany=Ann", id="number-and-role"),
    ],
)
@pytest.mark.parametrize("command", [HOST, ("play", "qmg", "--plain")], ids=["host", "play"])
def test_malformed_seats_are_refused_with_the_right_form(
    cli: Cli, tmp_path: Path, command: tuple[str, ...], text: str, right: str
) -> None:
    place = ("--folder", tmp_path) if command == HOST else ("--save", tmp_path / "game.fplog")
    ran = cli(*command, *place, "--seats", text)
    assert ran.code == 2
    assert f"'{text}' cannot be read; write --seats {right}\n" in ran.err
    assert ran.err.count("Error: ") == 1
    assert list(tmp_path.iterdir()) == []
    names = right.strip("'").replace("NAME", "Ann")
    info = registry.ruleset("qmg").scenario_info("base", {})
    assert assign_players(info, split_seat_names(names, info), {})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("=Ann", "'=Ann' does not name a role", id="no-role"),
        pytest.param(
            "Ann,3", "the number of people must come first: --seats 3,Ann", id="number-last"
        ),
        pytest.param("uk=Ann,uk=Bob", "uk has two players, Ann and Bob", id="two-players"),
        pytest.param("uk+uk=Ann", "uk is named twice", id="twice"),
        pytest.param("9:Ann", "there is no seating for 9; known: 2, 3, 4, 5, 6", id="nine"),
    ],
)
def test_invalid_seats_are_refused(text: str, problem: str) -> None:
    info = registry.ruleset("qmg").scenario_info("base", {})
    with pytest.raises(DataError) as told:
        split_seat_names(text, info)
    assert problem in told.value.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        (" Ann , Bob Lee,", ("Ann", "Bob Lee")),
        ("3, Ann", ("3", "Ann")),
        ("germany + italy = Ann", ("germany+italy=Ann",)),
        ("7-of-9,3rd man", ("7-of-9", "3rd man")),
        ("bot:random,germany=bot:easy", ("bot:random", "germany=bot:easy")),
        ("uk=a:b,C:D", ("uk=a:b", "C:D")),
    ],
)
def test_valid_seats_are_parsed(text: str, words: tuple[str, ...]) -> None:
    info = registry.ruleset("qmg").scenario_info("base", {})
    assert split_seat_names(text, info) == words


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(
            ("--bot", "germany"),
            "'germany' is not ROLE=BOT; write --bot germany=BOT",
            id="bot-without-a-name",
        ),
        pytest.param(
            ("--bot", "greedy"), "'greedy' is not ROLE=BOT; write --bot ROLE=greedy", id="bot-alone"
        ),
        pytest.param(
            ("--bot", "germany:greedy"),
            "'germany:greedy' is not ROLE=BOT; write --bot germany=greedy",
            id="bot-colon",
        ),
        pytest.param(
            ("--bot", "germany=greedy,italy=easy"),
            "write --bot once for each role: --bot germany=greedy --bot italy=easy",
            id="bots-with-a-comma",
        ),
        pytest.param(
            ("--bot", "germany+italy=greedy"),
            "write --bot once for each role: --bot germany=greedy --bot italy=greedy",
            id="bots-with-a-plus",
        ),
        pytest.param(
            ("--option", "reallocate:off"),
            "'reallocate:off' is not NAME=VALUE; write --option reallocate=off",
            id="option-colon",
        ),
        pytest.param(
            ("--option", "reallocate"),
            "'reallocate' is not NAME=VALUE; write --option reallocate=VALUE",
            id="option-without-a-value",
        ),
        pytest.param(
            ("--clock", "60m/30s"),
            "'60m/30s' has a maximum but adds no time; write 60m+30s/90m or 3d/10d",
            id="clock-saves-nothing",
        ),
        pytest.param(
            ("--clock", "60m+30s/30m"),
            "the maximum cannot be shorter than the initial time; write 60m+30s/90m or 3d/10d",
            id="clock-saves-less",
        ),
        pytest.param(
            ("--listen", "::1:7480"),
            "'::1' is not a host name; write HOST:PORT, such as 192.168.1.5:7480 or [::1]:7480",
            id="listen-without-brackets",
        ),
        pytest.param(
            ("--address", "example.org:7480"),
            "'example.org:7480' is not a host name; write a name, an IPv4 address, or an IPv6"
            " address in brackets, without a port",
            id="address-with-a-port",
        ),
        pytest.param(
            ("--remind", "'/home/ann/your turn"),
            "has an unclosed quotation mark",
            id="remind-open-quotation",
        ),
    ],
)
def test_malformed_option_is_refused_with_the_right_form(
    cli: Cli, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    ran = cli(*HOST, "--folder", tmp_path, *words)
    assert ran.code == 2
    assert sentence in " ".join(ran.err.split())
    assert f"Invalid value for {words[0]}" in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [("--bot", "germany=gready"), ("--seats", "germany=bot:gready")], ids=["bot", "seats"]
)
def test_unknown_bot_is_refused_before_the_host_starts(
    cli: Cli, tmp_path: Path, words: tuple[str, ...]
) -> None:
    ran = cli(*HOST, "--folder", tmp_path, *words)
    assert ran.code == 3
    assert "there is no bot 'gready' for qmg; did you mean greedy" in ran.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["germany,italy", "germany+italy"])
def test_several_seats_in_one_option_are_refused_with_the_right_form(
    cli: Cli, tmp_path: Path, text: str
) -> None:
    ran = cli("play", "qmg", "--plain", "--save", tmp_path / "game.fplog", "--seat", text)
    assert ran.code == 2
    assert "write --seat once for each role: --seat germany --seat italy" in ran.err
    assert list(tmp_path.iterdir()) == []
