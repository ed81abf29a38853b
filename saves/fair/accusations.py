"""Finds evidence of cheating in one copy of a match, in two copies, or in a transcript with card seeds.

All evidence is checked again before it is returned, so callers receive only confirmed evidence.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from engine.kernel.ids import Role
from saves.codec import AnyGame
from saves.errors import BrokenChainError, FairPlayError, UnreadableError
from saves.fair.evidence import (
    Case,
    ConflictingOrders,
    Equivocation,
    Evidence,
    EvidenceResult,
    FalseSeed,
    OrderClaim,
    RefusedMessage,
    evidence_header,
    is_authentic,
)
from saves.fair.fold import fold, initial_fair_state, next_hash
from saves.fair.messages import SignedMessage, Slot, decode_message, slot_of
from saves.fair.setup import match_setup
from saves.fair.signed_texts import BEFORE_FIRST, is_ordered
from saves.fair.state import MatchSetup, MessageRefusal
from saves.fair.transcript_log import restore_messages
from saves.headers import Header, rules_differ
from saves.records import Record


class Accusation(NamedTuple):
    """Confirmed evidence, and the verdict on it."""

    evidence: Evidence
    verdict: EvidenceResult


def valid_accusations(
    setup: MatchSetup, header: bytes, cases: Iterable[Case]
) -> Iterator[Accusation]:
    """Recompute possible cases of cheating, and yield an accusation for each case that is proved.

    Args:
        setup: The match's set-up.
        header: The match's header from :func:`evidence_header`.
        cases: Possible cases, not yet checked.
    """
    for case in cases:
        evidence = Evidence(header, case)
        verdict = evidence.recompute(setup)
        if verdict.is_proven:
            yield Accusation(evidence, verdict)


class SlotIndex:
    """Indexes one history's messages by author and slot, so that each message is decoded only once."""

    def __init__(self, match_id: str) -> None:
        """Create an empty index for a match."""
        self._match_id = match_id
        self._by_slot: dict[tuple[Role, Slot], SignedMessage] = {}
        self.count = 0
        """Number of messages added so far."""

    def add(self, *messages: SignedMessage) -> None:
        """Add messages. If several messages have the same slot, the first one is kept."""
        self.count += len(messages)
        for signed in messages:
            key = self._key(signed)
            if key is not None:
                self._by_slot.setdefault(key, signed)

    def conflict(self, signed: SignedMessage) -> Equivocation | None:
        """If the index has a different message for the same slot, return both messages (E1); otherwise, return None."""
        key = self._key(signed)
        previous = None if key is None else self._by_slot.get(key)
        if previous is None or previous.data == signed.data:
            return None
        return Equivocation(previous, signed)

    def _key(self, signed: SignedMessage) -> tuple[Role, Slot] | None:
        try:
            message = decode_message(self._match_id, signed.data)
        except UnreadableError:
            return None
        return message.author, slot_of(message)


def find_equivocations(
    match_id: str, known: Iterable[SignedMessage], others: Iterable[SignedMessage]
) -> Iterator[Equivocation]:
    """Yield each author's first pair of different messages for the same slot (E1). Signatures are not checked.

    Args:
        match_id: The match.
        known: Messages from one history.
        others: Messages from another history, or later messages from the same history.
    """
    slots = SlotIndex(match_id)
    slots.add(*known)
    accused: set[Role] = set()
    for signed in others:
        conflict = slots.conflict(signed)
        slots.add(signed)
        if conflict is None:
            continue
        author = decode_message(match_id, signed.data).author
        if author not in accused:
            accused.add(author)
            yield conflict


def unverified_seed_accusations(
    messages: Sequence[SignedMessage], roles: Iterable[Role]
) -> Iterator[FalseSeed]:
    """Yield a possible case (E5) against each role that has published its card seed. The seeds are not checked here."""
    for role in roles:
        yield FalseSeed(tuple(messages), role)


