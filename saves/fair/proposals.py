"""Checks proposals and completions, and applies them to the state of a fair or joint match."""

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import codec
from saves.fair.derivation import UniformSource
from saves.fair.event_steps import EventStep, event_step
from saves.fair.label_moves import apply_moves, check_other_deck
from saves.fair.labels import (
    MIXED,
    Departure,
    LabelTable,
    Pile,
    find_difference,
    unshown_cards,
)
from saves.fair.messages import (
    MAX_ASKS,
    MAX_EVENTS,
    MAX_STAGES,
    MAX_USES,
    ChanceUse,
    Completion,
    LabelMove,
    Message,
    Proposal,
    ProposedEvent,
)
from saves.fair.public_check import check_public_part
from saves.fair.requests import InvalidMessageError, check_box, decode_request_command, has_hidden
from saves.fair.resolution import KnownUse, count_moves, usable_throw
from saves.fair.state import FairState, MatchSetup, OwedOpen, Pending, TranscriptPhase

change = msgspec.structs.replace
_PAUSE_INTERVAL: Final = 32
"""Number of events or random results checked between two pauses, which takes a few milliseconds."""
T = TypeVar("T", LabelMove, ChanceUse)
# -- proposals


def with_proposal(
    state: FairState, message: Message, body: Proposal, index: int
) -> Generator[None, None, FairState]:
    """Return the state after a proposal from the actor or a dealing host.

    The generator yields between possible readings of the command, and every few events.

    Raises:
        InvalidMessageError: The proposal is invalid.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    _check_counts(pending, body)
    if not state.setup.deals:
        return (yield from _with_decision(state, body, index))
    hidden_events = [event for event in body.events if event.entry.commitment]
    check_box(state.setup, body.box, len(hidden_events))
    if body.uses and not pending.throws:
        raise InvalidMessageError(
            "the proposal has random results, but the command did not ask for any"
        )
    if pending.uses_chance and body.status == "done" and not (body.uses or pending.uses):
        raise InvalidMessageError("the command asked for random results, but the proposal has none")
    is_public = yield from check_public_part(state, body)
    # A seat opens a card only if its own copy confirms that the command needs it. Otherwise, an
    # actor could ask to see a whole hand.
    if not is_public and body.status == "ask":
        raise InvalidMessageError("a card is requested although no copy can check the need for it")
    next_state = yield from with_events(state, body, index)
    _check_shown(next_state)
    assert next_state.pending is not None, "a record must be pending in this phase"
    boxes = next_state.pending.boxes
    if body.box:
        boxes = (*boxes, (message.author, message.anchor_hash, body.box))
    return change(next_state, pending=change(next_state.pending, boxes=boxes, is_public=is_public))


def _with_decision(
    state: FairState, body: Proposal, index: int
) -> Generator[None, None, FairState]:
    """Return the state after a dealing host's proposal.

    Only the host knows the cards and random results. Anything that depends on them is checked once the host has
    revealed its secret.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    if body.uses or body.moves or body.box or body.status != "done":
        raise InvalidMessageError(
            "a dealing host must propose all events at once, without random results"
        )
    yield from check_public_part(state, body)
    next_state = yield from with_events(state, body, index)
    assert next_state.pending is not None, "a record must be pending in this phase"
    # If the rules cannot continue after these events, active_roles() raises an error.
    state.setup.game.active_roles(next_state.pending.state)
    return next_state


def _check_counts(pending: Pending, body: Proposal) -> None:
    events, uses = len(pending.events) + len(body.events), len(pending.uses) + len(body.uses)
    if events > MAX_EVENTS or uses > MAX_USES:
        raise InvalidMessageError(
            f"a record is limited to {MAX_EVENTS} events and {MAX_USES} uses of chance"
        )


