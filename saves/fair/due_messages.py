"""Lists the messages that a transcript is waiting for. Both the seats and ``fold`` use this list."""

from collections.abc import Iterator
from typing import Final

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from saves.fair.labels import MIXED, Pile
from saves.fair.messages import HOST, Kind
from saves.fair.state import DueMessage, FairState, Pending, TranscriptPhase

STOP_TOO_EARLY: Final = "the others still have time to answer"
"""The reason why a role may not stop the match yet."""
_BETWEEN_COMMANDS: Final = frozenset({TranscriptPhase.IDLE, TranscriptPhase.CONSENT})
_MIX_ON_REQUEST = frozenset({*MIXED, PileKind.DISCARD})


def due_messages(state: FairState) -> tuple[DueMessage, ...]:
    """Return the messages that the transcript is waiting for, in a fixed order; empty between two records."""
    return tuple(_BY_PHASE.get(state.phase, _nothing_due)(state))


def awaited_roles(state: FairState) -> frozenset[Role]:
    """Return the roles whose messages or commands the match is waiting for; empty once the match has ended."""
    if state.has_ended:
        return frozenset()
    if state.phase in _BETWEEN_COMMANDS:
        return frozenset(state.setup.game.active_roles(state.state))
    return frozenset(message.author for message in due_messages(state) if message.author != HOST)


def stop_objection(state: FairState, role: Role) -> str:
    """Return the reason why a role may never stop the match in this state; empty if it may once time has passed.

    Only the host can tell how much time has passed. A role that must give the next command may itself be waiting: after
    a restart, it can sign a command only after the other seats have replied, and only the host can tell whether they
    have.
    """
    if not state.setup.reply_limit:
        return "this match has no response time limit"
    missing = awaited_roles(state)
    if not missing:
        return "the match is not waiting for any other seat"
    # Such a role has seen the other messages for the pending command, such as the reveals.
    if missing == {role} and state.phase not in _BETWEEN_COMMANDS:
        return _alone(role)
    return ""


def early_stop_objection(state: FairState, role: Role) -> str:
    """Return the reason why a role may not stop the match before the host says that time has passed."""
    return _alone(role) if awaited_roles(state) == {role} else STOP_TOO_EARLY


def _alone(role: Role) -> str:
    return f"the match is waiting for {role} alone"


def _nothing_due(_: FairState) -> Iterator[DueMessage]:
    yield from ()


def _due_setup(_: FairState) -> Iterator[DueMessage]:
    yield DueMessage(Kind.SETUP, HOST, 0)


def _due_agreements(state: FairState) -> Iterator[DueMessage]:
    for party in state.setup.parties:
        if party.role not in state.agreed:
            yield DueMessage(Kind.AGREE, party.role, 0)


def _pending_record(state: FairState) -> Pending:
    assert state.pending is not None, "a record must be pending in this phase"
    return state.pending


def _due_preparation(state: FairState) -> Iterator[DueMessage]:
    pending = _pending_record(state)
    yield from _due_proofs(state)
    yield from _due_completions(pending)
    mixes = tuple(_due_mixes(state, _unprepared_piles(state, pending)))
    yield from mixes
    # In the opening, an owner mixes its piles before opening the cards that the scenario names.
    mixing = set[Role]() if pending.number else {message.author for message in mixes}
    yield from (message for message in _due_opens(pending) if message.author not in mixing)


def _unprepared_piles(state: FairState, pending: Pending) -> Iterator[tuple[Role, Pile]]:
    """Yield the piles that must be mixed before the next throw or before the actor names one of their labels."""
    first_throw = pending.throws[0].number if pending.throws else None
    wanted_pile = pending.wanted
    for role, deck in state.table.decks.items():
        for pile in deck.values():
            if not pile.labels:
                continue
            # Discards are public, so a discard pile is mixed only if a card leaves it unseen.
            is_wanted = wanted_pile is not None and (wanted_pile.deck, wanted_pile.pile) == (
                role,
                pile.name,
            )
            if is_wanted and pile.kind in _MIX_ON_REQUEST and not pile.is_mixed:
                yield role, pile
                continue
            # A throw may pick from any deck. Without a throw, only labels from the actor's own deck
            # can be named before the proposal.
            may_be_used = pending.uses_chance or role == pending.actor or is_wanted
            if may_be_used and pile.kind in MIXED and not pile.is_clean(first_throw):
                yield role, pile


