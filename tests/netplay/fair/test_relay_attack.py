"""AT-12: a host between two people runs two matches, and shows each of them the other one's promises as its own."""

from functools import cache
from itertools import product

import pytest
from typing_extensions import override

from engine.kernel.ids import Role
from saves.fair.messages import Kind, Reveal
from saves.fair.safety_words import safety_words
from saves.fair.secrets import SeatSecrets
from saves.fair.state import TranscriptPhase
from tests.netplay.fair.attacker import World
from tests.netplay.fair.depot import indexed
from tests.netplay.fair.match import FairMatch
from tests.toy_depot import DEPOT
from tests.toy_game import BLUE, RED

TRIED = 60
"""Keys that the attacker tries for each match. One pair of 2,048 agrees in the first word."""


@cache
def person(match_id: str, role: Role, master: bytes) -> SeatSecrets:
    """Return the secrets of an honest person, who takes part in one of the matches."""
    return SeatSecrets(match_id, role, master)


class Borrower(SeatSecrets):
    """Keys of the attacker with the head of a person: it reveals what this person reveals in the other match."""

    def __init__(self, other: SeatSecrets, key: int) -> None:
        super().__init__(other.match_id, other.role, key.to_bytes(32, "big"))
        self._other = other
        self.overheard: list[bytes] = []

    @property
    @override
    def head(self) -> bytes:
        """The head that the person has promised to the host."""
        return self._other.head

    @override
    def reveal(self, number: int) -> bytes:
        """Return a reveal that the person has made in the other match."""
        return self.overheard[number]


class HalfMatch(FairMatch):
    """One of the two matches. Everything in its header is that of the other one, except the keys of one seat."""

    def __init__(self, honest: Role, key: int) -> None:
        self._honest, self._key = honest, key
        super().__init__(DEPOT, "two", seed=65)

    @override
    def make_secrets(self, role: Role) -> SeatSecrets:
        secrets = person(self.match_id, role, self.random.randbytes(32))
        return secrets if role == self._honest else Borrower(secrets, self._key)

    def expected_word(self) -> str:
        """Return the first word as far as the attacker can know it before the people reveal anything."""
        return safety_words(self.setup.header_hash, [bytes(32), bytes(32)])[0]


def chosen_last() -> tuple[HalfMatch, HalfMatch]:
    """Return two matches whose keys the attacker has chosen after the people's, so that the words begin alike."""
    reds = [HalfMatch(RED, key) for key in range(1, TRIED)]
    blues = [HalfMatch(BLUE, key) for key in range(TRIED, 2 * TRIED)]
    return next(
        (one, other)
        for one, other in product(reds, blues)
        if one.expected_word() == other.expected_word()
    )


def first_reveals(world: World) -> list[bytes]:
    bodies = {
        message.author: message.body.value
        for message in indexed(world, Kind.REVEAL)
        if isinstance(message.body, Reveal) and not message.body.number
    }
    return [bodies[party.role] for party in world.setup.parties]


@pytest.fixture(scope="module")
def relayed() -> dict[Role, World]:
    """Both matches after their opening, by the person who takes part; each thinks that it plays the other."""
    matches = chosen_last()
    worlds = {
        RED: World(matches[0], [BLUE]),
        BLUE: World(matches[1], [RED]),
    }
    for world in worlds.values():
        world.start()
        world.settle(until=TranscriptPhase.REVEAL)
    for role, other in ((RED, BLUE), (BLUE, RED)):
        told = worlds[role].body(worlds[role].made_of(role, Kind.REVEAL), Reveal)
        borrower = worlds[other].match.secrets[role]
        assert isinstance(borrower, Borrower)
        borrower.overheard.append(told.value)
    for role, world in worlds.items():
        world.made(RED if role == BLUE else BLUE, again=True)
        world.settle()
        assert world.is_idle(), "neither person notices anything before the words"
    return worlds


def test_at_12_safety_words_differ_when_the_host_relays_reveals(
    relayed: dict[Role, World],
) -> None:
    red, blue = relayed[RED], relayed[BLUE]
    assert red.setup.match_id == blue.setup.match_id
    assert first_reveals(red) == first_reveals(blue), "each head was kept, each reveal passed on"
    words = [safety_words(one.setup.header_hash, first_reveals(one)) for one in (red, blue)]
    assert all(one != other for one, other in zip(*words, strict=True))


def test_at_12_keys_chosen_last_cannot_predict_safety_words(relayed: dict[Role, World]) -> None:
    red, blue = relayed[RED], relayed[BLUE]
    assert isinstance(red.match, HalfMatch)
    assert isinstance(blue.match, HalfMatch)
    assert red.match.expected_word() == blue.match.expected_word(), "the attacker has searched"
    words = [safety_words(one.setup.header_hash, first_reveals(one)) for one in (red, blue)]
    assert words[0][0] != words[1][0]


def test_at_12_messages_relayed_from_another_match_are_refused(relayed: dict[Role, World]) -> None:
    """The attacker lets each person answer with what the other one has signed."""
    for role, other in ((RED, BLUE), (BLUE, RED)):
        here, there = relayed[role].copy(), relayed[other]
        for signed in there.releases[other].by_slot.values():
            refusal = here.refused(signed)
            assert refusal.author not in here.honest
