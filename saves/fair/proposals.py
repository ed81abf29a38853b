"""Checks proposals and completions, and applies them to the state (protocol 7, 2.5 to 2.7)."""

from collections import defaultdict
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any, Final, TypeVar

import msgspec

from engine.kernel.cards import PileKind
from engine.kernel.ids import Role
from engine.kernel.ruleset import Event
from saves.codec import codec
from saves.fair.derivation import UniformSource
from saves.fair.label_moves import EventTransition, apply_moves, check_other_deck
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
from saves.fair.resolution import EventStep, KnownUse, count_moves, usable_throw
from saves.fair.state import FairState, MatchSetup, OwedOpen, Pending, Phase

change = msgspec.structs.replace
_PAUSE_EVERY: Final = 32
"""Number of events or random results checked between two pauses. Checking them takes a few milliseconds."""
T = TypeVar("T", LabelMove, ChanceUse)
# -- proposals


def with_proposal(
    state: FairState, message: Message, body: Proposal, index: int
) -> Generator[None, None, FairState]:
    """Return the state after a proposal from the actor or a dealing host.

    It yields between possible interpretations of the command, and every few events.

    Raises:
        InvalidMessageError: The proposal is invalid.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    _check_counts(pending, body)
    if not state.setup.deals:
        return (yield from _with_decision(state, body, index))
    hidden = [event for event in body.events if event.entry.commitment]
    check_box(state.setup, body.box, len(hidden))
    if body.uses and not pending.throws:
        raise InvalidMessageError("the proposal uses chance, but the command did not ask for it")
    if pending.uses_chance and body.status == "done" and not (body.uses or pending.uses):
        raise InvalidMessageError("the command asked for chance, but the proposal uses none")
    is_whole = yield from check_public_part(state, body)
    if not is_whole and body.status == "ask":
        raise InvalidMessageError("a card is requested although no copy can check the need for it")
    changed = yield from with_events(state, body, index)
    _check_shown(state, changed)
    if body.box:
        assert changed.pending is not None, "a record must be pending in this phase"
        boxes = (*changed.pending.boxes, (message.author, message.anchor_hash, body.box))
        changed = change(changed, pending=change(changed.pending, boxes=boxes))
    return changed


def _with_decision(
    state: FairState, body: Proposal, index: int
) -> Generator[None, None, FairState]:
    """Return the state after a dealing host's proposal.

    Only the host knows the cards and random results. A copy first checks everything that does not depend on them, and
    checks the rest once the host has revealed its secret.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    if body.uses or body.moves or body.box or body.status != "done":
        raise InvalidMessageError(
            "a dealing host must propose all events at once, without uses of chance"
        )
    yield from check_public_part(state, body)
    changed = yield from with_events(state, body, index)
    assert changed.pending is not None, "a record must be pending in this phase"
    # This raises an error if the rules cannot continue after these events.
    state.setup.game.active_roles(changed.pending.state)
    return changed


def _check_counts(pending: Pending, body: Proposal) -> None:
    events, uses = len(pending.events) + len(body.events), len(pending.uses) + len(body.uses)
    if events > MAX_EVENTS or uses > MAX_USES:
        raise InvalidMessageError(
            f"a record is limited to {MAX_EVENTS} events and {MAX_USES} uses of chance"
        )


