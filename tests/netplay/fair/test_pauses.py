"""M1 and AT-27: a host can serve other matches while it checks a command with thousands of events."""

from collections.abc import Generator
from typing import Any

import msgspec
import pytest

from saves.fair.fold import fold_in_steps
from saves.fair.messages import Kind, Proposal, SignedMessage, encode_message
from saves.fair.proposals import _PAUSE_EVERY
from tests.netplay.fair.attacker import World

EVENTS = 3_000


def not_whole(*_: object) -> Generator[None, None, bool]:
    """Compare nothing, as if the rules needed a card that this copy does not know."""
    yield from ()
    return False


def test_the_events_of_a_long_proposal_are_checked_in_short_steps(
    duel: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, victim, folded = duel, duel.victim, [0]
    assert world.index(world.request(victim, world.options(victim)[-1])) is None
    honest = world.message(world.made_of(victim, Kind.PROPOSAL))
    assert isinstance(honest.body, Proposal)
    events = (*honest.body.events, *honest.body.events[-1:] * EVENTS)
    body = msgspec.structs.replace(honest.body, events=events)
    data = encode_message(world.setup.match_id, msgspec.structs.replace(honest, body=body))
    signed = SignedMessage(data, world.match.secrets[victim].sign(data))
    evolve = world.game.evolve

    def counted(*args: Any) -> Any:  # noqa: ANN401  # as it is called
        folded[0] += 1
        return evolve(*args)

    monkeypatch.setattr("saves.fair.proposals.check_public_part", not_whole)
    monkeypatch.setattr(world.game, "evolve", counted)
    steps = 0
    for _ in fold_in_steps(world.state, signed):
        assert folded[0] <= _PAUSE_EVERY
        folded[0] = 0
        steps += 1
    assert steps >= EVENTS // _PAUSE_EVERY
