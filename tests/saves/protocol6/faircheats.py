"""Cheating hosts and seats in matches with encrypted cards, and the verdict that each must get."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET
from typing_extensions import override

from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role
from saves.commitments import derive_salt
from saves.entries import complete_entry, decode_command, signature_entry
from saves.headers import Header
from saves.protocol6.deck_protocol import DeckProtocol
from saves.protocol6.group import scalar_from
from saves.protocol6.parties import OpenedSeed, Sealed, SignedStep
from saves.protocol6.sealing import Sealable, complete_record, unseal
from saves.protocol6.signing import command_message
from saves.protocol6.steps import (
    STEP_DECODER,
    AnyStep,
    DrawCalled,
    KeysGiven,
    Mixed,
    OpenCalled,
    ShuffleCalled,
)
from saves.protocol6.unredaction import full_copy
from saves.records import Record
from saves.redaction import redact_header, redact_record
from saves.statements import Ending
from tests.saves.play import linked
from tests.saves.protocol6.cheats import FORGER, LoadedDice
from tests.saves.protocol6.fairtable import FairTable
from tests.saves.protocol6.program.pending_command import (
    Act,
    Complete,
    PendingCommand,
    Propose,
    StepAction,
    proposal_message,
)
from tests.saves.protocol6.program.sealing import seal
from tests.saves.protocol6.seats import seed_of

JAPAN, ALLIED = Role("japan"), Role("allied")
File: TypeAlias = tuple[Header, Sequence[Record]]


def end(table: FairTable) -> FairTable:
    """Let a side resign, and open the secret and the seeds."""
    if table.match.outcome is None:
        table.agree(ALLIED, Ending(how="resigned", by=(ALLIED,)))
    table.finish()
    return table


def copy_of(table: FairTable, records: Sequence[Record], role: Role | None) -> File:
    """Return a seat's or spectator's copy, given the records in the host's copy."""
    header = redact_header(table.match.header, role)
    told = [redact_record(table.rules, record, role) for record in records]
    if role is None:
        return header, told
    return header, [complete_record(record, table.seats[role].secret) for record in told]


def full_of(table: FairTable, records: Sequence[Record]) -> File:
    return full_copy(table.match.header, records)


# -- forgeries: an honest match in which the host changes a record, alone or with a seat as accomplice


class Forgery(NamedTuple):
    """A false match."""

    records: Sequence[Record]
    """The records as in the host's copy."""
    record: int
    words: str
    """Regular expression for the verdict on every copy."""


Forger: TypeAlias = Callable[[FairTable, random.Random], Forgery]
FORGERS: Final[dict[str, Forger]] = {}


def forger(cheat: Forger) -> Forger:
    """Register a way to forge a file by name."""
    FORGERS[cheat.__name__] = cheat
    return cheat


def forged(table: FairTable, changed: Record, words: str) -> Forgery:
    records = [*table.match.records]
    records[changed.seq] = changed
    return Forgery(linked(table.match.header, records), changed.seq, words)


def open_commands(table: FairTable) -> list[Record]:
    """Return the commands that are visible to everyone."""
    return [
        record
        for record in table.match.records
        if record.kind == "command" and record.command and record.command.salt
    ]


def _resigned(table: FairTable, record: Record, signature: bytes) -> Record:
    secret = table.match.header.secret
    assert secret is not None
    return msgspec.structs.replace(record, signature=signature_entry(secret, record.seq, signature))


@forger
def forged_command(table: FairTable, rng: random.Random) -> Forgery:
    """A command that the host signs with its own key."""
    record = rng.choice(open_commands(table))
    words = f"the command attributed to {record.role} is not signed by {record.role}"
    return forged(table, _resigned(table, record, FORGER.sign(record.prev)), words)


@forger
def command_of_another_seat(table: FairTable, rng: random.Random) -> Forgery:
    """A command signed by the opponent."""
    record = rng.choice(open_commands(table))
    entry = record.command
    assert entry is not None
    what = (record.role, entry.tag, entry.v, entry.body or b"")
    message = command_message(table.match.header.match_id, record.seq, record.prev, *what)
    signature = table.keys[_other(record.role)].sign(message)
    return forged(table, _resigned(table, record, signature), "is not signed by")