def with_events(state: FairState, body: Proposal, index: int) -> Generator[None, None, FairState]:
    """Return the state after the events in a proposal or the opening.

    It yields every few events, and before each event that needs randomness.

    Raises:
        InvalidMessageError: An event, random result or move is invalid.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    steps = yield from _steps(state, pending.state, len(pending.events), body.events)
    table, uses = yield from _apply_uses_and_moves(state, pending, body, steps, index)
    after = steps[-1].after if steps else pending.state
    owing = _roles_to_complete(state, pending, body, steps)
    shown = frozenset(
        card for step in steps for card in state.setup.game.revealed_cards(step.event)
    )
    asked = uses[-1] if body.status == "ask" and uses else None
    pending = change(
        pending,
        since=index,
        batch=len(pending.events),
        batch_state=pending.state,
        state=after,
        events=(*pending.events, *body.events),
        uses=(*pending.uses, *uses),
        owes_completion=owing,
        completed_at={},
        opened_at={},
        asked=asked,
        wanted=body.wanted,
        stages=pending.stages + (body.status == "stage"),
    )
    owed = _newly_shown(state.setup, table, pending, shown)
    pending = change(
        pending,
        opens=(
            *pending.opens,
            *(owed_open for owed_open in owed if owed_open not in pending.opens),
        ),
    )
    state = change(state, table=table, pending=pending)
    _check_status(state, body, asked)
    phases = {"done": Phase.COMPLETE, "ask": Phase.ASK, "stage": Phase.PREPARE}
    return change(state, phase=phases[body.status])


def _steps(
    state: FairState,
    before: Any,  # noqa: ANN401  # any game's state
    first: int,
    events: Sequence[ProposedEvent],
) -> Generator[None, None, list[EventTransition]]:
    """Return the proposed events, numbered from ``first``, each with the public states before and after it."""
    game, steps = state.setup.game, list[EventTransition]()
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    for number, proposed in enumerate(events, first):
        if _should_pause(number - first):
            yield
        entry = proposed.entry
        whole = codec(game).event(entry.tag, entry.v, entry.body)
        if codec(game).pack(whole) != (entry.tag, entry.v, entry.body):
            raise InvalidMessageError(f"event {number} is not in canonical form")
        event: Event | None = game.redact(whole, None)
        if event is None:
            raise InvalidMessageError("the kind of an event must be public in a fair match")
        deals = state.setup.deals
        # An opening computed by every copy may contain events that name cards.
        if (pending.number or not deals) and event != whole:
            raise InvalidMessageError(f"event {number} shows hidden information")
        owner = game.secret_owner(event)
        wanted = owner if deals and owner not in {None, pending.actor} else ""
        if proposed.owner != wanted:
            raise InvalidMessageError(f"event {number} must be completed by {wanted or 'no one'}")
        is_maker = pending.number and owner == pending.actor if deals else owner is not None
        if bool(entry.commitment) != bool(is_maker and has_hidden(event)):
            raise InvalidMessageError(
                f"event {number} must have a commitment if, and only if, it hides cards"
            )
        after = game.evolve(before, event)
        is_hidden = bool(entry.commitment or proposed.owner)
        steps.append(
            EventTransition(number, event, is_hidden=is_hidden, before=before, after=after)
        )
        before = after
    return steps


def _should_pause(count: int) -> bool:
    """Return whether a check should pause after this many events or random results."""
    return count > 0 and not count % _PAUSE_EVERY


def _apply_uses_and_moves(
    state: FairState, pending: Pending, body: Proposal, steps: Sequence[EventTransition], index: int
) -> Generator[None, None, tuple[LabelTable, list[KnownUse]]]:
    """Return the label table after the actor's moves, and the random results."""
    actor, first = pending.actor, len(pending.events)
    last = first + len(steps)
    _check_places(body, first, last)
    real = working = state.table
    game = state.setup.game
    counts = dict.fromkeys((throw.number for throw in pending.throws), 0)
    for known in pending.uses:
        counts[known.throw] += 1
    uses: list[KnownUse] = []
    uses_at, moves_at = _group_by_event(body.uses), _group_by_event(body.moves)
    for step in steps:
        chance = uses_at.get(step.number, ())
        if chance or _should_pause(step.number - first):
            yield  # an event can draw a whole hand
        uses += yield from _known_uses(working, pending, chance, counts)
        moves, so_far = _departures(moves_at.get(step.number, ())), (*pending.uses, *uses)
        if actor in real.decks:
            real = apply_moves(state, real, actor, step, moves, so_far, index)
        around = EventStep(step.number, step.before, step.after, is_hidden=step.is_hidden)
        for role in real.decks:
            if role != actor and pending.number:
                check_other_deck(game, real, step, role, so_far)
        working = count_moves(game, working, around, so_far, state.throws)
        if actor in real.decks:
            working = working.with_deck(actor, real.decks[actor])
    uses += yield from _known_uses(working, pending, uses_at.get(last, ()), counts)
    if actor in real.decks:
        after = steps[-1].after if steps else pending.state
        problem = find_difference(real, actor, state.setup.game.card_piles(after, actor))
        if problem:
            raise InvalidMessageError(problem)
    return real, uses


