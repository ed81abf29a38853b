"""Events, frames and parts of a battle have one encoding, whatever created them and in whichever process."""

import pickle
from collections.abc import Iterator
from typing import Final

import msgspec
import pytest

from engine.cbps.commands import COMMANDS, CbpsCommand
from engine.cbps.events.union import EVENTS
from engine.cbps.frames import FRAMES
from engine.cbps.ruleset import CBPS
from engine.cbps.state import (
    AirUnit,
    Boat,
    Force,
    Group,
    Hits,
    Hull,
    LandBase,
    Mission,
    Raid,
    Search,
    UsShip,
)
from saves.codec import codec
from tests.engine.cbps.battle import battle

PARTS: Final = (AirUnit, UsShip, Group, Mission, Search, Boat, Hits, Hull, Force, Raid, LandBase)
SMALL: Final = range(-5, 257)


def left_out(kind: type[msgspec.Struct]) -> Iterator[tuple[str, object]]:
    if kind.__struct_config__.omit_defaults:
        for field in msgspec.structs.fields(kind):
            if field.default is not msgspec.NODEFAULT:
                yield field.name, field.default


@pytest.mark.parametrize("kind", [*EVENTS, *FRAMES, *PARTS, CBPS.position_type])
def test_only_shared_constants_are_omitted_from_the_encoding(kind: type[msgspec.Struct]) -> None:
    for name, default in left_out(kind):
        assert default is None or default in ("", (), False, True) or default in SMALL, name


@pytest.mark.parametrize("kind", COMMANDS)
def test_every_order_round_trips_through_its_encoding(kind: type[CbpsCommand]) -> None:
    command = kind(**{name: _word(kind, name) for name in kind.__struct_fields__})
    packed = codec(CBPS).pack(command)
    assert codec(CBPS).command(packed.tag, packed.v, packed.body) == command


def _word(kind: type[CbpsCommand], name: str) -> object:
    """Return a value that fits a field, as its decoder would return it."""
    field = next(field for field in msgspec.structs.fields(kind) if field.name == name)
    for value in ("a", 3, ("a",), "hangar", "E", "standard", "strike", "1", True):
        try:
            return msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            continue
    raise AssertionError((kind, name, field.type))


def test_a_state_has_the_same_encoding_after_decoding_or_pickling() -> None:
    state = battle("6")
    position = CBPS.to_position(state)
    data = msgspec.msgpack.encode(position)
    assert msgspec.msgpack.encode(msgspec.msgpack.decode(data, type=CBPS.position_type)) == data
    assert msgspec.msgpack.encode(pickle.loads(pickle.dumps(position))) == data