@forger
def changed_command(table: FairTable, rng: random.Random) -> Forgery:
    """A different command from the one that was signed."""
    for record in rng.sample(open_commands(table), len(open_commands(table))):
        assert record.command is not None
        given = decode_command(table.rules, record.command)
        state = table.copies[record.role].state_at(record.seq - 1)
        others = [one for one in table.rules.decision(state, record.role).options if one != given]
        if others:
            salt = derive_salt(bytes(32), record.seq, 0)
            entry = complete_entry(table.rules, rng.choice(others), salt)
            changed = msgspec.structs.replace(record, command=entry)
            return forged(table, changed, f"attributed to {record.role} is not signed")
    raise AssertionError("no choice in a whole match")


@forger
def forged_consent(table: FairTable, rng: random.Random) -> Forgery:
    """A takeback to which the host consents in a seat's name."""
    record = next(one for one in table.match.records if one.kind == "takeback")
    assert record.consents is not UNSET
    victim = rng.choice(record.consents).role
    consents = tuple(
        FORGER.consent(one.role, b"yes") if one.role == victim else one for one in record.consents
    )
    changed = msgspec.structs.replace(record, consents=consents)
    return forged(table, changed, f"the consent attributed to {victim} is not signed by {victim}")


@forger
def another_link(table: FairTable, rng: random.Random) -> Forgery:
    """A die of the host's choice, by its own number instead of a link."""
    record = rng.choice([one for one in table.match.records if one.links is not UNSET])
    assert record.links is not UNSET
    changed = msgspec.structs.replace(record, links=(rng.randbytes(32), *record.links[1:]))
    return forged(table, changed, "allied's link is not the one that was promised")


@forger
def box_of_nobody(table: FairTable, rng: random.Random) -> Forgery:
    """A box in the name of a role that is not a party."""
    record = rng.choice([one for one in table.match.records if one.sealed is not UNSET])
    assert record.sealed is not UNSET
    changed = msgspec.structs.replace(
        record, sealed=(*record.sealed, Sealed(role=Role("nobody"), box=b"box"))
    )
    return forged(table, changed, "the boxes are not those of the parties")


@forger
def changed_seed(table: FairTable, rng: random.Random) -> Forgery:
    """Another card seed than the one that was committed to."""
    record = table.match.records[-1]
    assert record.seeds is not UNSET
    victim = rng.choice(record.seeds).role
    seeds = tuple(
        OpenedSeed(role=one.role, seed=rng.randbytes(32)) if one.role == victim else one
        for one in record.seeds
    )
    changed = msgspec.structs.replace(record, seeds=seeds)
    words = f"the card seed in the name of {victim} is not the one that was promised"
    return forged(table, changed, words)


# forged steps, and steps signed by a cheating seat and accepted by its accomplice, the host


def _other(role: Role) -> Role:
    return ALLIED if role == JAPAN else JAPAN


def _at(table: FairTable, seq: int) -> DeckProtocol:
    """Return the state of the cards after a record."""
    dealt = DeckProtocol(table.rules, table.match.header)
    for record in table.match.records[: seq + 1]:
        dealt.check(record)
        dealt.settle(record)
    return dealt


def _held(dealt: DeckProtocol, role: Role) -> list[int]:
    """Return the cards that only the given seat can read."""
    slots = dealt.table.slots
    return [number for number in dealt.table.live_slots(role) if slots[number].masked_by == (role,)]


def _inserted(
    table: FairTable,
    rng: random.Random,
    words: str,
    step: Callable[[DeckProtocol, Role], AnyStep],
    name: Role | None = None,
) -> Forgery:
    """Return a match with an additional step of a seat at the end of a record."""
    records = open_commands(table)[3:]
    cheat = rng.choice((JAPAN, ALLIED))
    for record in rng.sample(records, len(records)):
        dealt = _at(table, record.seq)
        if _held(dealt, _other(cheat)):
            break
    signed = dealt.transcript.sign_step(cheat, step(dealt, cheat), table.keys[cheat].sign)
    if name is not None:
        signed = msgspec.structs.replace(signed, author=_other(cheat))
    steps = () if record.steps is UNSET else record.steps
    changed = msgspec.structs.replace(record, steps=(*steps, signed))
    return forged(table, changed, f"{name or cheat}: {words}")


