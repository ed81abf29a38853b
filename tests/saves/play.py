"""Random games for tests of records: short ones of the toy game, and long ones of Empire of the Sun."""

import random
from collections.abc import Sequence
from pathlib import Path

import msgspec

from engine.eots.ruleset import EOTS
from engine.eots.state import State
from engine.kernel.ids import Role
from saves.chain import first_chain, record_chain
from saves.codec import S
from saves.follower import Follower
from saves.headers import Header, Seat
from saves.logfile import write_log
from saves.match import Match
from saves.match_replica import LogSink
from saves.records import Record
from saves.verify import verify_file
from tests.toy_game import BLUE, RED, TOY, ToyState

SECRET = bytes(range(32))
SEATS = (
    Seat(role=RED, player="Rosa", seat_id="key-red"),
    Seat(role=BLUE, player="Ben", seat_id="key-blue"),
)
AUDIENCES: Sequence[Role | None] = (RED, BLUE, None)


def new_match(
    log: LogSink | None = None, scenario: str = "middle", secret: bytes = SECRET
) -> Match[ToyState]:
    """Return a toy match after its opening."""
    position = TOY.position(scenario, {})
    return Match.create(TOY, position, scenario, {"hand": "3"}, SEATS, secret, log)


def new_eots(log: LogSink | None = None, secret: bytes = SECRET) -> Match[State]:
    """Return a match of 1943 after its opening."""
    return Match.create(EOTS, EOTS.position("1943", {}), "1943", {}, (), secret, log)


def step(match: Match[S], rng: random.Random, takebacks: float = 0.0) -> None:
    """Play one random command, or take some commands back."""
    rules = match.ruleset
    if takebacks and match.seq > 1 and rng.random() < takebacks:
        role = rules.roles(match.state)[0]
        match.take_back(rng.randrange(max(0, match.seq - 9), match.seq), role)
        return
    role = rng.choice(rules.active_roles(match.state))
    match.submit(role, rng.choice(rules.decision(match.state, role).options), match.seq)


def play(match: Match[S], steps: int, seed: int = 0, takebacks: float = 0.0) -> None:
    """Play up to this number of records, or fewer if the game ends."""
    rng = random.Random(seed)
    for _ in range(steps):
        if not match.ruleset.active_roles(match.state):
            return
        step(match, rng, takebacks)


def finished(log: LogSink | None = None, seed: int = 0, scenario: str = "short") -> Match[ToyState]:
    """Return a match that was played to its end and revealed."""
    match = new_match(log, scenario)
    play(match, 100_000, seed)
    match.reveal()
    return match


def followed(match: Match[S], audience: Role | None, log: LogSink | None = None) -> Follower[S]:
    """Return a copy that has received every record of a match."""
    copy = Follower.create(match.ruleset, match.redacted_header(audience), log)
    for record in match.redacted_records(audience):
        copy.receive(record)
    return copy


def check_copy(path: Path, match: Match[S], audience: Role | None, folder: Path) -> Follower[S]:
    """Return a copy after checking that it agrees with the judge's record and passes the audit against its file."""
    copy = followed(match, audience)
    assert copy.own_view_digest() == match.view_digest(audience)
    told = folder / f"{audience}.fplog"
    write_log(told, copy.header, copy.records)
    assert str(verify_file(told, match.ruleset, against=path).finding) == "None"
    return copy


def linked(header: Header, records: Sequence[Record]) -> list[Record]:
    """Return the records with new numbers and chain values, as a forger would create them."""
    prev, made = first_chain(header), list[Record]()
    for seq, record in enumerate(records):
        draft = msgspec.structs.replace(record, seq=seq, prev=prev)
        made.append(msgspec.structs.replace(draft, chain=record_chain(draft)))
        prev = made[-1].chain
    return made