def _due_mixes(state: FairState, piles: Iterator[tuple[Role, Pile]]) -> Iterator[DueMessage]:
    """Yield the mixes that are due. An owner first completes its events and opens its labels."""
    pending = _pending_record(state)
    roles_opening = {owed.owner for owed in pending.opens} if pending.number else set[Role]()
    busy_roles = {*pending.owes_completion, *roles_opening}
    for role, pile in piles:
        if role not in busy_roles:
            # The anchor is the last message that changed the pile or made the mix due. If a mix had
            # two possible anchors, its owner could send two mixes.
            anchor = max(
                pile.changed,
                pending.since,
                pending.completed_at.get(role, 0),
                pending.opened_at.get(role, 0),
            )
            yield DueMessage(Kind.MIX, role, anchor, f"{role}/{pile.name}")


def _due_opens(pending: Pending) -> Iterator[DueMessage]:
    for owner, card in pending.opens:
        if owner not in pending.owes_completion:
            # An ``Open`` message must be due in the state at its anchor. Otherwise, it would be
            # evidence against an honest author.
            anchor = max(
                pending.since, pending.completed_at.get(owner, 0), pending.mixed_at.get(owner, 0)
            )
            yield DueMessage(Kind.OPEN, owner, anchor, card)


def _due_completions(pending: Pending) -> Iterator[DueMessage]:
    for role in pending.owes_completion:
        yield DueMessage(Kind.COMPLETION, role, pending.since)


def _due_proofs(state: FairState) -> Iterator[DueMessage]:
    for mix in state.unproven:
        # A throw challenges only earlier mixes, because the throw's reveals must be unknown when a
        # mix's shadows are fixed.
        if state.challenge and mix.throw < state.throws:
            yield DueMessage(Kind.PROOF, mix.owner, state.challenge_at, str(mix.first))


def _due_reveals(state: FairState) -> Iterator[DueMessage]:
    pending = _pending_record(state)
    for party in state.setup.parties:
        if party.role not in pending.reveals:
            yield DueMessage(Kind.REVEAL, party.role, pending.since)


def _due_proposal(state: FairState) -> Iterator[DueMessage]:
    pending = _pending_record(state)
    actor = pending.actor if state.setup.deals else HOST
    yield DueMessage(Kind.PROPOSAL, actor, state.index)
    yield from _due_proofs(state)


def _due_answer(state: FairState) -> Iterator[DueMessage]:
    pending, asked_use = _pending_record(state), _pending_record(state).asked
    yield from _due_proofs(state)
    yield from _due_completions(pending)
    if asked_use is not None:
        yield DueMessage(Kind.OPEN, Role(asked_use.use.deck), pending.since, f"#{asked_use.label}")


def _due_completion_phase(state: FairState) -> Iterator[DueMessage]:
    pending = _pending_record(state)
    yield from _due_proofs(state)
    yield from _due_completions(pending)
    yield from _due_opens(pending)
    yield from _due_mixes(state, _unfinished_piles(state))


def _unfinished_piles(state: FairState) -> Iterator[tuple[Role, Pile]]:
    """Yield the piles that must be mixed to complete the record.

    These are hands that have changed or are partly public, and ordered piles that have changed.
    """
    for role, deck in state.table.decks.items():
        for pile in deck.values():
            has_open_face = pile.kind is PileKind.HAND and any(label.face for label in pile.labels)
            is_dirty = pile.kind in {PileKind.HAND, PileKind.ORDERED} and pile.is_dirty
            if pile.labels and (is_dirty or has_open_face):
                yield role, pile


def _due_consents(state: FairState) -> Iterator[DueMessage]:
    for party in state.setup.parties:
        if party.role != state.offer_by and party.role not in state.consents:
            yield DueMessage(Kind.CONSENT, party.role, state.offer_at)


def _due_seeds(state: FairState) -> Iterator[DueMessage]:
    parties = state.setup.parties
    authors = [party.role for party in parties] if state.setup.deals else [HOST]
    for role in authors:
        if role not in state.seeds:
            yield DueMessage(Kind.SEED, role, state.end_at)
    if state.setup.deals or HOST in state.seeds:
        yield DueMessage(Kind.CLOSE, HOST, state.index)


_BY_PHASE = {
    TranscriptPhase.START: _due_setup,
    TranscriptPhase.AGREE: _due_agreements,
    TranscriptPhase.PREPARE: _due_preparation,
    TranscriptPhase.REVEAL: _due_reveals,
    TranscriptPhase.RESOLVE: _due_proposal,
    TranscriptPhase.ASK: _due_answer,
    TranscriptPhase.COMPLETE: _due_completion_phase,
    TranscriptPhase.CONSENT: _due_consents,
    TranscriptPhase.ENDED: _due_seeds,
}
