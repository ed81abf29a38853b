"""Records with an event from another game: every file gets its verdict, and the following files are also verified."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias

import msgspec
import pytest

from engine import registry
from engine.eots.events.cards import CardPlayed
from engine.eots.ids import CardId, Side
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command, Event
from engine.qmg.events import UseDeclared
from saves.clocks import Clock
from saves.commitments import compute_commitment, derive_salt
from saves.decoding import canonical
from saves.errors import BrokenChainError, CorruptLogError
from saves.follower import Follower
from saves.framing import scan
from saves.headers import Header
from saves.logfile import log_bytes
from saves.match import Match
from saves.records import NOBODY, Entry, Record
from saves.redaction import redact_header, redact_record
from saves.statements import TimeSpent
from saves.verdicts import Verdict
from saves.verify import verify_files
from tests.saves.play import SECRET, linked, play
from tests.saves.protocol6.golden_matches import FULL_RECORD, HOST, WATCHING, copies
from tests.saves.protocol6.joint import Table
from tests.saves.protocol6.program.blind import BlindMatch
from tests.sizes import sampled, sized
from tests.tools.commands import Cli

GAMES: Final = {"cbps": ("5", {"staff": "two"}), "eots": ("1943", {}), "qmg": ("total-war", {})}
"""A scenario of each game with its options, with at least two roles."""
STEPS: Final = 12
FAIR: Final = {"eots-1943-hand-keys": "japan", "qmg-base": "germany"}
"""Stored fair matches, and a seat of each."""
FAIR_KINDS: Final = [
    f"fair/{name}/{kind}"
    for name, seat in FAIR.items()
    for kind in (FULL_RECORD, HOST, seat, WATCHING)
]
OTHER_KINDS: Final = [
    f"{mode}/{game}/{kind}"
    for mode in ("joint", "trusted")
    for game in GAMES
    for kind in (FULL_RECORD, "seat", WATCHING)
]
PLACES: Final = ("front", "instead", "behind")
"""Position of the event in a record."""
EARLY: Final = 40
"""Reaching records from here on takes long."""
Copy: TypeAlias = tuple[Header, Sequence[Record]]


@cache
def _match(mode: str, game: str) -> Match[Any]:
    rules, (scenario, options) = registry.ruleset(game), GAMES[game]
    if mode == "joint":
        table = Table(rules, scenario, options, rules.scenario_info(scenario, options).roles)
        table.play(STEPS, seed=1)
        return table.match
    position = rules.position(scenario, options)
    match = Match[Any].create(rules, position, scenario, options, (), SECRET)
    play(match, STEPS, seed=1)
    return match


@cache
def copy_of(kind: str) -> Copy:
    """Return a good copy of a match."""
    mode, name, copy = kind.split("/")
    if mode == "fair":
        found = scan(kind, copies(name)[copy])
        return found.header, found.records
    match = _match(mode, name)
    if copy == FULL_RECORD:
        return match.header, match.records
    role = None if copy == WATCHING else match.ruleset.roles(match.state)[0]
    told = [redact_record(match.ruleset, record, role) for record in match.records]
    return redact_header(match.header, role), told


def _own_tags(game: str) -> set[str]:
    return {entry.tag for record in _match("trusted", game).records for entry in record.events}


@cache
def foreign_events(game: str) -> tuple[Entry, ...]:
    """Return an event from each other game, of a kind that this game does not have."""
    known, found = _own_tags(game), []
    for other in GAMES.keys() - {game}:
        records = _match("trusted", other).records
        events = [one for record in records for one in record.events if one.tag not in known]
        found.append(events[0])
    return tuple(found)


def _bare(entry: Entry, secret: bytes, seq: int, place: int, *, is_salted: bool) -> Entry:
    """Return an entry with a valid commitment for its place."""
    salt = derive_salt(secret, seq, place)
    commitment = compute_commitment(salt, entry.tag, entry.v, entry.body or b"")
    return msgspec.structs.replace(entry, commitment=commitment, salt=salt if is_salted else None)


def spliced(copy: Copy, seq: int, place: str, event: Entry, *, is_salted: bool) -> bytes:
    """Return the file of a copy with an additional event in a record, and valid hashes."""
    header, records = copy[0], list(copy[1])
    events = list(records[seq].events)
    at = {"front": 0, "behind": len(events)}.get(place, len(events) // 2)
    secret = header.secret or SECRET
    new = _bare(event, secret, seq, at + 1, is_salted=is_salted)
    events[at : at + (place == "instead")] = [new]
    records[seq] = msgspec.structs.replace(records[seq], events=tuple(events))
    return log_bytes(header, linked(header, records))


def _numbers(records: Sequence[Record]) -> Iterator[int]:
    """Yield the opening, an early command, an early record of another kind, and the last record."""
    commands = [record.seq for record in records if record.kind == "command"]
    others = [record.seq for record in records[1:EARLY] if record.kind != "command"]
    late = commands[len(commands) // 2 :: len(commands)]
    yield from dict.fromkeys([0, commands[1], *others[:1], *late[: sized(0, 1)], len(records) - 1])


def cases(kind: str) -> Iterator[tuple[int, bytes]]:
    """Yield the number of a record, and a file with a foreign event in that record."""
    copy = copy_of(kind)
    for seq in _numbers(copy[1]):
        for number, event in enumerate(foreign_events(copy[0].game)):
            place = PLACES[(seq + number) % len(PLACES)]
            for is_salted in (True, False)[: sized(1, 2)]:
                yield seq, spliced(copy, seq, place, event, is_salted=is_salted)


def write_good(folder: Path) -> Path:
    path = folder / "good.fplog"
    path.write_bytes(log_bytes(*copy_of("trusted/qmg/full")))
    return path


@pytest.mark.parametrize(
    "kind",
    [
        *sampled(FAIR_KINDS, 1),
        *OTHER_KINDS,
    ],
)
def test_every_file_with_a_foreign_event_gets_a_verdict(kind: str, tmp_path: Path) -> None:
    found = list(cases(kind))
    paths = [tmp_path / f"{number}.fplog" for number in range(len(found))]
    for path, (_, data) in zip(paths, found, strict=True):
        path.write_bytes(data)
    *verdicts, good = verify_files([*paths, write_good(tmp_path)], None, jobs=1)
    assert good.status == "ok"
    for path, (seq, _), verdict in zip(paths, found, verdicts, strict=True):
        assert verdict.file == str(path)
        assert verdict.status in {"false", "unreadable"}
        assert verdict.finding is not None
        assert verdict.finding.record == seq


def files_of_all_modes(folder: Path) -> list[Path]:
    """Write a spliced file of each mode, a damaged one, and a good one at the end."""
    paths = []
    for mode, kind in (
        ("fair", FAIR_KINDS[0]),
        ("joint", "joint/eots/full"),
        ("trusted", "trusted/cbps/seat"),
    ):
        copy = copy_of(kind)
        event = foreign_events(copy[0].game)[0]
        paths.append(folder / f"{mode}.fplog")
        paths[-1].write_bytes(spliced(copy, 0, "front", event, is_salted=True))
    paths.append(folder / "damaged.fplog")
    paths[-1].write_bytes(paths[0].read_bytes()[:-9] + bytes(9))
    return [*paths, write_good(folder)]


@pytest.mark.full
@pytest.mark.parametrize("jobs", sampled([1, 2], 1))
def test_verify_checks_all_files_and_exits_with_the_worst_code(
    jobs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = files_of_all_modes(tmp_path)
    ran = Cli(capsys)("verify", "--jobs", jobs, *paths)
    words = [line.split(maxsplit=1)[0] for line in ran.out.splitlines() if not line.startswith(" ")]
    assert words == ["FALSE", "FALSE", "FALSE", "BAD", "ok", "5"]
    assert ran.code == 3
    assert "Traceback" not in ran.out + ran.err
    ran = Cli(capsys)("verify", "--jobs", jobs, *paths[:3], paths[-1])
    assert ran.code == 1


def _verdict(tmp_path: Path, header: Header, records: Sequence[Record]) -> Verdict:
    path = tmp_path / "changed.fplog"
    path.write_bytes(log_bytes(header, linked(header, records)))
    *_, verdict, good = verify_files([path, write_good(tmp_path)], None, jobs=1)
    assert good.status == "ok"
    return verdict


def _entry(item: Command | Event, secret: bytes, seq: int, place: int) -> Entry:
    body = canonical(item)
    tag = str(type(item).__struct_config__.tag)
    bare = Entry(tag=tag, v=1, body=body, commitment=b"", salt=None)
    return _bare(bare, secret, seq, place, is_salted=True)


@pytest.mark.full
@pytest.mark.parametrize(
    ("kind", "event"),
    [
        pytest.param(
            "fair/qmg-base/full",
            UseDeclared(country="germany", card="no-such-card"),
            id="no-such-card",
        ),
        pytest.param(
            "fair/qmg-base/spectator",
            UseDeclared(country="germany", card=HIDDEN),
            id="hidden-card",
            marks=pytest.mark.full,
        ),
        pytest.param(
            "fair/eots-1943/spectator",
            CardPlayed(side=Side.JAPAN, card=CardId(HIDDEN), use="oc", future=False),
            id="hidden-card-played",
        ),
    ],
)
def test_unknown_card_makes_a_record_false(kind: str, event: Event, tmp_path: Path) -> None:
    """The rules fail on such an event, in some cases before it is folded."""
    header, records = copy_of(kind)
    seq = next(record.seq for record in records if record.kind == "command")
    entry = _entry(event, header.secret or SECRET, seq, 1)
    changed = msgspec.structs.replace(records[seq], events=(entry,))
    verdict = _verdict(tmp_path, header, [*records[:seq], changed, *records[seq + 1 :]])
    assert verdict.status == "false"
    assert verdict.finding is not None
    assert verdict.finding.record == seq


@pytest.mark.parametrize("kind", ["trusted/eots/full", "trusted/eots/spectator"])
def test_time_of_an_unknown_role_makes_a_record_false(kind: str, tmp_path: Path) -> None:
    header, records = copy_of(kind)
    header = msgspec.structs.replace(header, clock=Clock(per="game", seconds=60))
    said = TimeSpent(spent={Role("nobody"): 5})
    record = msgspec.structs.replace(
        records[1], kind="clock", role=NOBODY, command=_entry(said, SECRET, 1, 0), events=()
    )
    verdict = _verdict(tmp_path, header, [records[0], record])
    assert verdict.status == "false"
    assert verdict.finding is not None
    assert verdict.finding.record == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_internal_failure_is_reported_as_a_verdict_with_its_place(
    jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*_: object) -> NoReturn:
        raise RuntimeError("no rule expects this")

    path = tmp_path / "eots.fplog"
    path.write_bytes(log_bytes(*copy_of("trusted/eots/full")))
    monkeypatch.setattr(type(registry.ruleset("eots")), "decide", failing)
    verdict, good = verify_files([path, write_good(tmp_path)], None, jobs=jobs)
    assert verdict.status == "unreadable"
    assert "the program failed at record 1: RuntimeError('no rule expects this')" in str(
        verdict.finding
    )
    assert "please report this" in str(verdict.finding)
    assert good.status == "ok"


@pytest.mark.parametrize(
    ("kind", "copy"), [("host", BlindMatch), ("japan", Follower)], ids=["host", "seat"]
)
def test_fair_copy_with_a_foreign_event_is_not_resumed(
    kind: str, copy: type[BlindMatch[Any] | Follower[Any]], tmp_path: Path
) -> None:
    good = copy_of(f"fair/eots-1943-hand-keys/{kind}")
    path = tmp_path / "forged.fplog"
    path.write_bytes(spliced(good, 1, "front", foreign_events("eots")[0], is_salted=True))
    with pytest.raises(CorruptLogError, match=r"forged\.fplog: record 1 .* event 0 is unreadable"):
        copy.resume(path)


def test_seat_refuses_a_foreign_event_from_its_host() -> None:
    header, records = copy_of("fair/eots-1943-hand-keys/japan")
    event = _bare(foreign_events("eots")[0], SECRET, 1, 1, is_salted=True)
    forged = msgspec.structs.replace(records[1], events=(event, *records[1].events))
    copy: Follower[Any] = Follower.create(registry.ruleset("eots"), header)
    assert copy.receive(records[0])
    with pytest.raises(BrokenChainError, match="event 0 is unreadable"):
        copy.receive(linked(header, [records[0], forged])[1])
