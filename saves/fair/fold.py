"""Folds a transcript. Only this code decides whether a message in a fair match is valid.

Hosts, seats, spectators and ``verify`` all call :func:`fold`. :func:`fold` checks form, signature, anchor, phase and
content, and returns the next state or a refusal. :func:`fold_in_steps` does the same but pauses, so that a host can
serve other matches in the meantime. :func:`saves.fair.due_messages.due_messages` lists the messages that a state is
waiting for.
"""

from collections.abc import Callable, Generator
from typing import Final, TypeAlias

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import UnreadableError
from saves.fair.derivation import plain_hash
from saves.fair.due_messages import due_messages, stop_objection
from saves.fair.errors import GroupElementError, MixProofError
from saves.fair.group import add, base_times, card_point, check_scalar
from saves.fair.labels import MIXED, CardLabel, LabelError, LabelTable
from saves.fair.limits import limit_problem, with_counts
from saves.fair.messages import (
    HOST,
    SEQUENTIAL,
    Agree,
    Close,
    Completion,
    Consent,
    End,
    Kind,
    Message,
    Mix,
    Offer,
    Open,
    Proof,
    Proposal,
    Request,
    Reveal,
    Seed,
    Setup,
    SignedMessage,
    claimed_author,
    decode_message,
)
from saves.fair.mixing import SHADOWS, check_outputs, throw_key
from saves.fair.opening import first_state, with_opening
from saves.fair.pauses import without_pauses
from saves.fair.proofs import proof_parts
from saves.fair.proposals import pile_showing, with_completion, with_proposal
from saves.fair.requests import InvalidMessageError, check_request, named_faces, named_opens
from saves.fair.resolution import DivergedError, Throw
from saves.fair.sealing import DealerSecrets
from saves.fair.secrets import cardseed_commitment, reveal_follows
from saves.fair.state import (
    FairState,
    KnownFace,
    MatchSetup,
    MessageRefusal,
    Pending,
    TakebackState,
    TranscriptPhase,
    UnprovenMix,
)
from saves.fair.verification_cache import verify_proof_once, verify_signature_once
from saves.timeline import FOLD_ERRORS

Outcome = FairState | MessageRefusal
Steps: TypeAlias = Generator[None, None, Outcome]
"""A generator that returns a fold's result, and yields whenever the caller may do other work."""

ALLOWED: Final[dict[TranscriptPhase, frozenset[Kind]]] = {
    TranscriptPhase.START: frozenset({Kind.SETUP}),
    TranscriptPhase.AGREE: frozenset({Kind.AGREE}),
    TranscriptPhase.IDLE: frozenset({Kind.REQUEST, Kind.OFFER, Kind.END}),
    TranscriptPhase.PREPARE: frozenset(
        {Kind.MIX, Kind.OPEN, Kind.COMPLETION, Kind.PROOF, Kind.END}
    ),
    TranscriptPhase.REVEAL: frozenset({Kind.REVEAL, Kind.END}),
    TranscriptPhase.RESOLVE: frozenset({Kind.PROPOSAL, Kind.PROOF, Kind.END}),
    TranscriptPhase.ASK: frozenset({Kind.OPEN, Kind.COMPLETION, Kind.PROOF, Kind.END}),
    TranscriptPhase.COMPLETE: frozenset(
        {Kind.COMPLETION, Kind.OPEN, Kind.MIX, Kind.PROOF, Kind.END}
    ),
    TranscriptPhase.CONSENT: frozenset({Kind.CONSENT, Kind.REQUEST, Kind.END}),
    TranscriptPhase.ENDED: frozenset({Kind.SEED, Kind.CLOSE}),
    TranscriptPhase.CLOSED: frozenset(),
}
"""The message kinds that are valid in each phase. No other code restricts them."""
change: Final = msgspec.structs.replace


def transcript_start(header: bytes) -> bytes:
    """Return the transcript hash before the first message, which is the header hash."""
    return plain_hash(b"fp7-header", header)


def next_hash(head: bytes, index: int, data: bytes) -> bytes:
    """Return the transcript hash after a message.

    Args:
        head: Transcript hash before this message.
        index: The message's index.
        data: The message's bytes, without signatures.
    """
    place = index.to_bytes(8, "big") + len(data).to_bytes(4, "big")
    return plain_hash(b"fp7-transcript", head + place + data)


