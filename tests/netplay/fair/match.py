"""A protocol 7 match with all programs in one process, played with the real participants and the real sequencer."""

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from typing_extensions import override

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import ruleset
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from saves.chain import first_chain
from saves.clocks import Clock
from saves.codec import AnyGame
from saves.errors import UnreadableError
from saves.fair.dealer import Dealer
from saves.fair.errors import BoxError
from saves.fair.fold import initial_fair_state
from saves.fair.messages import Message, SignedMessage
from saves.fair.private_cards import PrivateCards
from saves.fair.record_builder import build_record
from saves.fair.sealing import DealerSecrets
from saves.fair.secrets import SeatSecrets
from saves.fair.setup import NO_SECRET, full_header, make_commitments, match_setup, new_fair_header
from saves.fair.signed_texts import order_message
from saves.fair.signing import HostKey
from saves.fair.state import FairState, MatchSetup, TranscriptPhase
from saves.fair.terms import FairTerms
from saves.fair.transcript_log import TranscriptLog
from saves.headers import Header, Seat
from saves.logfile import log_bytes
from saves.records import Record, decode_record, encode_record
from saves.redaction import redact_header, redact_record
from saves.verdicts import Verdict
from saves.verify import check_comparison, verify_file


def log_at(state: FairState, messages: Sequence[SignedMessage] = ()) -> TranscriptLog:
    """Return the transcript of a host at the given state."""
    log = TranscriptLog(state.setup)
    log.state, log.segment = state, list(messages)
    return log


TIMED = Clock(per="game", seconds=3_600, flag="loses")
"""A clock that allows the host to end a match on time."""


class CopyOfMatch:
    """The record file of one seat or of the public."""

    def __init__(
        self, setup: MatchSetup, header: Header, role: Role | None, match: "FairMatch"
    ) -> None:
        self.log = TranscriptLog(setup)
        self.header = redact_header(header, role)
        self.records: list[Record] = []
        self._match = match
        self._cards = None
        if role is not None:
            self._cards = PrivateCards(self.log.state, match.secrets[role].cards)
            self.log.listeners.append(self._follow)

    def _follow(self, before: FairState, message: Message, after: FairState) -> None:
        """Follow the seat's own cards. A seat that has cheated no longer has a copy of its own."""
        if self._cards is not None:
            try:
                self._cards.follow(before, message, after)
            except (BoxError, UnreadableError):
                self._cards = None

    def take(self, signed: SignedMessage) -> None:
        assert self.log.add(signed) is None
        if self.log.is_complete:
            self.keep(self.built(self._cards))

    def built(self, cards: PrivateCards | Dealer | None) -> Record:
        """Return the record formed by the messages since the last record."""
        log = self.log
        text = order_message(self._match.match_id, log.state.index, log.state.head)
        prev = self.records[-1].chain if self.records else first_chain(self.header)
        return build_record(log, len(self.records), prev, self._match.host_key.sign(text), cards)

    def keep(self, record: Record) -> None:
        self.log.begin_segment(record)
        self.records.append(record)

    def write(self, path: Path) -> None:
        path.write_bytes(log_bytes(self.header, self.records))


class FullCopy(CopyOfMatch):
    """The record file of a dealing host."""

    def __init__(self, setup: MatchSetup, match: "FairMatch", secret: bytes) -> None:
        super().__init__(setup, match.header, None, match)
        self.header = full_header(match.game, match.header, secret)
        self.dealer = Dealer(setup, secret)
        self.log.listeners.append(self.dealer.follow)

    @override
    def take(self, signed: SignedMessage) -> None:
        assert self.log.add(signed) is None
        if self.log.is_complete:
            self.keep(self.built(self.dealer))


class RedactedCopy(CopyOfMatch):
    """The record file of a seat or of the public, as sent by a dealing host."""

    def __init__(self, setup: MatchSetup, match: "FairMatch", role: Role | None) -> None:
        super().__init__(setup, match.header, None, match)
        self.header = redact_header(match.header, role)

    def receive(self, record: Record) -> None:
        received = decode_record(encode_record(record))
        self.log.receive(received)
        self.records.append(received)


