"""Lists the messages for which a transcript is waiting. Both the seats and ``fold`` use this list."""

from collections.abc import Iterator

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from saves.fair.labels import MIXED, Pile
from saves.fair.messages import HOST, Kind
from saves.fair.state import DueMessage, FairState, Pending, Phase

_MIX_ON_REQUEST = frozenset({*MIXED, PileKind.DISCARD})


def due_messages(state: FairState) -> tuple[DueMessage, ...]:
    """Return the messages for which the transcript is waiting, in a fixed order; empty between two records."""
    return tuple(_BY_PHASE.get(state.phase, _no_messages)(state))


def awaited_roles(state: FairState) -> frozenset[Role]:
    """Return the roles for whose messages or commands the match is waiting; empty once it has ended."""
    if state.has_ended:
        return frozenset()
    if state.phase in {Phase.IDLE, Phase.CONSENT}:
        return frozenset(state.setup.game.active_roles(state.state))
    return frozenset(message.author for message in due_messages(state) if message.author != HOST)


def stop_objection(state: FairState, role: Role) -> str:
    """Return why a role may not stop the match, or an empty string if it may. The elapsed time is not checked."""
    if not state.setup.reply_limit:
        return "this match has no response time limit"
    missing = awaited_roles(state)
    if role in missing:
        return f"the match is waiting for {role} itself"
    return "" if missing else "the match is not waiting for any other seat"


def _no_messages(_: FairState) -> Iterator[DueMessage]:
    yield from ()


def _start(_: FairState) -> Iterator[DueMessage]:
    yield DueMessage(Kind.SETUP, HOST, 0)


def _agree(state: FairState) -> Iterator[DueMessage]:
    for party in state.setup.parties:
        if party.role not in state.agreed:
            yield DueMessage(Kind.AGREE, party.role, 0)


def _pending(state: FairState) -> Pending:
    assert state.pending is not None, "a record must be pending in this phase"
    return state.pending


def _prepare(state: FairState) -> Iterator[DueMessage]:
    pending = _pending(state)
    yield from _proofs(state)
    yield from _completions(pending)
    mixes = tuple(_mixes(state, _unprepared_piles(state, pending)))
    yield from mixes
    # In the opening, an owner mixes its piles before it opens the cards that the scenario names.
    mixing = set[Role]() if pending.number else {message.author for message in mixes}
    yield from (message for message in _opens(pending) if message.author not in mixing)


def _unprepared_piles(state: FairState, pending: Pending) -> Iterator[tuple[Role, Pile]]:
    """Yield piles that must be mixed before a throw, or before the actor names one of their labels."""
    first = pending.throws[0].number if pending.throws else None
    wanted = pending.wanted
    for role, deck in state.table.decks.items():
        for pile in deck.values():
            if not pile.labels:
                continue
            is_wanted = wanted is not None and (wanted.deck, wanted.pile) == (role, pile.name)
            if is_wanted and pile.kind in _MIX_ON_REQUEST and not pile.is_mixed:
                yield role, pile
                continue
            is_concerned = pending.uses_chance or role == pending.actor or is_wanted
            if is_concerned and pile.kind in MIXED and not pile.is_clean(first):
                yield role, pile


def _mixes(state: FairState, piles: Iterator[tuple[Role, Pile]]) -> Iterator[DueMessage]:
    """Yield the mixes that are due. An owner must complete its events and open its labels before mixing."""
    pending = _pending(state)
    opening = {owed.owner for owed in pending.opens} if pending.number else set[Role]()
    busy = {*pending.owes_completion, *opening}
    for role, pile in piles:
        if role not in busy:
            anchor = max(
                pile.changed,
                pending.since,
                pending.completed_at.get(role, 0),
                pending.opened_at.get(role, 0),
            )
            yield DueMessage(Kind.MIX, role, anchor, f"{role}/{pile.name}")


def _opens(pending: Pending) -> Iterator[DueMessage]:
    for owner, card in pending.opens:
        if owner not in pending.owes_completion:
            anchor = max(
                pending.since, pending.completed_at.get(owner, 0), pending.mixed_at.get(owner, 0)
            )
            yield DueMessage(Kind.OPEN, owner, anchor, card)


def _completions(pending: Pending) -> Iterator[DueMessage]:
    for role in pending.owes_completion:
        yield DueMessage(Kind.COMPLETION, role, pending.since)


def _proofs(state: FairState) -> Iterator[DueMessage]:
    for mix in state.unproven:
        if state.challenge and mix.throw < state.throws:
            yield DueMessage(Kind.PROOF, mix.owner, state.challenge_at, str(mix.first))


def _reveal(state: FairState) -> Iterator[DueMessage]:
    pending = _pending(state)
    for party in state.setup.parties:
        if party.role not in pending.reveals:
            yield DueMessage(Kind.REVEAL, party.role, pending.since)


def _resolve(state: FairState) -> Iterator[DueMessage]:
    pending = _pending(state)
    actor = pending.actor if state.setup.deals else HOST
    yield DueMessage(Kind.PROPOSAL, actor, state.index)
    yield from _proofs(state)


def _ask(state: FairState) -> Iterator[DueMessage]:
    pending, asked = _pending(state), _pending(state).asked
    yield from _proofs(state)
    yield from _completions(pending)
    if asked is not None:
        yield DueMessage(Kind.OPEN, Role(asked.use.deck), pending.since, f"#{asked.label}")


def _complete(state: FairState) -> Iterator[DueMessage]:
    pending = _pending(state)
    yield from _proofs(state)
    yield from _completions(pending)
    yield from _opens(pending)
    yield from _mixes(state, _unfinished_piles(state))


def _unfinished_piles(state: FairState) -> Iterator[tuple[Role, Pile]]:
    """Yield piles that must be mixed before the record can end.

    These are hands that have changed or show a face, and ordered piles that have changed.
    """
    for role, deck in state.table.decks.items():
        for pile in deck.values():
            shows = pile.kind is PileKind.HAND and any(label.face for label in pile.labels)
            is_dirty = pile.kind in {PileKind.HAND, PileKind.ORDERED} and pile.is_dirty
            if pile.labels and (is_dirty or shows):
                yield role, pile


def _consent(state: FairState) -> Iterator[DueMessage]:
    for party in state.setup.parties:
        if party.role != state.offer_by and party.role not in state.consents:
            yield DueMessage(Kind.CONSENT, party.role, state.offer_at)


def _ended(state: FairState) -> Iterator[DueMessage]:
    parties = state.setup.parties
    promised = [party.role for party in parties] if state.setup.deals else [HOST]
    for role in promised:
        if role not in state.seeds:
            yield DueMessage(Kind.SEED, role, state.end_at)
    if state.setup.deals or HOST in state.seeds:
        yield DueMessage(Kind.CLOSE, HOST, state.index)


_BY_PHASE = {
    Phase.START: _start,
    Phase.AGREE: _agree,
    Phase.PREPARE: _prepare,
    Phase.REVEAL: _reveal,
    Phase.RESOLVE: _resolve,
    Phase.ASK: _ask,
    Phase.COMPLETE: _complete,
    Phase.CONSENT: _consent,
    Phase.ENDED: _ended,
}
