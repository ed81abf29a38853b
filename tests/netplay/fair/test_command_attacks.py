"""Attacks with commands, proposals and opens: H1, H2, H3, H5 and M1, AT-8 to AT-10, AT-21, AT-22 and AT-34."""

import msgspec
import pytest

from engine.eots.events.cards import CardDiscarded, CardDrawn
from engine.eots.ids import CardId, Side
from engine.kernel.cards import PileKind
from engine.kernel.dice import ChanceRevealedError, DraftDice
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command
from saves.codec import codec
from saves.fair.event_steps import event_step
from saves.fair.group import ZERO
from saves.fair.label_moves import apply_moves
from saves.fair.labels import Departure
from saves.fair.messages import (
    HOST,
    MAX_MESSAGE_BYTES,
    ChanceUse,
    Completion,
    Kind,
    LabelMove,
    Message,
    Open,
    Proposal,
    ProposedEvent,
    PublicEntry,
    Request,
    SignedMessage,
    encode_message,
)
from saves.fair.requests import InvalidMessageError
from saves.fair.secrets import entry_commitment, entry_salt
from saves.fair.state import MessageRefusal, Pending, TranscriptPhase
from tests.netplay.fair.attacker import World

HAND = "hand"


def is_with_chance(world: World, role: Role, command: Command) -> bool:
    try:
        world.game.run_command(world.seat(role).cards.state, role, command, DraftDice())
    except ChanceRevealedError:
        return True
    return False


def command_of(world: World, role: Role, *, chance: bool, kind: str = "") -> Command:
    """Return the first command of a role with or without chance."""
    found: Command = next(
        one
        for one in world.options(role)
        if type(one).__name__.startswith(kind) and is_with_chance(world, role, one) == chance
    )
    return found


@pytest.fixture(scope="module")
def to_attacker(two_seats_opened: World) -> World:
    """The attacker is asked and has commands with and without chance."""
    world = two_seats_opened.copy()
    for _ in range(20):
        if world.options(world.attacker):
            break
        world.play(world.victim, world.options(world.victim)[-1])
    assert world.options(world.attacker)
    return world


@pytest.fixture
def world(to_attacker: World) -> World:
    return to_attacker.copy()


@pytest.fixture
def resolving(world: World) -> World:
    """The attacker's command with chance waits for its proposal."""
    request(world, command_of(world, world.attacker, chance=True))
    settle_to_proposal(world)
    return world


def request(world: World, command: Command) -> SignedMessage:
    signed = world.request(world.attacker, command)
    assert world.index(signed) is None
    return signed


def settle_to_proposal(world: World) -> None:
    """Let everything happen that is due before the proposal."""
    while True:
        made = [one for one in world.due() if world.message(one).kind is not Kind.PROPOSAL]
        if not [one for one in made if world.index(one) is None]:
            break
    assert world.state.phase is TranscriptPhase.RESOLVE


def proposal(world: World) -> SignedMessage:
    return world.made_of(world.attacker, Kind.PROPOSAL)


def guilty(world: World, refusal: MessageRefusal) -> bool:
    """Return whether a refusal names the attacker as the author of an invalid message."""
    return refusal.author == world.attacker and not refusal.is_due_fault


def goes_on(world: World, faithful: SignedMessage) -> bool:
    """Return whether the match continues with the faithful message in place of the refused one."""
    world.index(faithful)
    world.settle()
    return world.is_idle()


def body_of(world: World) -> Proposal:
    return world.body(proposal(world), Proposal)


# -- H1, H3 and AT-8: draws and asks without need


@pytest.mark.series("F3")
def test_h1_at_8_an_ask_does_not_open_the_hand_of_the_victim(resolving: World) -> None:
    """An ask for each pile of the victim, and for piles and places that do not exist."""
    world, victim = resolving, resolving.victim
    faithful = proposal(world)
    body = body_of(world)
    sizes = {name: len(pile.labels) for name, pile in world.state.table.decks[victim].items()}
    piles = [*sizes.items(), ("nowhere", 7), (HAND, 999), ("", 1)]
    last = len(body.events)
    for name, size in piles:
        for deck in (victim, Role("nobody"), world.attacker):
            use = ChanceUse(len(body.uses), max(size, 1), last, deck, name)
            signed = world.altered(faithful, uses=(*body.uses, use), status="ask")
            assert guilty(world, world.refused(signed)), (deck, name)
    assert not world.releases[victim].messages(Kind.OPEN)
    assert goes_on(world, faithful)


