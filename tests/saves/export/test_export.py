"""Exported tables agree with the records in every format, and show a seat no more than it may see."""

import csv
import json
import os
import shutil
import tracemalloc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

import flagplot
from engine import registry
from saves.errors import StorageError
from saves.export.columns import columns
from saves.export.encoding import FORMATS, Format
from saves.export.exporter import ALL_TABLES, export_files
from saves.export.tables import TableName
from tests.sizes import sampled, sized
from tests.tools.commands import Cli
from tools import cmd_export

Table = Sequence[Mapping[str, Any]]


@pytest.fixture(name="played", scope="module")
def _played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the record of a game with a takeback."""
    path = tmp_path_factory.mktemp("played") / "qmg.fplog"
    bots = dict.fromkeys(flagplot.scenarios("qmg")[0].roles, "random")
    with flagplot.new_game("qmg", bots=bots, seed=8, path=path) as game:
        game.play(limit=30)
        game.take_back(20)
        game.play()
    return path.read_bytes()


@pytest.fixture(name="records")
def _records(played: bytes, tmp_path: Path) -> list[Path]:
    """Return a record of each game. One of them has a takeback."""
    paths = [tmp_path / f"{game}.fplog" for game in ("cbps", "eots", "qmg")]
    for path in paths[:2]:
        path.write_bytes(registry.tutorial(path.stem).read_bytes())
    paths[2].write_bytes(played)
    return paths


def _read(folder: Path, form: Format) -> dict[TableName, Table]:
    read = {"csv": _read_csv, "jsonl": _read_jsonl, "parquet": _read_parquet}[form]
    return {table: read(folder / f"{table}.{form}", table) for table in ALL_TABLES}


def _read_jsonl(path: Path, table: TableName) -> Table:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _read_parquet(path: Path, table: TableName) -> Table:
    content = parquet.read_table(path)
    for column, field in zip(columns(table), content.schema, strict=True):
        assert field.name == column.name
        assert field.metadata[b"description"].decode() == column.description
    kinds = {column.name: column.kind for column in columns(table)}
    return [
        {name: json.loads(cell) if kinds[name] == "JSON" else cell for name, cell in row.items()}
        for row in content.to_pylist()
    ]


def _read_csv(path: Path, table: TableName) -> Table:
    kinds = {column.name: column for column in columns(table)}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            {name: _value(kinds[name].kind, text) for name, text in row.items()}
            for row in csv.DictReader(file)
        ]


def _value(kind: str, text: str) -> object:
    if kind == "text":
        return text
    return json.loads(text or "null")


@pytest.mark.parametrize("form", sampled(FORMATS, 1))
def test_tables_agree_with_the_records(records: list[Path], form: Format, tmp_path: Path) -> None:
    report = flagplot.export(records, tmp_path / "out", form, jobs=1)
    tables = _read(tmp_path / "out", form)
    assert report.left_out == ()
    assert report.rows == {table: len(rows) for table, rows in tables.items()}
    for number, path in enumerate(records):
        record = flagplot.read_record(path)
        own = {
            table: [row for row in rows if row["game_no"] == number]
            for table, rows in tables.items()
        }
        _check_game(record, path, own["games"])
        _check_steps(record, own)
        assert {row["role"]: row["player"] for row in own["results"]} == record.players


def _check_game(record: flagplot.GameRecord, path: Path, games: Table) -> None:
    (row,) = games
    outcome = record.outcome
    assert (row["file"], row["match_id"], row["game"]) == (
        str(path),
        record.match_id,
        record.game,
    )
    assert row["is_over"] == (outcome is not None)
    assert row["winner"] == ("" if outcome is None else outcome.winner_name)
    assert row["steps"] == len(record)
    assert row["options"] == dict(record.header.options)


def _check_steps(record: flagplot.GameRecord, own: Mapping[TableName, Table]) -> None:
    commands = {row["seq"]: row for row in own["commands"]}
    decisions = {row["seq"]: row for row in own["decisions"]}
    main = {step.seq for step in record.mainline()}
    expected_events = []
    for step in record:
        expected_events += [
            (step.seq, number, event.__struct_config__.tag)
            for number, event in enumerate(step.events, start=1)
        ]
        if step.command is None:
            assert step.seq not in commands
            continue
        row, before = commands.pop(step.seq), record.position(step.seq - 1)
        assert (row["role"], row["command"], row["turn"]) == (step.role, step.line, before.turn)
        assert row["is_undone"] == (step.seq not in main)
        decision = before.decision(step.role)
        assert (decision is None) == (step.seq not in decisions)
        if decision is not None:
            row = decisions[step.seq]
            assert row["options"] == len(decision.options)
            assert row["choice"] is None or decision.options[row["choice"]] == step.command
    assert not commands
    events = own["events"]
    assert [(row["seq"], row["number"], row["kind"]) for row in events] == expected_events
    assert all(row["data"]["kind"] == row["kind"] for row in events)


def test_results_name_the_side_that_won(records: list[Path], tmp_path: Path) -> None:
    flagplot.export(records, tmp_path / "out", "jsonl", tables=["games", "results"], jobs=1)
    games = _read_jsonl(tmp_path / "out" / "games.jsonl", "games")
    (game,) = (row for row in games if row["game"] == "qmg")
    results = _read_jsonl(tmp_path / "out" / "results.jsonl", "results")
    rows = [row for row in results if row["game_no"] == game["game_no"]]
    won = {row["side"] for row in rows if row["result"] == "win"}
    assert won == {game["winner"]}
    assert {row["result"] for row in rows} == {"win", "loss"}
    assert {row["bot"] for row in rows} == {"random"}
    assert not (tmp_path / "out" / "events.jsonl").exists()


@pytest.mark.parametrize("role", ["japan", None])
def test_seat_tables_equal_those_of_its_own_copy(role: str | None, tmp_path: Path) -> None:
    full = registry.tutorial("eots")
    flagplot.read_record(full).seen_by(role).save(tmp_path / "own.fplog")
    flagplot.export([tmp_path / "own.fplog"], tmp_path / "a", "jsonl", jobs=1)
    flagplot.export([full], tmp_path / "b", "jsonl", seat=role, spectator=role is None, jobs=1)
    for table in ALL_TABLES:
        name = f"{table}.jsonl"
        one, other = (tmp_path / side / name for side in "ab")
        text = one.read_text().replace(str(tmp_path / "own.fplog"), str(full))
        assert text == other.read_text()
    decisions = _read_jsonl(tmp_path / "b" / "decisions.jsonl", "decisions")
    assert {row["role"] for row in decisions} == ({role} if role else set())


def test_damaged_file_is_excluded_completely(records: list[Path], tmp_path: Path) -> None:
    content = bytearray(records[1].read_bytes())
    content[-200] ^= 1
    records[1].write_bytes(content)
    results = list(export_files(records, tmp_path / "out", "jsonl"))
    assert [bool(result.problem) for result in results] == [False, True, False]
    assert "eots.fplog" in results[1].problem
    assert results[1].rows == {}
    for table in ALL_TABLES:
        rows = _read_jsonl(tmp_path / "out" / f"{table}.jsonl", table)
        assert {row["game_no"] for row in rows} <= {0, 2}
        assert len(rows) == sum(result.rows.get(table, 0) for result in results)


@pytest.mark.full
@pytest.mark.parametrize("form", sampled(FORMATS, 1))
def test_tables_do_not_depend_on_the_number_of_processes(
    records: list[Path], form: Format, tmp_path: Path
) -> None:
    for jobs in (1, 2):
        flagplot.export(records, tmp_path / str(jobs), form, jobs=jobs)
    for table in ALL_TABLES:
        one, two = (tmp_path / jobs / f"{table}.{form}" for jobs in "12")
        assert one.read_bytes() == two.read_bytes()


def test_interrupted_export_leaves_no_files(records: list[Path], tmp_path: Path) -> None:
    results = export_files(records, tmp_path / "out", "csv")
    next(results)
    results.close()  # type: ignore[attr-defined]  # a generator
    assert list((tmp_path / "out").iterdir()) == []


def test_parquet_row_groups_hold_at_least_the_minimum_rows(
    records: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saves.export.parquet.ROWS_PER_GROUP", 400)
    report = flagplot.export(records, tmp_path, "parquet", jobs=1, tables=["events", "games"])
    events = parquet.ParquetFile(tmp_path / "events.parquet")
    sizes = [events.metadata.row_group(number).num_rows for number in range(events.num_row_groups)]
    assert sum(sizes) == report.rows["events"]
    assert len(sizes) > 1
    assert all(size >= 400 for size in sizes[:-1])
    assert parquet.ParquetFile(tmp_path / "games.parquet").num_row_groups == 1


def test_parquet_without_its_library_is_refused(
    records: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("saves.export.encoding.find_spec", lambda name: None)
    with pytest.raises(flagplot.MissingLibraryError, match="flagplot\\[data\\]"):
        flagplot.export(records, tmp_path / "out", "parquet")
    assert not (tmp_path / "out").exists()


def test_unknown_formats_and_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(flagplot.DataError, match="no format 'xml'; known: csv, jsonl, parquet"):
        flagplot.export([], tmp_path / "out", "xml")  # type: ignore[arg-type]  # not typed by the caller
    with pytest.raises(flagplot.DataError, match="no table 'moves'; known: games"):
        flagplot.export([], tmp_path / "out", tables=["moves"])  # type: ignore[list-item]  # as above
    assert not (tmp_path / "out").exists()


def test_existing_tables_are_kept(records: list[Path], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "dice.csv").write_text("mine")
    with pytest.raises(StorageError, match=r"dice\.csv already exists"):
        flagplot.export(records, tmp_path / "out", jobs=1)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["dice.csv"]
    assert (tmp_path / "out" / "dice.csv").read_text() == "mine"


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need special rights on Windows")
def test_an_export_writes_through_no_link(records: list[Path], tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "out", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.write_bytes(b"another file")
    (folder / "games.csv.part").symlink_to(elsewhere)
    assert all(not result.problem for result in export_files(records[:1], folder, "csv"))
    assert elsewhere.read_bytes() == b"another file"
    assert (folder / "games.csv").stat().st_mode & 0o777 == 0o600, "as private as the record"
    assert not (folder / "games.csv").is_symlink()


@pytest.mark.full
def test_memory_does_not_grow_with_the_number_of_records(
    records: list[Path], tmp_path: Path
) -> None:
    copies = []
    most = sized(6, 12)
    for number in range(most):
        copies.append(tmp_path / f"copy-{number:02}.fplog")
        shutil.copy(records[2], copies[-1])
    peaks = []
    flagplot.export(copies[:1], tmp_path / "warm", jobs=1)  # fills the caches of the rules
    for count in (2, most):
        tracemalloc.start()
        flagplot.export(copies[:count], tmp_path / f"out-{count}", jobs=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] * 1.3


def test_export_command_writes_the_same_tables_as_the_api(
    records: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli = Cli(capsys)
    flagplot.export(sorted(records), tmp_path / "api", jobs=1)
    done = cli("export", tmp_path, "--out", tmp_path / "cli", "--jobs", 1)
    assert done.code == 0
    assert done.out.splitlines()[0] == f"{tmp_path / 'cli' / 'games.csv'}: 3 rows"
    for table in ALL_TABLES:
        one, two = (tmp_path / folder / f"{table}.csv" for folder in ("api", "cli"))
        assert one.read_bytes() == two.read_bytes()
    (tmp_path / "bad.fplog").write_bytes(b"nothing")
    done = cli("export", tmp_path / "bad.fplog", records[1], "--jsonl", "--out", tmp_path / "new")
    assert done.code == 3
    assert done.err.startswith("left out: bad.fplog")
    assert cli("export", records[1], "--out", tmp_path / "cli").code == 3
    known = cmd_export.export.params
    (choice,) = (one.type for one in known if one.name == "tables")
    assert choice.choices == ALL_TABLES  # type: ignore[attr-defined]  # a click.Choice