class _History(NamedTuple):
    """A copy's messages, grouped by the host's signatures over their order."""

    messages: list[SignedMessage]
    claims: list[OrderClaim]
    """Each claim contains the messages up to the end of a record, and the host's signature over their order.

    Each signature covers all earlier messages. If a signature is invalid, its record is therefore part of the next
    claim. Only the last claim's signature may be invalid.
    """

    def claim_on(self, index: int) -> OrderClaim | None:
        """Return the claim that contains a message, or None if there is no such claim."""
        return next(
            (claim for claim in self.claims if claim.after + len(claim.messages) >= index), None
        )

    def up_to(self, last: int) -> RefusedMessage:
        """Return an accusation with all messages up to the end of the claim that contains message ``last``."""
        # The host signs the order only at the end of a record, so evidence that ends earlier would
        # have no signature.
        claim = self.claim_on(last)
        if claim is None:
            return RefusedMessage(tuple(self.messages), b"", None)
        end = claim.after + len(claim.messages)
        return RefusedMessage(tuple(self.messages[: end + 1]), claim.order, None)

    def with_signatures(self, setup: MatchSetup, other: "_History") -> "_History":
        """Return this history, replacing each invalid signature with the other history's for the same message."""
        messages = [
            their_signed
            if signed.data == their_signed.data
            and signed.signature != their_signed.signature
            and not is_authentic(setup, signed)
            else signed
            for signed, their_signed in zip(self.messages, other.messages, strict=False)
        ]
        return _History([*messages, *self.messages[len(messages) :]], self.claims)


def _collect_history(setup: MatchSetup, records: Iterable[Record]) -> _History:
    """Collect the records' messages, up to the first record that cannot be decoded."""
    history = _History([], [])
    index, head, order = BEFORE_FIRST, setup.header_hash, b""
    after, head_after, unsigned = index, head, list[bytes]()
    for record in records:
        if record.transcript is msgspec.UNSET:
            continue
        try:
            messages = restore_messages(setup, index, {index: head}, record)
        except BrokenChainError:
            break
        for signed in messages:
            index += 1
            head = next_hash(head, index, signed.data)
            unsigned.append(signed.data)
        history.messages.extend(messages)
        order = record.transcript.order
        if is_ordered(setup, index, head, order):
            history.claims.append(OrderClaim(after, head_after, tuple(unsigned), order))
            after, head_after, unsigned = index, head, []
    if unsigned:
        history.claims.append(OrderClaim(after, head_after, tuple(unsigned), order))
    return history


def messages_of(setup: MatchSetup, records: Iterable[Record]) -> Sequence[SignedMessage]:
    """Return the messages in a copy's records, up to the first record that cannot be decoded."""
    return _collect_history(setup, records).messages


def accusations(
    game: AnyGame, header: Header, records: Sequence[Record], other: Sequence[Record] = ()
) -> tuple[Accusation, ...]:
    """Return the evidence found in a copy of a protocol 7 match, alone or together with another copy.

    If this program's rules differ from the match's rules, only E1 can be found, because E1 does not depend on the
    rules.

    Args:
        game: The rules.
        header: The copy's header.
        records: The copy's records. They may be invalid.
        other: Records from another copy of the match.
    """
    try:
        setup = match_setup(game, header)
    except FairPlayError:
        return ()
    history, other_history = _collect_history(setup, records), _collect_history(setup, other)
    history = history.with_signatures(setup, other_history)
    other_history = other_history.with_signatures(setup, history)
    cases: list[Case] = [*_find_conflicting_orders(history, other_history)]
    cases += find_equivocations(setup.match_id, history.messages, other_history.messages)
    for side in (history, other_history):
        # An invalid transcript can contain any messages, so a single history may contain two
        # conflicting ones.
        cases += find_equivocations(setup.match_id, (), side.messages)
        if not rules_differ(game, header):
            cases += _rule_violations(setup, side)
    return tuple(valid_accusations(setup, evidence_header(header), dict.fromkeys(cases)))


def _find_conflicting_orders(one: _History, other: _History) -> Iterator[ConflictingOrders]:
    # The host can sign the same order twice in different ways, so only the messages are compared.
    pairs = zip(one.messages, other.messages, strict=False)
    for index, (signed, other_signed) in enumerate(pairs):
        if signed.data != other_signed.data:
            claim, other_claim = one.claim_on(index), other.claim_on(index)
            if claim is not None and other_claim is not None:
                yield ConflictingOrders(claim, other_claim)
            return


def _rule_violations(setup: MatchSetup, history: _History) -> Iterator[Case]:
    """Fold one history and yield a case for the first refused message, or for each published seed (E2 to E5)."""
    state = initial_fair_state(setup)
    for signed in history.messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            # The host has not signed the other signatures, so anyone may have damaged this one later.
            if is_authentic(setup, signed):
                yield history.up_to(state.index + 1)
            return
        state = after
    yield from unverified_seed_accusations(history.messages, state.seeds)
