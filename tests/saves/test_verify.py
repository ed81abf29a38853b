"""Verification: honest games pass, and every change is rejected with its place (robustness P11)."""

import random
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from saves import verify
from saves.chain import first_chain, record_chain
from saves.commitments import position_commitment, secret_commitment
from saves.entries import build_record, decode_command, visible_events
from saves.headers import Header
from saves.logfile import LogWriter, log_bytes, write_log
from saves.match import Match
from saves.records import Record
from saves.verdict_notes import VerdictNote
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.play import AUDIENCES, SECRET, finished, new_match, play
from tests.sizes import sampled, sized
from tests.toy_game import BLUE, RED, TOY, DieRolled, ToyGame, ToyState


@pytest.fixture(scope="module")
def game() -> Match[ToyState]:
    match = new_match()
    play(match, 30, seed=2)
    match.take_back(20, RED)
    play(match, 10_000, seed=3)
    match.reveal()
    return match


def verdict(
    folder: Path, header: Header, records: list[Record], against: Path | None = None
) -> Verdict:
    path = folder / "checked.fplog"
    path.unlink(missing_ok=True)
    write_log(path, header, records)
    return verify_file(path, TOY, against)


def relinked(header: Header, records: list[Record]) -> list[Record]:
    """Return the records with new numbers and chain values, as a forger would create them."""
    prev = first_chain(header)
    linked: list[Record] = []
    for seq, record in enumerate(records):
        draft = msgspec.structs.replace(record, seq=seq, prev=prev)
        linked.append(msgspec.structs.replace(draft, chain=record_chain(draft)))
        prev = linked[-1].chain
    return linked


def resalted(header: Header, records: list[Record]) -> list[Record]:
    """Return the records with salts and commitments also recomputed from the secret."""
    prev = first_chain(header)
    built: list[Record] = []
    for seq, record in enumerate(records):
        draft = msgspec.structs.replace(record, seq=seq, prev=prev)
        given = None if record.command is None else decode_command(TOY, record.command)
        built.append(build_record(TOY, SECRET, draft, given, visible_events(TOY, record)))
        prev = built[-1].chain
    return built


def test_honest_game_verifies(tmp_path: Path, game: Match[ToyState]) -> None:
    found = verdict(tmp_path, game.header, list(game.records))
    assert (found.status, found.exit_code, found.finding) == ("ok", 0, None)
    assert found.records == game.seq + 1
    assert found.chain == game.chain.hex()
    assert found.notes == ()


