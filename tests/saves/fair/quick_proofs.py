"""Proofs and mixes are computed once for all copies and tests of a process: only the repetition is saved."""

from collections.abc import Iterable, Sequence

import pytest

from saves.fair.mixing import MixContext, MixInput, OwnMix, make_mix, verify_proof
from saves.fair.secrets import CardSecrets

_VERIFIED: set[object] = set()
_MIXES: dict[object, OwnMix] = {}


@pytest.fixture
def quick_proofs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Verify each proof and make each mix once; a false proof is refused each time."""

    def verify_once(*parts: Iterable[object]) -> None:
        key = tuple(tuple(part) for part in parts)
        if key not in _VERIFIED:
            verify_proof(*parts)  # type: ignore[arg-type]  # of the fold
            _VERIFIED.add(key)

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

    monkeypatch.setattr("saves.fair.fold.verify_proof", verify_once)
    monkeypatch.setattr("saves.fair.private.make_mix", make_once)
