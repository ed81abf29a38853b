"""`flagplot verify --finished`, `--strict` and `--allow-older`, and outputs that are refused before the run."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from engine import registry
from saves.logfile import log_bytes, write_log
from saves.match import Match
from saves.statements import Ending
from saves.verdicts import EXIT_CODES, Status, Verdict
from saves.verify_requirements import Requirements, apply_requirements
from tests.golden_games.corpus import unpacked
from tests.saves.play import finished, new_match, play
from tests.tools.commands import Cli
from tests.toy_game import RED, REGISTERED, ToyState
from tools.verdicts import exit_code

GOLDEN = Path(__file__).parents[1] / "saves" / "golden"


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setitem(registry._GAMES, "toy", REGISTERED)
    return Cli(capsys)


@pytest.fixture(scope="module", name="match")
def finished_match() -> Match[ToyState]:
    return finished()


def written(match: Match[ToyState], path: Path, records: int | None = None, torn: int = 0) -> Path:
    """Write the first records of a match, or all for None, and the given number of bytes of the next one."""
    whole = log_bytes(match.header, match.records)
    size = len(log_bytes(match.header, match.records[:records]))
    path.write_bytes(whole[: size + torn])
    return path


def checked(cli: Cli, *words: object) -> tuple[int, dict[str, Any]]:
    """Verify one file and return the exit code and its verdict."""
    ran = cli("verify", *words, "--json")
    (verdict,) = json.loads(ran.out)
    return ran.code, verdict


def test_finished_game_meets_every_requirement(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    path = written(match, tmp_path / "full.fplog")
    code, verdict = checked(cli, path, "--finished", "--strict", "--allow-older")
    assert (code, verdict["status"], verdict["unfinished"]) == (0, "ok", False)
    assert (verdict["dropped_bytes"], verdict["gaps"], verdict["notes"]) == (0, [], [])
    outcome = match.ruleset.outcome(match.state)
    assert outcome is not None
    assert verdict["outcome"] == {
        "winner": outcome.winner_name,
        "level": outcome.level,
        "score": outcome.score,
        "how": "rules",
    }


@pytest.mark.parametrize("left", [2, 1])
def test_record_cut_between_two_records_is_unfinished(
    cli: Cli, tmp_path: Path, match: Match[ToyState], left: int
) -> None:
    """One of the two records before the end is the reveal, which is the only one missing in the last case."""
    path = written(match, tmp_path / "cut.fplog", -left)
    note = (
        "unfinished: the last record, which reveals the secret, is missing"
        if left == 1
        else "unfinished: the game is not over"
    )
    for words in ((), ("--strict",)):
        code, verdict = checked(cli, path, *words)
        assert (code, verdict["status"], verdict["notes"]) == (0, "ok", [note])
        assert (verdict["unfinished"], verdict["dropped_bytes"]) == (True, 0)
        assert (verdict["outcome"] is None) is (left == 2)
    code, verdict = checked(cli, path, "--finished")
    assert (code, verdict["status"]) == (8, "unfinished")
    before = "the entry that reveals the secret" if left == 1 else "the end of the game"
    ran = cli("verify", path, "--finished")
    assert ran.out.splitlines() == [
        f"SHORT {path}: the record ends before {before}",
        f"      note: {note}",
        "1 file: 0 ok, 1 unfinished, 0 false, 0 unreadable",
    ]


def test_dropped_bytes_are_counted_and_refused_with_strict(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    path = written(match, tmp_path / "torn.fplog", 5, torn=33)
    code, verdict = checked(cli, path)
    assert (code, verdict["status"], verdict["dropped_bytes"]) == (0, "ok", 33)
    assert verdict["gaps"] == verdict["notes"][:1]
    code, verdict = checked(cli, path, "--strict")
    assert (code, verdict["status"], verdict["dropped_bytes"]) == (8, "incomplete", 33)
    assert "33 bytes after byte" in verdict["finding"]["problem"]
    assert checked(cli, path, "--strict", "--finished")[1]["status"] == "unfinished"


def test_unchecked_hidden_parts_are_refused_with_strict(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    full = written(match, tmp_path / "full.fplog")
    red, whole = tmp_path / "red.fplog", tmp_path / "whole.fplog"
    records = list(match.redacted_records(RED))
    write_log(red, match.redacted_header(RED), records[:-1])
    write_log(whole, match.redacted_header(RED), records)
    assert checked(cli, red)[0] == 0
    code, verdict = checked(cli, red, "--strict")
    assert (code, verdict["status"]) == (8, "incomplete")
    assert verdict["finding"]["problem"].startswith("hidden parts remain unchecked")
    assert checked(cli, red, "--strict", "--against", full)[1]["status"] == "ok"
    # The revealed secret cannot open an entry that is partly hidden.
    code, verdict = checked(cli, whole, "--strict", "--finished")
    assert (code, verdict["status"]) == (8, "incomplete")
    assert verdict["finding"]["problem"].startswith("partly hidden entries remain unchecked")
    whole_demands = ("--strict", "--finished", "--against", full)
    assert checked(cli, whole, *whole_demands)[1]["status"] == "ok"


def test_ending_by_agreement_is_part_of_the_outcome(cli: Cli, tmp_path: Path) -> None:
    match = new_match()
    play(match, 4)
    match.add_statement(RED, Ending(how="resigned", by=(RED,)))
    match.reveal()
    code, verdict = checked(cli, written(match, tmp_path / "full.fplog"), "--finished")
    assert code == 0
    assert verdict["outcome"] == {"winner": "blue", "level": "", "score": None, "how": "resigned"}


def test_requirements_do_not_change_the_verdict_of_a_damaged_file(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    path = written(match, tmp_path / "full.fplog")
    data = bytearray(path.read_bytes())
    data[-40] ^= 1
    path.write_bytes(data)
    code, verdict = checked(cli, path, "--finished", "--strict", "--allow-older")
    assert (code, verdict["status"], verdict["unfinished"]) == (3, "unreadable", None)
    assert verdict["outcome"] is None


def test_junit_report_has_outcome_dropped_bytes_and_unfinished(
    cli: Cli, tmp_path: Path, match: Match[ToyState]
) -> None:
    written(match, tmp_path / "a.fplog")
    written(match, tmp_path / "b.fplog", 5, torn=33)
    (tmp_path / "c.fplog").write_bytes(b"nothing")
    junit = tmp_path / "report.xml"
    assert cli("verify", tmp_path, "--finished", "--junit", junit).code == 3
    suite = ET.parse(junit).getroot()  # the program itself has just written it
    found = [
        {each.get("name"): each.get("value") for each in case.iter("property")}
        for case in suite.iter("testcase")
    ]
    outcome = match.ruleset.outcome(match.state)
    assert outcome is not None
    assert found == [
        {
            "status": "ok",
            "outcome": outcome.winner_name,
            "unfinished": "false",
            "dropped_bytes": "0",
        },
        {"status": "unfinished", "unfinished": "true", "dropped_bytes": "33"},
        {"status": "unreadable", "dropped_bytes": "0"},
    ]
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.get("message") == "the record ends before the end of the game"


@pytest.mark.parametrize(
    ("status", "demands", "becomes", "code"),
    [
        ("ok", Requirements(), "ok", 0),
        ("ok", Requirements(finished=True, strict=True), "unfinished", 8),
        ("ok", Requirements(strict=True), "incomplete", 8),
        ("older", Requirements(), "older", 6),
        ("older", Requirements(finished=True, strict=True), "older", 6),
        ("older", Requirements(allow_older=True), "older", 0),
        ("older", Requirements(allow_older=True, finished=True), "unfinished", 8),
        ("older", Requirements(allow_older=True, strict=True), "incomplete", 8),
        ("false", Requirements(allow_older=True, strict=True, finished=True), "false", 1),
        ("awaited", Requirements(allow_older=True, strict=True, finished=True), "awaited", 7),
    ],
)
def test_requirements_change_only_ok_or_older_verdicts(
    status: Status, demands: Requirements, becomes: str, code: int
) -> None:
    verdict = Verdict(file="a", status=status, unfinished=True, gaps=("9 bytes are dropped",))
    found = apply_requirements(verdict, demands)
    assert (found.status, exit_code([found], demands)) == (becomes, code)
    right = Verdict(file="b", status="ok", unfinished=False)
    assert exit_code([right, found, right], demands) == code
    assert exit_code([], demands) == 0


def test_worst_exit_code_follows_the_order_in_the_help() -> None:
    assert list(dict.fromkeys(reversed(EXIT_CODES.values()))) == [3, 1, 6, 7, 8, 0]


@pytest.mark.full
def test_records_of_older_rules_pass_with_allow_older(cli: Cli, tmp_path: Path) -> None:
    header, records = unpacked((GOLDEN / "qmg-rules-2.xz").read_bytes())
    path = tmp_path / "older.fplog"
    write_log(path, header, records)
    junit = tmp_path / "report.xml"
    assert cli("verify", path).code == 6
    ran = cli("verify", path, "--allow-older", "--strict", "--junit", junit)
    assert ran.code == 0, ran.out
    assert ran.out.startswith("OLDER ")
    assert ET.parse(junit).getroot().get("skipped") == "1"


@pytest.mark.parametrize("option", ["--junit", "--save-evidence"])
@pytest.mark.parametrize("place", ["missing/out", "file/out"])
def test_unwritable_outputs_are_refused_before_the_run(
    cli: Cli, tmp_path: Path, match: Match[ToyState], option: str, place: str
) -> None:
    path = written(match, tmp_path / "full.fplog")
    (tmp_path / "file").write_text("")
    ran = cli("verify", path, option, tmp_path / place)
    if (option, place) == ("--save-evidence", "missing/out"):
        assert ran.code == 0, "the folder is made when there is evidence"
        assert not (tmp_path / "missing").exists()
        return
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("Error: cannot write ")
    assert ran.err.count("\n") == 1


def test_old_report_is_kept_until_the_new_one_is_written(
    cli: Cli, tmp_path: Path, match: Match[ToyState], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, junit = written(match, tmp_path / "full.fplog"), tmp_path / "report.xml"
    junit.write_text("before")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("saves.verify.read_log", stop)
        assert cli("verify", path, "--junit", junit, "--jobs", 1).code == 130
    assert junit.read_text() == "before"
    assert cli("verify", path, "--junit", junit).code == 0
    assert junit.read_text().startswith("<?xml")


@pytest.mark.parametrize("option", ["--finished", "--strict", "--allow-older"])
def test_record_requirements_are_refused_for_evidence(
    cli: Cli, tmp_path: Path, option: str
) -> None:
    ran = cli("verify", tmp_path, "--evidence", option)
    assert (ran.code, ran.out) == (2, "")
    assert option in ran.err