def test_gaps_contain_only_notes_marked_as_gaps(
    tmp_path: Path, game: Match[ToyState], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = (
        VerdictNote("proved: nothing", is_gap=True),
        VerdictNote("seen"),
        VerdictNote("proved: all"),
    )
    monkeypatch.setattr(verify, "notes_about", lambda *_, **__: iter(notes))
    found = verdict(tmp_path, game.header, list(game.records))
    assert found.notes == ("proved: nothing", "seen", "proved: all")
    assert found.gaps == ("proved: nothing",)


@pytest.mark.parametrize("audience", AUDIENCES)
def test_every_copy_verifies_alone_and_against_the_full_copy(
    tmp_path: Path, game: Match[ToyState], audience: Role | None
) -> None:
    full = tmp_path / "full.fplog"
    write_log(full, game.header, game.records)
    header, records = game.redacted_header(audience), list(game.redacted_records(audience))
    alone = verdict(tmp_path, header, records)
    compared = verdict(tmp_path, header, records, against=full)
    assert (alone.finding, compared.finding) == (None, None)
    assert alone.chain == game.chain.hex()
    assert alone.view == game.view_digest(None).hex()  # a seat's own view could be guessed from it


def _swapped(items: list[Record], at: int) -> list[Record]:
    return [*items[:at], items[at + 1], items[at], *items[at + 2 :]]


_CHANGES: dict[str, Callable[[list[Record], int], list[Record]]] = {
    "dropped": lambda records, at: records[:at] + records[at + 1 :],
    "repeated": lambda records, at: [*records[: at + 1], *records[at:]],
    "swapped": _swapped,
}


@pytest.mark.parametrize("change", sampled([*_CHANGES], 2, of="kinds of moved records"))
@pytest.mark.parametrize("forge", [relinked, resalted])
def test_p11_moved_records_are_rejected(
    tmp_path: Path,
    game: Match[ToyState],
    change: str,
    forge: Callable[[Header, list[Record]], list[Record]],
) -> None:
    for at in sampled(range(1, game.seq - 1), 25, of="moved records of the toy"):
        records = _CHANGES[change](list(game.records), at)
        found = verdict(tmp_path, game.header, forge(game.header, records))
        assert found.status == "false", f"{change} at {at}"
        assert found.finding is not None
        assert found.finding.record is not None
        assert found.finding.record >= at


def _bump(value: object, rng: random.Random) -> object:
    """Return another value of the same type."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value + rng.choice((-1, 1, 2))
    if isinstance(value, str):
        return {"red": "blue", "blue": "red"}.get(value, f"c{rng.randrange(24) + 1:02}")
    if isinstance(value, dict):
        return {key: _bump(item, rng) for key, item in value.items()}
    if isinstance(value, list):
        return [_bump(item, rng) for item in value]
    return value


@pytest.mark.series("P11")
def test_p11_changed_events_are_rejected_with_their_place(
    tmp_path: Path, game: Match[ToyState]
) -> None:
    rng = random.Random(11)
    tried = 0
    while tried < sized(30, 250, of="changed events of the toy"):
        at = rng.randrange(len(game.records))
        record = game.records[at]
        if not record.events:
            continue
        number = rng.randrange(len(record.events))
        plain = msgspec.to_builtins(visible_events(TOY, record)[number])
        field = rng.choice(list(plain))
        other = {**plain, field: _bump(plain[field], rng)}
        if field == "type" or other == plain:
            continue
        try:
            event = msgspec.convert(other, TOY.event_type)
        except msgspec.ValidationError:
            continue
        events = list(visible_events(TOY, record))
        events[number] = event
        given = None if record.command is None else decode_command(TOY, record.command)
        forged = list(game.records)
        forged[at] = build_record(TOY, SECRET, record, given, events)
        found = verdict(tmp_path, game.header, relinked(game.header, forged))
        tried += 1
        assert found.status == "false"
        assert found.finding is not None
        assert found.finding.record == at
        assert found.finding.event is not None
        assert found.finding.event <= number or "cannot be applied" in found.finding.problem


def test_p11_every_changed_roll_is_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    for at, record in enumerate(game.records):
        events = list(visible_events(TOY, record))
        for number, event in enumerate(events):
            if not isinstance(event, DieRolled):
                continue
            better = [*events]
            better[number] = msgspec.structs.replace(event, face=(event.face + 1) % 10)
            assert record.command is not None
            given = decode_command(TOY, record.command)
            forged = list(game.records)
            forged[at] = build_record(TOY, SECRET, record, given, better)
            found = verdict(tmp_path, game.header, relinked(game.header, forged))
            assert found.finding is not None
            assert (found.finding.record, found.finding.event) == (at, number)
            assert "the rules give die-rolled" in found.finding.problem


@pytest.mark.series("P11")
def test_p11_random_changed_bytes_are_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    data = log_bytes(game.header, game.records)
    path = tmp_path / "flipped.fplog"
    rng = random.Random(12)
    for _ in range(sized(40, 200, 2_000, of="changed bytes of a toy log")):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        assert verify_file(path, TOY).exit_code == 3


def _with_header(game: Match[ToyState], **fields: object) -> tuple[Header, list[Record]]:
    header = msgspec.structs.replace(game.header, **fields)
    return header, relinked(header, list(game.records))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"secret": bytes(32)}, "secret does not match its commitment"),
        ({"secret": None}, "secret does not match its commitment"),
        ({"position": b"\x80"}, "position does not match its commitment"),
        ({"scenario": "short"}, "not how scenario 'short' begins"),
        ({"scenario": "none"}, "there is no scenario"),
        ({"secret": bytes(32), "secret_commitment": secret_commitment(bytes(32))}, "position does"),
        (
            {"position": b"\xc1", "position_commitment": position_commitment(SECRET, b"\xc1")},
            "malformed",
        ),
    ],
)
def test_broken_header_commitments_are_reported(
    tmp_path: Path, game: Match[ToyState], fields: dict[str, object], words: str
) -> None:
    found = verdict(tmp_path, *_with_header(game, **fields))
    assert found.status == "false"
    assert found.finding is not None
    assert found.finding.record == -1
    assert words in found.finding.problem


@pytest.mark.series("F9")
def test_secret_with_different_dice_is_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    other = SECRET[::-1]
    assert game.header.position is not None
    header, records = _with_header(
        game,
        secret=other,
        secret_commitment=secret_commitment(other),
        position_commitment=position_commitment(other, game.header.position),
    )
    prev = first_chain(header)
    for seq, record in enumerate(records):
        draft = msgspec.structs.replace(record, prev=prev)
        given = None if record.command is None else decode_command(TOY, record.command)
        records[seq] = build_record(TOY, other, draft, given, visible_events(TOY, record))
        prev = records[seq].chain
    found = verdict(tmp_path, header, records)
    assert found.finding is not None
    assert (found.finding.record, found.finding.event) == (0, 1)


@pytest.mark.series("F9")
def test_f9_games_verify_and_a_flipped_secret_byte_fails(tmp_path: Path) -> None:
    rng = random.Random(9)
    for seed in range(sized(10, 60, 300, of="honest games, and as many with a changed secret")):
        game = new_match(scenario="short", secret=rng.randbytes(32))
        play(game, 100_000, seed)
        game.reveal()
        header, records = game.redacted_header(BLUE), list(game.redacted_records(BLUE))
        assert verdict(tmp_path, header, records).status == "ok"
        secret = bytearray(records[-1].secret or b"")
        secret[rng.randrange(len(secret))] ^= rng.randrange(1, 256)
        records[-1] = msgspec.structs.replace(records[-1], secret=bytes(secret))
        found = verdict(tmp_path, header, relinked(header, records))
        assert found.status == "false", f"game {seed}"


def test_copy_with_a_falsified_die_is_detected_against_the_full_copy(
    tmp_path: Path, game: Match[ToyState]
) -> None:
    """The judge shows a seat another die than the one in the real record."""
    full = tmp_path / "full.fplog"
    write_log(full, game.header, game.records)
    header = game.redacted_header(BLUE)
    records = list(game.redacted_records(BLUE))
    at, number = next(
        (record.seq, place)
        for record in records
        for place, event in enumerate(visible_events(TOY, record))
        if isinstance(event, DieRolled)
    )
    told = visible_events(TOY, records[at])
    lie = msgspec.structs.replace(told[number], face=(told[number].face + 1) % 10)  # type: ignore[attr-defined]  # found above as a DieRolled
    body = msgspec.msgpack.encode(lie)
    for salt in (records[at].events[number].salt, None):
        entries = list(records[at].events)
        entries[number] = msgspec.structs.replace(entries[number], body=body, salt=salt)
        forged = [*records]
        forged[at] = msgspec.structs.replace(records[at], events=tuple(entries))
        found = verdict(tmp_path, header, forged, against=full)
        assert found.finding is not None
        assert (found.finding.record, found.finding.event) == (at, number)


def test_comparison_of_different_matches_is_refused(tmp_path: Path, game: Match[ToyState]) -> None:
    other = tmp_path / "other.fplog"
    finished(LogWriter.create(other), seed=5).close()
    records = list(game.redacted_records(RED))
    found = verdict(tmp_path, game.redacted_header(RED), records, against=other)
    assert found.finding is not None
    assert "different matches" in found.finding.problem


def test_copy_longer_than_the_full_copy_is_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    full = tmp_path / "full.fplog"
    write_log(full, game.header, game.records[:-5])
    records = list(game.redacted_records(None))
    found = verdict(tmp_path, game.redacted_header(None), records, against=full)
    assert found.finding is not None
    assert (found.finding.record, found.finding.problem) == (
        len(records) - 5,
        "the full copy ends before it",
    )


def test_redacted_copy_with_a_secret_is_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    header = msgspec.structs.replace(game.redacted_header(RED), secret=SECRET)
    found = verdict(tmp_path, header, list(game.redacted_records(RED)))
    assert found.exit_code == 1


def test_copy_of_an_unknown_role_is_rejected(tmp_path: Path, game: Match[ToyState]) -> None:
    found = verdict(
        tmp_path, game.redacted_header(Role("green")), list(game.redacted_records(None))
    )
    assert found.finding is not None
    assert "no role 'green'" in found.finding.problem


class KinderToy(ToyGame):
    version = 2

    @override
    def evolve(self, state: ToyState, event: object) -> ToyState:
        return super().evolve(state, event)  # type: ignore[arg-type]  # only the version differs


def test_different_rules_version_is_noted(tmp_path: Path, game: Match[ToyState]) -> None:
    path = tmp_path / "game.fplog"
    write_log(path, game.header, game.records)
    found = verify_file(path, KinderToy())
    assert found.status == "ok"
    assert "rules 1; checked with edition first, rules 2" in found.notes[0]


def test_unknown_games_and_missing_files_are_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "toy.fplog"
    new_match(LogWriter.create(path)).close()
    found = verify_file(path)
    assert found.exit_code == 3
    assert "there is no game 'toy'" in str(found.finding)
    assert verify_file(tmp_path / "none.fplog").exit_code == 3


def test_a_torn_tail_is_noted(tmp_path: Path, game: Match[ToyState]) -> None:
    path = tmp_path / "torn.fplog"
    path.write_bytes(log_bytes(game.header, game.records[:40])[:-9])
    found = verify_file(path, TOY)
    assert (found.status, found.records) == ("ok", 39)
    assert "was interrupted" in found.notes[0]
