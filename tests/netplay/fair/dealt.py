"""A dealing host that cheats. It signs whatever it likes, and its own program does not prevent this."""

from collections.abc import Callable
from typing import NamedTuple

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.fair.dealer import Dealer
from saves.fair.evidence import Case, Evidence, EvidenceResult, RefusedMessage
from saves.fair.fold import fold, initial_fair_state
from saves.fair.messages import (
    HOST,
    AnyBody,
    End,
    Kind,
    Message,
    Proposal,
    Request,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from tests.netplay.fair.match import FairMatch


class Choice(NamedTuple):
    """A command that a seat can give."""

    role: Role
    command: Command


def opened(game: str, scenario: str, seed: int) -> FairMatch:
    """A match whose host deals, after its opening."""
    match = FairMatch(game, scenario, seed=seed, deals=False)
    match.start()
    return match


def find(match: FairMatch, wanted: Callable[[Choice], bool], steps: int = 300) -> Choice:
    """Play until a seat can give such a command, and return it."""
    for _ in range(steps):
        for role, decision in match.choices():
            for command in decision.options:
                choice = Choice(role, command)
                if wanted(choice):
                    return choice
        assert match.step(), "the game goes on"
    raise AssertionError("no such command came up")


def uses_chance(match: FairMatch, choice: Choice) -> bool:
    return match.seats[choice.role]._uses_chance(choice.command)


def is_hidden(match: FairMatch, choice: Choice) -> bool:
    seen = match.game.redact_command(choice.command, choice.role, None)
    return bool(seen != choice.command)


def chance(match: FairMatch) -> Choice:
    """An open command with chance."""
    return find(match, lambda one: uses_chance(match, one) and not is_hidden(match, one))


def certain(match: FairMatch) -> Choice:
    """An open command without chance."""
    return find(match, lambda one: not uses_chance(match, one) and not is_hidden(match, one))


def hidden(match: FairMatch) -> Choice:
    """A hidden command."""
    return find(match, lambda one: is_hidden(match, one))


def signed_by(
    match: FairMatch, author: Role, state: FairState, kind: Kind, body: AnyBody, anchor: int = -1
) -> SignedMessage:
    """A message at a state, or at an earlier anchor."""
    at = state.index if anchor < 0 else anchor
    anchor_hash = state.hash_at(at)
    assert anchor_hash is not None
    message = Message(kind=kind, anchor=at, anchor_hash=anchor_hash, author=author, body=body)
    data = encode_message(match.match_id, message)
    sign = match.secrets[author].sign if author else match.host_key.sign
    return SignedMessage(data, sign(data))


class Fork:
    """A transcript that the host continues message by message without its own checks."""

    def __init__(self, match: FairMatch) -> None:
        self.match = match
        self.state = initial_fair_state(match.setup)
        self.dealer = Dealer(match.setup, match.secret)
        self.messages: list[SignedMessage] = []
        for signed in match.host.messages:
            self.add(signed)

    def add(self, signed: SignedMessage) -> None:
        before, after = self.state, fold(self.state, signed)
        assert not isinstance(after, MessageRefusal), after
        message = decode_message(self.match.match_id, signed.data)
        if message.kind is Kind.PROPOSAL:
            self.dealer.follow(before, message, after)
        self.state = after
        self.messages.append(signed)

    def host(self, kind: Kind, body: AnyBody, anchor: int = -1) -> SignedMessage:
        """Add a message from the host as the next one."""
        return signed_by(self.match, HOST, self.state, kind, body, anchor)

    def request(self, choice: Choice, body: Request | None = None) -> None:
        """Let a seat give a command and all seats reveal, so that the host decides next."""
        match = self.match
        (made,) = match.seats[choice.role].sign_command(choice.command)
        if body is not None:
            made = signed_by(match, choice.role, self.state, Kind.REQUEST, body)
        self.add(made)
        for seat in match.seats.values() if self.state.phase is TranscriptPhase.REVEAL else ():
            assert seat.receive(made) is None
            self.add(seat.due_messages()[0])
        assert self.state.phase is TranscriptPhase.RESOLVE

    def end(self) -> None:
        """Let a seat resign."""
        role = next(iter(self.match.seats))
        self.add(signed_by(self.match, role, self.state, Kind.END, End("resigned", role)))

    def refusal(self, signed: SignedMessage) -> MessageRefusal:
        after = fold(self.state, signed)
        assert isinstance(after, MessageRefusal)
        return after

    def verdict(self, offending: SignedMessage) -> EvidenceResult:
        return self.judged(RefusedMessage(tuple(self.messages), b"", offending))

    def judged(self, case: Case) -> EvidenceResult:
        return Evidence(b"header", case).recompute(self.match.setup)

    def right(self) -> Proposal:
        """Return the proposal that an honest host would make now."""
        return self.dealer.proposal(self.state)