@pytest.mark.parametrize("event", [0, 1, 999, (1 << 32) - 1])
def test_h3_a_chance_use_for_another_event_is_refused(resolving: World, event: int) -> None:
    world = resolving
    faithful, body = proposal(world), body_of(resolving)
    use = msgspec.structs.replace(body.uses[0], event=event + len(body.events) * (event < 2))
    assert guilty(world, world.refused(world.altered(faithful, uses=(use, *body.uses[1:]))))
    assert goes_on(world, faithful)


def test_at_8_one_or_33_asks_in_one_proposal_are_refused(resolving: World) -> None:
    world = resolving
    faithful, body = proposal(world), body_of(resolving)
    size = len(world.state.table.pile(world.victim, HAND).labels)
    for count in (1, 33):
        asks = tuple(
            ChanceUse(number, size, len(body.events), world.victim, HAND) for number in range(count)
        )
        assert guilty(world, world.refused(world.altered(faithful, uses=asks, status="ask")))
    assert goes_on(world, faithful)


@pytest.mark.series("F3")
def test_at_8_a_draw_without_chance_is_refused(world: World) -> None:
    request(world, command_of(world, world.attacker, chance=False))
    settle_to_proposal(world)
    faithful, body = proposal(world), body_of(world)
    for deck, name in ((world.victim, HAND), (world.attacker, HAND), ("", "")):
        use = ChanceUse(0, 6, 0, deck, name)
        for status in ("done", "ask"):
            signed = world.altered(faithful, uses=(use,), status=status)
            assert guilty(world, world.refused(signed))
    assert goes_on(world, faithful)
    assert body.uses == ()


def test_h2_an_unneeded_chance_use_is_refused(world: World) -> None:
    """A request with chance for a command that needs none: no proposal can follow it."""
    command = command_of(world, world.attacker, chance=False)
    honest = world.seat(world.attacker).sign_command(command)[0]
    assert world.index(world.altered(honest, uses_chance=True)) is None
    settle_to_proposal(world)
    body = body_of(world)
    without = world.sign(world.attacker, Kind.PROPOSAL, body)
    assert guilty(world, world.refused(without))
    die = ChanceUse(0, 10, 0)
    assert guilty(world, world.refused(world.altered(without, uses=(die,))))


def test_h2_a_chance_command_requested_without_chance_is_refused(world: World) -> None:
    command = command_of(world, world.attacker, chance=True)
    honest = world.seat(world.attacker).sign_command(command)[0]
    assert world.index(world.altered(honest, uses_chance=False)) is None
    prefix = Proposal(events=(), uses=(), moves=(), status="done")
    while world.state.phase is TranscriptPhase.PREPARE:
        opened = world.made_of(world.attacker, Kind.OPEN)
        assert world.index(opened) is None
    assert guilty(world, world.refused(world.sign(world.attacker, Kind.PROPOSAL, prefix)))


# -- H5, AT-9 and AT-10: other events and other dice


def changed_events(body: Proposal) -> dict[str, tuple[ProposedEvent, ...]]:
    events = body.events
    first = events[0]
    return {
        "one less": events[:-1],
        "none": (),
        "twice": (*events, events[-1]),
        "other order": events[::-1],
        "without the first": events[1:],
        "hidden": (ProposedEvent(PublicEntry("", 0, b"", bytes(32))), *events[1:]),
        "other schema": (
            ProposedEvent(msgspec.structs.replace(first.entry, v=first.entry.v + 1)),
            *events[1:],
        ),
    }


@pytest.mark.parametrize(
    "kind",
    ["one less", "none", "twice", "other order", "without the first", "hidden", "other schema"],
)
def test_at_10_altered_events_are_refused(resolving: World, kind: str) -> None:
    faithful, body = proposal(resolving), body_of(resolving)
    signed = resolving.altered(faithful, events=changed_events(body)[kind])
    assert guilty(resolving, resolving.refused(signed))
    assert goes_on(resolving, faithful)


