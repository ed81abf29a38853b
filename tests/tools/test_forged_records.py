"""Forged records with valid hashes: every command reports this in one sentence, or shows their content."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from play import games
from play.replay_session import ReplaySession
from saves.chain import first_chain, record_chain
from saves.commitments import compute_commitment, derive_salt
from saves.decoding import canonical
from saves.errors import CorruptLogError
from saves.headers import Seat
from saves.logfile import log_bytes, read_log
from saves.match import Match
from saves.records import Record
from saves.replay_check import check_replayable
from saves.verify import verify_file
from tests.saves.play import SECRET, play
from tests.sizes import sized
from tools.cli import _run

GAMES = {"eots": "1943", "qmg": "total-war"}
EACH = sized(8, 40, 400)
"""Number of forgeries per game."""


@pytest.fixture(scope="module", params=GAMES)
def match(request: pytest.FixtureRequest) -> Match[Any]:
    rules, scenario = registry.ruleset(request.param), GAMES[request.param]
    made = Match[Any].create(rules, rules.position(scenario, {}), scenario, {}, (), SECRET)
    play(made, 40, seed=8)
    return made


def _sealed(entry: Any, seq: int, index: int) -> Any:  # noqa: ANN401  # either kind of entry
    salt = derive_salt(SECRET, seq, index)
    commitment = compute_commitment(salt, entry.tag, entry.v, entry.body)
    return msgspec.structs.replace(entry, salt=salt, commitment=commitment)


def written(match: Match[Any], records: list[Record], path: Path) -> Path:
    """Write records with valid salts and chain values."""
    prev, made = first_chain(match.header), list[Record]()
    for seq, record in enumerate(records):
        command = None if record.command is None else _sealed(record.command, seq, 0)
        events = tuple(_sealed(each, seq, n) for n, each in enumerate(record.events, start=1))
        draft = msgspec.structs.replace(record, seq=seq, prev=prev, command=command, events=events)
        made.append(msgspec.structs.replace(draft, chain=record_chain(draft)))
        prev = made[-1].chain
    path.write_bytes(log_bytes(match.header, made))
    return path


def _leaves(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], object]]:
    parts = value.items() if isinstance(value, dict) else enumerate(value)  # type: ignore[arg-type]  # a list
    for key, part in parts:
        if isinstance(part, dict | list):
            yield from _leaves(part, (*path, key))
        yield (*path, key), part


def _other(value: object, rng: random.Random) -> object:
    match value:
        case bool():
            return not value
        case int():
            return rng.choice((value + 1, -1, 10**6, 2**63 - 1))
        case str():
            return rng.choice(("", "nonsense", "\x1b[2J[/x]", value + "x"))
        case list():
            return rng.choice((value[1:], [*value, "nonsense"], value[::-1]))
        case _:
            return "nonsense"


def _changed(body: bytes, rng: random.Random) -> bytes:
    plain = msgspec.msgpack.decode(body)
    leaves = [leaf for leaf in _leaves(plain) if leaf[0] != ("kind",)]
    if not leaves:
        return body
    path, value = rng.choice(leaves)
    place = plain
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = _other(value, rng)
    return canonical(plain)


def forgeries(match: Match[Any]) -> Iterator[list[Record]]:
    """Yield records with one changed event."""
    rng, made = random.Random(18), 0
    while made < EACH:
        at = rng.randrange(len(match.records))
        events = list(match.records[at].events)
        if not events:
            continue
        n = rng.randrange(len(events))
        body = _changed(events[n].body or b"", rng)
        if body == events[n].body:
            continue
        events[n] = msgspec.structs.replace(events[n], body=body)
        records = list(match.records)
        records[at] = msgspec.structs.replace(records[at], events=tuple(events))
        made += 1
        yield records


def one_sentence(code: int, told: str, path: Path) -> None:
    assert code in {0, 3}, told
    assert "Traceback" not in told
    assert "\x1b" not in told
    if code:
        errors = [line for line in told.splitlines() if line.startswith("Error: ")]
        assert len(errors) == 1, told
        assert f"{path.name}: record " in errors[0]


WORDS = {
    "show": ("show",),
    "log": ("show", "--log"),
    "json": ("show", "--json"),
    "export": ("log", "export"),
    "export-seat": ("log", "export", "--seat", "-"),
    "scenario": ("scenario", "export"),
}


def test_forged_events_are_shown_or_refused_in_one_sentence(
    match: Match[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    refused = 0
    for number, records in enumerate(forgeries(match)):
        path = written(match, records, tmp_path / f"forged-{number}.fplog")
        assert verify_file(path).status == "false"
        for words in WORDS.values():
            capsys.readouterr()
            code = _run([*words, str(path)])
            told = capsys.readouterr()
            one_sentence(code, told.err, path)
            refused += code == 3
    assert refused > EACH


@pytest.mark.full
def test_forged_game_is_refused_or_resumes_from_its_recorded_events(
    match: Match[Any], tmp_path: Path
) -> None:
    refused = 0
    for number, records in enumerate(forgeries(match)):
        path = written(match, records, tmp_path / f"forged-{number}.fplog")
        try:
            session = games.resume(path)
        except CorruptLogError:
            with pytest.raises(CorruptLogError, match=path.name):
                ReplaySession.open(path)
            refused += 1
            continue
        for role in match.ruleset.roles(session.match.state):
            session.switch_role(role)
            assert list(session.log()) is not None
            session.view()
            session.decision()
        session.match.close()
        ReplaySession.open(path)
    assert refused > EACH // 4


@pytest.mark.parametrize("role", ["a/b", "..", "\x1b[2J", ""])
def test_unknown_role_in_a_seat_is_reported(match: Match[Any], tmp_path: Path, role: str) -> None:
    seat = Seat(role=Role(role), player="Bob", seat_id="")
    made = Match[Any].create(
        match.ruleset,
        match.ruleset.position(match.header.scenario, {}),
        match.header.scenario,
        {},
        (seat,),
        SECRET,
    )
    path = tmp_path / "forged.fplog"
    path.write_bytes(log_bytes(made.header, made.records))
    with pytest.raises(
        CorruptLogError, match=r"forged.fplog: .*there is no role '.*'; known: "
    ) as told:
        games.resume(path)
    assert "\x1b" not in str(told.value)


def test_salvage_keeps_the_records_that_the_rules_can_decode(
    match: Match[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = list(match.records)
    entry = records[20].events[0]
    nonsense = msgspec.structs.replace(entry, body=canonical({"kind": entry.tag, "no": "field"}))
    records[20] = msgspec.structs.replace(records[20], events=(nonsense,))
    path, good = written(match, records, tmp_path / "forged.fplog"), tmp_path / "good.fplog"
    assert _run(["log", "salvage", str(path), str(good)]) == 0
    assert "good.fplog: 20 records" in capsys.readouterr().out
    assert verify_file(good).status == "ok"
    log = read_log(good)
    check_replayable(match.ruleset, good.name, log)


def test_game_with_a_record_against_the_rules_resumes_with_a_warning(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rules = registry.ruleset("qmg")
    honest = Match[Any].create(rules, rules.position("base", {}), "base", {}, (), SECRET)
    play(honest, 12, seed=3)
    record = honest.records[5]
    other = next(each for each in honest.records[1:] if each.command != record.command)
    records = list(honest.records)
    records[5] = msgspec.structs.replace(record, command=other.command)
    path = written(honest, records, tmp_path / "forged.fplog")
    path.write_bytes(path.read_bytes() + b"\x00\x00")
    monkeypatch.setattr("tui.app.launch.play", lambda session, **_: session.match.close() or 0)
    assert _run(["play", "qmg", "--plain", "--save", str(path)]) == 0
    told = capsys.readouterr().err
    assert "Note: the last write was interrupted; 2 bytes" in told
    assert "Warning: " in told
    assert "record 5" in told


def test_false_game_that_crashes_the_rules_later_ends_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = registry.ruleset("qmg")
    honest = Match[Any].create(rules, rules.position("base", {}), "base", {}, (), SECRET)
    play(honest, 12, seed=3)
    records = [*honest.records[:5], *honest.records[6:]]
    path = written(honest, records, tmp_path / "forged.fplog")

    def fall(session: Any, **_: object) -> int:  # noqa: ANN401  # of any game
        session.match.close()
        raise KeyError("no such piece")

    monkeypatch.setattr("tui.app.launch.play", fall)
    try:
        games.resume(path).match.close()
    except FlagplotError:
        pytest.fail("this forgery can be gone on with")
    assert _run(["play", "qmg", "--plain", "--save", str(path)]) == 1
    told = capsys.readouterr().err
    assert "the game cannot continue from here: record 5" in told
    path.write_bytes(log_bytes(honest.header, honest.records))
    with pytest.raises(KeyError):  # an error in our program is not blamed on a correct file
        _run(["play", "qmg", "--plain", "--save", str(path)])
