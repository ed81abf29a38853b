"""`flagplot verify`, `show` and `log` on toy games."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest

from engine import registry
from engine.kernel.ids import Role
from saves.chain import record_chain
from saves.logfile import LogWriter, log_bytes, read_log, write_log
from saves.match import Match
from tests.golden_games.corpus import read
from tests.saves.play import SECRET, finished, new_match, play
from tests.sizes import sampled
from tests.tools.commands import Cli
from tests.toy_game import BLUE, RED, REGISTERED, ToyState


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    return Cli(capsys)


@pytest.fixture
def match(tmp_path: Path) -> Match[ToyState]:
    match = finished(LogWriter.create(tmp_path / "full.fplog"))
    match.close()
    for role, name in ((RED, "red"), (None, "watch")):
        records = list(match.redacted_records(role))
        write_log(tmp_path / f"{name}.fplog", match.redacted_header(role), records)
    return match


def break_record(path: Path, target: Path) -> None:
    """Write a copy with one changed byte in record 4."""
    data = bytearray(path.read_bytes())
    data[read_log(path).record_offsets[4] + 60] ^= 1
    target.write_bytes(data)


def test_verify_reports_ok_for_each_copy_in_a_folder(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    ran = cli("verify", tmp_path)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0].startswith(f"ok    {tmp_path}/full.fplog: toy, full copy, 1")
    assert match.chain.hex()[:16] in lines[0]
    assert lines[-1] == "3 files: 3 ok, 0 false, 0 unreadable"


@pytest.mark.usefixtures("match")
def test_verify_reports_damage_and_exits_3(cli: Cli, tmp_path: Path) -> None:
    break_record(tmp_path / "full.fplog", tmp_path / "bad.fplog")
    ran = cli("verify", tmp_path / "bad.fplog", tmp_path / "red.fplog")
    assert ran.code == 3
    assert f"BAD   {tmp_path}/bad.fplog: record 4 (byte " in ran.out
    assert "checksum is wrong" in ran.out
    assert "2 files: 1 ok, 0 false, 1 unreadable" in ran.out


def test_verify_reports_a_false_record_and_exits_1(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    other = new_match(LogWriter.create(tmp_path / "other.fplog"), "short", SECRET[::-1])
    other.close()
    ran = cli("verify", tmp_path / "red.fplog", "--against", tmp_path / "other.fplog")
    assert ran.code == 1
    assert "FALSE" in ran.out
    assert "header (byte 0): the two files are from different matches" in ran.out
    ran = cli("verify", tmp_path / "red.fplog", "--against", tmp_path / "full.fplog")
    assert ran.code == 0


@pytest.mark.usefixtures("match")
@pytest.mark.parametrize(
    ("file", "against", "sentence"),
    [
        ("red", "watch", "watch.fplog is not the full copy"),
        ("full", "full", "full.fplog is a full copy; --against checks copies of seats"),
        ("full", "red", "red.fplog is not the full copy"),
    ],
)
def test_verify_refuses_copies_of_the_wrong_kind_as_a_usage_error(
    cli: Cli, tmp_path: Path, file: str, against: str, sentence: str
) -> None:
    ran = cli("verify", tmp_path / f"{file}.fplog", "--against", tmp_path / f"{against}.fplog")
    assert ran.code == 2
    assert sentence in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out == ""


@pytest.mark.full
@pytest.mark.usefixtures("match")
def test_verify_writes_json_and_junit_reports(cli: Cli, tmp_path: Path) -> None:
    break_record(tmp_path / "full.fplog", tmp_path / "bad.fplog")
    junit = tmp_path / "report.xml"
    ran = cli("verify", tmp_path, "--json", "--junit", junit, "--jobs", 2)
    assert ran.code == 3
    verdicts = json.loads(ran.out)
    assert [each["status"] for each in verdicts] == ["unreadable", "ok", "ok", "ok"]
    assert verdicts[0]["finding"]["record"] == 4
    assert verdicts[2]["audience"] == "red"
    suite = ET.parse(junit).getroot()  # the program itself has just written it
    assert (suite.get("tests"), suite.get("errors"), suite.get("failures")) == ("4", "1", "0")
    error = suite.find("testcase/error")
    assert error is not None
    assert "record 4" in (error.get("message") or "")


@pytest.mark.full
@pytest.mark.usefixtures("match")
@pytest.mark.parametrize("jobs", sampled([1, 2], 1))
def test_interrupt_stops_verify_and_its_workers(tmp_path: Path, jobs: int) -> None:
    script = (
        "import os, signal\n"
        "from saves import verify\n"
        "from tools.cli import main\n"
        "def busy(path):\n"
        "    os.write(1, b'reading\\n')\n"  # in one piece, whichever worker comes first
        "    while True: pass\n"
        "verify.read_log = busy\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"main(['verify', {str(tmp_path)!r}, '--jobs', '{jobs}'])\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        try:
            assert running.stdout is not None
            assert [running.stdout.readline() for _ in range(jobs)] == ["reading\n"] * jobs
            os.killpg(running.pid, signal.SIGINT)
            out, err = running.communicate(timeout=60)  # its workers share the same streams
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
    assert (running.returncode, out, err.strip()) == (130, "", "")


@pytest.mark.full
@pytest.mark.usefixtures("match")
def test_verify_shows_a_progress_bar_only_on_a_terminal(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = cli("verify", tmp_path, "--jobs", 2)
    assert ran.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = cli("verify", tmp_path, "--jobs", 2)
    assert shown.out == ran.out
    assert "checking" in shown.err
    assert shown.err.endswith("\x1b[?25h")


def test_verify_of_an_empty_folder_is_a_usage_error(cli: Cli, tmp_path: Path) -> None:
    assert cli("verify", tmp_path).code == 2
    assert cli("verify", tmp_path / "none.fplog").code == 2


def test_show_prints_how_a_game_ended(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "ended.fplog"
    path.write_bytes(log_bytes(*read("cbps-1-busy-last")))
    ran = cli("show", path, "--summary")
    assert ran.code == 0
    assert "JAPANESE VICTORY   -35 points" in ran.out
    plain = json.loads(cli("show", path, "--summary", "--json").out)
    assert plain["sentence"].startswith("Japanese victory, -35 points: ")
    assert (plain["winner"], plain["viewer"]) == ("japan", "us")
    assert plain["samples"][-1]["values"] == [-35]
    assert 0 < plain["battle"]["seq"] < plain["record_count"]
    early = cli("show", path, "--summary", "--at", 3)
    assert early.code != 0
    assert "not over" in early.err


def test_show_prints_the_position_of_a_seat(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    ran = cli("show", tmp_path / "full.fplog", "--at", 3, "--seat", "red", "--json")
    plain = json.loads(ran.out)
    hand = [card for card in match.state_at(3).hands[RED] if card]
    assert (plain["seq"], plain["seen_by"], plain["view"]["hand"]) == (3, "red", hand)
    ran = cli("show", tmp_path / "full.fplog", "--at", 3)
    assert "seen_by: spectator" in ran.out
    assert "hand: none" in ran.out
    assert not any(card in ran.out for card in hand)
    assert "heading: Round" in ran.out
    outcome = json.loads(cli("show", tmp_path / "watch.fplog", "--json").out)["outcome"]
    assert outcome["reason"] == "1.5: higher score"


def test_show_prints_the_log_visible_to_a_seat(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    drawn = [card for card in match.state_at(0).hands[BLUE] if card]
    full = cli("show", tmp_path / "full.fplog", "--log", "--seat", "red").out
    assert full == cli("show", tmp_path / "red.fplog", "--log").out
    assert not any(f"blue draws {card}" in full for card in drawn)
    assert "blue (hidden)" in full
    rows = cli("show", tmp_path / "full.fplog", "--log", "--json", "--at", 5).out.splitlines()
    assert [json.loads(row)["seq"] for row in rows] == list(range(6))
    assert json.loads(rows[0])["events"][0] == "A game of 3 rounds begins."


@pytest.mark.usefixtures("match")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["full.fplog", "--seat", "green"], "there is no role 'green'; this game has red, blue"),
        (["red.fplog", "--seat", "blue"], "does not contain the view of 'blue'"),
        (["red.fplog", "--seat", "-"], "does not contain the view of '-'"),
        (["full.fplog", "--at", "999"], "there is no record 999"),
    ],
)
def test_show_refuses_invalid_arguments_in_one_sentence(
    cli: Cli, tmp_path: Path, arguments: list[str], words: str
) -> None:
    ran = cli("show", tmp_path / arguments[0], *arguments[1:])
    assert ran.code in {1, 2}
    assert words in ran.err
    assert ran.out == ""


@pytest.mark.usefixtures("match")
@pytest.mark.parametrize("form", ["--text", "--jsonl"])
def test_export_and_import_round_trip(cli: Cli, tmp_path: Path, form: str) -> None:
    exported = tmp_path / "game.txt"
    exported.write_text(cli("log", "export", tmp_path / "full.fplog", form).out)
    back = tmp_path / "back.fplog"
    assert cli("log", "import", exported, back).code == 0
    assert back.read_bytes() == (tmp_path / "full.fplog").read_bytes()
    again = cli("log", "import", exported, back)
    assert again.code == 3
    assert "already exists" in again.err


@pytest.mark.usefixtures("match")
def test_export_for_a_seat_equals_the_seat_copy(cli: Cli, tmp_path: Path) -> None:
    seat = cli("log", "export", tmp_path / "full.fplog", "--jsonl", "--seat", "red").out
    assert seat == cli("log", "export", tmp_path / "red.fplog", "--jsonl").out
    text = cli("log", "export", tmp_path / "full.fplog", "--seat", "-").out
    assert '\naudience ""\n' in text
    assert SECRET.hex() not in text.split("reveal")[0]


def test_import_refuses_unrelated_text(cli: Cli, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    for content in (b"", b"hello", b"{}", b"\xff\xfe"):
        other.write_bytes(content)
        ran = cli("log", "import", other, tmp_path / "out.fplog")
        assert ran.code == 3
        assert ran.err.startswith("Error: ")
        assert not (tmp_path / "out.fplog").exists()


@pytest.mark.usefixtures("match")
def test_salvage_copies_the_intact_records(cli: Cli, tmp_path: Path) -> None:
    bad = tmp_path / "bad.fplog"
    break_record(tmp_path / "full.fplog", bad)
    shown = cli("show", bad)
    assert shown.code == 3
    assert "flagplot log salvage" in shown.err
    ran = cli("log", "salvage", bad, tmp_path / "good.fplog")
    assert (ran.code, ran.out.split(": ")[1].split(",")[0]) == (0, "4 records")
    assert cli("verify", tmp_path / "good.fplog").code == 0


def test_control_characters_in_names_do_not_reach_the_terminal(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "evil\x1b[2J.fplog"
    match = new_match(LogWriter.create(path), "short")
    play(match, 3)
    match.close()
    for arguments in (("verify", path), ("show", path), ("show", path, "--log")):
        assert "\x1b" not in cli(*arguments).out


def test_control_characters_in_a_foreign_record_are_not_exported(cli: Cli, tmp_path: Path) -> None:
    match = finished(LogWriter.create(tmp_path / "full.fplog"))
    match.close()
    records = list(match.redacted_records(RED))
    first = next(record for record in records if record.kind == "command")
    hostile = msgspec.structs.replace(first, role=Role("\x1b[2J\x9b2J\u202ered"))
    hostile = msgspec.structs.replace(hostile, chain=record_chain(hostile))
    foreign = [*records[: first.seq], hostile]
    write_log(tmp_path / "red.fplog", match.redacted_header(RED), foreign)
    ran = cli("log", "export", tmp_path / "red.fplog")
    assert ran.code == 0
    assert f"\n{first.seq} ???red " in ran.out
    assert all(letter.isprintable() for letter in ran.out.replace("\n", ""))


def test_help_imports_no_screens_and_no_network() -> None:
    script = (
        "import sys\n"
        "from tools.cli import main\n"
        "try:\n"
        "    main(['verify', '--help'])\n"
        "finally:\n"
        "    bad = {'textual', 'pynng', 'structlog', 'saves.records', 'engine.eots'} & set(sys.modules)\n"
        "    print('loaded:', sorted(bad))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert "loaded: []" in ran.stdout
    assert "--against" in ran.stdout


def test_verify_explains_line_by_line(cli: Cli, tmp_path: Path, match: Match[ToyState]) -> None:
    full = tmp_path / "full.fplog"
    plain = cli("verify", full)
    ran = cli("verify", full, "--explain")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert [lines[0], lines[-1]] == plain.out.splitlines()
    assert lines[1] == (
        "      legality, proved: Every command was legal, and the rules produce exactly these events."
    )
    assert lines[2].startswith("      dice and draws, partly proved: Chosen by the program at one")
    assert [line.strip().partition(":")[0].partition(",")[0] for line in lines[1:-1]] == [
        "legality",
        "dice and draws",
        "deal",
        "hands",
        "authorship",
        "consent",
        "one history",
    ]
    assert match.chain.hex()[:16] in lines[-2]


@pytest.mark.full
@pytest.mark.usefixtures("match")
def test_verify_explains_in_json_only_on_request(cli: Cli, tmp_path: Path) -> None:
    break_record(tmp_path / "full.fplog", tmp_path / "bad.fplog")
    assert "proofs" not in cli("verify", tmp_path, "--json").out
    ran = cli("verify", tmp_path, "--json", "--explain", "--jobs", 2)
    assert ran.code == 3
    bad, _, red, _ = json.loads(ran.out)
    assert bad["proofs"] == []
    assert red["proofs"][0]["topic"] == "legality"
    assert {each["extent"] for each in red["proofs"]} <= {
        "proved",
        "partly",
        "not proved",
        "nothing",
    }
    assert "it proves nothing" in cli("verify", tmp_path / "bad.fplog", "--explain").out