def with_events(state: FairState, body: Proposal, index: int) -> Generator[None, None, FairState]:
    """Return the state after the events in a proposal or the opening.

    The generator yields every few events, and before each event that needs randomness.

    Raises:
        InvalidMessageError: An event, a random result or a move is invalid.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    steps = yield from _transitions(state, pending.state, len(pending.events), body.events)
    table, uses = yield from _apply_uses_and_moves(state, pending, body, steps, index)
    final_state = steps[-1].after if steps else pending.state
    roles_to_complete = _roles_to_complete(state, pending, body, steps)
    shown_cards = frozenset(
        card for step in steps for card in state.setup.game.revealed_cards(step.event)
    )
    asked_use = uses[-1] if body.status == "ask" else None
    pending = change(
        pending,
        since=index,
        batch=len(pending.events),
        batch_state=pending.state,
        state=final_state,
        events=(*pending.events, *body.events),
        uses=(*pending.uses, *uses),
        owes_completion=roles_to_complete,
        completed_at={},
        opened_at={},
        asked=asked_use,
        wanted=body.wanted,
        stages=pending.stages + (body.status == "stage"),
    )
    newly_owed = _newly_shown_cards(state.setup, table, pending, shown_cards)
    pending = change(
        pending,
        opens=(
            *pending.opens,
            *(owed_open for owed_open in newly_owed if owed_open not in pending.opens),
        ),
    )
    state = change(state, table=table, pending=pending)
    _check_status(state, body, asked_use)
    phases = {
        "done": TranscriptPhase.COMPLETE,
        "ask": TranscriptPhase.ASK,
        "stage": TranscriptPhase.PREPARE,
    }
    return change(state, phase=phases[body.status])


def _transitions(
    state: FairState,
    before: Any,  # noqa: ANN401  # any game's state
    first: int,
    events: Sequence[ProposedEvent],
) -> Generator[None, None, list[EventStep]]:
    """Return the proposed events, numbered from ``first``, each with the public states before and after it."""
    game, steps = state.setup.game, list[EventStep]()
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    for number, proposed in enumerate(events, first):
        if _should_pause(number - first):
            yield
        entry = proposed.entry
        whole = codec(game).event(entry.tag, entry.v, entry.body)
        # Every message has exactly one canonical form, so the events in it must be canonical too.
        if codec(game).pack(whole) != (entry.tag, entry.v, entry.body):
            raise InvalidMessageError(f"event {number} is not in canonical form")
        event: Event | None = game.redact(whole, None)
        if event is None:
            raise InvalidMessageError("the kind of an event must be public in a fair match")
        deals = state.setup.deals
        # If the seats deal, every copy computes the opening itself, so its events may name cards.
        if (pending.number or not deals) and event != whole:
            raise InvalidMessageError(f"event {number} shows hidden information")
        owner = game.secret_owner(event)
        expected_owner = owner if deals and owner not in {None, pending.actor} else ""
        if proposed.owner != expected_owner:
            raise InvalidMessageError(
                f"event {number} must be completed by {expected_owner or 'no one'}"
            )
        # If the seats deal, every copy computes the opening itself. Its events have no actor and
        # need no commitments.
        is_decided_by_author = owner == pending.actor if deals else owner is not None
        if bool(entry.commitment) != bool(is_decided_by_author and has_hidden(event)):
            raise InvalidMessageError(
                f"event {number} must have a commitment if, and only if, it hides cards"
            )
        is_hidden = bool(entry.commitment or proposed.owner)
        step = event_step(game, state.table.decks, number, event, before, is_hidden=is_hidden)
        steps.append(step)
        before = step.after
    return steps


def _should_pause(count: int) -> bool:
    """Return whether a check should pause after ``count`` events or random results."""
    return count > 0 and not count % _PAUSE_INTERVAL


def _apply_uses_and_moves(
    state: FairState, pending: Pending, body: Proposal, steps: Sequence[EventStep], index: int
) -> Generator[None, None, tuple[LabelTable, list[KnownUse]]]:
    """Return the label table after the actor's moves, and the random results."""
    actor, first_event = pending.actor, len(pending.events)
    end_event = first_event + len(steps)
    _check_places(body, first_event, end_event)
    # The working table only estimates the other owners' piles, because these owners report their
    # label moves later, in their completions.
    table = working_table = state.table
    game = state.setup.game
    counts = dict.fromkeys((throw.number for throw in pending.throws), 0)
    for known_use in pending.uses:
        counts[known_use.throw] += 1
    uses: list[KnownUse] = []
    uses_at, moves_at = _group_by_event(body.uses), _group_by_event(body.moves)
    for step in steps:
        event_uses = uses_at.get(step.number, ())
        if event_uses or _should_pause(step.number - first_event):
            yield  # One event can draw a whole hand, so the check pauses at every event with random results.
        uses += yield from _resolve_uses(working_table, pending, event_uses, counts)
        moves, all_uses = _departures(moves_at.get(step.number, ())), (*pending.uses, *uses)
        if actor in table.decks:
            table = apply_moves(state, table, actor, step, moves, all_uses, index)
        for role in table.decks:
            if role != actor and pending.number:
                check_other_deck(game, table, step, role, all_uses)
        working_table = count_moves(working_table, step, all_uses, state.throws)
        if actor in table.decks:
            working_table = working_table.with_deck(actor, table.decks[actor])
    uses += yield from _resolve_uses(working_table, pending, uses_at.get(end_event, ()), counts)
    if actor in table.decks:
        final_state = steps[-1].after if steps else pending.state
        problem = find_difference(table, actor, state.setup.game.card_piles(final_state, actor))
        if problem:
            raise InvalidMessageError(problem)
    return table, uses


