"""Random attacks in matches whose host deals: by seats on an honest host, or by a host together with the other seats.

The oracles are the same as in matches whose seats deal, with three additions: no evidence holds against an honest
party, no other seat's copy contains an honest seat's hidden command, and a seat accepts only the record that follows
from its messages.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, ClassVar, cast

import msgspec
from typing_extensions import override

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.fair.sequencer import Sequencer
from saves.errors import BrokenChainError
from saves.fair.accusations import (
    find_equivocations,
    unverified_seed_accusations,
    valid_accusations,
)
from saves.fair.dealer import Dealer
from saves.fair.errors import BoxError
from saves.fair.evidence import Case, RefusedMessage
from saves.fair.fold import fold
from saves.fair.messages import (
    HOST,
    Close,
    Completion,
    Consent,
    End,
    Kind,
    Mix,
    Offer,
    Open,
    Proof,
    Proposal,
    Request,
    Reveal,
    Seed,
    SignedMessage,
    decode_message,
)
from saves.fair.record_builder import complete_known_entries
from saves.fair.sealing import open_own
from saves.fair.segments import Segment
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from saves.fair.transcript_log import TranscriptLog, decided_record
from saves.records import Record
from saves.redaction import redact_record
from saves.timeline import FOLD_ERRORS
from tests.netplay.fair.adversary import Adversary
from tests.netplay.fair.attacker import World, _copy_with_containers, shared_fold
from tests.netplay.fair.match import FairMatch, log_at

change = msgspec.structs.replace


class CheatingHost(Sequencer):
    """A host that indexes everything that the fold accepts, and proposes whatever it likes."""

    is_lost = False
    """Whether its own rules cannot process the messages that it has indexed."""

    @override
    def propose(self) -> MessageRefusal | None:
        return None

    @override
    def add(self, signed: SignedMessage) -> MessageRefusal | None:
        before, dealer = self.state, self._dealer
        after = fold(before, signed)
        if isinstance(after, MessageRefusal):
            return after
        assert dealer is not None
        if not self.is_lost:
            try:
                dealer.follow(before, decode_message(before.setup.match_id, signed.data), after)
            except (FlagplotError, *FOLD_ERRORS):
                self.is_lost = True
        self._log.add_folded(signed, after)
        return None


class DealtWorld(World):
    """One history of a match whose host deals."""

    def __init__(self, match: FairMatch, attackers: Collection[Role], *, cheats: bool) -> None:
        """Take over a match that has no message yet.

        Args:
            match: With all its programs.
            attackers: The seats that the attacker holds.
            cheats: True if the host also belongs to the attacker.
        """
        super().__init__(match, attackers)
        self.cheats = cheats
        self.untold: set[Role] = set()
        """Honest seats that have refused a record from the host."""
        self.secrets_kept = 0
        """Number of honest seats' hidden commands that no other seat could read."""
        if cheats:
            dealer = match.host._dealer
            assert dealer is not None
            self.host = CheatingHost(log_at(match.host.state), match.host_key, dealer)

    @classmethod
    def dealt(
        cls, game: str, scenario: str, attackers: int, seed: int, *, cheats: bool
    ) -> "DealtWorld":
        """Return a world after a faithful opening."""
        match = FairMatch(game, scenario, seed=seed, deals=False)
        world = cls(match, tuple(match.seats)[-attackers:], cheats=cheats)
        world.start()
        world.settle()
        if cheats:
            assert world.index(world.decision()) is None
        assert world.is_idle()
        return world

    @property
    def dealer(self) -> Dealer:
        dealer = self.host._dealer
        assert dealer is not None
        return dealer

    @override
    def copy(self) -> "DealtWorld":
        other = super().copy()
        assert isinstance(other, DealtWorld)
        other.untold, other.secrets_kept = set(self.untold), 0
        return other

    @override
    def _copied_host(self) -> Sequencer:
        dealer = _copy_with_containers(self.dealer)
        log = log_at(self.host.state, self.host.messages)
        if not self.cheats:
            log.listeners.append(dealer.follow)
        return type(self.host)(log, self.match.host_key, dealer)

    def decision(self) -> SignedMessage:
        """Return the host's correct proposal."""
        return self.sign(HOST, Kind.PROPOSAL, self.dealer.proposal(self.state))

    @override
    def index(self, signed: SignedMessage) -> MessageRefusal | None:
        count = len(self.host.messages)
        with shared_fold():
            refusal = self.host.submit(signed)
        fresh = self.host.messages[count:]
        assert not (fresh and refusal), f"the host refuses its own proposal: {refusal}"
        for one in fresh:
            for role in self.seats:
                problem = self.give(role, one)
                assert problem is None, f"copies differ: {role} refuses: {problem}"
        if fresh and self.state.completed is not None:
            self._tell()
        return refusal

    # -- records

    def record(self, role: Role | None) -> Record:
        """Return the last record as an honest host sends it to a seat."""
        pending = self.state.completed
        assert pending is not None
        segment = Segment((), self.state.head, bytes(64))
        public = change(decided_record(self.setup, pending), transcript=segment)
        if pending.offer:
            return change(public, kind=pending.offer, command=None, events=())
        log = cast("TranscriptLog", SimpleNamespace(setup=self.setup, state=self.state))
        return redact_record(self.game, complete_known_entries(log, public, self.dealer), role)

    def _tell(self) -> None:
        """Send the last record to every seat that has accepted all earlier ones."""
        if isinstance(self.host, CheatingHost) and self.host.is_lost:
            self.untold |= set(self.seats)
        for role, seat in self.seats.items():
            if role in self.untold:
                continue
            try:
                seat.apply_record(self.record(role))
            except BrokenChainError:
                assert self.cheats, "an honest host sends what its messages make"
                self.untold.add(role)
        self._check_command()

    def _check_command(self) -> None:
        """Check that no other seat's copy contains an honest seat's hidden command."""
        pending = self.state.completed
        assert pending is not None
        request = pending.request
        if request is None or not request.command.commitment or pending.actor in self.attackers:
            return
        if isinstance(self.host, CheatingHost) and self.host.is_lost:
            return
        whole = self.dealer.hidden_entries(self.state, pending)[0]
        for role in (*self.seats, None):
            if role == pending.actor:
                continue
            entry = self.record(role).command
            assert entry is not None
            assert entry.salt is None
            assert entry.body != whole.body
            if role is not None:
                cards = self.match.secrets[role].cards
                key, anchor = self.setup.dealer_key, pending.request_anchor
                try:
                    open_own(cards, key, anchor, request.box)
                except BoxError:
                    continue
                raise AssertionError(f"{role} opens the box of {pending.actor}")
        self.secrets_kept += 1

    def accusations(self) -> set[Role]:
        """Return the authors named by evidence from the whole transcript."""
        messages = tuple(self.host.messages)
        order = self.host.order_signature().signature
        cases: list[Case] = [*find_equivocations(self.setup.match_id, (), messages)]
        cases += [
            RefusedMessage(messages, order, None),
            *unverified_seed_accusations(messages, self.state.seeds),
        ]
        return {one.verdict.author for one in valid_accusations(self.setup, b"header", cases)}


