"""AT-28: neither number nor length of what a seat sends depends on the cards in its hand.

How long a program takes is not measured here: on a machine with other work such a test fails by chance.
"""

from collections.abc import Iterator

import pytest

from engine.kernel.ids import Role
from saves.codec import codec
from saves.fair.messages import Completion, Kind, Request, decode_message
from saves.fair.private import BoxedEntry, entry_box
from tests.netplay.fair.match import FairMatch
from tests.sizes import sized

_FREE = frozenset({Kind.PROOF})
"""Kinds whose length depends on the public bits of a challenge."""
_PAIRS = 2_000


def sent_by(match: FairMatch, role: Role) -> list[tuple[Kind, int, int]]:
    """Return kind, length and box length of the messages of a seat."""
    found = []
    for signed in match.host.messages:
        message = decode_message(match.match_id, signed.data)
        if message.author == role and message.kind not in _FREE:
            body = message.body
            box = len(body.box) if isinstance(body, Completion | Request) else 0
            found.append((message.kind, len(signed.data), box))
    return sorted(found)


def hand_of(match: FairMatch, role: Role) -> tuple[str, ...]:
    return tuple(sorted(map(str, match.game.pile(match.seats[role].cards.state, role, "hand"))))


@pytest.mark.parametrize(
    ("game", "scenario"),
    [("eots", "1943"), pytest.param("qmg", "base", marks=pytest.mark.full)],
)
def test_at_28_the_opening_has_the_same_messages_whatever_is_dealt(
    game: str, scenario: str
) -> None:
    hands, sizes = set(), set()
    for seed in range(sized(3, 30, of="openings whose messages are compared")):
        match = FairMatch(game, scenario, seed=900 + seed)
        match.host.start()
        match.settle()
        role = next(iter(match.seats))
        hands.add(hand_of(match, role))
        sent = sent_by(match, role)
        assert {Kind.MIX, Kind.REVEAL} <= {kind for kind, _, _ in sent}
        sizes.add(tuple(sent))
    assert len(hands) > 1, "different hands were compared"
    assert len(sizes) == 1


def commands(match: FairMatch) -> Iterator[tuple[Role, BoxedEntry]]:
    """Yield each hidden command that a seat can give now, as it is encrypted."""
    for role, decision in match.choices():
        for command in decision.options:
            if match.game.redact_command(command, role, None) != command:
                yield role, BoxedEntry(0, *codec(match.game).pack(command))


def test_at_28_boxes_of_all_hidden_commands_are_equally_long() -> None:
    sizes, hidden = set[int](), set[tuple[int, int, bytes]]()
    pairs = sized(60, _PAIRS, of="boxes of hidden commands")
    seed = 0
    while len(hidden) < pairs and seed < pairs:
        match = FairMatch("qmg", "base", seed=1_000 + seed)
        seed += 1
        match.start()
        for _ in range(12):
            match.step()
            for role, entry in commands(match):
                hidden.add((seed, len(hidden), entry.body))
                cards = match.secrets[role].cards
                size = match.game.hidden_entry_bytes
                sizes.add(len(entry_box(cards, match.state.head, [entry], size)))
    assert len({body for _, _, body in hidden}) > 10, "different commands were compared"
    assert len(sizes) == 1
