"""Matches whose parties produce randomness together, played by honest programs."""

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.clocks import Clock
from saves.codec import AnyGame
from saves.errors import LinksNeededError
from saves.headers import Seat
from saves.match import Match, PartyContributions, match_id_of
from saves.match_replica import LogSink
from saves.protocol6.parties import Links, Throw
from saves.records import Record
from saves.statements import Statement, required_consents
from tests.saves.play import SECRET
from tests.saves.protocol6.program.keys import PartyKeys
from tests.saves.protocol6.program.signed_texts import agreement_text, command_text, takeback_text
from tests.toy_game import BLUE, RED, ROLES, TOY, Hold, Roll


@lru_cache(maxsize=1_024)
def keys_of(role: Role, secret: bytes = SECRET) -> PartyKeys:
    """Return the keys of a role. Every test match has different ones."""
    return PartyKeys(blake2b(role.encode(), key=secret, digest_size=32).digest())


class Table:
    """A judge and the programs of all parties, which answer immediately."""

    def __init__(
        self,
        game: AnyGame = TOY,
        scenario: str = "short",
        options: Mapping[str, str] | None = None,
        roles: Sequence[Role] = ROLES,
        secret: bytes = SECRET,
        judge: type[Match[Any]] = Match,
        log: LogSink | None = None,
        clock: Clock | None = None,
    ) -> None:
        match_id = match_id_of(secret)
        self.keys = {role: keys_of(role, secret) for role in roles}
        parties = tuple(keys.party(match_id, role) for role, keys in self.keys.items())
        seats = tuple(Seat(role=role, player=role.title(), seat_id=f"key-{role}") for role in roles)
        start = (
            game,
            game.position(scenario, options or {}),
            scenario,
            options or {},
            seats,
            secret,
        )
        try:
            self.match: Match[Any] = judge.create(
                *start, log, PartyContributions(parties), clock=clock
            )
        except LinksNeededError as error:
            joint = PartyContributions(parties, self.links(error.throw))
            self.match = judge.create(*start, log, joint, clock=clock)

    def links(self, throw: Throw) -> Links:
        """Return each party's opened link for a throw."""
        return tuple(keys.link(throw.index) for keys in self.keys.values())

    def give(self, role: Role, command: Command) -> Record:
        """Sign a command and have it decided."""
        match = self.match
        signature = self.keys[role].sign(command_text(match, role, command))
        try:
            return match.submit(role, command, match.seq, signature)
        except LinksNeededError as error:
            links = self.links(error.throw)
            return match.submit(role, command, match.seq, signature, links)

    def take_back(self, to_seq: int, asker: Role) -> Record:
        """Take back with the consent of all."""
        message = takeback_text(self.match, asker, to_seq)
        consents = tuple(keys.consent(role, message) for role, keys in self.keys.items())
        return self.match.take_back(to_seq, asker, consents)

    def agree(self, asker: Role, said: Statement, without: Role | None = None) -> Record:
        """State an agreement with the consent of those concerned, possibly without one of them."""
        message = agreement_text(self.match, asker, said)
        _, by = required_consents(said)
        consents = tuple(
            keys.consent(role, message)
            for role, keys in self.keys.items()
            if role in by and role != without
        )
        return self.match.add_statement(asker, said, consents)

    def play(self, steps: int = 100_000, seed: int = 0, takebacks: float = 0.0) -> None:
        """Play up to this number of random records, or fewer if the game ends."""
        rng = random.Random(seed)
        match, rules = self.match, self.match.ruleset
        for _ in range(steps):
            asked = rules.active_roles(match.state)
            if not asked:
                return
            if takebacks and match.seq > 1 and rng.random() < takebacks:
                self.take_back(rng.randrange(max(0, match.seq - 9), match.seq), rng.choice(asked))
                continue
            role = rng.choice(asked)
            self.give(role, rng.choice(rules.decision(match.state, role).options))

    def finish(self, seed: int = 0) -> "Table":
        """Play to the end and reveal the secret."""
        self.play(seed=seed)
        self.match.reveal()
        return self


def rolling(seed: int = 0) -> tuple[Table, Role]:
    """Return a table whose next command may roll, and the role that gives it."""
    table = Table(secret=random.Random(f"live {seed}").randbytes(32))
    for _ in range(random.Random(seed).randrange(3)):
        table.give(RED, Hold())
        table.give(BLUE, Hold())
        table.give(table.match.ruleset.active_roles(table.match.state)[0], Roll())
    if table.match.state.stage == "over":
        return rolling(seed + 1_000)
    table.give(RED, Hold())
    table.give(BLUE, Hold())
    return table, table.match.ruleset.active_roles(table.match.state)[0]


def asked(table: Table, giver: Role) -> tuple[Throw, bytes]:
    """Return the throw of a roll and the signature of the command."""
    match = table.match
    signature = table.keys[giver].sign(command_text(match, giver, Roll()))
    try:
        match.submit(giver, Roll(), match.seq, signature)
    except LinksNeededError as error:
        return error.throw, signature
    raise AssertionError("a roll needs links")