class DealtAdversary(Adversary):
    """An attacker that acts at random in a match whose host deals."""

    MOVES: ClassVar[tuple[str, ...]] = tuple(one for one in Adversary.MOVES if one != "lie")
    world: DealtWorld

    @property
    @override
    def is_over(self) -> bool:
        return super().is_over or bool(self.world.untold.intersection(self.world.honest))

    @override
    def check(self) -> None:
        super().check()
        for role in self.world.honest:
            assert role in self.world.untold or self.world.seat(role).cards.is_current

    @override
    def finish(self) -> None:
        """Deliver everything, end the match, and check whom the evidence names."""
        world = self.world
        if world.cheats:
            self._host_decides()
        super().finish()
        if not world.state.has_ended:
            role = min(world.attackers)
            assert world.index(world.sign(role, Kind.END, End("resigned", role))) is None
        if world.state.phase is TranscriptPhase.ENDED and HOST not in world.state.seeds:
            assert world.host.reveal_secret() is None
        self.counts["hidden"] += world.secrets_kept
        named = world.accusations()
        allowed = {*world.attackers, *([HOST] if world.cheats else [])}
        assert named <= allowed, f"O5: evidence names {named - allowed}"

    @override
    def _index(self, signed: SignedMessage) -> bool:
        """Offer a message to the host. A copy decides as the host does, except for a dealer's objections."""
        world = self.world
        before, count = world.state, len(world.host.messages)
        refusal = world.index(signed)
        if len(world.host.messages) > count:
            self._note(signed)
            return True
        assert refusal is not None
        self.counts["refused"] += 1
        self._judge(refusal)
        for role in world.honest:
            other = fold(world.seat(role).state, signed)
            is_dealer_rejection = isinstance(other, FairState)
            assert is_dealer_rejection or other == refusal, "copies differ about a refusal"
            assert not is_dealer_rejection or (refusal.is_due_fault and not world.cheats)
        assert world.state is before
        return False

    @override
    def _go_on(self) -> None:
        made = self.world.due()
        if made:
            self._index(self.random.choice(made))
        elif self.world.state.phase is TranscriptPhase.IDLE:
            self._give_a_command()

    @override
    def _commands(self, role: Role) -> SignedMessage | None:
        if role in self.world.untold:
            return None
        return super()._commands(role)

    # -- the host

    def _host_decides(self) -> None:
        """Send the correct proposal, if it is due."""
        world = self.world
        if world.state.phase is not TranscriptPhase.RESOLVE:
            return
        try:
            made = world.decision()
        except (FlagplotError, *FOLD_ERRORS):
            return  # a command of the attacker that an honest host would not have put in order
        self._index(made)

    def _host_lies(self) -> None:
        """Send a proposal that does not follow from the secret."""
        world, random_ = self.world, self.random
        if world.state.phase is not TranscriptPhase.RESOLVE:
            return
        try:
            right = world.dealer.proposal(world.state)
        except (FlagplotError, *FOLD_ERRORS):
            return
        body = _false_proposal(right, random_)
        self.counts["lies"] += self._index(world.sign(HOST, Kind.PROPOSAL, body))

    def _host_misinforms(self) -> None:
        """Send a seat a record that does not follow from its messages, or that is meant for another seat."""
        world = self.world
        if world.state.completed is None or world.untold:
            return
        role = self.random.choice(world.honest)
        seat = world.seat(role)
        known, state = seat.cards, seat.cards.state
        for other in (None, *world.seats):
            try:
                seat.apply_record(world.record(other))
            except BrokenChainError:
                self.counts["false records"] += 1
            else:
                raise AssertionError(f"{role} believes a record twice")
            assert seat.cards is known
            assert seat.cards.state is state

    @override
    def _crafted(self) -> None:
        world, chance = self.world, self.random
        authors = [*sorted(world.attackers), *([HOST] if world.cheats else [])]
        author, role = chance.choice(authors), chance.choice(list(world.seats))
        blinding = chance.randbytes(32)
        bodies: Sequence[tuple[Kind, Any]] = (
            (Kind.REVEAL, Reveal(world.state.throws, blinding)),
            (Kind.OFFER, Offer("takeback", chance.randrange(9))),
            (Kind.CONSENT, Consent(agrees=True)),
            (Kind.SEED, Seed(blinding)),
            (Kind.CLOSE, Close(())),
            (Kind.MIX, Mix(role, "hand", (), (), ())),
            (Kind.OPEN, Open(chance.randrange(9), "?", blinding)),
            (Kind.PROOF, Proof(role, 0, ())),
            (Kind.COMPLETION, Completion((), ())),
            (Kind.PROPOSAL, Proposal((), (), (), "done")),
            (Kind.REQUEST, self._request_body()),
        )
        kind, body = chance.choice([one for one in bodies if one[1] is not None])
        anchor = max(0, world.state.index - chance.choice((0, 0, 0, 1, 2, 5)))
        known = world.state.hash_at(anchor)
        if known is not None:
            self._index(world.sign(author, kind, body, anchor, known))

    def _request_body(self) -> Request | None:
        """Return an honest seat's hidden command, to be sent by another seat."""
        bodies = [
            body
            for role in self.world.honest
            for body in self.world.releases[role].bodies(Request)
            if body.command.commitment
        ]
        if not bodies:
            return None
        return change(self.random.choice(bodies), record=self.world.state.records)


class CheatingAdversary(DealtAdversary):
    """The same attacker, who also controls the host."""

    MOVES = (*DealtAdversary.MOVES, "host_decides", "host_lies", "host_misinforms")

    @override
    def _go_on(self) -> None:
        if self.world.state.phase is TranscriptPhase.RESOLVE:
            self._host_decides()
        else:
            super()._go_on()


def _false_proposal(right: Proposal, chance: random.Random) -> Proposal:
    events = right.events
    if not events:
        return right
    at, other = chance.randrange(len(events)), chance.randrange(len(events))
    one = events[at]
    commitment = chance.randbytes(32)
    changes: Mapping[str, Proposal] = {
        "dropped": change(right, events=(*events[:at], *events[at + 1 :])),
        "doubled": change(right, events=(*events[: at + 1], *events[at:])),
        "exchanged": change(right, events=(*events[:at], events[other], *events[at + 1 :])),
        "cut": change(right, events=events[:at]),
        "hidden": change(
            right,
            events=(
                *events[:at],
                change(one, entry=change(one.entry, commitment=commitment)),
                *events[at + 1 :],
            ),
        ),
        "boxed": change(right, box=commitment),
        "stage": change(right, status="stage"),
    }
    return changes[chance.choice(sorted(changes))]
