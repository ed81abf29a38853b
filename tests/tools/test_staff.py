"""The tools with a game of one side against the system: roles depend on an option, and the chart can be custom."""

import json
from pathlib import Path

import click
import msgspec
import pytest
from typing_extensions import override

from engine import registry
from engine.kernel.ids import Role
from engine.kernel.lexicon import Lexicon
from engine.scripts.script import ScriptError, run_script
from engine.scripts.words import ScriptWords
from saves.chain import first_chain
from saves.errors import FalseRecordError
from saves.headers import Header, Seat, decode_header, encode_header, own_data_digest
from saves.logfile import log_bytes, read_log, write_log
from saves.match import Match
from saves.record_verifier import RecordVerifier
from saves.verify import verify_file
from tests.play.test_staff import OWN_CHART, options
from tests.saves.play import SECRET, linked, play
from tests.tools.commands import Cli
from tests.toy_staff import (
    ROLES,
    SECOND,
    SIDE,
    THIRD,
    TOY_STAFF,
    US,
    StaffPosition,
    StaffState,
    ToyStaff,
)
from tools import cmd_arena, cmd_fuzz, fuzz
from tools.arena import Fixture, as_text, fixtures, rows
from tools.arena import play as play_bots


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    place = registry.Game("tests.toy_staff:TOY_STAFF", "", "", "", {})
    monkeypatch.setitem(registry._GAMES, "staff", place)
    for command in (cmd_arena.arena, cmd_fuzz.fuzz):
        monkeypatch.setattr(command.params[0], "type", click.Choice(registry.games()))


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def finished(count: int, data: bytes = b"", scenario: str = "cruise") -> Match[StaffState]:
    """Return a game with the given number of commanders that was played to its end."""
    position = TOY_STAFF.position(scenario, options(count))
    if data:
        position = TOY_STAFF.with_data(position, data)
    seats = [Seat(role=role, player=f"Ann {role}", seat_id="") for role in ROLES[:count]]
    match = Match.create(TOY_STAFF, position, scenario, options(count), seats, SECRET)
    play(match, 10_000, seed=count)
    match.reveal()
    return match


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """Return the record of three commanders with a custom chart."""
    path, match = tmp_path / "full.fplog", finished(3, OWN_CHART)
    write_log(path, match.header, match.records)
    return path


# -- arena and fuzz


@pytest.mark.parametrize("count", range(1, 5))
def test_arena_bot_plays_every_commander(tmp_path: Path, count: int) -> None:
    info = TOY_STAFF.scenario_info("cruise", options(count))
    (plan,) = fixtures((info,), ("random",), 1, seed=5)
    assert plan == Fixture(scenario="cruise", bots={SIDE: "random"}, seed=5)
    result = play_bots("staff", options(count), plan, tmp_path)
    assert (result.problem, result.winner) in {("", SIDE), ("", "game")}
    kept = tmp_path / f"staff-{plan.name}.fplog"
    assert verify_file(kept).status == "ok"
    seats = read_log(kept).header.seats
    assert [(seat.role, seat.player) for seat in seats] == [
        (role, "bot:random") for role in ROLES[:count]
    ]


def test_bots_play_separately_against_the_system() -> None:
    info = TOY_STAFF.scenario_info("drill", options(2))
    plan = list(fixtures((info,), ("greedy", "random"), 2, seed=1))
    assert [(each.seed, each.bots) for each in plan] == [
        (seed, {SIDE: name}) for seed in (1, 2) for name in ("greedy", "random")
    ]


def test_the_arena_counts_wins_and_defeats_of_the_side(cli: Cli) -> None:
    words = ("--scenario", "drill", "--option", "staff=three", "--games", 12, "--jobs", 1, "--json")
    ran = cli("arena", "staff", "random", *words)
    assert ran.code == 0, ran.err
    (row,) = json.loads(ran.out)["rows"]
    assert (row["side"], row["against"], row["games"]) == (SIDE, "game", 12)
    assert row["wins"] + row["lost_to_game"] == 12
    assert row["wins"] > 0
    assert row["lost_to_game"] > 0
    assert row["levels"] == {}


def test_the_arena_counts_degrees_of_victory_against_the_system() -> None:
    (plan,) = fixtures((TOY_STAFF.scenario_info("drill", {}),), ("random",), 1, seed=1)
    one = play_bots("staff", {}, plan, None)
    ends = [(SIDE, "great"), (SIDE, "small"), (SIDE, "great"), ("game", "")]
    found = [msgspec.structs.replace(one, winner=winner, level=level) for winner, level in ends]
    table = list(rows(("random",), found))
    assert table[0].levels == {"game": 1, "us great": 2, "us small": 1}
    assert "drill, random: game 1, us great 2, us small 1" in as_text(table).splitlines()


@pytest.mark.parametrize("count", range(1, 5))
def test_fuzzed_games_with_any_number_of_commanders_satisfy_invariants(count: int) -> None:
    for seed in range(4):
        played = fuzz.play(TOY_STAFF, "cruise", seed, options(count), sample_every=1)
        assert played.finding is None, played.finding
        assert played.result in {SIDE, "game"}


