"""`flagplot script` and `flagplot scenario`, and games that start from a scenario file."""

import json
from pathlib import Path

import pytest

from engine.kernel.ids import Role
from engine.registry import ruleset
from netplay.host import host_command
from play import games
from saves.headers import Seat
from saves.logfile import LogWriter, write_log
from saves.match import Match
from tests.tools.commands import Cli
from tools.scenario_files import load_position

SCRIPT = (
    "game eots\nscenario 1943\nsetup hand allied A-31\nsetup hand japan J-23\nsetup play allied\n"
)
SECRET = bytes(range(32))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def script(folder: Path, *lines: str, name: str = "a.script", start: str = SCRIPT) -> Path:
    path = folder / name
    path.write_text(start + "\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """Return the record of a game of one command."""
    rules = ruleset("eots")
    path = tmp_path / "game.fplog"
    seats = tuple(
        Seat(role=role, player=str(role), seat_id=str(role))
        for role in rules.roles(rules.initial_state())
    )
    position = rules.position("1943", {})
    match = Match.create(rules, position, "1943", {}, seats, SECRET, LogWriter.create(path))
    role = rules.active_roles(match.state)[0]
    match.submit(role, rules.decision(match.state, role).default, match.seq)
    match.close()
    write_log(
        tmp_path / "seat.fplog", match.redacted_header(role), list(match.redacted_records(role))
    )
    return path


def test_passing_script_is_reported_ok(cli: Cli, tmp_path: Path) -> None:
    ran = cli("script", "--log", script(tmp_path, "allied: oc A-31", "expect said A-31"))
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == f"OK {tmp_path}/a.script: 1 commands, 1 expectations"
    assert "  " in ran.out.splitlines()[0]


def test_failed_line_exits_1_and_other_files_still_run(cli: Cli, tmp_path: Path) -> None:
    bad = script(tmp_path, "expect hand allied 9")
    good = script(tmp_path, "expect hand allied 1", name="b.script")
    ran = cli("script", bad, good)
    assert ran.code == 1
    assert ran.err.startswith(f"FAILED {bad} at line 6: 'expect hand allied 9': it is 1 [T5")
    assert ran.out == f"OK {good}: 0 commands, 1 expectations\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"game eots\nscenario 1943\nhello\n", "line 3: 'hello'"),
        (b"game chess\n", "there is no game 'chess'"),
        (b"", "the script is empty"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b"#" * (4 << 20) + b"\n", "cannot be read: it has more than 4194304 bytes"),
    ],
    ids=["a-line", "a-game", "empty", "bytes", "too-long"],
)
def test_unreadable_script_exits_3(cli: Cli, tmp_path: Path, text: bytes, sentence: str) -> None:
    path = tmp_path / "a.script"
    path.write_bytes(text)
    ran = cli("script", path)
    assert ran.code == 3
    assert sentence in ran.err


def test_a_missing_script_exits_3_and_no_script_exits_2(cli: Cli, tmp_path: Path) -> None:
    assert cli("script", tmp_path / "none.script").code == 3
    assert cli("script").code == 2


def test_script_language_is_printed(cli: Cli) -> None:
    ran = cli("script", "--words")
    assert ran.code == 0
    assert "expect rule RULE\n" in ran.out
    assert "[eots: position and expectations]\nsetup clear" in ran.out
    assert "[qmg: commands]\n" in ran.out
    ran = cli("script", "--words", "qmg")
    assert "build FORCE PIECE SPACE\n" in ran.out
    assert "    asked by 7.1, 7.2, 16.13; germany: build germany army western_europe\n" in ran.out
    assert "[qmg: space]\n" in ran.out
    assert "[eots" not in ran.out
    assert "there is no game 'chess'" in cli("script", "--words", "chess").err


def test_scenarios_are_listed(cli: Cli) -> None:
    ran = cli("scenario", "list")
    assert any(line.split()[0] == "1943" for line in ran.out.splitlines())
    listed = json.loads(cli("scenario", "list", "--json").out)
    assert "1942" in {info["id"] for info in listed}


def test_shown_scenario_is_a_valid_scenario_file(cli: Cli, tmp_path: Path) -> None:
    shown = cli("scenario", "show", "1943", "--option", "oahu-points=any-allied-naval-unit")
    assert shown.code == 0
    path = tmp_path / "own.json"
    path.write_text(shown.out, encoding="utf-8")
    checked = cli("scenario", "check", path)
    assert checked.code == 0
    assert checked.out.startswith(f"OK {path}: T5")
    assert cli("scenario", "show", path).out == shown.out


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "this is not a scenario file"),
        ('{"game": "chess"}', "there is no game 'chess'"),
        ('{"scenario": "1943"}', ": the field 'turn' is missing"),
    ],
)
def test_invalid_scenario_file_exits_3(cli: Cli, tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, encoding="utf-8")
    ran = cli("scenario", "check", path)
    assert ran.code == 3
    assert sentence in ran.err
    assert cli("scenario", "check", tmp_path / "none.json").code == 3


def test_a_scenario_is_shown_by_game_and_name(cli: Cli) -> None:
    assert json.loads(cli("scenario", "show", "qmg", "total-war").out)["scenario"] == "total-war"
    assert cli("scenario", "show", "1943").out == cli("scenario", "show", "eots", "1943").out
    for words in ((), ("qmg",)):
        ran = cli("scenario", "show", *words)
        assert ran.code == 2
        assert f"'flagplot scenario list {''.join(words) or 'eots'}' lists them." in ran.err
    assert "did you mean total-war?" in cli("scenario", "show", "qmg", "total-wr").err


def test_an_unknown_scenario_is_refused(cli: Cli) -> None:
    ran = cli("scenario", "show", "eots", "1899")
    assert ran.code == 3
    assert "there is no scenario '1899'; known" in ran.err


def test_position_exported_from_a_record_can_be_played(
    cli: Cli, tmp_path: Path, save: Path
) -> None:
    out = tmp_path / "p.json"
    assert cli("scenario", "export", save, "--at", 0, "--output", out).code == 0
    first = json.loads(out.read_text(encoding="utf-8"))
    latest = json.loads(cli("scenario", "export", save).out)
    assert first["scenario"] == latest["scenario"] == "1943"
    assert first != latest
    path = script(
        tmp_path, start="game eots\nposition p.json\nbegin\nexpect turn 5\nexpect hand allied 7\n"
    )
    assert cli("script", path).code == 0


def test_export_of_a_redacted_copy_or_missing_record_is_refused(
    cli: Cli, tmp_path: Path, save: Path
) -> None:
    ran = cli("scenario", "export", tmp_path / "seat.fplog")
    assert ran.code == 3
    assert "does not contain all cards" in ran.err
    ran = cli("scenario", "export", save, "--at", 99)
    assert "there is no record 99" in ran.err
    assert ran.code == 1


def test_game_starts_from_a_position_and_resumes(cli: Cli, tmp_path: Path, save: Path) -> None:
    out = tmp_path / "p.json"
    cli("scenario", "export", save, "--output", out)
    loaded = load_position(out, "eots")
    new = games.NewGame(
        game="eots",
        scenario="",
        position=loaded.position,
        bots={Role("japan"): "greedy"},
        seat=Role("allied"),
    )
    session, path = games.create_new_game(new, tmp_path)
    state = session.match.state
    assert loaded.rules.to_position(state) == loaded.position
    session.match.close()
    again = games.resume(path)
    assert again.match.header.scenario == ""
    assert loaded.rules.to_position(again.match.state) == loaded.position
    again.match.close()
    assert cli("verify", path).code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["play", "eots", "--plain", "--option", "oahu-points=us-units", "--position"],
        ["host", "open", "eots", "--scenario", "1943", "--position"],
    ],
)
def test_position_combined_with_a_scenario_or_option_is_refused(
    cli: Cli, tmp_path: Path, save: Path, arguments: list[str]
) -> None:
    out = tmp_path / "p.json"
    cli("scenario", "export", save, "--output", out)
    assert cli(*arguments, out).code == 2


async def test_a_match_is_hosted_from_a_position(cli: Cli, tmp_path: Path, save: Path) -> None:
    out = tmp_path / "p.json"
    cli("scenario", "export", save, "--output", out)
    loaded = load_position(out, "eots")
    plan = host_command.HostPlan(
        host="127.0.0.1",
        port=0,
        plain=True,
        folder=tmp_path / "host",
        invites=tmp_path / "invites",
        advertise=("127.0.0.1",),
        game="eots",
        position=loaded.position,
        players={Role("allied"): "Ann", Role("japan"): "Bob"},
    )
    running = host_command.HostRunner(plan)
    try:
        told = await running.start()
        (table,) = running.host.tables.values()
        assert table.match.header.scenario == ""
        assert loaded.rules.to_position(table.match.state) == loaded.position
        assert {invite.player for invite in told.invites} >= {"Ann", "Bob"}
    finally:
        await running.stop()