@forger
def peek_at_a_hand(table: FairTable, rng: random.Random) -> Forgery:
    """A seat requests to see the other one's hand."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        return OpenCalled(slots=(rng.choice(_held(dealt, _other(cheat))),))

    return _inserted(table, rng, "asks to see a card of", step)


@forger
def peek_at_a_deck(table: FairTable, rng: random.Random) -> Forgery:
    """A seat draws from the other one's deck."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        return DrawCalled(slots=dealt.order[_other(cheat)][:1], reader=cheat)

    return _inserted(table, rng, "draws from a deck that is not its own", step)


@forger
def peek_at_the_own_deck(table: FairTable, rng: random.Random) -> Forgery:
    """A seat reveals its next card to itself."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        return OpenCalled(slots=dealt.order[cheat][:1])

    return _inserted(table, rng, "turns up a card that was not drawn", step)


@forger
def draw_from_the_middle(table: FairTable, rng: random.Random) -> Forgery:
    """A seat draws a card other than the next one."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        return DrawCalled(slots=dealt.order[cheat][3:4], reader=cheat)

    return _inserted(table, rng, "draws cards other than those on top", step)


@forger
def deck_of_another_shuffled(table: FairTable, rng: random.Random) -> Forgery:
    """A seat lets the other one's deck be shuffled."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        deck = str(_other(cheat))
        return ShuffleCalled(deck=deck, slots=dealt.order[deck])

    return _inserted(table, rng, "shuffles the deck of", step)


@forger
def step_in_the_name_of_another(table: FairTable, rng: random.Random) -> Forgery:
    """A step that its author has not signed."""

    def step(dealt: DeckProtocol, cheat: Role) -> AnyStep:
        return OpenCalled(slots=dealt.order[cheat][:1])

    return _inserted(table, rng, "sends a step that", step, Role("the host"))


def _with_steps(
    table: FairTable, record: Record, steps: Sequence[SignedStep], words: str
) -> Forgery:
    return forged(table, msgspec.structs.replace(record, steps=tuple(steps)), words)


def _dealing(table: FairTable, rng: random.Random) -> tuple[Record, list[SignedStep]]:
    """Return a record that ends with keys, and its steps."""
    found = [
        (record, [*record.steps])
        for record in table.match.records[1:]
        if record.steps is not UNSET and isinstance(_said(record.steps[-1]), KeysGiven)
    ]
    return rng.choice(found)


def _said(signed: SignedStep) -> AnyStep:
    step: AnyStep = STEP_DECODER.decode(signed.body)
    return step


@forger
def withheld_key(table: FairTable, rng: random.Random) -> Forgery:
    """A record that does not wait for a key."""
    record, steps = _dealing(table, rng)
    words = f"does not wait for the card steps due from {steps[-1].author}"
    return _with_steps(table, record, steps[:-1], words)


@forger
def wrong_key(table: FairTable, rng: random.Random) -> Forgery:
    """A seat gives another key than the one that it is committed to."""
    record, steps = _dealing(table, rng)
    last = steps[-1]
    keys = _said(last)
    assert isinstance(keys, KeysGiven)
    dealt = _at(table, record.seq - 1)
    for signed in steps[:-1]:
        dealt.take(signed, signed.author)
    false = KeysGiven(
        keys=tuple(scalar_from(seed_of(f"key {n}") * 2) for n in range(len(keys.keys)))
    )
    signed = dealt.transcript.sign_step(last.author, false, table.keys[last.author].sign)
    words = f"{last.author}: (gives a key that does not match|gave keys that do not follow from its seed)"
    return _with_steps(table, record, [*steps[:-1], signed], words)


@forger
def replayed_step(table: FairTable, rng: random.Random) -> Forgery:
    """An earlier step, repeated."""
    record, steps = _dealing(table, rng)
    words = f"the host: sends keys from {steps[-1].author} that were not requested"
    return _with_steps(table, record, [*steps, steps[-1]], words)


@forger
def changed_step(table: FairTable, rng: random.Random) -> Forgery:
    """A step with a changed byte, which its author has not signed."""
    record, steps = _dealing(table, rng)
    last = steps[-1]
    body = last.body[:-1] + bytes([last.body[-1] ^ 1])
    steps[-1] = msgspec.structs.replace(last, body=body)
    return _with_steps(table, record, steps, f"has not signed|{last.author}")


# -- seats whose programs cheat during the match, while the others act in good faith


class CheatingTable(FairTable):
    """A match in which one seat cheats once, at the first opportunity."""

    def __init__(self, cheat: Role, **kind: Any) -> None:  # noqa: ANN401 - arguments of FairTable
        self.cheat = cheat
        self.at = -1
        """The record in which the seat cheated; -1 before that."""
        self.honest_box = b""
        self.rng = random.Random(1)
        super().__init__(**kind)

    def boxed(self, role: Role, act: Act, body: Callable[[Sealable], Sealable]) -> Act:
        """Return an act with another box, and keep the honest one for the cheat."""
        box = b""
        match act:
            case Propose(proposal=proposal):
                box = proposal.box
            case Complete(fill=fill):
                box = fill.box
            case _:
                return act
        if self.at >= 0 or not box:
            return act
        self.at, self.honest_box = self.match.seq + 1, box
        secret = self.seats[role].secret
        changed = seal(secret, [body(one) for one in unseal(secret, box)])
        if isinstance(act, Complete):
            return Complete(fill=msgspec.structs.replace(act.fill, box=changed))
        assert isinstance(act, Propose)
        pending = self.match.pending
        assert pending is not None
        proposal = msgspec.structs.replace(act.proposal, box=changed)
        message = proposal_message(self.match.header.match_id, pending, proposal)
        signature = self.keys[role].sign(message)
        return Propose(proposal=msgspec.structs.replace(proposal, signature=signature))

    def step(self, role: Role, act: Act, change: Callable[[AnyStep], AnyStep | None]) -> Act:
        """Return an act with another step."""
        if self.at >= 0 or not isinstance(act, StepAction):
            return act
        changed = change(_said(act.signed))
        if changed is None:
            return act
        self.at = self.match.seq + 1
        transcript = self.match.deck_protocol.transcript
        signed = transcript.sign_step(role, changed, self.keys[role].sign)
        return StepAction(number=act.number, signed=signed)

    @override
    def tell(self, record: Record) -> Record:
        if not self.honest_box or record.seq != self.at or record.sealed is UNSET:
            return super().tell(record)
        for role, copy in self.copies.items():
            told = redact_record(self.rules, record, role)
            if role is None:
                copy.receive(told)
                continue
            boxes = tuple(
                Sealed(role=one.role, box=self.honest_box) if one.role == self.cheat else one
                for one in record.sealed
            )
            whole = complete_record(
                msgspec.structs.replace(told, sealed=boxes), self.seats[role].secret
            )
            copy.receive(msgspec.structs.replace(whole, sealed=record.sealed))
        return record


class Cheater(NamedTuple):
    """A way in which a seat cheats."""

    table: type[CheatingTable]
    words: str
    """The expected verdict, after the role."""
    shows: str
    """``all``: every copy shows it after the seeds are opened; ``full``: only the full copy; ``box``: all others, as no
    full copy can be made."""


class SwappedFace(CheatingTable):
    """Another card in the box than the one that the record commits to."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        if role != self.cheat or self.match.seq < 3:
            return act
        return self.boxed(role, act, lambda one: msgspec.structs.replace(one, body=b"\x80"))