class FairMatch:
    """All seats and the host of one match."""

    def __init__(
        self,
        game: str | AnyGame,
        scenario: str,
        options: Mapping[str, str] | None = None,
        seed: int = 0,
        *,
        deals: bool = True,
        hosted: Collection[str] = (),
        reply_limit: int = 0,
        clock: Clock | msgspec.UnsetType = msgspec.UNSET,
        players: Mapping[Role, str] | None = None,
    ) -> None:
        """Create a match's keys and header.

        Args:
            game: The rules, or their id.
            scenario: Id of the scenario.
            options: Options.
            seed: Seed for all secrets and choices.
            deals: True if the seats deal; otherwise, the host deals.
            hosted: Roles whose secrets are on the host's machine.
            reply_limit: Seconds without a message after which a seat may stop the match; 0 for no limit.
            clock: The time control.
            players: Each role's player; None for a header without names.
        """
        self.random = random.Random(seed)
        self.game: AnyGame = ruleset(game) if isinstance(game, str) else game
        self.scenario = scenario
        chosen = dict(options or {})
        roles = self.game.scenario_info(scenario, chosen).roles
        self.match_id = self.random.randbytes(8).hex()
        self.secrets = {role: self.make_secrets(role) for role in roles}
        self.host_key = key = HostKey(self.random.randbytes(32))
        secret = NO_SECRET if deals else self.random.randbytes(32)
        self.secret = secret
        terms = FairTerms(
            host_key=key.verify_key,
            parties=tuple(
                make_commitments(
                    one, "host's machine" if role in hosted else "own machine", deals=deals
                )
                for role, one in self.secrets.items()
            ),
            dealer_key=msgspec.UNSET if deals else DealerSecrets(secret).public_key,
            reply_limit=reply_limit,
        )
        header = new_fair_header(self.game, self.match_id, scenario, chosen, terms, secret)
        named = (players or {}).items()
        seats = tuple(Seat(role=role, player=name, seat_id="") for role, name in named)
        self.header = msgspec.structs.replace(header, clock=clock, seats=seats)
        self.setup = match_setup(self.game, self.header)
        first = initial_fair_state(self.setup)
        log, dealer = TranscriptLog(self.setup), None if deals else Dealer(self.setup, secret)
        if dealer is not None:
            log.listeners.append(dealer.follow)
        self.host = Sequencer(log, key, dealer)
        self.seats = {role: Participant(first, one) for role, one in self.secrets.items()}
        self.delivered = 0
        viewers = (*roles, None)
        self.full_copy = None if deals else FullCopy(self.setup, self, secret)
        self.record_files: Mapping[Role | None, CopyOfMatch]
        self.tells = True
        """True if a dealing host sends its records to the seats."""
        self.sent: Mapping[Role | None, RedactedCopy] = {}
        """Copies to which a dealing host sends its records."""
        if deals:
            self.record_files = {
                role: CopyOfMatch(self.setup, self.header, role, self) for role in viewers
            }
        else:
            self.sent = {role: RedactedCopy(self.setup, self, role) for role in viewers}
            self.record_files = self.sent

    def make_secrets(self, role: Role) -> SeatSecrets:
        return SeatSecrets(self.match_id, role, self.random.randbytes(32))

    @property
    def state(self) -> FairState:
        return self.host.state

    def start(self) -> None:
        assert self.host.start() is None
        self.settle()

    def deliver(self) -> None:
        """Let every seat fold the messages that the host has indexed."""
        for signed in self.host.messages[self.delivered :]:
            for seat in self.seats.values():
                refusal = seat.receive(signed)
                assert refusal is None, refusal
            if self.full_copy is not None:
                self._send(self.full_copy, signed)
            else:
                for copy in self.record_files.values():
                    copy.take(signed)
        self.delivered = len(self.host.messages)

    def _send(self, full: FullCopy, signed: SignedMessage) -> None:
        """Let a dealing host store its record and send it to the seats and the public."""
        known = len(full.records)
        full.take(signed)
        for record in full.records[known:]:
            for role, copy in self.sent.items():
                seen = redact_record(self.game, record, role)
                copy.receive(seen)
                if self.tells and role is not None and full.log.state.completed is not None:
                    self.seats[role].apply_record(seen)

    def submit(self, signed: SignedMessage) -> None:
        refusal = self.host.submit(signed)
        assert refusal is None, refusal
        self.deliver()

    def settle(self) -> None:
        """Exchange messages until nothing is due from a seat."""
        self.deliver()
        while True:
            made = [one for seat in self.seats.values() for one in seat.due_messages()]
            if not made:
                return
            for signed in made:
                refusal = self.host.submit(signed)
                assert refusal is None or refusal.is_due_fault, refusal
            assert len(self.host.messages) > self.delivered, "the match makes progress"
            self.deliver()

    def play(self, role: Role, command: Command) -> None:
        for signed in self.seats[role].sign_command(command):
            self.submit(signed)
        self.settle()
        assert self.state.phase in {TranscriptPhase.IDLE, TranscriptPhase.ENDED}

    def choices(self) -> Iterator[tuple[Role, Any]]:
        """Yield each role that is asked, with its decision as computed from its own copy."""
        for role in self.game.active_roles(self.state.state):
            seat = self.seats[role]
            yield role, self.game.decision_with_free_actions(seat.cards.state, role)

    def finish(self) -> None:
        """Resign if the game is not over, open every card seed, and close the transcript."""
        if self.state.phase is not TranscriptPhase.ENDED:
            self.submit(next(iter(self.seats.values())).sign_resignation())
        if self.full_copy is not None:
            assert self.host.reveal_secret() is None
        for seat in self.seats.values():
            seat.may_open_seed = True
        self.settle()
        assert self.host.close() is None
        self.deliver()

    def step(self) -> bool:
        """Give one random command. Return whether the match continues."""
        if self.state.phase is TranscriptPhase.ENDED:
            return False
        role, decision = self.random.choice(list(self.choices()))
        self.play(role, self.random.choice(decision.options))
        return True


def verdict_of(copy: CopyOfMatch, folder: Path, against: CopyOfMatch | None = None) -> Verdict:
    """Return the verdict of ``flagplot verify`` on a copy, alone or compared with another one."""
    path, truth = folder / "copy.fplog", folder / "truth.fplog"
    copy.write(path)
    if against is None:
        return verify_file(path)
    against.write(truth)
    check_comparison([path], truth)
    return verify_file(path, against=truth)
