"""Encodes and decodes the commands and events of one game."""

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

import msgspec

from engine.kernel.memo import CachedState
from engine.kernel.ruleset import Command, Event, Ruleset
from saves.decoding import Decoder, canonical, convert, decode
from saves.errors import UnreadableError
from saves.statements import TAGS, read_statement
from saves.upcasts import UPCASTS, Upcasts, current_versions

S = TypeVar("S", bound=CachedState)
T = TypeVar("T", Command, Event)

Game: TypeAlias = Ruleset[S, Any, Any, Any, Any]
"""A ruleset with a known state type.

The other type parameters stay open, because the record code works for every game.
"""
AnyGame: TypeAlias = Ruleset[Any, Any, Any, Any, Any]

MAX_BODY_BYTES: Final = 1 << 20
"""Maximum size of a single command or event, in bytes."""


class Packed(NamedTuple):
    """An encoded command or event, with the tag and schema number needed to decode it."""

    tag: str
    v: int
    body: bytes


class _Schemas(dict[type[Command | Event], tuple[str, int]]):
    """Cache of each command and event type's tag and current schema number, filled on first use."""

    def __init__(self, versions: Mapping[str, int]) -> None:
        super().__init__()
        self._versions = versions

    def __missing__(self, item_type: type[Command | Event]) -> tuple[str, int]:
        tag = _tag(item_type)
        schema = self[item_type] = tag, self._versions.get(tag, 1)
        return schema


class Codec:
    """One game's encoder and decoders. Each game's codec is built only once, because building decoders is slow."""

    def __init__(self, game: AnyGame, upcasts: Upcasts) -> None:
        """Build a game's decoders."""
        self._game = game.game
        self._upcasts = upcasts
        self._versions = current_versions(upcasts, game.game)
        self.schemas: Mapping[type[Command | Event], tuple[str, int]] = _Schemas(self._versions)
        """Each command and event type's tag and current schema number."""
        self._event_type = game.event_type
        self._command_type = game.command_type
        self._events: Decoder[Event] = _decoder(game.event_type)
        self._commands: Decoder[Command] = _decoder(game.command_type)

    def pack(self, item: Command | Event) -> Packed:
        """Encode a command or event in the current schema."""
        return Packed(*self.schemas[type(item)], canonical(item))

    def event(self, tag: str, v: int, body: bytes) -> Event:
        """Decode an event and upgrade it to the current schema.

        Raises:
            UnreadableError: The bytes do not encode one of this game's events, or the tag or schema number is wrong.
        """
        if v == self._versions.get(tag, 1):
            return _check_tag(tag, decode(self._events, body, MAX_BODY_BYTES))
        event: Event = convert(self._upcast(tag, v, body), self._event_type)
        return _check_tag(tag, event)

    def command(self, tag: str, v: int, body: bytes) -> Command:
        """Decode a command or statement and upgrade it to the current schema.

        Raises:
            UnreadableError: The bytes do not encode one of this game's commands, or the tag or schema number is wrong.
        """
        # Statements have the same form in all games, so they are not part of any game's command
        # type.
        if tag in TAGS and v == 1:
            return read_statement(tag, body)
        if v == self._versions.get(tag, 1):
            return _check_tag(tag, decode(self._commands, body, MAX_BODY_BYTES))
        command: Command = convert(self._upcast(tag, v, body), self._command_type)
        return _check_tag(tag, command)

    def _upcast(self, tag: str, v: int, body: bytes) -> dict[str, object]:
        current_version = self._versions.get(tag, 1)
        if not 1 <= v < current_version:
            version_range = (
                "schema 1" if current_version == 1 else f"schemas 1 to {current_version}"
            )
            raise UnreadableError(f"'{tag}' has schema {v}; this program reads {version_range}")
        fields = decode(_FIELDS_DECODER, body, MAX_BODY_BYTES)
        try:
            for version in range(v, current_version):
                fields = self._upcasts[(self._game, tag, version)](fields)
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise UnreadableError(f"'{tag}' of schema {v} is malformed: {error!r}") from error
        return fields


_FIELDS_DECODER: Final = msgspec.msgpack.Decoder(dict[str, object])


def _decoder(kind: Any) -> Any:  # noqa: ANN401 - a union of Structs, which no static type can name
    return msgspec.msgpack.Decoder(kind)


@cache
def _tag(kind: type[Command | Event]) -> str:
    return str(kind.__struct_config__.tag)


def _check_tag(expected_tag: str, item: T) -> T:
    tag = _tag(type(item))
    # The decoder selects the type by the tag inside the body. The commitment covers the tag outside
    # the body, so the two must agree.
    if tag != expected_tag:
        raise UnreadableError(f"the entry is tagged '{expected_tag}' but contains '{tag}'")
    return item


@lru_cache(maxsize=16)
def codec(game: AnyGame) -> Codec:
    """Return a game's cached codec, building it on first use."""
    return Codec(game, UPCASTS)
