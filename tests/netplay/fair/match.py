"""A match of protocol 7 with all programs in one process, played by the real participants and the real sequencer."""

import random
from collections.abc import Iterator, Mapping
from typing import Any

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from engine.registry import ruleset
from netplay.fair.participant import Participant
from netplay.fair.sequencer import Sequencer
from saves.fair.fold import begin, transcript_start
from saves.fair.messages import SignedMessage
from saves.fair.secrets import SeatSecrets
from saves.fair.signing import HostKey
from saves.fair.state import FairState, MatchSetup, Party, Phase


class FairMatch:
    """All seats and the host of one match."""

    def __init__(
        self, game: str, scenario: str, options: Mapping[str, str] | None = None, seed: int = 0
    ) -> None:
        self.random = random.Random(seed)
        self.game = ruleset(game)
        chosen = dict(options or {})
        position = self.game.position(scenario, chosen)
        roles = self.game.scenario_info(scenario, chosen).roles
        self.match_id = self.random.randbytes(8).hex()
        self.secrets = {
            role: SeatSecrets(self.match_id, role, self.random.randbytes(32)) for role in roles
        }
        key = HostKey(self.random.randbytes(32))
        self.setup = MatchSetup(
            game=self.game,
            match_id=self.match_id,
            header_hash=transcript_start(f"{game} {scenario} {self.match_id}".encode()),
            host_key=key.verify_key,
            parties=tuple(
                Party(
                    role=role,
                    key=one.verify_key,
                    head=one.head,
                    cards=one.cardseed_commitment,
                )
                for role, one in self.secrets.items()
            ),
            position=position,
            deals=True,
        )
        self.host = Sequencer(begin(self.setup), key)
        self.seats = {
            role: Participant(begin(self.setup), one) for role, one in self.secrets.items()
        }
        self.delivered = 0

    @property
    def state(self) -> FairState:
        return self.host.state

    def start(self) -> None:
        assert self.host.start() is None
        self.settle()

    def deliver(self) -> None:
        """Let every seat fold what the host has put in order."""
        for signed in self.host.messages[self.delivered :]:
            for seat in self.seats.values():
                refusal = seat.receive(signed)
                assert refusal is None, refusal
        self.delivered = len(self.host.messages)

    def submit(self, signed: SignedMessage) -> None:
        refusal = self.host.submit(signed)
        assert refusal is None, refusal
        self.deliver()

    def settle(self) -> None:
        """Exchange messages until nothing is due from a seat."""
        self.deliver()
        while True:
            made = [one for seat in self.seats.values() for one in seat.due_messages()]
            if not made:
                return
            for signed in made:
                refusal = self.host.submit(signed)
                assert refusal is None or refusal.is_due_fault, refusal
            assert len(self.host.messages) > self.delivered, "the match makes progress"
            self.deliver()

    def play(self, role: Role, command: Command) -> None:
        self.submit(self.seats[role].request(command))
        self.settle()
        assert self.state.phase in {Phase.IDLE, Phase.ENDED}

    def choices(self) -> Iterator[tuple[Role, Any]]:
        """Yield who is asked, with its decision on its own copy."""
        for role in self.game.asked(self.state.state):
            seat = self.seats[role]
            yield role, self.game.offered(seat.cards.state, role)

    def step(self) -> bool:
        """Give one random command; returns whether the match goes on."""
        if self.state.phase is Phase.ENDED:
            return False
        role, decision = self.random.choice(list(self.choices()))
        self.play(role, self.random.choice(decision.options))
        return True