def test_fuzzer_lets_any_active_commander_move_first() -> None:
    first: set[Role] = set()

    class Watched(ToyStaff):
        @override
        def is_legal(self, state: StaffState, role: Role, command: object) -> bool:
            if not state.at.orders and state.at.round == 1:
                first.add(role)
            return super().is_legal(state, role, command)  # type: ignore[arg-type]  # whatever is given

    for seed in range(24):
        assert fuzz.play(Watched(), "drill", seed, options(3)).finding is None
    assert first == {US, SECOND, THIRD}


def test_fuzzer_draws_the_staff_option_too(cli: Cli) -> None:
    ran = cli(
        "fuzz", "staff", "--any-options", "--games", 9, "--jobs", 1, "--scenario", "drill", "--json"
    )
    assert ran.code == 0, ran.err
    drawn = [json.loads(line)["options"].get("staff", "one") for line in ran.out.splitlines()]
    assert len(set(drawn)) > 2


# -- records


def test_record_with_an_overlay_verifies_and_shows_its_digest(cli: Cli, save: Path) -> None:
    digest = own_data_digest(OWN_CHART)
    ran = cli("verify", save)
    assert ran.code == 0, ran.out + ran.err
    assert f"played with custom data, digest {digest}" in ran.out
    shown = json.loads(cli("show", save, "--json").out)
    assert shown["own data"] == digest
    assert shown["outcome"]["winner"] == SIDE
    usual = save.with_name("usual.fplog")
    match = finished(2)
    write_log(usual, match.header, match.records)
    assert "custom" not in cli("verify", usual).out
    assert "own data" not in json.loads(cli("show", usual, "--json").out)


@pytest.mark.parametrize("role", [US, THIRD, None])
def test_every_copy_shows_the_data_digest(cli: Cli, save: Path, role: Role | None) -> None:
    log = read_log(save)
    match = Match[StaffState].resume(save, TOY_STAFF)
    copy = save.with_name("copy.fplog")
    write_log(copy, match.redacted_header(role), list(match.redacted_records(role)))
    match.close()
    assert cli("verify", copy, "--against", save).code == 0
    assert json.loads(cli("show", copy, "--json").out)["own data"] == log.header.own_data
    assert json.loads(cli("show", copy, "--json").out)["view"]["at"]["chart"] == [9] * 10


@pytest.mark.parametrize("form", ["--text", "--jsonl"])
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("data", [b"", OWN_CHART], ids=["usual", "own"])
def test_exports_round_trip(cli: Cli, tmp_path: Path, form: str, count: int, data: bytes) -> None:
    match, path = finished(count, data), tmp_path / "full.fplog"
    write_log(path, match.header, match.records)
    text = tmp_path / "text"
    text.write_text(cli("log", "export", path, form).out, encoding="utf-8")
    back = tmp_path / "back.fplog"
    ran = cli("log", "import", text, back)
    assert ran.code == 0, ran.err
    assert back.read_bytes() == path.read_bytes()


def test_log_of_a_role_is_printed_and_an_unknown_role_is_refused(cli: Cli, save: Path) -> None:
    told = cli("show", save, "--log", "--seat", "second")
    assert told.code == 0
    assert "third finds 9 (chart: " in told.out
    ran = cli("show", save, "--seat", "fourth")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no role 'fourth'; this game has us, second, third" in ran.err


def test_exported_position_keeps_its_commanders_and_data(cli: Cli, save: Path) -> None:
    ran = cli("scenario", "export", save, "--at", 9)
    assert ran.code == 0, ran.err
    position = msgspec.json.decode(ran.out, type=TOY_STAFF.position_type)
    assert TOY_STAFF.roles_at(position) == ROLES[:3]
    assert TOY_STAFF.user_data(position) == OWN_CHART
    match = Match.create(TOY_STAFF, position, "", {}, (), SECRET)
    assert match.header.own_data == own_data_digest(OWN_CHART)
    RecordVerifier[StaffState](TOY_STAFF, match.header)


# -- commitments to data


def test_header_without_custom_data_omits_the_field() -> None:
    header = finished(2).header
    fields = msgspec.msgpack.decode(encode_header(header))
    assert "own_data" not in fields
    own = finished(2, OWN_CHART).header
    assert set(msgspec.msgpack.decode(encode_header(own))) == {*fields, "own_data"}
    assert decode_header(encode_header(own)) == own
    assert first_chain(own) != first_chain(msgspec.structs.replace(own, own_data=msgspec.UNSET))


@pytest.mark.parametrize("digest", ["00" * 32, None], ids=["other", "none"])
def test_data_that_do_not_match_the_header_digest_are_false(
    tmp_path: Path, digest: str | None
) -> None:
    match = finished(2, OWN_CHART)
    header = msgspec.structs.replace(match.header, own_data=digest or msgspec.UNSET)
    path = tmp_path / "false.fplog"
    path.write_bytes(log_bytes(header, linked(header, match.records)))
    found = verify_file(path, TOY_STAFF).finding
    assert found is not None
    assert found.problem == "the custom data do not match their commitment"