class ChosenOrder(CheatingTable):
    """A shuffle in an order that the seat chooses."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        def change(step: AnyStep) -> AnyStep | None:
            if not isinstance(step, Mixed):
                return None
            return Mixed(deck=step.deck, points=(*step.points[1:], step.points[0]))

        return act if role != self.cheat else self.step(role, act, change)


class CardsMore(CheatingTable):
    """A draw of more cards than the rules deal."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        def change(step: AnyStep) -> AnyStep | None:
            if not isinstance(step, DrawCalled) or step.for_shuffle or self.match.seq < 0:
                return None
            order = self.match.deck_protocol.order[self.cheat]
            if len(order) < len(step.slots) + 20:
                return None
            return DrawCalled(slots=order[:-1], reader=self.cheat)

        return act if role != self.cheat else self.step(role, act, change)


class StaleDeck(CheatingTable):
    """A deck without one of its cards, so that this card is never drawn."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        def change(step: AnyStep) -> AnyStep | None:
            if not isinstance(step, ShuffleCalled):
                return None
            deck = self.seats[role]._deck
            honest = deck.deal

            def deal(needed: Any) -> AnyStep:  # noqa: ANN401 - what the deck is asked for
                order = self.match.deck_protocol.order[role]
                if self.match.seq + 1 > self.at or not order:
                    return honest(needed)
                return DrawCalled(slots=order[: needed.count], reader=role)

            deck.deal = deal  # type: ignore[method-assign]  # a program that cheats
            return ShuffleCalled(deck=step.deck, slots=step.slots[1:])

        return act if role != self.cheat else self.step(role, act, change)


class FalseFace(CheatingTable):
    """Another card than the one that was drawn."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        if role != self.cheat or self.at >= 0 or not isinstance(act, StepAction):
            return act
        step, deck = _said(act.signed), self.seats[role]._deck
        if not isinstance(step, DrawCalled) or step.for_shuffle or self.match.seq < 1:
            return act
        pile = self.rules.hidden_pile(self.copies[role].state, role, "deck")
        if len(pile) <= len(step.slots):
            return act
        honest, self.at = deck.drawn, self.match.seq + 1

        def drawn() -> list[str]:
            cards = honest()
            if self.match.seq + 1 > self.at or not cards:
                return cards
            return [next(card for card in pile if card not in cards), *cards[1:]]

        deck.drawn = drawn  # type: ignore[method-assign]  # a program that cheats
        return act