def _check_shown(after: FairState) -> None:
    """Check that a proposal shows a card from another deck only if the card's label is open."""
    pending = after.pending
    assert pending is not None, "a record must be pending in this phase"
    for owed in pending.opens:
        if owed.owner != pending.actor:
            raise InvalidMessageError(
                f"the proposal shows {owed.card} before {owed.owner} has opened it"
            )


def _check_places(body: Proposal, first_event: int, end_event: int) -> None:
    """Check that random results and moves are in order and refer to events in this proposal.

    If the proposal asks for a random result, that result belongs to the next event.
    """
    use_events = [use.event for use in body.uses]
    limit = end_event + (body.status == "ask")
    if use_events != sorted(use_events) or any(
        not first_event <= number < limit for number in use_events
    ):
        raise InvalidMessageError("a random result does not belong to an event of the proposal")
    move_events = [move.event for move in body.moves]
    if move_events != sorted(move_events) or any(
        not first_event <= number < end_event for number in move_events
    ):
        raise InvalidMessageError("a move does not belong to an event of the proposal")


def _group_by_event(items: Sequence[T]) -> Mapping[int, Sequence[T]]:
    """Group moves or random results by event number."""
    by_event: dict[int, list[T]] = defaultdict(list)
    for item in items:
        by_event[item.event].append(item)
    return by_event


def _departures(moves: Sequence[LabelMove]) -> list[Departure]:
    return [Departure(move.label, move.source, move.target) for move in moves]


def _resolve_uses(
    table: LabelTable, pending: Pending, uses: Sequence[ChanceUse], counts: dict[int, int]
) -> Generator[None, None, list[KnownUse]]:
    """Return the random results in order.

    Raises:
        InvalidMessageError: A random result is out of order, or its pile does not allow a pick yet.
    """
    resolved: list[KnownUse] = []
    for use in uses:
        if _should_pause(len(resolved)):
            yield
        number = pending.throws[0].number
        labels: tuple[int, ...] = ()
        if use.deck:
            pile = table.pile(use.deck, use.pile)
            usable_number = usable_throw(pile, pending.throws)
            taken_labels = {
                known_use.label
                for known_use in (*pending.uses, *resolved)
                if known_use.use.event == use.event
            }
            labels = tuple(label.number for label in pile.choices(taken_labels))
            if usable_number is None or len(labels) != use.size:
                raise InvalidMessageError(
                    f"no label can be picked from {use.pile} of {use.deck} now"
                )
            number = usable_number
        if use.number != counts[number]:
            raise InvalidMessageError("a random result has the wrong number")
        key = next(throw.key for throw in pending.throws if throw.number == number)
        value = UniformSource(key).draw(use.number, use.size)
        counts[number] += 1
        resolved.append(KnownUse(use, number, value, labels[value] if labels else None))
    return resolved


def _roles_to_complete(
    state: FairState, pending: Pending, body: Proposal, steps: Sequence[EventStep]
) -> tuple[Role, ...]:
    """Return the roles that must complete events or move labels, in header order."""
    owners = {event.owner for event in body.events}
    if steps:
        game, state_before, state_after = state.setup.game, pending.state, steps[-1].after
        owners |= {
            role
            for role in state.table.decks
            if game.card_piles(state_before, role) != game.card_piles(state_after, role)
        }
    return tuple(
        party.role for party in state.setup.parties if party.role in owners - {pending.actor}
    )


def _newly_shown_cards(
    setup: MatchSetup, table: LabelTable, pending: Pending, shown: frozenset[str]
) -> Iterator[OwedOpen]:
    """Yield the cards that a proposal's events make public but no open label shows.

    A card that was already public in the same pile is not yielded, even if its label has been mixed since.
    """
    game, decks = setup.game, setup.game.decks()
    for role in table.decks:
        places = game.card_piles(pending.state, role)
        piles_before = game.card_piles(pending.batch_state, role)
        cards = {
            card
            for name, contents in places.items()
            for card in contents.cards
            if name not in piles_before or card not in piles_before[name].cards
        }
        for card in unshown_cards(table, role, {*cards, *shown.intersection(decks[role])}):
            yield OwedOpen(role, card)


