"""Matches whose seats deal encrypted cards, played by honest programs in one process."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import ruleset
from saves.follower import Follower
from saves.headers import Seat
from saves.match import match_id_of, new_header
from saves.protocol6.sealing import complete_record
from saves.records import Record
from saves.redaction import redact_header, redact_record
from saves.statements import Statement, required_consents
from tests.saves.protocol6.joint import keys_of
from tests.saves.protocol6.program.blind import BlindMatch
from tests.saves.protocol6.program.keys import PartyKeys
from tests.saves.protocol6.program.pending_command import Act, PendingCommand, redact_pending
from tests.saves.protocol6.program.seat import Seat as FairSeat
from tests.saves.protocol6.program.signed_texts import agreement_text, takeback_text


class FairTable:
    """A host and the programs of all seats, which answer immediately."""

    def __init__(
        self,
        game: str = "eots",
        scenario: str = "1943",
        options: Mapping[str, str] | None = None,
        secret: bytes = bytes(range(32)),
        position: msgspec.Struct | None = None,
    ) -> None:
        self.rules: Any = ruleset(game)
        name = (
            scenario if position is None else ""
        )  # in the form in which records name a custom position
        if position is None:
            position = self.rules.position(scenario, options or {})
        roles: Sequence[Role] = next(
            one.roles for one in self.rules.scenarios() if one.id == scenario
        )
        match_id = match_id_of(secret)
        self.keys: dict[Role, PartyKeys] = {role: keys_of(role, secret) for role in roles}
        seats = tuple(Seat(role=role, player=role.title(), seat_id=f"key-{role}") for role in roles)
        header = new_header(
            self.rules,
            position,
            name,
            options or {},
            seats,
            secret,
            parties=[keys.party(match_id, role, deals=True) for role, keys in self.keys.items()],
        )
        self.match: BlindMatch[Any] = BlindMatch.prepare(self.rules, header)
        self.copies: dict[Role | None, Follower[Any]] = {
            role: Follower.create(self.rules, redact_header(self.match.header, role))
            for role in (*roles, None)
        }
        self.seats = {
            role: FairSeat(self.copies[role], keys, role) for role, keys in self.keys.items()
        }
        self.acts = 0
        self.settle(None)

    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        """Return what a seat does instead of an honest act."""
        return act

    def forget(self) -> None:
        """Restart all programs, with copies from their records and pending data from the host."""
        for role, copy in self.copies.items():
            again: Follower[Any] = Follower.create(self.rules, copy.header)
            for record in copy.records:
                again.receive(record)
            self.copies[role] = again
            if role is not None:
                self.seats[role] = FairSeat(again, self.keys[role], role)

    def settle(self, command: Command | None, *, forgetful: bool = False) -> Record:
        """Let all programs act until there is a record, and send it to all."""
        match = self.match
        while not match.is_complete:
            pending = match.pending
            assert pending is not None
            if not pending.is_settled:
                assert pending.throw is not None
                for role, keys in self.keys.items():
                    match.open_link(role, keys.link(pending.throw.index))
                continue
            moved = False
            if forgetful:
                self.forget()
            for role, seat in self.seats.items():
                told = match.pending
                assert told is not None
                seen = redact_pending(self.rules, told, role)
                for act in seat.acts(seen, command if role == told.role else None):
                    self.acts += 1
                    changed = self.change(role, told, act)
                    moved |= match.take(role, changed)
                    if changed != act:
                        break  # what was signed after it no longer follows from the record
            assert moved, "nobody is due"
        draft = match.draft_pending()
        match.write(draft)
        return self.tell(match.apply(draft))

    def tell(self, record: Record) -> Record:
        for role, copy in self.copies.items():
            told = redact_record(self.rules, record, role)
            copy.receive(told if role is None else complete_record(told, self.seats[role].secret))
        return record

    def give(self, role: Role, command: Command, *, forgetful: bool = False) -> Record:
        begun = self.seats[role].begin(command)
        self.match.begin(
            role,
            begun.command,
            begun.signature,
            self.match.seq,
            needs_chance=begun.needs_chance,
        )
        return self.settle(command, forgetful=forgetful)

    def take_back(self, to_seq: int, asker: Role) -> Record:
        message = takeback_text(self.match, asker, to_seq)
        consents = tuple(keys.consent(role, message) for role, keys in self.keys.items())
        return self.tell(self.match.take_back(to_seq, asker, consents))

    def agree(self, asker: Role, said: Statement) -> Record:
        message = agreement_text(self.match, asker, said)
        _, by = required_consents(said)
        consents = tuple(
            keys.consent(role, message) for role, keys in self.keys.items() if role in by
        )
        return self.tell(self.match.add_statement(asker, said, consents))

    def play(self, steps: int = 1_000_000, seed: int = 0, takebacks: float = 0.0) -> None:
        """Play up to this number of random records, or fewer if the game ends."""
        rng = random.Random(seed)
        for _ in range(steps):
            asked = self.rules.active_roles(self.match.state)
            if not asked:
                return
            if takebacks and self.match.seq > 1 and rng.random() < takebacks:
                to_seq = rng.randrange(max(0, self.match.seq - 9), self.match.seq)
                self.take_back(to_seq, rng.choice(asked))
                continue
            role = rng.choice(asked)
            options = self.rules.decision(self.copies[role].state, role).options
            self.give(role, rng.choice(options))

    def finish(self) -> Record:
        """Open all card seeds and reveal the secret."""
        for role, keys in self.keys.items():
            self.match.take_seed(role, keys.card_seed)
        return self.tell(self.match.reveal())

    def sizes(self) -> float:
        """Return the average number of bytes of a record."""
        records = self.match.records
        return sum(len(msgspec.msgpack.encode(record)) for record in records) / len(records)