class LoadedDie(CheatingTable):
    """Another face than the parties threw."""

    @override
    def change(self, role: Role, pending: PendingCommand, act: Act) -> Act:
        return act

    @override
    def give(self, role: Role, command: Any, **more: Any) -> Record:
        seat = self.seats[self.cheat]
        if role == self.cheat and self.at < 0:
            honest = seat._chance

            thrown: list[LoadedDice] = []

            def chance(pending: PendingCommand) -> DerivedDice:
                fair = honest(pending)
                thrown.append(LoadedDice(fair._secret, fair._record))
                return thrown[-1]

            seat._chance = chance  # type: ignore[method-assign]  # a program that cheats
            record = super().give(role, command, **more)
            seat._chance = honest  # type: ignore[method-assign]  # and goes back to normal
            if any(dice.is_used for dice in thrown):
                self.at = record.seq
            return record
        return super().give(role, command, **more)


class ShownUnopened(CheatingTable):
    """A card that is played without being revealed, and a host that accepts it."""

    @override
    def settle(self, command: Any, **more: Any) -> Record:
        pending = self.match.pending
        if pending is None or pending.role != self.cheat or self.at >= 0:
            return super().settle(command, **more)
        deck = self.seats[self.cheat]._deck
        honest = deck.opening

        def opening(events: Any) -> AnyStep | None:  # noqa: ANN401 - events of any game
            if self.at < 0 and honest(events) is not None:
                self.at = self.match.seq + 1
            return None if self.at == self.match.seq + 1 else honest(events)

        deck.opening = opening  # type: ignore[method-assign]  # a program that cheats
        for copy in (self.match, *self.copies.values()):
            assert copy.deck_protocol is not None
            copy.deck_protocol._check_shown_cards = lambda *_: None  # type: ignore[method-assign]  # everybody is in it
        return super().settle(command, **more)


CHEATERS: Final = {
    "swapped_face": Cheater(SwappedFace, "the box of {} holds another", "box"),
    "chosen_order": Cheater(ChosenOrder, "{}: shuffled in an order", "all"),
    "cards_more": Cheater(CardsMore, "{} drew a card that no rule deals", "full"),
    "stale_deck": Cheater(
        StaleDeck, "{} draws from a deck that differs from the one in the rules", "full"
    ),
    "false_face": Cheater(
        FalseFace, "the rules give .*{0} made it|{0} draws from another deck", "full"
    ),
    "loaded_die": Cheater(LoadedDie, "the rules give .*{} made it", "full"),
    "shown_unopened": Cheater(ShownUnopened, "{} shows a card in record .* did not open", "all"),
}