def numbers_in(plain: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    found = []
    if isinstance(plain, dict):
        for key, value in plain.items():
            found += numbers_in(value, (*path, key))
    elif isinstance(plain, list):
        for at, value in enumerate(plain):
            found += numbers_in(value, (*path, at))
    elif isinstance(plain, int):
        found.append(path)
    return found


@pytest.mark.series("F3")
def test_h5_a_die_chosen_by_the_actor_is_refused(resolving: World) -> None:
    """Every number and every flag in every event of the proposal, changed one by one."""
    world = resolving
    faithful, body = proposal(world), body_of(world)
    tried = 0
    for at, event in enumerate(body.events):
        plain = msgspec.msgpack.decode(event.entry.body)
        for path in numbers_in(plain):
            other = msgspec.msgpack.decode(event.entry.body)
            holder = other
            for step in path[:-1]:
                holder = holder[step]
            old = holder[path[-1]]
            holder[path[-1]] = (not old) if isinstance(old, bool) else old + 1
            entry = msgspec.structs.replace(event.entry, body=msgspec.msgpack.encode(other))
            events = (*body.events[:at], ProposedEvent(entry, event.owner), *body.events[at + 1 :])
            assert guilty(world, world.refused(world.altered(faithful, events=events))), path
            tried += 1
    assert tried > 3
    assert goes_on(world, faithful)


def hidden_cards(world: World, role: Role) -> list[str]:
    """Return the cards of a hand; the test looks into the program of its owner."""
    piles = world.game.card_piles(world.seat(role).cards.state, role)
    return [card for card in piles[HAND].cards if card in world.game.decks()[role]]


@pytest.mark.series("F3")
def test_at_9_an_event_that_shows_a_card_of_the_victim_is_refused(resolving: World) -> None:
    """The event is one of the rules, and names each card of the hand."""
    world, victim = resolving, resolving.victim
    faithful, body = proposal(world), body_of(world)
    for card in hidden_cards(world, victim):
        shown = CardDiscarded(side=Side(victim), card=CardId(card), rule=Rule("5.31"))
        entry = PublicEntry(*codec(world.game).pack(shown))
        for events in ((ProposedEvent(entry), *body.events), (*body.events, ProposedEvent(entry))):
            assert guilty(world, world.refused(world.altered(faithful, events=events)))
    assert not world.releases[victim].messages(Kind.OPEN)
    assert goes_on(world, faithful)


@pytest.mark.parametrize("change", ["number", "size", "deck", "twice", "missing"])
def test_at_10_altered_chance_uses_are_refused(resolving: World, change: str) -> None:
    faithful, body = proposal(resolving), body_of(resolving)
    use = body.uses[0]
    uses = {
        "number": (msgspec.structs.replace(use, number=use.number + 1), *body.uses[1:]),
        "size": (msgspec.structs.replace(use, size=use.size + 1), *body.uses[1:]),
        "deck": (
            msgspec.structs.replace(use, deck=resolving.victim, pile=HAND, size=6),
            *body.uses[1:],
        ),
        "twice": (*body.uses, msgspec.structs.replace(use, number=len(body.uses))),
        "missing": body.uses[1:],
    }[change]
    assert guilty(resolving, resolving.refused(resolving.altered(faithful, uses=uses)))
    assert goes_on(resolving, faithful)


@pytest.mark.series("F3")
def test_h2_at_10_altering_a_signed_message_names_the_host(resolving: World) -> None:
    """A proposal of the victim whose die, event, move, box or signature the host changes."""
    world = resolving
    signed = proposal(world)
    body = body_of(world)
    others: dict[str, object] = {
        "die": msgspec.structs.replace(body, uses=body.uses[1:]),
        "event": msgspec.structs.replace(body, events=body.events[1:]),
        "move": msgspec.structs.replace(body, moves=(LabelMove(1, HAND, "open", 0),)),
        "box": msgspec.structs.replace(body, box=bytes(40)),
    }
    for name, other in others.items():
        refusal = world.refused(world.forge(signed, body=other))
        assert (refusal.author, "signature" in refusal.problem) == (HOST, True), name
    for name, value in (("author", world.victim), ("anchor", 3), ("kind", Kind.OFFER)):
        assert world.refused(world.forge(signed, **{name: value})).author == HOST
    assert world.refused(SignedMessage(signed.data, bytes(64))).author == HOST


# -- AT-21: cards that the owner keeps or moves


def test_at_21_altered_label_moves_are_refused(world: World) -> None:
    """The attacker plays a card: its label stays in the hand, goes elsewhere, or another one goes."""
    request(world, command_of(world, world.attacker, chance=False))
    settle_to_proposal(world)
    faithful, body = proposal(world), body_of(world)
    assert body.moves
    deck = world.state.table.decks[world.attacker]
    move = body.moves[0]
    other = next(one.number for one in deck[HAND].labels if one.number != move.label)
    for moves in (
        (),
        (msgspec.structs.replace(move, target="draw"),),
        (msgspec.structs.replace(move, target="nowhere"),),
        (msgspec.structs.replace(move, label=other),),
        (msgspec.structs.replace(move, label=9_999),),
        (*body.moves, msgspec.structs.replace(move, label=other)),
        (msgspec.structs.replace(move, event=999),),
    ):
        assert guilty(world, world.refused(world.altered(faithful, moves=moves)))
    theirs = world.state.table.pile(world.victim, HAND).labels[0].number
    moves = (msgspec.structs.replace(move, label=theirs),)
    assert guilty(world, world.refused(world.altered(faithful, moves=moves)))
    assert goes_on(world, faithful)


def test_at_21_an_extra_exchange_of_labels_is_refused(world: World) -> None:
    """A card of the hand goes back to the draw pile for another one; all counts stay as they are."""
    request(world, command_of(world, world.attacker, chance=False))
    settle_to_proposal(world)
    faithful, body = proposal(world), body_of(world)
    deck = world.state.table.decks[world.attacker]
    played = {move.label for move in body.moves}
    kept = next(one.number for one in deck[HAND].labels if one.number not in played)
    better = deck["draw"].labels[0].number
    for event in range(len(body.events)):
        exchange = (LabelMove(kept, HAND, "draw", event), LabelMove(better, "draw", HAND, event))
        moves = tuple(sorted((*body.moves, *exchange), key=lambda move: move.event))
        assert guilty(world, world.refused(world.altered(faithful, moves=moves)))
    assert goes_on(world, faithful)


def test_at_21_ordered_piles_are_drawn_from_the_top(world: World) -> None:
    """The draw pile of the attacker has an order; a card is drawn from its end."""
    attacker = world.attacker
    deck = world.state.table.decks[attacker]
    ordered = msgspec.structs.replace(deck["draw"], kind=PileKind.ORDERED)
    table = world.state.table.with_pile(attacker, ordered)
    pending = Pending(number=9, actor=attacker)
    state = msgspec.structs.replace(world.state, table=table, pending=pending)
    drawn = CardDrawn(side=Side(attacker), card=CardId("?"), rule=Rule("5.35"), locked=False)
    step = event_step(world.game, table.decks, 0, drawn, state.state, is_hidden=True)
    first, last = (Departure(ordered.labels[at].number, "draw", HAND) for at in (0, -1))
    with pytest.raises(InvalidMessageError, match="cards must be drawn from the top of draw"):
        apply_moves(state, table, attacker, step, [last], (), 9)
    assert apply_moves(state, table, attacker, step, [first], (), 9).find(attacker, first.label)
    again = [Departure(one.number, "draw", "draw") for one in ordered.labels[::-1]]
    with pytest.raises(InvalidMessageError, match="must not reorder draw"):
        apply_moves(state, table, attacker, step, [*again[1:], first], (), 9)


# -- AT-34: other opens


@pytest.mark.series("F3")
def test_at_34_open_with_wrong_card_blinding_label_or_owner_is_refused(world: World) -> None:
    request(world, command_of(world, world.attacker, chance=False))
    signed = world.made_of(world.attacker, Kind.OPEN)
    body = world.body(signed, Open)
    cards = hidden_cards(world, world.attacker)
    other = next(card for card in cards if card != body.card)
    label = world.state.table.pile(world.attacker, HAND).labels
    for changes in (
        {"card": other},
        {"card": "no card"},
        {"blinding": ZERO},
        {"blinding": bytes(31) + b"\xff"},
        {"blinding": (5).to_bytes(32, "little")},
        {"label": next(one.number for one in label if one.number != body.label)},
        {"label": world.state.table.pile(world.victim, HAND).labels[0].number},
        {"label": 99_999},
    ):
        assert guilty(world, world.refused(world.altered(signed, **changes)))
    assert world.index(signed) is None
    world.settle()
    assert world.is_idle()


def test_at_34_an_open_before_its_request_is_refused(world: World) -> None:
    signed = world.seat(world.attacker).sign_command(
        command_of(world, world.attacker, chance=False)
    )[0]
    later = world.copy()
    assert later.index(signed) is None
    opened = later.made_of(world.attacker, Kind.OPEN)
    assert world.refused(opened).is_due_fault
    early = world.sign(world.attacker, Kind.OPEN, later.body(opened, Open))
    assert guilty(world, world.refused(early))
    assert world.index(signed) is None
    assert world.index(opened) is None


# -- AT-22: hidden commands


@pytest.fixture(scope="module")
def hiding() -> World:
    """Six seats; the attacker's seat may discard a hidden card."""
    return World.opened("qmg", "base", attackers=1, seed=5)


def test_at_22_an_attacker_cannot_guess_a_committed_command(hiding: World) -> None:
    """The attacker tries every command with all that it knows as a key: the commitment fits none."""
    world = hiding.copy()
    victim = world.victim
    command = world.options(victim)[3]
    world.play(victim, command)
    sent = b"".join(one.data for one in world.releases[victim].by_slot.values())
    assert command.card.encode() not in sent
    (message,) = world.releases[victim].messages(Kind.REQUEST)
    body = message.body
    assert isinstance(body, Request)

    def fits(one: Command, key: bytes) -> bool:
        packed = codec(world.game).pack(one)
        salts = (entry_salt(key, message.anchor_hash, 0, packed), key[:16], b"")
        return any(entry_commitment(salt, *packed) == body.command.commitment for salt in salts)

    known = {bytes(32), world.setup.header_hash, world.setup.host_key, message.anchor_hash}
    for party in world.setup.parties:
        known |= {party.key, party.head, party.cards}
    for signed in world.host.messages:
        known |= {signed.signature[:32], signed.signature[32:], signed.data[-32:]}
    known |= {value for role in world.attackers for value in attacker_keys(world, role)}
    assert len(known) > 50
    assert not any(fits(one, key) for one in hiding.options(victim) for key in known)
    assert fits(command, world.match.secrets[victim].card_seed), "the right key is the card seed"


def attacker_keys(world: World, role: Role) -> tuple[bytes, ...]:
    secrets = world.match.secrets[role]
    return secrets.card_seed, secrets.cards.box_key


def test_at_22_a_hidden_command_that_the_rules_do_not_hide_is_refused(hiding: World) -> None:
    """A commitment for a command that hides nothing, and a form that shows too much."""
    world = hiding.copy()
    attacker = world.attacker
    faithful = world.seat(attacker).sign_command(world.options(attacker)[0])[0]
    body = world.body(faithful, Request)
    whole = PublicEntry(*codec(world.game).pack(world.options(attacker)[0]))
    for entry in (
        whole,
        msgspec.structs.replace(whole, commitment=body.command.commitment),
        msgspec.structs.replace(body.command, commitment=b""),
        PublicEntry("", 0, b"", body.command.commitment),
    ):
        assert guilty(world, world.refused(world.altered(faithful, command=entry)))
    assert goes_on(world, faithful)


# -- M1: very many steps in one command


def test_m1_a_proposal_with_thousands_of_entries_is_refused(resolving: World) -> None:
    faithful, body = proposal(resolving), body_of(resolving)
    events = body.events * (4_097 // len(body.events) + 1)
    for changes in (
        {"events": events},
        {"events": body.events[-1:] * 4_000},
        {"uses": body.uses * 1_025},
        {"moves": (LabelMove(1, HAND, "draw", 0),) * 4_097},
        {"moves": (LabelMove(1, HAND, "draw", 0),) * 4_000},
    ):
        signed = resolving.altered(faithful, **changes)
        refusal = resolving.refused(signed)
        assert guilty(resolving, refusal) or len(signed.data) > MAX_MESSAGE_BYTES
    assert goes_on(resolving, faithful)


def test_an_unrequested_completion_is_refused(resolving: World) -> None:
    signed = resolving.sign(resolving.attacker, Kind.COMPLETION, Completion((), ()))
    assert resolving.refused(signed).is_due_fault


def test_a_message_from_an_unknown_author_names_the_host(world: World) -> None:
    message = Message(
        kind=Kind.OFFER,
        anchor=world.state.index,
        anchor_hash=world.state.head,
        author=Role("stranger"),
        body=world.message(proposal_free(world)).body,
    )
    data = encode_message(world.setup.match_id, message)
    refusal = world.refused(SignedMessage(data, world.match.secrets[world.attacker].sign(data)))
    assert refusal.author == HOST


def proposal_free(world: World) -> SignedMessage:
    return world.seat(world.attacker).sign_command(world.options(world.attacker)[0])[0]
