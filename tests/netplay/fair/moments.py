"""Valid messages of every kind, with the states in which they are valid, from faithful random play."""

import random
from collections.abc import Callable
from typing import NamedTuple

from saves.fair.messages import Kind, Message, Offer, SignedMessage, decode_message
from saves.fair.state import FairState, MessageRefusal, TranscriptPhase
from tests.netplay.fair.attacker import World


class Moment(NamedTuple):
    """A valid message and the state before it."""

    state: FairState
    signed: SignedMessage
    message: Message
    sign: Callable[[bytes], bytes]
    """Sign a message with its author's key."""


class Recorder:
    """Plays a match and stores the largest message of each kind and author."""

    def __init__(self, world: World, seed: int) -> None:
        self.world = world
        self.random = random.Random(seed)
        self.kept: dict[tuple[Kind, bool], Moment] = {}
        add = world.host.add

        def recorded(signed: SignedMessage) -> MessageRefusal | None:
            before = world.state
            refusal = add(signed)
            if refusal is None:
                self._keep(before, signed)
            return refusal

        world.host.add = recorded  # type: ignore[method-assign]

    def _keep(self, before: FairState, signed: SignedMessage) -> None:
        message = decode_message(self.world.setup.match_id, signed.data)
        key = (message.kind, before.phase is TranscriptPhase.PREPARE)
        known = self.kept.get(key)
        if known is None or len(known.signed.data) < len(signed.data):
            secrets = self.world.match.secrets
            author = message.author
            sign = secrets[author].sign if author else self.world.match.host_key.sign
            self.kept[key] = Moment(before, signed, message, sign)

    @property
    def moments(self) -> list[Moment]:
        return [*self.kept.values()]

    def walk(self, steps: int) -> None:
        """Give random commands."""
        world = self.world
        for _ in range(steps):
            if not world.is_idle():
                return
            role = self.random.choice(world.game.active_roles(world.state.state))
            options = world.options(role)
            kinds = sorted({type(one).__name__ for one in options})
            kind = self.random.choice(kinds)
            world.play(role, self.random.choice([o for o in options if type(o).__name__ == kind]))

    def finish(self) -> None:
        """Offer a takeback, resign, and open all seeds."""
        world = self.world
        first, *others = world.seats
        assert world.index(world.seats[first].sign_offer(Offer("takeback", 1))) is None
        for role in others:
            assert world.index(world.seats[role].sign_consent(agrees=True)) is None
        world.settle()
        assert world.is_idle()
        assert world.index(world.seats[first].sign_resignation()) is None
        world.allow_seeds()
        world.settle()
        assert world.host.close() is None
