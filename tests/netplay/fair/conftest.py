"""Positions that the adversary tests share; each test continues with a copy.

Proofs and mixes are computed once for all copies and tests of a process: only the repetition is saved.
"""

from collections.abc import Iterable, Sequence

import pytest

from saves.fair import fold, private
from saves.fair.messages import BODY_TYPES, Kind
from saves.fair.mixing import MixContext, MixInput, OwnMix
from saves.fair.secrets import CardSecrets
from tests.netplay.fair.attacker import World
from tests.netplay.fair.match import FairMatch
from tests.netplay.fair.moments import Moment, Recorder


@pytest.fixture(scope="session")
def two_seats_opened() -> World:
    return World.opened("eots", "south-pacific", attackers=1, seed=11)


@pytest.fixture(scope="session")
def six_seats_opened() -> World:
    return World.opened("qmg", "base", attackers=5, seed=12)


@pytest.fixture
def duel(two_seats_opened: World) -> World:
    """Two seats; the host and the last seat are the attacker's."""
    return two_seats_opened.copy()


@pytest.fixture
def table(six_seats_opened: World) -> World:
    """Six seats; the host and all seats but the first are the attacker's."""
    return six_seats_opened.copy()


@pytest.fixture(scope="session")
def moments() -> dict[Kind, list[Moment]]:
    """Valid messages of every kind, with the states before them."""
    match = FairMatch("eots", "1943", seed=3)
    recorder = Recorder(World(match, ()), seed=3)
    recorder.world.start()
    recorder.world.settle()
    recorder.walk(60)
    recorder.finish()
    found: dict[Kind, list[Moment]] = {kind: [] for kind in BODY_TYPES}
    for moment in recorder.moments:
        found[moment.message.kind].append(moment)
    return found


_VERIFIED: set[object] = set()
_MIXES: dict[object, OwnMix] = {}


@pytest.fixture
def quick_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify each proof and make each mix once; a false proof is refused each time."""
    verify, make = fold.verify_proof, private.make_mix

    def verify_once(*parts: Iterable[object]) -> None:
        key = tuple(tuple(part) for part in parts)
        if key not in _VERIFIED:
            verify(*parts)  # type: ignore[arg-type]  # of the fold
            _VERIFIED.add(key)

    def make_once(
        secrets: CardSecrets,
        context: MixContext,
        inputs: Sequence[MixInput],
        order: Sequence[int] | None,
    ) -> OwnMix:
        key = (secrets._seed, context, tuple(inputs), order)
        if key not in _MIXES:
            _MIXES[key] = make(secrets, context, inputs, order)
        return _MIXES[key]

    monkeypatch.setattr(fold, "verify_proof", verify_once)
    monkeypatch.setattr(private, "make_mix", make_once)
