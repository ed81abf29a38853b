"""Fields that are left out of an encoding when they hold their default.

The encoder omits a field if it *is* its default object, not if it is merely equal. Such defaults must be values that
exist as only one object, so that the bytes of a record do not depend on where a string came from.
"""

import msgspec
import pytest

from engine.qmg import frames, position, state
from engine.qmg.events import EVENTS

KINDS = (
    *EVENTS,
    *(
        kind
        for module in (frames, position, state)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
    ),
)
SINGLE = ("", 0, 1, -1, False, True, None, ())


@pytest.mark.parametrize("kind", [pytest.param(kind, id=kind.__name__) for kind in KINDS])
def test_an_omitted_default_is_a_shared_object(kind: type[msgspec.Struct]) -> None:
    if not kind.__struct_config__.omit_defaults:
        return
    for field in msgspec.structs.fields(kind):
        default = field.default
        if default is msgspec.NODEFAULT:
            continue
        is_own = isinstance(default, msgspec.Struct)  # created only where it is meant to be written
        assert is_own or default in SINGLE, field.name
