"""The adversary of protocol 7 at unit level, who runs the host and any set of seats, and knows their secrets.

Honest seats are unchanged participants. The attacker decides which message each of them receives and when, sees
everything that they release, and signs anything with the attacker's own keys.
"""

import copy
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeVar
from unittest import mock

import msgspec
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from netplay.journal.slots import SlotJournal
from saves.codec import AnyGame
from saves.decoding import canonical
from saves.fair.due_messages import due_messages
from saves.fair.fold import Outcome, fold
from saves.fair.messages import (
    HOST,
    AnyBody,
    Body,
    Kind,
    Message,
    Proof,
    Reveal,
    SignedMessage,
    Slot,
    decode_message,
    encode_message,
    slot_of,
)
from saves.fair.opening import named_cards
from saves.fair.signing import HostKey
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.timeline import FOLD_ERRORS
from tests.netplay.fair.match import TIMED, FairMatch, log_at
from tests.netplay.fair.release_model import ReleaseModel

B = TypeVar("B", bound=Body)
T = TypeVar("T")
_MAX_SHARED: Final = 4_000
_SEED_BYTES: Final = 32
"""Length of a response to bit 0 of a challenge, which is a seed. A response to bit 1 is longer."""
_shared: dict[tuple[int, bytes, bytes], tuple[FairState, Outcome]] = {}


def _shared_fold(state: FairState, signed: SignedMessage) -> Outcome:
    """Fold a message once for all copies with the same state. This is possible because the fold is a pure function."""
    key = (id(state), signed.data, signed.signature)
    if key not in _shared:
        if len(_shared) >= _MAX_SHARED:
            _shared.clear()
        _shared[key] = (
            state,
            fold(state, signed),
        )  # a reference to the state is stored, so that its id is not reused
    return _shared[key][1]


@contextmanager
def shared_fold() -> Iterator[None]:
    """Let the host and the seats share folded states, which makes a match with six seats six times as fast."""
    with (
        mock.patch("netplay.fair.participant.fold", _shared_fold),
        mock.patch("netplay.fair.sequencer.fold", _shared_fold),
    ):
        yield


class Releases:
    """Everything that one honest seat has released, by slot. A second message for a slot fails the test."""

    def __init__(self, match_id: str) -> None:
        self._match_id = match_id
        self.by_slot: dict[Slot, SignedMessage] = {}
        self._anchors: dict[int, bytes] = {}
        """The transcript hash for which each reveal was released."""
        self._answered: dict[tuple[bytes, ...], tuple[bool, ...]] = {}
        """The challenge for which each mix was proved, by the hashes of its shadows."""

    def record(self, signed: SignedMessage) -> bool:
        """Record a message. Return whether it is new."""
        message = decode_message(self._match_id, signed.data)
        slot = slot_of(message)
        known = self.by_slot.setdefault(slot, signed)
        assert known.data == signed.data, f"O1: the seat signed two messages for {slot}"
        if isinstance(message.body, Reveal):
            anchor = self._anchors.setdefault(message.body.number, message.anchor_hash)
            assert anchor == message.anchor_hash, (
                "O4: the seat has released a reveal for two throws"
            )
        return known is signed

    def answer(self, shadows: tuple[bytes, ...], proof: Proof) -> None:
        """Record the proof of a mix.

        A seat must not answer two challenges for one mix, because that reveals the cards.
        """
        bits = tuple(len(response) != _SEED_BYTES for response in proof.responses)
        assert len(bits) == len(shadows), "a response for each shadow"
        known = self._answered.setdefault(shadows, bits)
        assert known == bits, "O1: the seat has proved one mix for two challenges"

    def messages(self, *kinds: Kind) -> list[Message]:
        """Return the released messages of the given kinds, by default of all kinds."""
        found = [decode_message(self._match_id, one.data) for one in self.by_slot.values()]
        return [one for one in found if not kinds or one.kind in kinds]

    def bodies(self, kind: type[B]) -> list[B]:
        """Return the bodies of one kind."""
        return [one.body for one in self.messages() if isinstance(one.body, kind)]

    def copy(self) -> "Releases":
        other = Releases(self._match_id)
        other.by_slot, other._anchors = dict(self.by_slot), dict(self._anchors)
        other._answered = dict(self._answered)
        return other