def _check_status(state: FairState, body: Proposal, asked: KnownUse | None) -> None:
    """Check that a proposal has a valid reason to stop if it does not finish the command.

    Raises:
        InvalidMessageError: The proposal has no valid reason to stop, or exceeds a limit.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    if body.status == "stage":
        wanted_pile = body.wanted
        if wanted_pile is None:
            raise InvalidMessageError("a stage must name a pile")
        # Each stage may need another throw and another mix of every deck. The limit prevents an
        # actor from keeping all seats busy.
        if pending.stages > MAX_STAGES:
            raise InvalidMessageError(f"a record is limited to {MAX_STAGES} stages")
        if not _needs_stage(pending, state.table.pile(wanted_pile.deck, wanted_pile.pile)):
            raise InvalidMessageError(f"{wanted_pile.pile} of {wanted_pile.deck} needs no stage")
    elif body.wanted is not None:
        raise InvalidMessageError("only a stage may name a pile")
    if body.status == "ask":
        request = pending.request
        # with_proposal() has already checked that every copy stops at a pick here.
        assert request is not None, "only a command can request a card"
        assert asked is not None, "a request for a card must follow a pick"
        command = decode_request_command(state.setup, request.command)
        allowed_asks = 0
        if not request.command.commitment:
            allowed_asks = min(MAX_ASKS, state.setup.game.max_reveal_requests(command))
        if pending.asks >= allowed_asks:
            raise InvalidMessageError(
                "this command does not allow its actor to request another card"
            )


def _needs_stage(pending: Pending, pile: Pile) -> bool:
    """Return whether a pile must be mixed, or another throw made, before the record can pick from the pile."""
    if pending.owes_completion:
        return True  # The owners must first report which labels have moved.
    if pile.kind is PileKind.DISCARD:
        return not pile.is_mixed
    first_throw = pending.throws[0].number if pending.throws else None
    if pile.kind in MIXED and not pile.is_clean(first_throw):
        return True
    return bool(pending.throws) and usable_throw(pile, pending.throws) is None


# -- completions


def with_completion(
    state: FairState, message: Message, body: Completion, index: int
) -> Generator[None, None, FairState]:
    """Return the state after an owner has completed its events in the last proposal.

    The generator yields every few events.

    Raises:
        InvalidMessageError: The completion is invalid.
    """
    pending, owner = state.pending, message.author
    assert pending is not None, "a record must be pending in this phase"
    incomplete_events = [
        number
        for number, event in enumerate(pending.events)
        if event.owner == owner and number not in pending.commitments
    ]
    if [number for number, _ in body.commitments] != incomplete_events:
        raise InvalidMessageError(f"{owner} must complete its own events and no others")
    hidden_commitments = [commitment for _, commitment in body.commitments if commitment]
    check_box(state.setup, body.box, len(hidden_commitments))
    table = yield from _completed_moves(state, pending, owner, body.moves, index)
    boxes = pending.boxes
    if body.box:
        boxes = (*boxes, (owner, message.anchor_hash, body.box))
    pending = change(
        pending,
        commitments={**pending.commitments, **dict(body.commitments)},
        owes_completion=tuple(role for role in pending.owes_completion if role != owner),
        completed_at={**pending.completed_at, owner: index},
        boxes=boxes,
    )
    return change(state, table=table, pending=pending)


def _completed_moves(
    state: FairState, pending: Pending, owner: Role, moves: Sequence[LabelMove], index: int
) -> Generator[None, None, LabelTable]:
    """Return the table after an owner's moves for the last proposal's events."""
    game, table = state.setup.game, state.table
    events, moves_at = pending.events[pending.batch :], _group_by_event(moves)
    steps = yield from _transitions(state, pending.batch_state, pending.batch, events)
    move_events = [move.event for move in moves]
    if move_events != sorted(move_events) or any(number < pending.batch for number in move_events):
        raise InvalidMessageError("a move does not belong to an event of the proposal")
    for step in steps:
        if _should_pause(step.number - pending.batch):
            yield
        departures = _departures(moves_at.get(step.number, ()))
        table = apply_moves(state, table, owner, step, departures, pending.uses, index)
    if len(pending.events) <= max(move_events, default=-1):
        raise InvalidMessageError("a move does not belong to an event of the proposal")
    problem = find_difference(table, owner, game.card_piles(pending.state, owner))
    if problem:
        raise InvalidMessageError(problem)
    return table


def pile_showing(state: FairState, role: Role, card: str) -> str | None:
    """Return the pile that publicly contains a card after the pending record; None if no pile does."""
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    places = state.setup.game.card_piles(pending.state, role)
    return next((name for name, contents in places.items() if card in contents.cards), None)
