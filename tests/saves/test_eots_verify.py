"""Verification of Empire of the Sun: any single change of a record is rejected with its place (robustness P11)."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.ruleset import Event
from saves.codec import AnyGame
from saves.entries import build_record, decode_command, visible_events
from saves.headers import Header
from saves.logfile import log_bytes, write_log
from saves.match import Match
from saves.records import Record
from saves.verdicts import Verdict
from saves.verify import verify_file
from tests.saves.play import SECRET, linked, new_eots, play
from tests.sizes import sized

RULES: AnyGame = EOTS
PLACES = sized(6, 84, 840, of="forged records of 1943 of each kind")
"""Number of changes of each of the six kinds, 504 in total."""


@pytest.fixture(scope="module")
def game() -> Match[State]:
    match = new_eots()
    play(match, 40, seed=4)
    match.take_back(30)
    play(match, 25, seed=3)
    return match


def verdict(folder: Path, header: Header, records: list[Record]) -> Verdict:
    path = folder / "checked.fplog"
    path.unlink(missing_ok=True)
    write_log(path, header, records)
    return verify_file(path, RULES)


def forged(game: Match[State], at: int, events: list[Event]) -> list[Record]:
    """Return the records with other events in one of them, with valid salts and chain values."""
    record = game.records[at]
    given = None if record.command is None else decode_command(RULES, record.command)
    records = list(game.records)
    records[at] = build_record(RULES, SECRET, record, given, events)
    return linked(game.header, records)


@pytest.mark.full
def test_honest_game_verifies(tmp_path: Path, game: Match[State]) -> None:
    found = verdict(tmp_path, game.header, list(game.records))
    assert (found.status, found.records) == ("ok", game.seq + 1)


_CHANGES: dict[str, Callable[[list[Record], int], list[Record]]] = {
    "dropped": lambda records, at: records[:at] + records[at + 1 :],
    "repeated": lambda records, at: [*records[: at + 1], *records[at:]],
    "swapped": lambda records, at: [
        *records[:at],
        records[at + 1],
        records[at],
        *records[at + 2 :],
    ],
}


@pytest.mark.series("P11")
@pytest.mark.parametrize("change", _CHANGES)
def test_p11_moved_records_are_rejected(tmp_path: Path, game: Match[State], change: str) -> None:
    rng = random.Random(11)
    for _ in range(PLACES):
        at = rng.randrange(1, game.seq - 1)
        records = _CHANGES[change](list(game.records), at)
        if change == "swapped" and records == list(game.records):
            continue
        found = verdict(tmp_path, game.header, linked(game.header, records))
        assert found.status == "false", f"{change} at {at}"
        assert found.finding is not None
        assert found.finding.record is not None
        assert found.finding.record >= at


def _values(game: Match[State]) -> dict[str, list[object]]:
    """Return the values of each field in all events of a game."""
    found: dict[str, list[object]] = {}
    for record in game.records:
        for event in visible_events(RULES, record):
            for field, value in msgspec.to_builtins(event).items():
                found.setdefault(field, []).append(value)
    return found


def _other_events(game: Match[State], rng: random.Random) -> Iterator[tuple[int, int, Event]]:
    """Yield places with another event of the same kind, with one field from another event."""
    values = _values(game)
    while True:
        at = rng.randrange(1, len(game.records))
        events = visible_events(RULES, game.records[at])
        if not events:
            continue
        number = rng.randrange(len(events))
        plain: dict[str, Any] = msgspec.to_builtins(events[number])
        tag_field = events[number].__struct_config__.tag_field
        field = rng.choice([name for name in plain if name != tag_field] or [""])
        if not field:
            continue
        other = {**plain, field: rng.choice(values[field])}
        try:
            event: Event = msgspec.convert(other, RULES.event_type)
        except msgspec.ValidationError:
            continue
        if event != events[number]:
            yield at, number, event


@pytest.mark.series("P11")
def test_p11_changed_events_are_rejected_with_their_place(
    tmp_path: Path, game: Match[State]
) -> None:
    changes = _other_events(game, random.Random(12))
    for _, (at, number, event) in zip(range(PLACES), changes, strict=False):
        events = list(visible_events(RULES, game.records[at]))
        events[number] = event
        found = verdict(tmp_path, game.header, forged(game, at, events))
        assert found.status == "false"
        assert found.finding is not None
        assert found.finding.record == at
        assert found.finding.event is not None
        assert found.finding.event <= number or "cannot be applied" in found.finding.problem


def _rolls(game: Match[State]) -> Iterator[tuple[int, int, Event]]:
    """Yield every die with another face."""
    for record in game.records:
        for number, event in enumerate(visible_events(RULES, record)):
            for field in ("face", "die", "roll"):
                face = getattr(event, field, None)
                if isinstance(face, int):
                    for better in sorted(set(range(10)) - {face}):
                        yield record.seq, number, msgspec.structs.replace(event, **{field: better})


@pytest.mark.full
@pytest.mark.series("P11")
def test_p11_changed_rolls_are_rejected_with_their_place(tmp_path: Path) -> None:
    games = [new_eots() for _ in range(4)]
    for seed, game in enumerate(games):
        play(game, 200, seed)
    rolls = [(game, roll) for game in games for roll in _rolls(game)]
    assert len(rolls) >= PLACES
    for game, (at, number, event) in random.Random(13).sample(rolls, PLACES):
        events = list(visible_events(RULES, game.records[at]))
        events[number] = event
        found = verdict(tmp_path, game.header, forged(game, at, events)[: at + 1])
        assert found.finding is not None
        assert found.finding.record == at
        assert found.finding.event is not None
        assert found.finding.event <= number or "cannot be applied" in found.finding.problem


@pytest.mark.series("P11")
def test_p11_changed_bytes_are_rejected(tmp_path: Path, game: Match[State]) -> None:
    data = log_bytes(game.header, game.records)
    path = tmp_path / "changed.fplog"
    rng = random.Random(14)
    for _ in range(PLACES):
        changed = bytearray(data)
        changed[rng.randrange(len(data))] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        assert verify_file(path, RULES).exit_code == 3
