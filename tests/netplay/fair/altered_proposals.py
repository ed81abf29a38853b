"""Every way in which a modified program can change one field of its proposals and completions, in a match of Depot."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import permutations
from typing import Any, Final, NamedTuple, TypeVar

import msgspec
from typing_extensions import override

from engine.kernel.cards import OPEN_PILE
from engine.kernel.errors import HiddenError
from engine.kernel.hidden import HIDDEN
from engine.kernel.ids import Role
from saves.codec import codec
from saves.fair.fold import fold
from saves.fair.messages import (
    ChanceUse,
    Completion,
    Kind,
    LabelMove,
    PileName,
    Proposal,
    ProposedEvent,
    SignedMessage,
)
from saves.fair.secrets import box_bytes
from saves.fair.state import MessageRefusal
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import cards, script
from tests.toy_depot import (
    DECK,
    DISCARD,
    HAND,
    LAID,
    CardsMoved,
    Depot,
    DepotCommand,
    DepotEvent,
    DepotLedger,
    DepotState,
    Discard,
    Draw,
    _draw,
    _mover,
    _picked,
)
from tests.toy_game import D10, DieRolled

change = msgspec.structs.replace
PILES: Final = (DECK, HAND, LAID, DISCARD, OPEN_PILE)
T = TypeVar("T")
Variant = tuple[str, T]
Turns = Iterator[tuple[Role, DepotCommand]]


class FacedDepot(Depot):
    """Depot in which the face of a drawn card decides what follows, so that no other copy can check the rest."""

    @override
    def resolve(self, ledger: DepotLedger, role: Role, command: DepotCommand) -> None:
        """Roll the die after an odd card, take a card of another hand after an even one. At last, lay one down."""
        if not isinstance(command, Draw):
            super().resolve(ledger, role, command)
            return
        other = next(each for each in ledger.state.piles if each != role)
        for _ in range(command.count):
            before = ledger.state.piles[role][HAND]
            _draw(ledger, role)
            hand = ledger.state.piles[role][HAND]
            if HIDDEN in hand:
                raise HiddenError("the face of a card decides")
            drawn = [card for card in hand if card not in before]
            if not drawn:
                break
            if int(drawn[0][-1]) % 2:
                ledger.add(DieRolled(role=role, face=ledger.dice.roll(D10)))
            elif len(ledger.state.piles[other][HAND]) > 1:
                lost = _picked(ledger, other, HAND)
                _mover(ledger, other)(lost, HAND, DISCARD, False)
        if len(ledger.state.piles[role][HAND]) > 3:
            _mover(ledger, role)(_picked(ledger, role, HAND), HAND, LAID, False)

    @override
    def evolve(self, state: DepotState, event: DepotEvent) -> DepotState:
        """Move nothing if a card is only shown in its place."""
        if isinstance(event, CardsMoved) and event.source == event.target:
            return state
        return super().evolve(state, event)


FACED_DEPOT: Final = FacedDepot()


def faced_turns(world: World) -> Turns:
    """Yield commands whose results depend on faces."""
    attacker, victim = world.attacker, world.victim
    for role in (victim, attacker):
        yield role, Discard(card=cards(world, role, HAND)[0])
    for count in (1, 2, 2, 3):
        yield attacker, Draw(count=count)
        if len(cards(world, victim, HAND)) < 4:
            yield victim, Draw(count=2)
        if len(cards(world, attacker, HAND)) > 4:
            yield attacker, Discard(card=cards(world, attacker, HAND)[0])


def depot_turns(world: World) -> Turns:
    """Yield commands of every kind, of both seats."""
    for role, other in ((world.attacker, world.victim), (world.victim, world.attacker)):
        for command in script(world, role, other):
            yield role, command


# -- variants


def _each(
    items: Sequence[T], variants: Callable[[T], Iterable[Variant[T]]]
) -> Iterator[Variant[tuple[T, ...]]]:
    """Yield a sequence with one item changed, left out or doubled, or in another order."""
    for at, item in enumerate(items):
        before, after = tuple(items[:at]), tuple(items[at + 1 :])
        for name, variant in variants(item):
            yield name, (*before, variant, *after)
        yield "dropped", (*before, *after)
        yield "twice", (*before, item, item, *after)
    if len(items) > 1:
        yield "reversed", tuple(reversed(items))


def _uses(use: ChanceUse) -> Iterator[Variant[ChanceUse]]:
    yield "other number", change(use, number=use.number + 1)
    yield "larger", change(use, size=use.size + 1)
    if use.size > 1:
        yield "smaller", change(use, size=use.size - 1)
    yield "next event", change(use, event=use.event + 1)
    yield "event far away", change(use, event=use.event + 9)
    if use.event:
        yield "event before", change(use, event=use.event - 1)
    yield "die", change(use, deck="", pile="")
    if use.deck:
        for pile in PILES:
            if pile != use.pile:
                yield f"from {pile}", change(use, pile=pile)


def _moves(
    world: World, role: Role, moves: Sequence[LabelMove]
) -> Iterator[Variant[tuple[LabelMove, ...]]]:
    deck = world.state.table.decks[role]

    def changed(move: LabelMove) -> Iterator[Variant[LabelMove]]:
        for label in deck[move.source].labels[:3]:
            if label.number != move.label:
                yield "other label", change(move, label=label.number)
        yield "next event", change(move, event=move.event + 1)
        if move.event:
            yield "event before", change(move, event=move.event - 1)
        yield "event far away", change(move, event=99)
        for pile in PILES:
            if pile != move.target:
                yield f"to {pile}", change(move, target=pile)

    yield from _each(moves, changed)
    events = {move.event for move in moves} | {0}
    for source, target in permutations(PILES, 2):
        for event in events:
            for label in deck[source].labels[:1]:
                extra = LabelMove(label.number, source, target, event)
                yield f"added from {source}", _sorted(*moves, extra)
                for other in deck[target].labels[:1]:
                    back = LabelMove(other.number, target, source, event)
                    yield "exchange", _sorted(*moves, extra, back)
    for label in deck[DECK].labels[:1]:
        far = LabelMove(label.number, DECK, HAND, 99)
        yield "added far away", (*moves, far)
        if moves:
            yield "added out of order", (far, *moves)
    for pile in PILES:
        for label in deck[pile].labels[:1]:
            yield f"order of {pile}", (*moves, LabelMove(label.number, pile, pile, max(events)))


def _sorted(*moves: LabelMove) -> tuple[LabelMove, ...]:
    return tuple(sorted(moves, key=lambda move: move.event))


def proposals(world: World, body: Proposal) -> Iterator[Variant[Proposal]]:
    """Yield a proposal with one thing changed, and with what belongs to it."""
    for name, uses in _each(body.uses, _uses):
        yield f"use {name}", change(body, uses=uses)
    yield "use added", change(body, uses=(*body.uses, ChanceUse(len(body.uses), 2, 0)))
    for name, moves in _moves(world, world.attacker, body.moves):
        yield f"move {name}", change(body, moves=moves)
    wanted = [PileName(world.attacker, pile) for pile in PILES] + [PileName(world.victim, HAND)]
    for status in ("done", "ask", "stage"):
        for pile in (None, *wanted):
            if (status, pile) != (body.status, body.wanted):
                yield f"status {status}", change(body, status=status, wanted=pile)
    yield "box", change(body, box=b"" if body.box else bytes(100))
    if not isinstance(world.setup.game, FacedDepot):
        return  # every copy resolves the whole command again, and refuses any other event for this reason
    for at, event in enumerate(body.events):
        for name, variant in _events(world, event):
            yield from _with_event(world, body, at, (f"event {name}", variant))
        yield "event dropped", change(body, events=(*body.events[:at], *body.events[at + 1 :]))
        yield "event twice", change(body, events=(*body.events[:at], event, *body.events[at:]))


def _with_event(
    world: World, body: Proposal, at: int, changed: Variant[ProposedEvent]
) -> Iterator[Variant[Proposal]]:
    """Yield a proposal with another event, also without its moves and uses and with a box of the right size."""
    name, variant = changed
    pending = world.state.pending
    assert pending is not None
    number = len(pending.events) + at
    events = (*body.events[:at], variant, *body.events[at + 1 :])
    moves = tuple(move for move in body.moves if move.event != number)
    uses = tuple(use for use in body.uses if use.event != number)
    hidden = sum(bool(event.entry.commitment) for event in events)
    boxes = {body.box, bytes(box_bytes(hidden, world.setup.game.hidden_entry_bytes))}
    for box in sorted(boxes, key=len):
        for kept_moves in dict.fromkeys((body.moves, moves)):
            for kept_uses in dict.fromkeys((body.uses, uses)):
                yield (
                    name,
                    change(body, events=events, moves=kept_moves, uses=kept_uses, box=box),
                )


def _events(world: World, proposed: ProposedEvent) -> Iterator[Variant[ProposedEvent]]:
    entry, game = proposed.entry, world.setup.game
    commitment = b"" if entry.commitment else bytes(32)
    yield "owner", change(proposed, owner="" if proposed.owner else world.victim)
    yield "commitment", change(proposed, entry=change(entry, commitment=commitment))
    event = codec(game).event(entry.tag, entry.v, entry.body)
    for name, variant in _facts(world, event):
        tag, v, body = codec(game).pack(variant)
        is_of_victim = variant.role == world.victim and not variant.is_shown
        owner = world.victim if is_of_victim else ""
        for made in dict.fromkeys((entry.commitment, commitment)):
            packed = change(entry, tag=tag, v=v, body=body, commitment=made)
            yield name, ProposedEvent(packed, owner)


def _facts(world: World, event: Any) -> Iterator[Variant[CardsMoved]]:  # noqa: ANN401  # of this game
    if not isinstance(event, CardsMoved):
        for role in (world.attacker, world.victim):
            for source in PILES[:4]:
                target = HAND if source == DECK else DECK
                yield (
                    "of another kind",
                    CardsMoved(role=role, cards=(HIDDEN,), source=source, target=target),
                )
        return
    yield "of one more card", change(event, cards=(*event.cards, HIDDEN))
    yield "of no card", change(event, cards=())
    yield f"in place by {event.role}", change(event, target=event.source)
    for pile in PILES:
        if pile not in {event.source, event.target}:
            yield f"from {pile}", change(event, source=pile)
            yield f"to {pile}", change(event, target=pile)
    for card in cards(world, event.role, event.source)[:2]:
        yield "with a face", change(event, cards=(card,))
        yield "shown", change(event, cards=(card,), is_shown=True)
        yield (
            f"shown in place by {event.role}",
            change(event, cards=(card,), is_shown=True, target=event.source),
        )
    for card in cards(world, event.role, DISCARD)[:1]:
        yield f"shown as a discard of {event.role}", change(event, cards=(card,), is_shown=True)
    other = world.victim if event.role == world.attacker else world.attacker
    yield "of another role", change(event, role=other)


def completions(world: World, body: Completion) -> Iterator[Variant[Completion]]:
    """Yield a completion with one thing changed."""
    for name, moves in _moves(world, world.attacker, body.moves):
        yield f"move {name}", change(body, moves=moves)

    def changed(item: tuple[int, bytes]) -> Iterator[Variant[tuple[int, bytes]]]:
        number, commitment = item
        yield "of another event", (number + 1, commitment)
        yield "other", (number, b"" if commitment else bytes(32))

    for name, commitments in _each(body.commitments, changed):
        yield f"commitment {name}", change(body, commitments=commitments)
    yield "commitment added", change(body, commitments=(*body.commitments, (50, b"")))
    yield "box", change(body, box=b"" if body.box else bytes(100))


# -- trying them


class Attempts(NamedTuple):
    """What a copy does with altered messages."""

    refused: dict[str, tuple[World, SignedMessage]]
    """For each reason, without numbers, the first message that was refused for it, and the position before it."""
    accepted: set[tuple[str, str]]
    """Kind of command and name of the change. Only the card seed shows whether such a change is false."""
    misjudged: list[MessageRefusal]
    """Refusals that do not name the attacker as the author of an invalid message."""


def try_all(world: World, turns: Turns) -> Attempts:
    """Play turns faithfully, but try every change of each proposal and completion of the attacker before it is sent."""
    attempts = Attempts({}, set(), [])
    for role, command in turns:
        assert world.index(world.request(role, command)) is None
        while not world.is_idle():
            assert _index_next(world, command, attempts), "nothing is due"
    return attempts


def _index_next(world: World, command: DepotCommand, attempts: Attempts) -> bool:
    """Index what is due, up to a proposal or completion. Return False if nothing was indexed."""
    is_any_indexed = False
    for signed in world.due():
        message = world.message(signed)
        if message.author == world.attacker and message.anchor <= world.state.index:
            _try(world, command, signed, attempts)
        if world.index(signed) is None:
            is_any_indexed = True
            if message.kind in {Kind.PROPOSAL, Kind.COMPLETION}:
                break
    return is_any_indexed


def _try(world: World, command: DepotCommand, signed: SignedMessage, attempts: Attempts) -> None:
    message = world.message(signed)
    variants: Iterable[Variant[Any]]
    match message.body:
        case Proposal() as body if message.anchor == world.state.index:
            variants = proposals(world, body)
        case Completion() as body:
            variants = completions(world, body)
        case _:
            return
    for name, changed in variants:
        if changed == message.body:
            continue
        altered = world.sign(
            message.author, message.kind, changed, message.anchor, message.anchor_hash
        )
        refusal = fold(world.state, altered)
        if not isinstance(refusal, MessageRefusal):
            found = (type(command).__name__, f"{message.kind} {name}")
            if found not in attempts.accepted:
                attempts.accepted.add(found)
                _continue_with(world, altered)
            continue
        if refusal.author != world.attacker or refusal.is_due_fault:
            attempts.misjudged.append(refusal)
        reason = re.sub(r"\d+", "N", refusal.problem)
        if reason not in attempts.refused:
            attempts.refused[reason] = (world.copy(), altered)


def _continue_with(world: World, altered: SignedMessage) -> None:
    """Check that all honest programs go on with a message, as far as the attacker lets them."""
    other = world.copy()
    assert other.index(altered) is None
    other.settle()
