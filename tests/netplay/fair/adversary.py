"""Random attacks on honest participants. The oracles of section 3 are checked after every message.

Each move is one action of an attacker who controls the host and some seats. ``attack_machine`` chooses the moves.
"""

import random
from collections import Counter
from typing import Any, ClassVar, Final, TypeAlias

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from netplay.journal.errors import SlotUsedError
from saves.fair.due_messages import due_messages
from saves.fair.messages import (
    HOST,
    Close,
    Consent,
    End,
    Kind,
    Message,
    Offer,
    Open,
    Proposal,
    Reveal,
    Seed,
    SignedMessage,
)
from saves.fair.state import MessageRefusal, TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.lies import Liar
from tests.netplay.fair.malformed import some_malformed

Plain: TypeAlias = Any
"""A body as plain data."""
_KEPT: Final = 60
"""Maximum number of messages that the attacker stores for replays."""


class Adversary:
    """An attacker that acts at random in one world."""

    MOVES: ClassVar[tuple[str, ...]] = (
        "attacker_commands",
        "victim_commands",
        "mutated",
        "lie",
        "replay",
        "forged",
        "crafted",
        "malformed",
        "ask_again",
        "offer",
        "consent",
        "end",
    )
    """The attacker's moves. Each one is implemented by the method of that name with a leading underscore."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.random = random.Random(0)
        self.pool: list[SignedMessage] = list(world.host.messages[-_KEPT:])
        self.unsent: dict[Role, SignedMessage] = {}
        """Honest players' decisions that the host has not indexed."""
        self.counts: Counter[str] = Counter()

    def act(self, move: str, wait: int, seed: int) -> None:
        """Make a move, and check the oracles after each step.

        Args:
            move: One of :attr:`MOVES`.
            wait: Number of steps by which the match advances before the move.
            seed: Seed for all choices within the move.
        """
        self.random = random.Random(seed)
        for name in (*["go_on"] * wait, move):
            if self.is_over:
                return
            getattr(self, f"_{name}")()
            self.counts["steps"] += 1
            self.check()

    @property
    def is_over(self) -> bool:
        """Whether the match is waiting for something that the attacker cannot or will not provide."""
        return self.world.state.has_ended

    # -- oracles

    def check(self) -> None:
        """Check O7. O1, O2 and O4 are checked at every release, and O5 and O6 at every delivery."""
        world = self.world
        for role in world.honest:
            assert world.seat(role).state.head == world.state.head, "O7: copies differ"

    def finish(self) -> None:
        """Deliver everything, and check O6: no honest seat is blocked except by the attacker."""
        world = self.world
        for _ in range(200):
            made = [signed for signed in world.due() if self._index(signed)]
            if not made:
                break
        released = {
            (message.kind, message.author)
            for role in world.honest
            for message in map(world.message, world.made(role))
        }
        for one in due_messages(world.state):
            is_decision = one.kind in {Kind.CONSENT, Kind.SEED}
            if one.author in world.honest and not is_decision:
                assert (one.kind, one.author) in released, f"O6: {one} is due and not released"
                raise AssertionError(f"O6: {one} is released and not accepted")

    def _index(self, signed: SignedMessage) -> bool:
        """Offer a message to all copies. Return whether it is accepted."""
        refusal = self.world.index(signed)
        if refusal is None:
            self._note(signed)
            return True
        self.counts["refused"] += 1
        self._judge(refusal)
        self._compare(signed, refusal)
        return False

    def _note(self, signed: SignedMessage) -> None:
        """Note that a message is accepted."""
        world = self.world
        self.counts["accepted"] += 1
        self.pool = [*self.pool[-_KEPT:], signed]
        for role, waiting in list(self.unsent.items()):
            if world.message(waiting).anchor_hash != world.state.head:
                del self.unsent[role]

    def _judge(self, refusal: MessageRefusal) -> None:
        is_named = not refusal.is_due_fault and refusal.author in self.world.honest
        assert not is_named, f"O5: an honest seat is named: {refusal}"

    def _compare(self, signed: SignedMessage, refusal: MessageRefusal) -> None:
        """Check that the honest copies also refuse a message that the host refuses."""
        for role in self.world.honest:
            other = self.world.give(role, signed)
            assert other == refusal, "copies differ about a refusal"

    # -- what an attacker can do

    def _go_on(self) -> None:
        made = self.world.due()
        if made:
            for _ in range(self.random.choice((0, 0, 2, 4))):
                self._lie()
            self._index(self.random.choice(made))
        elif self.world.state.phase is TranscriptPhase.IDLE:
            self._give_a_command()

    def _give_a_command(self) -> None:
        self.random.choice((self._victim_commands, self._attacker_commands))()

    def _commands(self, role: Role) -> SignedMessage | None:
        command = self._chosen(role)
        return None if command is None else self._request(role, command)

    def _request(self, role: Role, command: Command) -> SignedMessage | None:
        """Let a seat give a command. Return its request, or None if an offer has overtaken an earlier one."""
        try:
            return self.world.request(role, command)
        except SlotUsedError:
            assert role in self.world.honest, "a modified program signs everything"
            assert self.world.state.phase is TranscriptPhase.CONSENT, "O6: a seat has no slot"
            return None

    def _chosen(self, role: Role) -> Command | None:
        """Return a command that a seat may give, or None."""
        options = self.world.options(role)
        if not options or self.world.state.phase not in {
            TranscriptPhase.IDLE,
            TranscriptPhase.CONSENT,
        }:
            return None
        kinds = sorted({type(one).__name__ for one in options})
        kind = self.random.choice(kinds)
        found: Command = self.random.choice([one for one in options if type(one).__name__ == kind])
        return found

    def _attacker_commands(self) -> None:
        roles = sorted(self.world.attackers)
        made = self._commands(self.random.choice(roles))
        if made is not None:
            self._index(made)

    def _victim_commands(self) -> None:
        """Let a player decide. The host may withhold the message, which is then sent again unchanged."""
        role = self.random.choice(self.world.honest)
        if role not in self.unsent:
            made = self._commands(role)
            if made is None:
                return
            self.unsent[role] = made
        if self.random.random() < 0.7:
            self._index(self.unsent[role])

    def _own(self) -> SignedMessage | None:
        """Return a faithful message from one of the attacker's seats."""
        made = [
            one
            for one in self.world.due()
            if self.world.message(one).author in self.world.attackers
        ]
        if made:
            return self.random.choice(made)
        role = self.random.choice(sorted(self.world.attackers))
        return self._commands(role)

    def _lie(self) -> None:
        """Send a false proposal that looks like a faithful one."""
        world = self.world
        pending = world.state.pending
        if pending is None or pending.actor not in world.attackers:
            return
        for signed in world.made(pending.actor):
            body = world.message(signed).body
            if isinstance(body, Proposal):
                false = Liar(world, pending.actor, self.random).lie(body)
                message = world.message(signed)
                lie = world.sign(pending.actor, Kind.PROPOSAL, false, message.anchor)
                self.counts["lies"] += self._index(lie)
                return

    def _mutated(self) -> None:
        signed = self._own()
        if signed is None:
            return
        message = self.world.message(signed)
        tree = msgspec.msgpack.decode(msgspec.msgpack.encode(message.body))
        for _ in range(self.random.choice((1, 1, 1, 2, 3))):
            tree = self._changed(tree)
        self._send(message, msgspec.msgpack.encode(tree))

    def _send(self, message: Message, body: bytes) -> None:
        """Replace the body of one of the attacker's messages with arbitrary content, and send it."""
        other = msgspec.structs.replace(message, body=msgspec.Raw(body))
        parts = (other.kind.value, other.anchor, other.anchor_hash, other.author, other.body)
        data = msgspec.msgpack.encode(("flagplot-fair/7", self.world.setup.match_id, *parts))
        self._index(self.world.seal(message.author, data))

    def _changed(self, node: Plain) -> Plain:
        """Return plain data with one node replaced by another one that the protocol allows."""
        if isinstance(node, list) and node and self.random.random() < 0.85:
            at = self.random.randrange(len(node))
            kind = self.random.random()
            if kind < 0.75:
                return [*node[:at], self._changed(node[at]), *node[at + 1 :]]
            if kind < 0.85:
                return [*node[:at], *node[at + 1 :]]
            if kind < 0.95:
                return [*node[: at + 1], *node[at:]]
            other = self.random.randrange(len(node))
            return [*node[:at], node[other], *node[at + 1 :]]
        return self._value(node)

    def _value(self, node: Plain) -> Plain:
        chance = self.random
        match node:
            case bool():
                return not node
            case int():
                return chance.choice(
                    (node + 1, max(node - 1, 0), 0, chance.randrange(400), 1 << 31)
                )
            case str():
                return chance.choice(self._names())
            case bytes():
                if not node or chance.random() < 0.3:
                    return chance.randbytes(32)
                if chance.random() < 0.5 and node[:1] >= b"\x80":
                    return self._changed_entry(node)
                at = chance.randrange(len(node))
                return node[:at] + bytes([node[at] ^ 1 << chance.randrange(8)]) + node[at + 1 :]
            case None:
                return [chance.choice(self._names()), chance.choice(self._names())]
            case _:
                return []

    def _changed_entry(self, body: bytes) -> bytes:
        """Return the body of a command or event with one value replaced."""
        try:
            plain = msgspec.msgpack.decode(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return body[::-1]
        if not isinstance(plain, dict) or not plain:
            return body
        key = self.random.choice(sorted(plain))
        return msgspec.msgpack.encode({**plain, key: self._value(plain[key])})

    def _names(self) -> list[str]:
        world = self.world
        role = self.random.choice(list(world.seats))
        piles = list(world.state.table.decks.get(role, {}))
        cards = self.random.sample(world.game.decks()[role], 3)
        return ["", "?", "hand", *world.seats, *piles, *cards, "done", "ask", "stage", "nobody"]

    def _replay(self) -> None:
        signed = self.random.choice(self.pool)
        if self.random.random() < 0.5:
            role = self.random.choice(list(self.world.releases))
            kept = list(self.world.releases[role].by_slot.values())
            signed = self.random.choice(kept) if kept else signed
        self._index(signed)

    def _forged(self) -> None:
        """Let the host change a message that an honest seat has signed. The signature no longer matches."""
        world = self.world
        role = self.random.choice(world.honest)
        kept = list(world.releases[role].by_slot.values())
        if not kept:
            return
        signed = self.random.choice(kept[-8:])
        message = world.message(signed)
        possible: tuple[dict[str, object], ...] = (
            {"author": self.random.choice(list(world.seats))},
            {"anchor": world.state.index, "anchor_hash": world.state.head},
            {"kind": self.random.choice(list(Kind))},
            {"body": self._changed(msgspec.msgpack.decode(msgspec.msgpack.encode(message.body)))},
        )
        changes = self.random.choice(possible)
        other = world.forge(signed, **changes)
        if other.data != signed.data:
            before = world.state
            assert not self._index(other), "a forged message is accepted"
            assert world.state is before

    def _crafted(self) -> None:
        """Send a message of any kind whose fields the attacker knows."""
        world, chance = self.world, self.random
        author = chance.choice([HOST, *sorted(world.attackers)])
        table = world.state.table
        deck = chance.choice(list(table.decks))
        labels = [one.number for pile in table.decks[deck].values() for one in pile.labels]
        role = chance.choice(list(world.seats))
        body, kind = chance.choice(
            (
                (
                    Open(chance.choice(labels), chance.choice(self._names()), chance.randbytes(32)),
                    Kind.OPEN,
                ),
                (Reveal(world.state.throws, chance.randbytes(32)), Kind.REVEAL),
                (Offer("takeback", chance.randrange(9)), Kind.OFFER),
                (Consent(agrees=True), Kind.CONSENT),
                (
                    End("time" if author == HOST else "resigned", chance.choice(self._names())),
                    Kind.END,
                ),
                (
                    Seed(
                        world.match.secrets[role].card_seed
                        if role in world.attackers
                        else bytes(32)
                    ),
                    Kind.SEED,
                ),
                (Close((role,)), Kind.CLOSE),
            )
        )
        if kind is Kind.END and chance.random() < 0.8:
            return
        anchor = max(0, world.state.index - chance.choice((0, 0, 0, 1, 2, 5)))
        known = world.state.hash_at(anchor)
        if known is not None:
            self._index(world.sign(author, kind, body, anchor, known))

    def _malformed(self) -> None:
        signed = self._own()
        if signed is not None:
            author = self.world.message(signed).author
            for copy in some_malformed(signed.data, 3, self.random):
                assert not self._index(self.world.seal(author, copy.data)), copy.what

    def _ask_again(self) -> None:
        for role in self.world.honest:
            self.world.made(role, again=True)

    def _offer(self) -> None:
        world = self.world
        if world.state.phase is TranscriptPhase.IDLE:
            last = max(world.state.records - 1, 1)
            matter = self.random.choice(
                (Offer("takeback", self.random.randrange(last)), Offer("adjournment"))
            )
            self._index(world.sign(self.random.choice(sorted(world.attackers)), Kind.OFFER, matter))

    def _consent(self) -> None:
        world = self.world
        if world.state.phase is TranscriptPhase.CONSENT:
            agrees = self.random.random() < 0.7
            for one in due_messages(world.state):
                if one.author in world.honest:
                    made = world.consent(one.author, agrees=agrees)
                    if made is not None:
                        self._index(made)
                elif self.random.random() < 0.8:
                    body = Consent(agrees)
                    self._index(world.sign(one.author, Kind.CONSENT, body, one.anchor))
                if not self._is_asked():
                    return

    def _is_asked(self) -> bool:
        """Return whether an offer is open."""
        return self.world.state.phase is TranscriptPhase.CONSENT

    def _end(self) -> None:
        world = self.world
        if self.random.random() < 0.2 and not world.state.has_ended:
            role = self.random.choice(sorted(world.attackers))
            self._index(world.sign(role, Kind.END, End("resigned", role)))
