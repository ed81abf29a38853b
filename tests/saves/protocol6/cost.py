"""Cost of a match whose host cannot read hands, compared with one with joint randomness.

``python -m tests.saves.protocol6.cost`` plays both with random players, all programs in one process. It prints the
bytes per record, and the total processor time of the host, all seats and a spectator, including the players.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.kernel.ids import Role
from engine.registry import ruleset
from saves.follower import Follower
from saves.records import Record, encode_record
from saves.redaction import redact_header, redact_record
from tests.saves.protocol6.fairtable import FairTable
from tests.saves.protocol6.joint import Table

COMMANDS: Final = 600
GAMES: Final = 3
SCENARIOS: Final = (
    ("eots", "1943"),
    ("eots", "campaign-1941"),
    ("qmg", "base"),
    ("qmg", "total-war"),
)


class Joint:
    """A match with joint randomness, and a copy per seat and for spectators."""

    def __init__(self, game: str, scenario: str, secret: bytes) -> None:
        rules = ruleset(game)
        self.table = Table(
            rules, scenario, {}, rules.scenario_info(scenario, {}).roles, secret=secret
        )
        self.rules: Any = rules
        header = self.table.match.header
        self.copies: Mapping[Role | None, Follower[Any]] = {
            role: Follower.create(rules, redact_header(header, role))
            for role in (*self.table.keys, None)
        }
        self.play(0, 0)

    def play(self, steps: int, seed: int) -> None:
        """Play some records and send them to all copies."""
        for step in range(steps + 1):
            for role, copy in self.copies.items():
                for record in self.table.match.records[copy.seq + 1 :]:
                    copy.receive(redact_record(self.rules, record, role))
            if step < steps:
                self.table.play(1, seed + step)

    @property
    def told(self) -> Sequence[Record]:
        """Return the records as everyone has them."""
        return self.copies[None].records


class Fair(FairTable):
    """A match whose host cannot read hands."""

    def __init__(self, game: str, scenario: str, secret: bytes) -> None:
        super().__init__(game, scenario, {}, secret)

    @property
    def told(self) -> Sequence[Record]:
        """Return the records as everyone has them."""
        return self.copies[None].records


def cost(kind: Callable[[str, str, bytes], Joint | Fair], game: str, scenario: str) -> str:
    """Return a table row for some matches of a kind."""
    opening = spent = 0.0
    sizes: list[int] = []
    first = 0
    for number in range(GAMES):
        began = time.process_time()
        match = kind(game, scenario, bytes([number + 1] * 32))
        begun = time.process_time()
        match.play(COMMANDS, 1_000 * number)
        opening, spent = opening + begun - began, spent + time.process_time() - begun
        told = [len(encode_record(record)) for record in match.told]
        first, sizes = first + told[0], sizes + told[1:]
    return (
        f"{game} {scenario} {kind.__name__.lower()}: opening {opening / GAMES * 1000:.0f} ms, "
        f"{first // GAMES} bytes; {len(sizes)} commands, {spent / len(sizes) * 1000:.1f} ms "
        f"and {sum(sizes) // len(sizes)} bytes each"
    )


if __name__ == "__main__":
    cost(Joint, "eots", "1943")  # data that is loaded once is not counted
    cost(Joint, "qmg", "base")
    for each in SCENARIOS:
        for played in (Joint, Fair):
            print(cost(played, *each))  # noqa: T201 - a tool for contributors