def initial_fair_state(setup: MatchSetup) -> FairState:
    """Return the state before the first message."""
    return FairState(
        setup=setup,
        index=-1,
        hashes=(setup.header_hash,),
        first_hash=-1,
        phase=TranscriptPhase.START,
        table=LabelTable({}, 0),
        state=setup.game.initial_state(),
    )


def fold(state: FairState, signed: SignedMessage) -> Outcome:
    """Return the state after the next message, or a refusal if the message is not valid at this point.

    Never raises, whatever the input. A refusal names the author if the signature is valid. Otherwise, it names the
    host, because an honest host never indexes a message without a valid signature.
    """
    return without_pauses(fold_in_steps(state, signed))


def fold_in_steps(state: FairState, signed: SignedMessage) -> Steps:
    """Fold a message like :func:`fold`, but in steps.

    The generator yields after each possible reading of a hidden command, every few events, and between parts of the
    deal.
    """
    author, match_id = HOST, state.setup.match_id
    try:
        claimed = claimed_author(match_id, signed.data)
        key = state.setup.verify_key(claimed)
        # Check the signature before decoding the body, so that the author can be blamed for a
        # malformed body.
        if key is None or not verify_signature_once(key, signed.data, signed.signature):
            return MessageRefusal(HOST, f"the signature of {claimed or 'the host'} is invalid")
        author = claimed
        message = decode_message(match_id, signed.data)
    except UnreadableError as error:
        return MessageRefusal(author, f"the message is unreadable: {error}")
    return (yield from _message_steps(state, message, signed.data))


def fold_message(state: FairState, message: Message, data: bytes) -> Outcome:
    """Return the state after a message whose signature has already been verified."""
    return without_pauses(_message_steps(state, message, data))


def _message_steps(state: FairState, message: Message, data: bytes) -> Steps:
    problem = _order_refusal(state, message)
    if problem is not None:
        return problem
    limit_text = limit_problem(state, message, len(data))
    if limit_text:
        return MessageRefusal(message.author, limit_text)
    index = state.index + 1
    try:
        after = yield from _dispatch(state, message, index)
        if isinstance(after, MessageRefusal):
            return after
        head = next_hash(state.head, index, data)
        next_state = change(after, index=index, hashes=(*after.hashes, head), completed=None)
        return (yield from advance(with_counts(next_state, message, len(data))))
    # The rules raise these errors for commands and events that are impossible in the current state.
    except (LabelError, InvalidMessageError, DivergedError, UnreadableError, *FOLD_ERRORS) as error:
        return MessageRefusal(message.author, str(error) or type(error).__name__)
    except FlagplotError as error:
        return MessageRefusal(message.author, str(error))


def _dispatch(state: FairState, message: Message, index: int) -> Steps:
    match message.kind:
        case Kind.REQUEST:
            return (yield from _fold_request(state, message, index))
        case Kind.PROPOSAL:
            return (yield from _fold_proposal(state, message, index))
        case Kind.COMPLETION:
            return (yield from _fold_completion(state, message, index))
        case kind:
            return _HANDLERS[kind](state, message, index)


def _order_refusal(state: FairState, message: Message) -> MessageRefusal | None:
    """Return a refusal if a message does not belong at this point in the transcript, otherwise None."""
    kind, author = message.kind, message.author
    anchor = -1 if kind is Kind.SETUP else message.anchor
    if state.hash_at(anchor) != message.anchor_hash:
        # A wrong anchor hash proves nothing against the author, because the host may have sent the
        # author a different history.
        return MessageRefusal(
            author, f"the {kind} follows a different transcript", is_due_fault=True
        )
    if kind not in ALLOWED[state.phase]:
        return _not_due_refusal(
            state, message, f"the {kind} is not valid in the phase '{state.phase}'"
        )
    if kind in SEQUENTIAL and anchor != state.index:
        return MessageRefusal(
            author, f"the {kind} does not follow the last message", is_due_fault=True
        )
    return None