def copy_seat(seat: Participant) -> Participant:
    """Return a participant that continues independently. Tests use this to rewind, which a real seat cannot do."""
    other = _copy_with_containers(seat)
    other.cards = _copy_with_containers(seat.cards)
    other.journal = _copy_with_containers(seat.journal)  # type: ignore[misc]
    return other


def _copy_with_containers(item: T) -> T:
    other = copy.copy(item)
    for name, value in vars(item).items():
        if isinstance(value, dict | list | deque):
            setattr(other, name, copy.copy(value))
    return other


class CarelessJournal(SlotJournal):
    """The journal of a modified program, which signs whatever it is given."""

    @override
    def sign_once(self, messages: Sequence[bytes]) -> tuple[SignedMessage, ...]:
        return tuple(SignedMessage(data, self._sign(data)) for data in messages)


class World:
    """One history of a match, and the seats that follow it."""

    def __init__(self, match: FairMatch, attackers: Collection[Role]) -> None:
        """Take over a match.

        Args:
            match: The match, with all its programs.
            attackers: The attacker's seats. The host also belongs to the attacker.
        """
        self.match = match
        self.setup = match.setup
        self.game = match.game
        self.attackers = frozenset(attackers)
        self.host = match.host
        self.seats = dict(match.seats)
        for role in self.attackers:
            sign = match.secrets[role].sign
            self.seats[role].journal = CarelessJournal(match.match_id, sign)  # type: ignore[misc]
        self.releases = {role: Releases(match.match_id) for role in self.honest}
        self.models = {role: self._model(role) for role in self.honest}
        self._made: dict[Role, tuple[object, tuple[SignedMessage, ...]]] = {}
        self.foreign: dict[Role, Releases] = {}
        """For honest seats that now follow another history, the messages that the attacker saw there."""

    def _model(self, role: Role) -> ReleaseModel:
        setup = self.setup
        parties = [party.role for party in setup.parties]
        decks = self.game.decks()
        cards = sum(len(decks.get(role, ())) for role in parties)
        scenario = {one.card: one.owner for one in named_cards(setup)}
        return ReleaseModel(role, parties, cards, setup.header_hash, scenario)

    @classmethod
    def opened(cls, game: str | AnyGame, scenario: str, attackers: int, seed: int) -> "World":
        """Return a world whose opening was faithful.

        Args:
            game: The rules, or their id.
            scenario: Id of the scenario.
            attackers: Number of the attacker's seats, which are the last ones in the match.
            seed: Seed for all secrets.
        """
        match = FairMatch(game, scenario, seed=seed, clock=TIMED)
        world = cls(match, tuple(match.seats)[-attackers:])
        world.start()
        world.settle()
        assert world.is_idle()
        return world

    def start(self) -> None:
        """Deliver the set-up."""
        assert self.host.start() is None
        for role in self.seats:
            assert self.give(role, self.host.messages[0]) is None

    # -- who is who

    @property
    def honest(self) -> tuple[Role, ...]:
        return tuple(role for role in self.seats if role not in self.attackers)

    @property
    def victim(self) -> Role:
        return self.honest[0]

    @property
    def attacker(self) -> Role:
        return next(role for role in self.seats if role in self.attackers)

    @property
    def state(self) -> FairState:
        return self.host.state

    def seat(self, role: Role) -> Participant:
        return self.seats[role]

    # -- copies

    def copy(self) -> "World":
        """Return a world that continues independently, so that tests can share a position."""
        other = copy.copy(self)
        other.host = self._copied_host()
        other.seats = {role: copy_seat(seat) for role, seat in self.seats.items()}
        other.releases = {role: one.copy() for role, one in self.releases.items()}
        other.foreign = dict(self.foreign)
        other.models = copy.deepcopy(self.models)
        other._made = dict(self._made)
        return other

    def _copied_host(self) -> Sequencer:
        return Sequencer(log_at(self.host.state, self.host.messages), self.match.host_key)

    def fork(self, *roles: Role) -> "World":
        """Return another history, which these honest seats follow from now on instead of this one."""
        other = self.copy()
        for role in self.honest:
            left, follows = (self, other) if role in roles else (other, self)
            del left.seats[role]
            left.foreign[role] = follows.releases[role]
            del left.releases[role]
            del left.models[role]
        return other

    # -- signatures

    def sign(
        self,
        author: Role,
        kind: Kind,
        body: AnyBody,
        anchor: int | None = None,
        anchor_hash: bytes | None = None,
    ) -> SignedMessage:
        """Return any message from an author whose key the attacker has, by default following the last message."""
        at = self.state.index if anchor is None else anchor
        known = self.state.hash_at(at) or self.state.head
        message = Message(
            kind=kind,
            anchor=at,
            anchor_hash=known if anchor_hash is None else anchor_hash,
            author=author,
            body=body,
        )
        return self.seal(author, encode_message(self.setup.match_id, message))

    def seal(self, author: Role, data: bytes) -> SignedMessage:
        """Return any bytes, signed with a key that the attacker has."""
        if author == HOST:
            return SignedMessage(data, self.match.host_key.sign(data))
        assert author in self.attackers, "an honest key signs nothing for the attacker"
        return SignedMessage(data, self.match.secrets[author].sign(data))

    def forge(self, signed: SignedMessage, **changes: object) -> SignedMessage:
        """Return a message with changed content and the old signature, as a host could change it."""
        fields = ("kind", "anchor", "anchor_hash", "author", "body")
        message = decode_message(self.setup.match_id, signed.data)
        values = {name: changes.get(name, getattr(message, name)) for name in fields}
        match_id = str(changes.get("match_id", self.setup.match_id))
        domain = "flagplot-fair/7"
        data = canonical((domain, match_id, *(values[name] for name in fields)))
        return SignedMessage(data, signed.signature)

    def message(self, signed: SignedMessage) -> Message:
        return decode_message(self.setup.match_id, signed.data)

    def body(self, signed: SignedMessage, kind: type[B]) -> B:
        body = self.message(signed).body
        assert isinstance(body, kind)
        return body

    def altered(self, signed: SignedMessage, **changes: object) -> SignedMessage:
        """Return a message from an attacker's seat with other fields in its body, signed by that seat."""
        message = self.message(signed)
        body = msgspec.structs.replace(message.body, **changes)
        return self.sign(message.author, message.kind, body, message.anchor, message.anchor_hash)

    def refused(self, signed: SignedMessage) -> MessageRefusal:
        """Assert that every copy refuses a message and does not change. Return the refusal."""
        copies: list[Sequencer | Participant] = [self.host, *self.seats.values()]
        before = [copy.state for copy in copies]
        with shared_fold():
            refusals = [self.host.submit(signed)]
        refusals += [self.give(role, signed) for role in self.seats]
        for refusal in refusals:
            assert refusal is not None, "a copy accepts the message"
            assert refusal == refusals[0], "copies differ"
        assert all(copy.state is state for copy, state in zip(copies, before, strict=True))
        assert refusals[0] is not None
        return refusals[0]

    def made_of(self, role: Role, kind: Kind) -> SignedMessage:
        """Return the first message of a kind that is due from a seat."""
        return next(one for one in self.made(role) if self.message(one).kind is kind)

    # -- delivery

    def made(self, role: Role, *, again: bool = False) -> tuple[SignedMessage, ...]:
        """Return the messages that a seat releases now. A faithful loop calls this after each message.

        Args:
            role: The seat.
            again: True to ask again although nothing has changed.
        """
        seat = self.seats[role]
        wanted = [(one, seat.state.hash_at(one.anchor)) for one in due_messages(seat.state)]
        question = (seat.may_open_seed, [each for each in wanted if each[0].author == role])
        if again or self._made.get(role, (None,))[0] != question:
            self._made[role] = (question, self._due_messages(role))
        made = self._made[role][1]
        if role in self.releases:
            for signed in made:
                self._record(role, signed)
        return made

    def _record(self, role: Role, signed: SignedMessage) -> None:
        """Record the messages that an honest seat releases, and check them against the model of the release rules."""
        if self.releases[role].record(signed):
            message = self.message(signed)
            assert self.models[role].allows(signed.data), f"O2: {role} releases a {message.kind}"
            if isinstance(message.body, Proof):
                first = message.body.first
                mixes = self.seats[role].state.unproven
                mix = next(one for one in mixes if one.owner == role and one.first == first)
                self.releases[role].answer(mix.shadows, message.body)

    def decide(self, role: Role, signed: SignedMessage) -> SignedMessage:
        """Return a message that a seat's player has decided to send."""
        if role in self.releases:
            self.models[role].decided.add(signed.data)
            self._record(role, signed)
        return signed

    def decide_all(self, role: Role, batch: Sequence[SignedMessage]) -> list[SignedMessage]:
        """Return the messages that give a command. The oracles see everything that the seat releases."""
        return [self.decide(role, signed) for signed in batch]

    def _due_messages(self, role: Role) -> tuple[SignedMessage, ...]:
        if role not in self.attackers:
            return self.seats[role].due_messages()
        try:
            return self.seats[role].due_messages()
        except (FlagplotError, *FOLD_ERRORS):
            return ()  # the faithful program of the attacker's seat cannot follow the attacker's messages

    def give(self, role: Role, signed: SignedMessage) -> MessageRefusal | None:
        """Deliver one message to one seat, and record the seat's answers."""
        try:
            with shared_fold():
                refusal = self.seats[role].receive(signed)
        except (FlagplotError, *FOLD_ERRORS):
            if role not in self.attackers:
                raise
            return None  # the faithful program of the attacker's seat cannot follow its own lies
        if refusal is None and role in self.models:
            self.models[role].accept(signed.data)
        self.made(role)
        return refusal

    def force(self, signed: SignedMessage) -> dict[Role, MessageRefusal | None]:
        """Deliver a message to all honest seats as the next one, even if an honest host would refuse it."""
        return {role: self.give(role, signed) for role in self.honest}

    def index(self, signed: SignedMessage) -> MessageRefusal | None:
        """Index a message if it is valid, and deliver it to every seat in this history."""
        with shared_fold():
            refusal = self.host.submit(signed)
        if refusal is None:
            for role in self.seats:
                problem = self.give(role, signed)
                assert problem is None, f"copies differ: {role} refuses: {problem}"
        return refusal

    def due(self) -> list[SignedMessage]:
        """Return the messages due from all seats in this history, as real programs would send them."""
        return [signed for role in self.seats for signed in self.made(role)]

    def settle(self, until: TranscriptPhase | None = None, without: Collection[Role] = ()) -> None:
        """Let seats act faithfully until they have no more due messages to release.

        Args:
            until: Phase in which to stop.
            without: Seats whose messages the host withholds.
        """
        while True:
            added = 0
            for signed in self.due():
                if until is self.state.phase:
                    return
                if self.message(signed).author not in without:
                    added += self.index(signed) is None
            if not added:
                return

    def play(self, role: Role, command: Command) -> None:
        """Let a seat give a command faithfully."""
        signed = self.request(role, command)
        assert self.index(signed) is None
        self.settle()

    def request(self, role: Role, command: Command) -> SignedMessage:
        """Return a seat's faithful request. The seat also releases the rest of its batch."""
        return self.decide_all(role, self.seats[role].sign_command(command))[0]

    def consent(self, role: Role, *, agrees: bool) -> SignedMessage | None:
        """Return a player's answer to the open offer; None if the program cannot give one."""
        return self.decide(role, self.seats[role].sign_consent(agrees=agrees))

    def allow_seeds(self) -> None:
        """Let all players open their card seeds."""
        for role, seat in self.seats.items():
            seat.may_open_seed = True
            if role in self.models:
                self.models[role].may_open_seed = True

    def options(self, role: Role) -> tuple[Any, ...]:
        """Return the commands that a seat may give on its own copy."""
        if role not in self.game.active_roles(self.state.state):
            return ()
        return tuple(
            self.game.decision_with_free_actions(self.seats[role].cards.state, role).options
        )

    def is_idle(self) -> bool:
        return self.state.phase is TranscriptPhase.IDLE


def named(refusals: Mapping[Role, MessageRefusal | None]) -> set[Role]:
    """Return the authors whom refusals name for an invalid message, excluding a host named for a wrong index."""
    return {
        refusal.author
        for refusal in refusals.values()
        if refusal is not None and not refusal.is_due_fault and refusal.author
    }


def new_host_key(seed: bytes) -> HostKey:
    """Return a host key that is not the one in the header."""
    return HostKey(seed)