def _check_shown(before: FairState, after: FairState) -> None:
    """Check that a proposal shows a card from another deck only if the card's label is open."""
    pending = after.pending
    assert pending is not None, "a record must be pending in this phase"
    known = () if before.pending is None else before.pending.opens
    for owed in pending.opens:
        if owed.owner != pending.actor and owed not in known:
            raise InvalidMessageError(
                f"the proposal shows {owed.card} before {owed.owner} has opened it"
            )


def _check_places(body: Proposal, first: int, last: int) -> None:
    """Check that random results and moves refer to events in this proposal and are in order."""
    numbers = [use.event for use in body.uses]
    limit = last + (body.status == "ask")
    if numbers != sorted(numbers) or any(not first <= number < limit for number in numbers):
        raise InvalidMessageError("a use of chance does not belong to an event of the proposal")
    placed = [move.event for move in body.moves]
    if placed != sorted(placed) or any(not first <= number < last for number in placed):
        raise InvalidMessageError("a move does not belong to an event of the proposal")


def _group_by_event(items: Sequence[T]) -> Mapping[int, Sequence[T]]:
    """Group moves or random results by event number."""
    found: dict[int, list[T]] = defaultdict(list)
    for item in items:
        found[item.event].append(item)
    return found


def _departures(moves: Sequence[LabelMove]) -> list[Departure]:
    return [Departure(move.label, move.source, move.target) for move in moves]


def _known_uses(
    table: LabelTable, pending: Pending, uses: Sequence[ChanceUse], counts: dict[int, int]
) -> Generator[None, None, list[KnownUse]]:
    """Return the random results, in order.

    Raises:
        InvalidMessageError: A random result is out of order, or no pick from its pile is possible yet.
    """
    found: list[KnownUse] = []
    for use in uses:
        if _should_pause(len(found)):
            yield
        number = pending.throws[0].number
        labels: tuple[int, ...] = ()
        if use.deck:
            pile = table.pile(use.deck, use.pile)
            usable = usable_throw(pile, pending.throws)
            taken = {
                known.label for known in (*pending.uses, *found) if known.use.event == use.event
            }
            labels = tuple(label.number for label in pile.choices(taken))
            if usable is None or len(labels) != use.size:
                raise InvalidMessageError(f"chance cannot pick from {use.pile} of {use.deck} now")
            number = usable
        if use.number != counts[number]:
            raise InvalidMessageError("a use of chance has the wrong number")
        key = next(throw.key for throw in pending.throws if throw.number == number)
        value = UniformSource(key).draw(use.number, use.size)
        counts[number] += 1
        found.append(KnownUse(use, number, value, labels[value] if labels else None))
    return found


def _roles_to_complete(
    state: FairState, pending: Pending, body: Proposal, steps: Sequence[EventTransition]
) -> tuple[Role, ...]:
    """Return the roles that must complete events or move labels, in header order."""
    owners = {event.owner for event in body.events if event.owner}
    if steps:
        game, before, after = state.setup.game, pending.state, steps[-1].after
        owners |= {
            role
            for role in state.table.decks
            if role != pending.actor
            and game.card_piles(before, role) != game.card_piles(after, role)
        }
    return tuple(
        party.role for party in state.setup.parties if party.role in owners - {pending.actor}
    )


def _newly_shown(
    setup: MatchSetup, table: LabelTable, pending: Pending, shown: frozenset[str]
) -> Iterator[OwedOpen]:
    """Yield the cards that the events in a proposal make public but no open label shows.

    A card that was already public in the same pile stays known even if its label has been mixed since.
    """
    game, decks = setup.game, setup.game.decks()
    for role in table.decks:
        places = game.card_piles(pending.state, role)
        before = game.card_piles(pending.batch_state, role)
        cards = {
            card
            for name, place in places.items()
            for card in place.cards
            if name not in before or card not in before[name].cards
        }
        for card in unshown_cards(table, role, {*cards, *shown.intersection(decks[role])}):
            yield OwedOpen(role, card)


