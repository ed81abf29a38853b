"""Defines statements: records that are not game commands, such as remarks and agreements about the match.

Each statement is a separate record. The record's tag names the statement's kind, and its role is the author. Everyone
can read a statement, and it does not change the game state.
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
    """Ends the match before its rules do. Only the reveal may follow."""

    how: Literal["resigned", "draw", "time", "stopped"]
    by: Roles
    """The roles that end the match.

    They are the side that resigns or has run out of time, all roles for a draw, or the role that stops the match.
    """


class Adjournment(Command, frozen=True, kw_only=True, tag="adjournment"):
    """Adjourns the match. No game record may follow until the match is resumed."""

    by: Roles
    """All roles, because all must agree."""


class Resumption(Command, frozen=True, kw_only=True, tag="resumption"):
    """Resumes an adjourned match."""


class TimeSpent(Command, frozen=True, kw_only=True, tag="clock"):
    """The time that the roles have spent on decisions since the last clock record, as measured by the host."""

    spent: Annotated[dict[Role, Milliseconds], msgspec.Meta(min_length=1, max_length=32)]


StatementKind: TypeAlias = Literal["remark", "ending", "adjournment", "resumption", "clock"]
Statement: TypeAlias = Remark | Ending | Adjournment | Resumption | TimeSpent

_DECODERS: Final[dict[str, msgspec.msgpack.Decoder[Statement]]] = {
    str(kind.__struct_config__.tag): msgspec.msgpack.Decoder(kind)
    for kind in (Remark, Ending, Adjournment, Resumption, TimeSpent)
}
TAGS: Final = frozenset(_DECODERS)
"""The tags of all statements, each of which is also the name of a record kind."""


def statement_kind(statement: Statement) -> StatementKind:
    """Return the record kind for a statement."""
    match statement:
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
            assert_never(statement)


def required_consents(statement: Statement | None) -> tuple[str, tuple[Role, ...]]:
    """Return the word that names an agreement's consent, and the roles that must sign it.

    Both are empty if no signature is needed.
    """
    match statement:
        case Ending(how="resigned" | "draw" as how, by=by):
            return how, by
        case Adjournment(by=by):
            return "adjournment", by
        case _:
            return "", ()


def read_statement(tag: str, body: bytes) -> Statement:
    """Decode the statement for a tag in :data:`TAGS`.

    Raises:
        UnreadableError: The bytes do not encode a statement of this kind, or their form is not canonical.
    """
    statement = decode(_DECODERS[tag], body, len(body))
    # An import encodes the statement again and must get the stored bytes, because the commitment
    # covers them.
    if canonical(statement) != body:
        raise UnreadableError(f"the {tag} is not in canonical form")
    return statement
