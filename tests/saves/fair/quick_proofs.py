"""Computes each mix once for all copies and tests in a process. Only repeated computations are avoided."""

from collections.abc import Sequence

import pytest

from saves.fair.mixing import MixContext, MixInput, OwnMix, make_mix
from saves.fair.secrets import CardSecrets

_MIXES: dict[object, OwnMix] = {}


@pytest.fixture
def quick_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute each mix only once. Proofs are verified only once in any case."""

    def make_once(
        secrets: CardSecrets,
        context: MixContext,
        inputs: Sequence[MixInput],
        order: Sequence[int] | None,
    ) -> OwnMix:
        key = (secrets._seed, context, tuple(inputs), order)
        if key not in _MIXES:
            _MIXES[key] = make_mix(secrets, context, inputs, order)
        return _MIXES[key]

    monkeypatch.setattr("saves.fair.private_cards.make_mix", make_once)
