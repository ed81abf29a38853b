"""What a record may hold besides commands of the game: remarks, and what a table agrees about its match.

A statement is a record of its own, of the kind that its tag names. It is open to everybody, its role says whose it is,
and it leaves the state of the game as it was.
"""

from typing import Annotated, Final, Literal, TypeAlias, assert_never

import msgspec

from engine.kernel.ids import Role
from engine.kernel.ruleset import Command
from saves.decoding import canonical, decode
from saves.errors import UnreadableError
from saves.remarks import Remark

Roles: TypeAlias = Annotated[tuple[Role, ...], msgspec.Meta(min_length=1, max_length=32)]


Milliseconds: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=1 << 50)]


class Ending(Command, frozen=True, kw_only=True, tag="ending"):
    """The match ends here, before its rules end it; only the reveal follows."""

    how: Literal["resigned", "draw", "time", "stopped"]
    by: Roles
    """The side that resigns or whose time is up, all roles for a draw, or the one role that stops the match."""


class Adjournment(Command, frozen=True, kw_only=True, tag="adjournment"):
    """The match pauses; nothing of the game follows before a resumption."""

    by: Roles
    """All roles, which agree."""


class Resumption(Command, frozen=True, kw_only=True, tag="resumption"):
    """An adjourned match goes on."""


class TimeSpent(Command, frozen=True, kw_only=True, tag="clock"):
    """How long roles were asked since the last such statement, as the host measured it."""

    spent: Annotated[dict[Role, Milliseconds], msgspec.Meta(min_length=1, max_length=32)]


StatementKind: TypeAlias = Literal["remark", "ending", "adjournment", "resumption", "clock"]
Statement: TypeAlias = Remark | Ending | Adjournment | Resumption | TimeSpent

_DECODERS: Final[dict[str, msgspec.msgpack.Decoder[Statement]]] = {
    str(kind.__struct_config__.tag): msgspec.msgpack.Decoder(kind)
    for kind in (Remark, Ending, Adjournment, Resumption, TimeSpent)
}
TAGS: Final = frozenset(_DECODERS)
"""Tags of all statements; the kinds of their records have the same names."""


def kind_of(said: Statement) -> StatementKind:
    """Return the kind of the record that holds a statement."""
    match said:
        case Remark():
            return "remark"
        case Ending():
            return "ending"
        case Adjournment():
            return "adjournment"
        case Resumption():
            return "resumption"
        case TimeSpent():
            return "clock"
        case _:
            assert_never(said)


def consenting(said: Statement | None) -> tuple[str, tuple[Role, ...]]:
    """Return what those sign who agree to a statement, as a word, and who they are; nobody for most statements."""
    match said:
        case Ending(how="resigned" | "draw" as how, by=by):
            return how, by
        case Adjournment(by=by):
            return "adjournment", by
        case _:
            return "", ()


def read_statement(tag: str, body: bytes) -> Statement:
    """Return the statement with a tag of :data:`TAGS` in these bytes.

    Raises:
        UnreadableError: They hold none, or not in canonical form.
    """
    statement = decode(_DECODERS[tag], body, len(body))
    if canonical(statement) != body:
        raise UnreadableError(f"the {tag} is not in canonical form")
    return statement