def _is_due(state: FairState, message: Message, item: str = "") -> bool:
    identity = (message.kind, message.author, message.anchor, item)
    return any(tuple(due_message) == identity for due_message in due_messages(state))


def _not_due_refusal(state: FairState, message: Message, problem: str = "") -> MessageRefusal:
    """Refuse a message that is not due.

    The author is usually not at fault, because the host may have indexed the message too late. The exception is an
    ``Open`` message directly after its anchor: an honest seat opens a label only after a message has made the opening
    due.
    """
    is_impossible = message.kind is Kind.OPEN and message.anchor == state.index
    problem = problem or f"this {message.kind} is not due"
    return MessageRefusal(message.author, problem, is_due_fault=not is_impossible)


# -- opening


def _fold_setup(state: FairState, message: Message, _: int) -> Outcome:
    body = message.body
    assert isinstance(body, Setup), "the body must match the message's kind"
    if message.author != HOST or body.header_hash != state.setup.header_hash:
        return MessageRefusal(message.author, "the set-up does not match the header")
    return change(state, phase=TranscriptPhase.AGREE)


def _fold_agree(state: FairState, message: Message, _: int) -> Outcome:
    body = message.body
    assert isinstance(body, Agree), "the body must match the message's kind"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    if body.header_hash != state.setup.header_hash:
        return MessageRefusal(
            message.author, f"{message.author} agrees to a different match set-up"
        )
    return change(state, agreed=state.agreed | {message.author})


# -- cards


def _fold_mix(state: FairState, message: Message, index: int) -> Outcome:
    body, pending = message.body, state.pending
    assert isinstance(body, Mix), "the body must match the message's kind"
    assert pending is not None, "a record must be pending in this phase"
    if not _is_due(state, message, f"{body.deck}/{body.pile}"):
        return _not_due_refusal(state, message)
    pile = state.table.pile(body.deck, body.pile)
    # The inputs must be all of the pile's labels, so that the owner cannot keep a card out of the
    # mix.
    if body.inputs != tuple(sorted(label.number for label in pile.labels)):
        return MessageRefusal(
            message.author, f"the mix of {body.pile} does not have the same labels as the pile"
        )
    if len(body.shadows) != SHADOWS:
        return MessageRefusal(message.author, f"a mix must have {SHADOWS} shadows")
    try:
        outputs = check_outputs(body.outputs, len(body.inputs))
    except (GroupElementError, MixProofError) as error:
        return MessageRefusal(message.author, str(error))
    sorted_labels = sorted(pile.labels, key=lambda label: label.number)
    unproven = UnprovenMix(
        owner=message.author,
        pile=body.pile,
        # The next throw challenges the mix, because its reveals are still unknown when the shadow
        # hashes are sent.
        throw=state.throws,
        first=state.table.next_number,
        inputs=tuple(label_commitment(state.setup, body.deck, label) for label in sorted_labels),
        outputs=outputs,
        shadows=body.shadows,
    )
    return change(
        state,
        table=state.table.mix(body.deck, body.pile, outputs, state.throws, index),
        unproven=(*state.unproven, unproven),
        pending=change(pending, mixed_at={**pending.mixed_at, message.author: index}),
    )


def label_commitment(setup: MatchSetup, deck: str, label: CardLabel) -> bytes:
    """Return a label's commitment. For a label from the set-up, return its card's unblinded point instead."""
    return label.point or card_point(setup.match_id, deck, label.face)


def _fold_proof(state: FairState, message: Message, _: int) -> Outcome:
    body = message.body
    assert isinstance(body, Proof), "the body must match the message's kind"
    if body.deck != message.author or not _is_due(state, message, str(body.first)):
        return _not_due_refusal(state, message)
    mix = next(
        mix for mix in state.unproven if mix.owner == message.author and mix.first == body.first
    )
    parts = proof_parts(state, mix, body)
    try:
        verify_proof_once(*parts)
    except (GroupElementError, MixProofError) as error:
        return MessageRefusal(
            message.author, f"the proof of the mix of {mix.pile} is invalid: {error}"
        )
    return change(
        state, unproven=tuple(unproven for unproven in state.unproven if unproven is not mix)
    )