def _check_status(state: FairState, body: Proposal, asked: KnownUse | None) -> None:
    """Check that a proposal that does not finish the command has a valid reason to stop.

    Raises:
        InvalidMessageError: The proposal has no such reason, or exceeds a limit.
    """
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    if body.status == "stage":
        wanted = body.wanted
        if wanted is None:
            raise InvalidMessageError("a stage must name a pile")
        if pending.stages > MAX_STAGES:
            raise InvalidMessageError(f"a record is limited to {MAX_STAGES} stages")
        if not _needs_stage(pending, state.table.pile(wanted.deck, wanted.pile)):
            raise InvalidMessageError(f"{wanted.pile} of {wanted.deck} needs no stage")
    elif body.wanted is not None:
        raise InvalidMessageError("only a stage may name a pile")
    if body.status == "ask":
        request = pending.request
        if asked is None or asked.label is None or request is None:
            raise InvalidMessageError("a card is requested without a pick from a pile")
        command = decode_request_command(state.setup, request.command)
        allowed = 0
        if not request.command.commitment:
            allowed = min(MAX_ASKS, state.setup.game.max_reveal_requests(command))
        if asked.use.deck == pending.actor or pending.asks >= allowed:
            raise InvalidMessageError(
                "this command does not allow its actor to request another card"
            )


def _needs_stage(pending: Pending, pile: Pile) -> bool:
    """Return whether the record must wait for a mix or a throw before using a pile."""
    if pending.owes_completion:
        return True  # The owners must first state which labels have moved.
    if pile.kind is PileKind.DISCARD:
        return not pile.is_mixed
    first = pending.throws[0].number if pending.throws else None
    if pile.kind in MIXED and not pile.is_clean(first):
        return True
    return bool(pending.throws) and usable_throw(pile, pending.throws) is None


# -- completions


def with_completion(
    state: FairState, message: Message, body: Completion, index: int
) -> Generator[None, None, FairState]:
    """Return the state after an owner has completed its events in the last proposal. It yields every few events.

    Raises:
        InvalidMessageError: The completion is invalid.
    """
    pending, owner = state.pending, message.author
    assert pending is not None, "a record must be pending in this phase"
    due = [
        number
        for number, event in enumerate(pending.events)
        if event.owner == owner and number not in pending.commitments
    ]
    if [number for number, _ in body.commitments] != due:
        raise InvalidMessageError(f"{owner} must complete its own events and no others")
    hidden = [commitment for _, commitment in body.commitments if commitment]
    check_box(state.setup, body.box, len(hidden))
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
    """Return the table after an owner's moves for the events in the last proposal."""
    game, table = state.setup.game, state.table
    events, moves_at = pending.events[pending.batch :], _group_by_event(moves)
    steps = yield from _steps(state, pending.batch_state, pending.batch, events)
    placed = [move.event for move in moves]
    if placed != sorted(placed) or any(number < pending.batch for number in placed):
        raise InvalidMessageError("a move does not belong to an event of the proposal")
    for step in steps:
        if _should_pause(step.number - pending.batch):
            yield
        taken = _departures(moves_at.get(step.number, ()))
        table = apply_moves(state, table, owner, step, taken, pending.uses, index)
    if len(pending.events) <= max(placed, default=-1):
        raise InvalidMessageError("a move does not belong to an event of the proposal")
    problem = find_difference(table, owner, game.card_piles(pending.state, owner))
    if problem:
        raise InvalidMessageError(problem)
    return table


def pile_showing(state: FairState, role: Role, card: str) -> str | None:
    """Return the pile that publicly contains a card after the pending record, or None if there is none."""
    pending = state.pending
    assert pending is not None, "a record must be pending in this phase"
    places = state.setup.game.card_piles(pending.state, role)
    return next((name for name, place in places.items() if card in place.cards), None)
