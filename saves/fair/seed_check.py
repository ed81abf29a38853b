"""Checks a transcript against one card seed (evidence E5).

Apart from the player's choice of commands, the seed determines everything that the seat's program sends about cards and
commands. Each of the seat's messages is therefore recomputed from the seed and all earlier messages.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from engine.kernel.cards import PileKind
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import AnyGame, codec
from saves.errors import UnreadableError
from saves.fair.dealer import Dealer
from saves.fair.dealer_audit import decision_problem
from saves.fair.errors import BlindingReuseError, BoxError
from saves.fair.fold import fold, initial_fair_state
from saves.fair.messages import (
    Completion,
    LabelMove,
    Message,
    Mix,
    Proposal,
    Request,
    SignedMessage,
    decode_message,
)
from saves.fair.private_cards import COMMAND_PLACE, PrivateCards
from saves.fair.secrets import CardSecrets
from saves.fair.state import FairState, MatchSetup, MessageRefusal, Pending
from saves.records import Entry
from saves.timeline import FOLD_ERRORS

_NOT_COMPUTED = (FlagplotError, *(kind for kind in FOLD_ERRORS if kind is not RecursionError))
"""Errors in computations that an honest program has completed before it signs a message."""


class SeedFault(NamedTuple):
    """A contradiction between a transcript and a card seed."""

    position: int
    """Index of the message that contradicts the seed."""
    problem: str


def seed_problem(
    setup: MatchSetup, messages: Sequence[SignedMessage], role: Role, seed: bytes
) -> SeedFault | None:
    """Return the first contradiction between a valid transcript and a role's card seed; None if they agree.

    If the host deals, ``seed`` is the host's secret and the role is empty. Only a definite difference is a fault, so
    values that this program cannot compute are skipped.
    """
    if not setup.knows_position:
        return None
    if not setup.deals:
        return _decision_problem(setup, messages, seed)
    state = initial_fair_state(setup)
    check = SeedCheck(state, CardSecrets(setup.match_id, role, seed))
    for signed in messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            return None
        try:
            problem = check.problem(state, decode_message(setup.match_id, signed.data), after)
        # The seat's own messages have been correct so far, so the fault is in another seat's
        # message, which this seed cannot prove.
        except (BoxError, UnreadableError, *FOLD_ERRORS):
            return None
        if problem:
            return SeedFault(after.index, problem)
        state = after
    return None


def _decision_problem(
    setup: MatchSetup, messages: Sequence[SignedMessage], secret: bytes
) -> SeedFault | None:
    """Return the first contradiction between a transcript and a dealing host's secret; None if they agree."""
    state, dealer = initial_fair_state(setup), Dealer(setup, secret)
    for signed in messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            return None
        message = decode_message(setup.match_id, signed.data)
        problem = decision_problem(dealer, state, message)
        if problem:
            return SeedFault(after.index, problem)
        dealer.follow(state, message, after)
        state = after
    return None


class SeedCheck:
    """Checks a seat's messages against its card seed."""

    def __init__(self, state: FairState, secrets: CardSecrets) -> None:
        """Start with a transcript that has no messages yet."""
        self.cards = PrivateCards(state, secrets)

    def problem(self, before: FairState, message: Message, after: FairState) -> str:
        """Return how an accepted message contradicts the seat's seed, or an empty string if it does not.

        Once this method has returned a problem, do not call it again.

        Raises:
            BoxError: The message cannot be applied to the seat's cards, but the seat's own messages are correct.
                :exc:`UnreadableError` and the errors in :data:`saves.timeline.FOLD_ERRORS` have the same meaning.
        """
        cards = self.cards
        problem = (
            _message_problem(cards, before, message, after) if message.author == cards.role else ""
        )
        # A message that contradicts the seed cannot be applied to the cards, so the check ends
        # here.
        if not problem:
            cards.follow(before, message, after)
        return problem


def _message_problem(
    cards: PrivateCards, before: FairState, message: Message, after: FairState
) -> str:
    match message.body:
        case Mix():
            return _mix_problem(cards, before, message, message.body)
        case Request():
            return _box_problem(cards, after) or _command_problem(cards, after)
        case Proposal():
            return _box_problem(cards, after) or _proposal_problem(
                cards, before, message.body, after
            )
        case Completion():
            return _box_problem(cards, after) or _completion_problem(
                cards, before, message.body, after
            )
        case _:
            return ""


def _mix_problem(cards: PrivateCards, before: FairState, message: Message, body: Mix) -> str:
    pile = before.table.pile(cards.role, body.pile)
    try:
        mix = cards.mix(before, pile, message.anchor)
    except BlindingReuseError as error:
        return str(error)
    except (BoxError, UnreadableError) as error:
        return f"the order of {body.pile} does not follow from the card seed: {error}"
    if mix.outputs != body.outputs:
        return f"the labels of the mix of {body.pile} do not follow from the card seed"
    if mix.shadow_hashes != body.shadows:
        return f"the shadows of the mix of {body.pile} do not follow from the card seed"
    return ""


def _pending_record(state: FairState) -> Pending:
    """Return the record to which the last message belongs."""
    pending = state.pending or state.completed
    assert pending is not None, "the message must belong to a record"
    return pending