def _fold_open(state: FairState, message: Message, index: int) -> Outcome:
    body, pending, author = message.body, state.pending, message.author
    assert isinstance(body, Open), "the body must match the message's kind"
    assert pending is not None, "a record must be pending in this phase"
    is_asked = state.phase is TranscriptPhase.ASK
    if not _is_due(state, message, f"#{body.label}" if is_asked else body.card):
        return _not_due_refusal(state, message)
    pile_and_label = state.table.find(author, body.label)
    if pile_and_label is None or pile_and_label[1].face:
        return MessageRefusal(author, f"{author} has no unopened label {body.label}")
    pile, label = pile_and_label
    blinding = check_scalar(body.blinding)
    point = add(card_point(state.setup.match_id, author, body.card), base_times(blinding))
    # A matching point is not enough, because an unproven mix may contain a card that is not in the
    # deck.
    if body.card not in state.setup.game.decks()[author] or point != label.point:
        return MessageRefusal(author, f"label {body.label} does not open to {body.card}")
    is_named = state.phase is TranscriptPhase.PREPARE and not pending.stages
    if is_named and pile.kind in MIXED and not pile.is_clean(None):
        return MessageRefusal(
            author, f"{pile.name} must be mixed before one of its labels is opened"
        )
    table = state.table.open(author, body.label, body.card, state.throws, index)
    opened_at = {**pending.opened_at, author: index}
    remaining_opens = tuple(
        owed_open for owed_open in pending.opens if owed_open != (author, body.card)
    )
    pending = change(pending, opens=remaining_opens, opened_at=opened_at)
    if is_named:
        pending = change(pending, faces=(*pending.faces, KnownFace(pile.name, body.card)))
    if is_asked:
        pending = change(pending, asked=None, asks=pending.asks + 1)
    else:
        place = pile_showing(state, author, body.card)
        if place is not None and place != pile.name:
            return MessageRefusal(author, f"{body.card} is opened in {pile.name} but is in {place}")
    return change(state, table=table, pending=pending)


# -- commands


def _fold_request(state: FairState, message: Message, index: int) -> Steps:
    body = message.body
    assert isinstance(body, Request), "the body must match the message's kind"
    if not message.author:
        return MessageRefusal(HOST, "the host may not give commands")
    if body.record != state.records:
        return MessageRefusal(
            message.author, f"the command is for record {body.record}, which is not the next one"
        )
    yield from check_request(state, message.author, body)
    pending = Pending(
        number=state.records,
        actor=message.author,
        request=body,
        request_anchor=message.anchor_hash,
        uses_chance=body.uses_chance,
        since=index,
        state=state.state,
        opens=named_opens(state, message.author, body),
        faces=named_faces(state, message.author, body),
    )
    return change(state, phase=TranscriptPhase.PREPARE, pending=pending, offer=None)


def _fold_reveal(state: FairState, message: Message, _: int) -> Outcome:
    body, pending, author = message.body, state.pending, message.author
    assert isinstance(body, Reveal), "the body must match the message's kind"
    assert pending is not None, "a record must be pending in this phase"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    has_reveals = bool(pending.reveals)
    # A throw begins with its first reveal, which increases the count of throws. Later reveals
    # belong to the same throw.
    number = state.throws - 1 if has_reveals else state.throws
    last_reveal = (
        state.last_reveals[author] if author in state.last_reveals else _last_reveal(state, author)
    )
    if body.number != number or not reveal_follows(
        body.value, last_reveal, state.setup.match_id, author
    ):
        return MessageRefusal(author, f"the reveal of {author} is not number {number} of its chain")
    pending = change(pending, reveals={**pending.reveals, author: body.value})
    return change(
        state,
        throws=number + 1,
        last_reveals={**state.last_reveals, author: body.value},
        pending=pending,
    )


def _last_reveal(state: FairState, role: Role) -> bytes:
    party = state.setup.party(role)
    assert party is not None, "a reveal must be due only from parties"
    return party.head


def _fold_proposal(state: FairState, message: Message, index: int) -> Steps:
    body = message.body
    assert isinstance(body, Proposal), "the body must match the message's kind"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    return (yield from with_proposal(state, message, body, index))


