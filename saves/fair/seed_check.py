"""Check a transcript against one card seed: mixes, boxes, commitments and hidden commands (evidence E5)."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from engine.kernel.ids import Role
from saves.codec import AnyGame, codec
from saves.errors import UnreadableError
from saves.fair.dealer import Dealer
from saves.fair.dealer_audit import decision_problem
from saves.fair.errors import BlindingReuseError, BoxError
from saves.fair.fold import begin, fold
from saves.fair.labels import piles_problem
from saves.fair.messages import (
    Message,
    Mix,
    SignedMessage,
    decode_message,
)
from saves.fair.private import COMMAND_PLACE, PrivateCards
from saves.fair.secrets import CardSecrets
from saves.fair.state import FairState, MatchSetup, MessageRefusal, Pending
from saves.records import Entry
from saves.timeline import CANNOT_FOLD


class SeedFault(NamedTuple):
    """A contradiction between a transcript and a card seed."""

    at: int
    """Index of the message, or of the last message of the record."""
    problem: str


def seed_problem(
    setup: MatchSetup, messages: Sequence[SignedMessage], role: Role, seed: bytes
) -> SeedFault | None:
    """Return the first contradiction between a valid transcript and the card seed of a role; None if there is none.

    If the host deals, ``seed`` is its secret and the role is empty. Only a definite difference counts as a fault, so
    anything that this program cannot compute is ignored.
    """
    if not setup.knows_position:
        return None
    if not setup.deals:
        return _decision_problem(setup, messages, seed)
    state = begin(setup)
    cards = PrivateCards(state, CardSecrets(setup.match_id, role, seed))
    for signed in messages:
        after = fold(state, signed)
        if isinstance(after, MessageRefusal):
            return None
        message = decode_message(setup.match_id, signed.data)
        try:
            problem = _problem(cards, state, message, after)
            if not problem:
                cards.follow(state, message, after)
                problem = _faces_problem(cards, after)
                if problem and not _has_part(cards, after):
                    return None  # whoever has caused this, it is not proved by this seed
        except (BoxError, UnreadableError, *CANNOT_FOLD):
            return None
        if problem:
            return SeedFault(after.index, problem)
        state = after
    return None


def _decision_problem(
    setup: MatchSetup, messages: Sequence[SignedMessage], secret: bytes
) -> SeedFault | None:
    """Return the first message that does not follow from the secret of a dealing host."""
    state, dealer = begin(setup), Dealer(setup, secret)
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


def _problem(cards: PrivateCards, before: FairState, message: Message, after: FairState) -> str:
    if isinstance(message.body, Mix) and message.author == cards.role:
        return _mix_problem(cards, before, message, message.body)
    if after.completed is not None:
        return _record_problem(cards, after, after.completed)
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


def _record_problem(cards: PrivateCards, state: FairState, pending: Pending) -> str:
    """Compare boxes with commitments, and check that a hidden command was legal.

    Return the problem, or an empty string.
    """
    own = _commitments(cards.role, pending)
    try:
        boxed = cards.complete_entries(state, pending)
    except (BoxError, UnreadableError) as error:
        return f"a box does not follow from the card seed: {error}"
    for place, commitment in own.items():
        if place not in boxed or boxed[place].commitment != commitment:
            return f"entry {place} of the record differs from the box of its author"
    problem = _unreadable(state.setup.game, boxed)
    if not problem and COMMAND_PLACE in own and not _is_legal(cards, state, pending):
        problem = "the hidden command was not legal"
    return problem


def _faces_problem(cards: PrivateCards, after: FairState) -> str:
    """Compare the owner's cards with its piles by the rules after a record; return the problem, or an empty string."""
    if after.completed is None:
        return ""
    deck = after.table.decks.get(cards.role, {})
    piles = after.setup.game.card_piles(cards.state, cards.role)
    problem = piles_problem(deck, piles, partial(cards.face_of, cards.role))
    return problem and f"by the card seed there are {problem} say"


def _has_part(cards: PrivateCards, after: FairState) -> bool:
    """Return whether the owner has given the last command or has completed its events."""
    pending = after.completed
    return pending is not None and (
        pending.actor == cards.role or bool(cards.boxed(after, pending))
    )


def _unreadable(game: AnyGame, boxed: Mapping[int, Entry]) -> str:
    """Name a hidden entry of the owner that is not a command or event of the game; empty if there is none."""
    codes = codec(game)
    for place, entry in boxed.items():
        read = codes.event if place else codes.command
        try:
            read(entry.tag, entry.v, entry.body or b"")
        except (UnreadableError, *CANNOT_FOLD) as error:
            return f"the hidden entry {place} of the record cannot be read: {error}"
    return ""


def _is_legal(cards: PrivateCards, state: FairState, pending: Pending) -> bool:
    """Return whether the owner's hidden command was legal. One that names things that do not exist is not."""
    try:
        return state.setup.game.is_legal(cards.state, cards.role, cards.command(state, pending))
    except CANNOT_FOLD:
        return False


def _commitments(role: Role, pending: Pending) -> dict[int, bytes]:
    """Return the commitments that a role made in a record, by place."""
    found: dict[int, bytes] = {}
    request = pending.request
    if request is not None and pending.actor == role and request.command.commitment:
        found[COMMAND_PLACE] = request.command.commitment
    for number, event in enumerate(pending.events):
        commitment = pending.commitments.get(number, b"")
        if not event.owner and pending.actor == role:
            commitment = event.entry.commitment
        elif event.owner != role:
            continue
        if commitment:
            found[number + 1] = commitment
    return found
