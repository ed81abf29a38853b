"""AT-28: neither number nor length of the messages of a match depends on the cards in a hand.

How long a program takes is not measured here: on a machine with other work such a test fails by chance.
``flagplot bench --only fair-timing`` measures it.
"""

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from saves.fair.messages import (
    Completion,
    Kind,
    Proof,
    Proposal,
    Request,
    SignedMessage,
    decode_message,
    encode_message,
)
from saves.fair.secrets import SeatSecrets
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World, shared_fold
from tests.netplay.fair.match import FairMatch
from tests.sizes import sampled, sized

Size = tuple[Kind, Role, int, int]
"""Kind, author, length and box length of a message."""
PARTS = sampled(range(10), 1, of="parts of the pairs of two seats")
every_part = pytest.mark.parametrize(
    ("game", "scenario", "part"),
    [
        *(pytest.param("eots", "south-pacific", part, id=f"two-{part}") for part in PARTS),
        pytest.param("qmg", "base", 0, id="six", marks=pytest.mark.full),
    ],
)


def size_of(match_id: str, signed: SignedMessage) -> Size:
    """Return the size of a message, apart from lengths that depend on public chance.

    These are the responses to a challenge, and the numbers of labels.
    """
    message = decode_message(match_id, signed.data)
    body: Any = message.body
    box = len(body.box) if isinstance(body, Request | Proposal | Completion) else 0
    match body:
        case Proof():
            return message.kind, message.author, len(body.responses), box
        case Proposal() | Completion():
            moves = tuple(msgspec.structs.replace(move, label=0) for move in body.moves)
            body = msgspec.structs.replace(body, moves=moves)
            data = encode_message(match_id, msgspec.structs.replace(message, body=body))
            return message.kind, message.author, len(data), box
        case _:
            return message.kind, message.author, len(signed.data), box


@cache
def secrets_of(match_id: str, role: Role, master: bytes) -> SeatSecrets:
    """Return the secrets of a seat with its hash chain, which takes long to compute."""
    made = SeatSecrets(match_id, role, master)
    assert made.head
    return made


class OtherHand(FairMatch):
    """A match in which only the card seed of the first seat, and so its hand, differs from that of other samples."""

    def __init__(self, game: str, scenario: str, sample: int) -> None:
        self.sample = sample
        super().__init__(game, scenario, seed=28)
        self.record_files = {}

    @override
    def make_secrets(self, role: Role) -> SeatSecrets:
        made = copy.copy(secrets_of(self.match_id, role, self.random.randbytes(32)))
        if role == self.game.scenario_info(self.scenario, {}).roles[0]:
            made.__dict__["card_seed"] = self.sample.to_bytes(32, "big")
        return made


def hand_of(match: FairMatch, role: Role) -> tuple[str, ...]:
    return tuple(
        sorted(map(str, match.game.hidden_pile(match.seats[role].cards.state, role, "hand")))
    )


@pytest.mark.full
@every_part
@pytest.mark.series("F4")
def test_at_28_opening_messages_do_not_depend_on_the_deal(
    game: str, scenario: str, part: int
) -> None:
    hands, sizes = set(), set()
    pairs = (
        sized(2, 200, of="pairs of hands in each part")
        if game == "eots"
        else sized(2, 40, of="pairs of hands of six seats")
    )
    for sample in (0, *range(part * pairs + 1, (part + 1) * pairs + 1)):
        match = OtherHand(game, scenario, sample)
        with shared_fold():
            match.start()
        hands.add(hand_of(match, next(iter(match.seats))))
        found = sorted(size_of(match.match_id, one) for one in match.host.messages)
        assert {Kind.MIX, Kind.REVEAL, Kind.PROOF} <= {size[0] for size in found}
        sizes.add(tuple(found))
    assert len(hands) > 1, "different hands are compared"
    assert len(sizes) == 1


def hidden_commands(world: World) -> Iterator[tuple[Role, list[Any]]]:
    """Yield the commands of each seat that look the same to all others."""
    for role in world.game.active_roles(world.state.state):
        alike: dict[Any, list[Any]] = {}
        for command in world.options(role):
            shown = world.game.redact_command(command, role, None)
            if shown != command:
                alike.setdefault(shown, []).append(command)
        yield from ((role, commands) for commands in alike.values() if len(commands) > 1)


def sizes_of_record(world: World, role: Role, command: Any) -> tuple[Size, ...]:  # noqa: ANN401  # of any game
    """Give a command in another history, and return the sizes of the messages that follow."""
    other, before = world.copy(), len(world.host.messages)
    other.play(role, command)
    made = other.host.messages[before:]
    assert len(made) > 1
    return tuple(sorted(size_of(world.setup.match_id, one) for one in made))


@every_part
@pytest.mark.series("F4")
def test_at_28_indistinguishable_hidden_commands_have_equal_message_sizes(
    game: str, scenario: str, part: int
) -> None:
    most = sized(2, 200, of="pairs of hidden commands in each part, with all their messages")
    boxes, pairs, seed = set[int](), 0, 1_000 * part
    while pairs < most:
        match = FairMatch(game, scenario, seed=seed)
        match.record_files = {}
        world = World(match, tuple(match.seats)[-1:])
        world.start()
        world.settle()
        seed += 1
        for _ in range(100):
            for role, commands in hidden_commands(world):
                compared = commands[: most - pairs + 1]
                sizes = {sizes_of_record(world, role, one) for one in compared}
                assert len(sizes) == 1
                boxes |= {size[3] for size in sizes.pop() if size[0] is Kind.REQUEST}
                pairs += len(compared) - 1
            if pairs >= most or world.state.phase is not TranscriptPhase.IDLE:
                break
            role = world.game.active_roles(world.state.state)[0]
            world.play(role, match.random.choice(world.options(role)))
    assert len(boxes) == 1, "requests for all hidden commands have boxes of one length"
    assert boxes != {0}