def _box_problem(cards: PrivateCards, after: FairState) -> str:
    """Compare the owner's boxes in the record so far with its commitments.

    Return the problem; empty if they match.
    """
    pending = _pending_record(after)
    try:
        boxed = cards.hidden_entries(after, pending)
    except (BoxError, UnreadableError) as error:
        return f"a box does not follow from the card seed: {error}"
    for place, commitment in _commitments_by_place(cards.role, pending).items():
        if place not in boxed or boxed[place].commitment != commitment:
            return f"entry {place} of the record differs from the box of its author"
    return _unreadable_entry(after.setup.game, boxed)


def _command_problem(cards: PrivateCards, after: FairState) -> str:
    """Return why the owner's command is illegal or how it differs from its public form; empty if it is correct."""
    game, role, pending = after.setup.game, cards.role, _pending_record(after)
    assert pending.request is not None, "a command must be pending"
    public_entry = pending.request.command
    try:
        command = cards.pending_command(after, pending)
        redacted = game.redact_command(command, role, None)
        assert redacted is not None, "a command's kind must be public in a fair match"
        if codec(game).pack(redacted) != (public_entry.tag, public_entry.v, public_entry.body):
            return "the command in the box has a different public form"
        is_legal = game.is_legal(cards.state, role, command)
    except _NOT_COMPUTED:
        is_legal = False  # The command names pieces or places that do not exist.
    return "" if is_legal else "the command was not legal"


def _proposal_problem(
    cards: PrivateCards, before: FairState, body: Proposal, after: FairState
) -> str:
    """Return how a proposal differs from the results of the owner's command, or an empty string if it does not."""
    try:
        plan = cards.resolve_pending(before)
        first_event = len(_pending_record(before).events)
        problem = _events_problem(cards, after, dict(enumerate(plan.events, first_event)))
    except _NOT_COMPUTED as error:
        return f"the proposal does not follow from the command and the card seed: {error}"
    if problem:
        return problem
    wanted_pile = plan.wanted if plan.status == "stage" else None
    uses = tuple(known_use.use for known_use in plan.uses)
    expected = (len(plan.events), uses, plan.status, wanted_pile)
    is_same = expected == (len(body.events), body.uses, body.status, body.wanted)
    if not is_same or not _are_same_moves(cards, before, plan.message_moves, body.moves):
        return "the proposal does not follow from the command and the card seed"
    return ""


def _completion_problem(
    cards: PrivateCards, before: FairState, body: Completion, after: FairState
) -> str:
    """Return how a completion differs from the one computed from the owner's cards; empty if it does not."""
    try:
        events, moves = cards.completed_events(before)
        problem = _events_problem(cards, after, events)
    except _NOT_COMPUTED as error:
        return f"the completion does not follow from the card seed: {error}"
    if problem or _are_same_moves(cards, before, moves, body.moves):
        return problem
    return "the completion moves labels that do not follow from the card seed"


def _are_same_moves(
    cards: PrivateCards,
    state: FairState,
    expected: Sequence[LabelMove],
    actual: Sequence[LabelMove],
) -> bool:
    """Return whether two sequences of moves are equivalent.

    The order of moves matters only in ordered piles, because older programs listed moves by face.
    """
    piles = state.table.decks.get(cards.role, {})

    def sort_key(move: LabelMove) -> tuple[int, str, int]:
        is_ordered = move.target in piles and piles[move.target].kind is PileKind.ORDERED
        return move.event, move.target, -1 if is_ordered else move.label

    return sorted(expected, key=sort_key) == sorted(actual, key=sort_key)


def _events_problem(cards: PrivateCards, after: FairState, expected: Mapping[int, Event]) -> str:
    """Return a sentence that names the first event that is not as expected; empty if all events are as expected."""
    known_events = cards.known_events(after, _pending_record(after))
    for number, event in expected.items():
        if number >= len(known_events) or known_events[number] != after.setup.game.redact(
            event, cards.role
        ):
            return f"event {number} of the record does not follow from the card seed"
    return ""


def _unreadable_entry(game: AnyGame, boxed: Mapping[int, Entry]) -> str:
    """Return a sentence that names a hidden entry that cannot be decoded; empty if every entry can be decoded."""
    game_codec = codec(game)
    for place, entry in boxed.items():
        decode = game_codec.event if place else game_codec.command
        try:
            decode(entry.tag, entry.v, entry.body or b"")
        except (UnreadableError, *FOLD_ERRORS) as error:
            return f"the hidden entry {place} of the record cannot be read: {error}"
    return ""


def _commitments_by_place(role: Role, pending: Pending) -> dict[int, bytes]:
    """Return a role's commitments in a record, keyed by the place of the entry."""
    commitments: dict[int, bytes] = {}
    request = pending.request
    if request is not None and pending.actor == role and request.command.commitment:
        commitments[COMMAND_PLACE] = request.command.commitment
    for number, event in enumerate(pending.events):
        commitment = pending.commitments.get(number, b"")
        if not event.owner and pending.actor == role:
            commitment = event.entry.commitment
        elif event.owner != role:
            continue
        if commitment:
            commitments[number + 1] = commitment
    return commitments