def _fold_completion(state: FairState, message: Message, index: int) -> Steps:
    body = message.body
    assert isinstance(body, Completion), "the body must match the message's kind"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    return (yield from with_completion(state, message, body, index))


# -- takebacks and ends


def _fold_offer(state: FairState, message: Message, index: int) -> Outcome:
    body = message.body
    assert isinstance(body, Offer), "the body must match the message's kind"
    if not message.author:
        return MessageRefusal(HOST, "the host may not make offers")
    if body.matter == "takeback" and not body.record < state.records - 1:
        return MessageRefusal(message.author, f"there is no earlier record {body.record}")
    if body.matter != "takeback" and body.record:
        return MessageRefusal(message.author, f"an offer of a {body.matter} must not name a record")
    if body.matter == "draw" and len(state.setup.sides) < _TWO_SIDES:
        return MessageRefusal(message.author, "there is no other side to agree to a draw")
    return change(
        state,
        phase=TranscriptPhase.CONSENT,
        offer=body,
        offer_by=message.author,
        offer_at=index,
        consents=frozenset(),
    )


def _fold_consent(state: FairState, message: Message, index: int) -> Outcome:
    body, offer = message.body, state.offer
    assert isinstance(body, Consent), "the body must match the message's kind"
    assert offer is not None, "an offer must be open in this phase"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    if not body.agrees:
        return change(state, phase=TranscriptPhase.IDLE, offer=None)
    consents = state.consents | {message.author}
    state = change(state, consents=consents)
    if len(consents) < len(state.setup.parties) - 1:
        return state
    return _after_agreement(state, offer, index)


def _after_agreement(state: FairState, offer: Offer, index: int) -> FairState:
    """Return the state after all parties have accepted an offer."""
    if offer.matter == "draw":
        return change(
            state,
            phase=TranscriptPhase.ENDED,
            end=End("draw", state.offer_by),
            end_at=index,
            offer=None,
        )
    pending = Pending(
        number=state.records,
        actor=HOST,
        since=index,
        state=state.state,
        offer=offer.matter,
        offer_by=state.offer_by,
        takeback_to=offer.record if offer.matter == "takeback" else None,
    )
    # Only the game state and the labels are restored. A takeback does not undo throws, so they
    # cannot be repeated.
    if offer.matter == "takeback":
        restored = state.history[offer.record]
        pending = change(pending, state=restored.state)
        state = change(state, table=restored.table.restored(state.table))
    return change(state, phase=TranscriptPhase.COMPLETE, pending=pending)


def _fold_end(state: FairState, message: Message, index: int) -> Outcome:
    body, author = message.body, message.author
    assert isinstance(body, End), "the body must match the message's kind"
    is_host = not author
    if body.reason == "stopped" and not is_host and body.role == author:
        return _fold_stop(state, body, author, index)
    setup = state.setup
    is_allowed = {
        "resigned": not is_host and body.role == author and len(setup.sides) <= _TWO_SIDES,
        "time": is_host and setup.may_lose_by_time and setup.party(Role(body.role)) is not None,
    }.get(body.reason, False)
    if not is_allowed:
        return MessageRefusal(author, "the match cannot end in this way")
    # The match can end while a command's throw is in progress. The command is then discarded, which
    # is safe because no other throw follows.
    return change(
        state, phase=TranscriptPhase.ENDED, end=body, end_at=index, pending=None, offer=None
    )


def _fold_stop(state: FairState, body: End, author: Role, index: int) -> Outcome:
    """End a match because other seats have not responded. Only the host can check the elapsed time."""
    problem = stop_objection(state, author)
    if problem:
        return MessageRefusal(author, problem)
    return change(
        state, phase=TranscriptPhase.ENDED, end=body, end_at=index, pending=None, offer=None
    )


def _fold_seed(state: FairState, message: Message, _: int) -> Outcome:
    body, author, setup = message.body, message.author, state.setup
    assert isinstance(body, Seed), "the body must match the message's kind"
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    party = setup.party(author)
    if party is None and not DealerSecrets(body.seed).matches_header(setup):
        return MessageRefusal(HOST, "the host's secret does not match its commitment")
    if party is not None and cardseed_commitment(body.seed) != party.cards:
        return MessageRefusal(author, f"the card seed of {author} does not match its commitment")
    return change(state, seeds={**state.seeds, author: body.seed})


