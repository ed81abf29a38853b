"""Commands and events of one game as bytes, and back."""

from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from engine.kernel.memo import Remembering
from engine.kernel.ruleset import Command, Event, Ruleset
from saves.decoding import Decoder, canonical, convert, decode
from saves.errors import UnreadableError
from saves.upcasts import UPCASTS, Upcasts, current_versions

S = TypeVar("S", bound=Remembering)
T = TypeVar("T", Command, Event)

Game: TypeAlias = Ruleset[S, Any, Any, Any, Any]
"""A ruleset of which only the state's type matters; records treat all games alike."""
AnyGame: TypeAlias = Ruleset[Any, Any, Any, Any, Any]

MAX_BODY_BYTES: Final = 1 << 20
"""No single command or event may be longer."""


class Packed(NamedTuple):
    """A command or event as bytes, with what is needed to read it again."""

    tag: str
    v: int
    body: bytes


class Codec:
    """Packs and reads what one game's records hold; keeps its decoders ready."""

    def __init__(self, game: AnyGame, upcasts: Upcasts) -> None:
        """Make the decoders of a game."""
        self._game = game.game
        self._upcasts = upcasts
        self._versions = current_versions(upcasts, game.game)
        self._event_type = game.event_type
        self._command_type = game.command_type
        self._events: Decoder[Event] = _decoder(game.event_type)
        self._commands: Decoder[Command] = _decoder(game.command_type)

    def pack(self, item: Command | Event) -> Packed:
        """Return an item in today's schema."""
        tag = _tag(type(item))
        return Packed(tag, self._versions.get(tag, 1), canonical(item))

    def event(self, packed: Packed) -> Event:
        """Return the event in these bytes, brought to today's schema.

        Raises:
            UnreadableError: No event of this game, or the tag or schema number is wrong.
        """
        if self._is_current(packed):
            return _tagged(packed, decode(self._events, packed.body, MAX_BODY_BYTES))
        event: Event = convert(self._upcast(packed), self._event_type)
        return _tagged(packed, event)

    def command(self, packed: Packed) -> Command:
        """Return the command in these bytes, brought to today's schema.

        Raises:
            UnreadableError: No command of this game, or the tag or schema number is wrong.
        """
        if self._is_current(packed):
            return _tagged(packed, decode(self._commands, packed.body, MAX_BODY_BYTES))
        command: Command = convert(self._upcast(packed), self._command_type)
        return _tagged(packed, command)

    def _is_current(self, packed: Packed) -> bool:
        newest = self._versions.get(packed.tag, 1)
        if not 1 <= packed.v <= newest:
            known = "schema 1" if newest == 1 else f"schemas 1 to {newest}"
            raise UnreadableError(f"'{packed.tag}' has schema {packed.v}; known is {known}")
        return packed.v == newest

    def _upcast(self, packed: Packed) -> dict[str, object]:
        plain = decode(_PLAIN, packed.body, MAX_BODY_BYTES)
        try:
            for v in range(packed.v, self._versions[packed.tag]):
                plain = self._upcasts[(self._game, packed.tag, v)](plain)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise UnreadableError(
                f"'{packed.tag}' of schema {packed.v} is malformed: {error!r}"
            ) from error
        return plain


_PLAIN: Final = msgspec.msgpack.Decoder(dict[str, object])


def _decoder(kind: Any) -> Any:  # noqa: ANN401 - a union of Structs, which no static type can name
    return msgspec.msgpack.Decoder(kind)


@cache
def _tag(kind: type[Command | Event]) -> str:
    return str(kind.__struct_config__.tag)


def _tagged(packed: Packed, item: T) -> T:
    tag = _tag(type(item))
    if tag != packed.tag:
        raise UnreadableError(f"the entry says '{packed.tag}' but holds '{tag}'")
    return item


@lru_cache(maxsize=16)
def codec(game: AnyGame) -> Codec:
    """Return the codec of a game, made once."""
    return Codec(game, UPCASTS)