def test_scenario_with_custom_data_must_start_as_its_rules_define() -> None:
    position = TOY_STAFF.with_data(TOY_STAFF.position("cruise", {}), OWN_CHART)
    better = msgspec.structs.replace(position, found=5)
    match = Match.create(TOY_STAFF, better, "cruise", {}, (), SECRET)
    with pytest.raises(FalseRecordError, match="not how scenario 'cruise' begins"):
        RecordVerifier[StaffState](TOY_STAFF, match.header)


@pytest.mark.parametrize("digest", ["", "AA" * 32, "00" * 31, 5])
def test_malformed_data_digest_is_refused(digest: object) -> None:
    fields = msgspec.msgpack.decode(encode_header(finished(1, OWN_CHART).header))
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**fields, "own_data": digest}, Header)


# -- scripts


WORDS = ScriptWords[StaffPosition](
    lexicon=lambda: Lexicon({}),
    setup=lambda position, _: position,
    check=lambda _, __: "",
    forms=(),
    examples={},
    decision_rules=(),
)
SCRIPT = """
game staff
scenario drill
option staff three
data chart.json
expect asked us second third
third: search 8
us: search 1
dice 0 5 9
second: stay
expect said third finds 7 (chart: 5)
expect said us finds 7 (chart: 0)
dice any
until end
expect winner us
"""


def test_script_starts_with_the_commanders_and_data_it_names() -> None:
    chart = b'{"chart": [7, 7, 7, 7, 7, 7, 7, 7, 7, 7]}'
    result = run_script(TOY_STAFF, WORDS, SCRIPT, "a.script", read_data={"chart.json": chart}.get)  # type: ignore[arg-type]  # it is there
    assert result.expectations == 4
    with pytest.raises(ScriptError, match="data files cannot be read here"):
        run_script(TOY_STAFF, WORDS, SCRIPT, "a.script")
    with pytest.raises(ScriptError, match="there is no role 'fourth'; known: us, second, third"):
        run_script(
            TOY_STAFF,
            WORDS,
            SCRIPT.replace("second: stay", "expect asked fourth"),
            "a.script",
            None,
            lambda _: chart,
        )


def test_script_reads_data_from_its_own_folder(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.cmd_script.script_words", lambda _: WORDS)
    (tmp_path / "a.script").write_text(SCRIPT.lstrip(), encoding="utf-8")
    missing = cli("script", tmp_path / "a.script")
    assert missing.code == 3
    assert "chart.json" in missing.err
    (tmp_path / "chart.json").write_bytes(OWN_CHART.replace(b"9", b"7"))
    ran = cli("script", tmp_path / "a.script")
    assert ran.code == 0, ran.err


# -- the command line


def test_play_accepts_data_and_several_commanders(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.launch.play", lambda session, **_: session.match.close() or 0)
    chart, save = tmp_path / "chart.json", tmp_path / "a.fplog"
    chart.write_bytes(OWN_CHART)
    words = (
        "play",
        "staff",
        "--plain",
        "--scenario",
        "cruise",
        "--option",
        "staff=four",
        "--save",
        save,
    )
    bad = cli(*words, "--data", tmp_path / "none.json")
    assert bad.code == 2
    chart.write_bytes(b"")
    assert "the file is empty" in cli(*words, "--data", chart).err
    chart.write_bytes(b"[]")
    wrong = cli(*words, "--data", chart)
    assert (wrong.code, wrong.err.count("chart.json at chart: ")) == (3, 1)
    assert not save.exists()
    chart.write_bytes(OWN_CHART)
    ran = cli(*words, "--data", chart, "--seats", "2,Ann,Bob", "--bot", "fourth=random")
    assert ran.code == 0, ran.err
    header = read_log(save).header
    assert header.own_data == own_data_digest(OWN_CHART)
    assert [seat.player for seat in header.seats] == ["Ann", "Bob", "Ann", "bot:random"]
    assert cli("verify", save).code == 0


def test_scenario_with_data_is_shown(cli: Cli, tmp_path: Path) -> None:
    chart = tmp_path / "chart.json"
    chart.write_bytes(OWN_CHART)
    ran = cli("scenario", "show", "staff", "cruise", "--option", "staff=two", "--data", chart)
    assert ran.code == 0, ran.err
    shown = msgspec.json.decode(ran.out, type=TOY_STAFF.position_type)
    assert shown == TOY_STAFF.with_data(TOY_STAFF.position("cruise", options(2)), OWN_CHART)
    assert cli("scenario", "show", "1943", "--data", chart).code == 3


@pytest.mark.parametrize("command", [("play",), ("host", "open"), ("mail", "open")], ids=" ".join)
def test_game_without_custom_data_support_refuses_data(
    cli: Cli, tmp_path: Path, command: tuple[str, ...]
) -> None:
    chart = tmp_path / "chart.json"
    chart.write_bytes(OWN_CHART)
    words = {
        "play": ("--save", tmp_path / "a.fplog", "--plain"),
        "host": ("--headless", "--folder", tmp_path),
        "mail": ("--folder", tmp_path),
    }[command[0]]
    ran = cli(*command, "eots", "--data", chart, *words)
    assert ran.code == 3
    assert "this game does not accept your own data" in ran.err
