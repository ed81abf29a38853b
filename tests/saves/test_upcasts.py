"""A game whose die event got an additional field reads, continues and verifies old saves."""

from pathlib import Path
from typing import Any, TypeAlias

import pytest
from typing_extensions import override

from engine.kernel.dice import Dice
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import Codec, Packed
from saves.entries import decode_event
from saves.errors import UnreadableError
from saves.logfile import LogWriter
from saves.match import Match
from saves.upcasts import Body, Upcasts, current_versions
from saves.verify import verify_file
from tests.saves.play import new_match, play
from tests.toy_game import (
    TOY,
    CardDrawn,
    CardSwapped,
    ChoiceMade,
    ChoicesShown,
    DieRolled,
    GameSet,
    RoundEnded,
    Scored,
    ToyCommand,
    ToyGame,
    ToyState,
)


class SidedDieRolled(Event, frozen=True, kw_only=True, tag="die-rolled"):
    role: Role
    face: int
    sides: int


NewerEvent: TypeAlias = (
    GameSet
    | CardDrawn
    | ChoiceMade
    | ChoicesShown
    | CardSwapped
    | SidedDieRolled
    | Scored
    | RoundEnded
)


class NewerToy(ToyGame):
    """The toy game after its die got a number of sides. Everything else is unchanged."""

    version = 2
    event_type = NewerEvent

    @override
    def decide(
        self, state: ToyState, role: Role, command: ToyCommand, dice: Dice
    ) -> tuple[Any, ...]:
        return tuple(
            SidedDieRolled(role=event.role, face=event.face, sides=10)
            if isinstance(event, DieRolled)
            else event
            for event in super().decide(state, role, command, dice)
        )

    @override
    def evolve(self, state: ToyState, event: object) -> ToyState:
        if isinstance(event, SidedDieRolled):
            event = DieRolled(role=event.role, face=event.face)
        return super().evolve(state, event)  # type: ignore[arg-type]  # an event of the toy game now


def upcasts_to(sides: int) -> Upcasts:
    def add_sides(body: Body) -> Body:
        return {**body, "sides": sides}

    return {("toy", "die-rolled", 1): add_sides}


@pytest.fixture
def newer(monkeypatch: pytest.MonkeyPatch) -> NewerToy:
    monkeypatch.setattr("saves.codec.UPCASTS", upcasts_to(10))
    return NewerToy()


@pytest.fixture
def old_save(tmp_path: Path) -> Path:
    path = tmp_path / "old.fplog"
    match = new_match(LogWriter.create(path))
    play(match, 40, seed=6)
    match.close()
    return path


def test_current_version_is_one_above_the_last_upcast() -> None:
    same = upcasts_to(10)[("toy", "die-rolled", 1)]
    steps = {("toy", "a", 1): same, ("toy", "a", 2): same, ("other", "b", 1): same}
    assert current_versions(steps, "toy") == {"a": 3}


def test_old_saves_load_and_continue_in_the_new_schema(old_save: Path, newer: NewerToy) -> None:
    match = Match.resume(old_save, newer)
    old = match.seq
    play(match, 20, seed=7)
    match.close()
    entries = [
        (record.seq <= old, entry)
        for record in match.records
        for entry in record.events
        if entry.tag == "die-rolled"
    ]
    assert {(is_old, entry.v) for is_old, entry in entries} == {(True, 1), (False, 2)}
    for _, entry in entries:
        event = decode_event(newer, entry)
        assert isinstance(event, SidedDieRolled)
        assert event.sides == 10
    assert verify_file(old_save, newer).status == "ok"


def test_wrong_upcast_fails_verification(old_save: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("saves.codec.UPCASTS", upcasts_to(6))
    found = verify_file(old_save, NewerToy())
    assert found.status == "older"
    assert "the rules give die-rolled" in str(found.finding)


def test_newer_save_is_refused_by_an_older_program(old_save: Path, newer: NewerToy) -> None:
    match = Match.resume(old_save, newer)
    play(match, 20, seed=7)
    match.close()
    found = verify_file(old_save, TOY)
    assert found.status == "false"
    assert "'die-rolled' has schema 2; this program reads schema 1" in str(found.finding)


@pytest.mark.parametrize(
    ("packed", "words"),
    [
        (Packed("die-rolled", 0, b"\x80"), "has schema 0"),
        (Packed("die-rolled", 2, b"\xc1"), "malformed"),
        (Packed("die-rolled", 1, b"\xc0"), "Expected"),
        (Packed("die-rolled", 1, b"\x81\xa4type\xaadie-rolled"), "missing required field"),
        (Packed("scored", 1, b"\x81\xa4type\xabround-ended"), "but contains 'round-ended'"),
    ],
)
def test_malformed_bodies_raise_unreadable_error(packed: Packed, words: str) -> None:
    with pytest.raises(UnreadableError, match=words):
        Codec(NewerToy(), upcasts_to(10)).event(*packed)


def test_upcast_that_fails_on_a_malformed_body_raises_unreadable_error() -> None:
    def rename(body: Body) -> Body:
        return {"face": body["no such field"]}

    with pytest.raises(UnreadableError, match="schema 1 is malformed"):
        Codec(NewerToy(), {("toy", "die-rolled", 1): rename}).event("die-rolled", 1, b"\x80")