def _fold_close(state: FairState, message: Message, _: int) -> Outcome:
    body = message.body
    assert isinstance(body, Close), "the body must match the message's kind"
    if message.author:
        return MessageRefusal(message.author, "only the host may close a transcript")
    if not _is_due(state, message):
        return _not_due_refusal(state, message)
    roles = [party.role for party in state.setup.parties] if state.setup.deals else []
    if [*body.missing] != [role for role in roles if role not in state.seeds]:
        return MessageRefusal(message.author, "the close does not name the seeds that are missing")
    return change(state, phase=TranscriptPhase.CLOSED)


_TWO_SIDES: Final = 2
"""With fewer sides there can be no draw, and with more sides no side can resign.

With more than two sides, a resignation would not determine the winner.
"""
_HANDLERS: Final[dict[Kind, Callable[[FairState, Message, int], Outcome]]] = {
    Kind.SETUP: _fold_setup,
    Kind.AGREE: _fold_agree,
    Kind.MIX: _fold_mix,
    Kind.REVEAL: _fold_reveal,
    Kind.PROOF: _fold_proof,
    Kind.OPEN: _fold_open,
    Kind.OFFER: _fold_offer,
    Kind.CONSENT: _fold_consent,
    Kind.END: _fold_end,
    Kind.SEED: _fold_seed,
    Kind.CLOSE: _fold_close,
}
"""Handlers for the message kinds that are checked in a single step."""


# -- steps that need no message


def advance(state: FairState) -> Steps:
    """Enter the next phase if all messages for the current one have arrived. Yield while dealing the opening."""
    match state.phase:
        case TranscriptPhase.AGREE if not due_messages(state):
            return (yield from advance(first_state(state)))
        case TranscriptPhase.PREPARE if not due_messages(state):
            return _after_preparation(state)
        case TranscriptPhase.REVEAL if not due_messages(state):
            return (yield from _after_throw(state))
        # Only proofs may be missing here. They can arrive in later phases, but the record is not
        # complete without them.
        case TranscriptPhase.ASK if all(
            message.kind is Kind.PROOF for message in due_messages(state)
        ):
            return change(state, phase=TranscriptPhase.RESOLVE)
        case TranscriptPhase.COMPLETE if not due_messages(state):
            return _after_record(state)
        case _:
            return state


def _after_preparation(state: FairState) -> FairState:
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    pending = change(pending, wanted=None, since=state.index)
    phase = TranscriptPhase.REVEAL if pending.uses_chance else TranscriptPhase.RESOLVE
    return change(state, phase=phase, pending=pending)


def _after_throw(state: FairState) -> Steps:
    """Return the state after the last reveal for a throw. After the first throw, deal the opening."""
    pending, setup = state.pending, state.setup
    assert pending is not None, "a record must be pending in this phase"
    number = state.throws - 1
    reveals = tuple(pending.reveals[party.role] for party in setup.parties)
    throw = Throw(number, throw_key(setup.header_hash, number, reveals))
    pending = change(pending, throws=(*pending.throws, throw), reveals={})
    state = change(
        state,
        phase=TranscriptPhase.RESOLVE,
        pending=pending,
        challenge=reveals,
        challenge_at=state.index,
    )
    if not setup.deals or pending.number:
        return state
    dealt = yield from with_opening(state)
    return (yield from advance(dealt))


def _after_record(state: FairState) -> FairState:
    """Return the state after a record's last message."""
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    table, game = state.table.end_record(), state.setup.game
    is_over = game.outcome(pending.state) is not None
    return change(
        state,
        phase=TranscriptPhase.ENDED if is_over else TranscriptPhase.IDLE,
        end_at=state.index if is_over else 0,
        table=table,
        state=pending.state,
        records=pending.number + 1,
        pending=None,
        completed=pending,
        offers={},
        offer=None,
        # No message may be anchored before the end of the last record, so older hashes are dropped.
        hashes=state.hashes[-1:],
        first_hash=state.index,
        history=(*state.history, TakebackState(pending.state, table)),
    )
