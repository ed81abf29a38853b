"""A record file as one role may see it, for the commands that print it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from engine import registry
from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from saves.errors import RedactedCopyError
from saves.headers import BLIND, FULL, Header, audience_role
from saves.logfile import Log
from saves.records import Record
from saves.redaction import redact_header, redact_record
from saves.timeline import blamed, fold_record

if TYPE_CHECKING:
    from saves.codec import AnyGame

SPECTATOR = "-"
"""What stands for a spectator on the command line."""


class SeatError(FlagplotError):
    """The role does not exist, or this copy does not hold what it may see."""

    exit_code = 2


def game_of(log: Log) -> "AnyGame":
    """Return the rules of a record; raises DataError for an unknown game."""
    return registry.ruleset(log.header.game)


def roles_of(game: "AnyGame", log: Log) -> tuple[Role, ...]:
    """Return the roles of the game in this record.

    Raises:
        BrokenChainError: The rules cannot fold its opening.
    """
    with blamed(0):
        return game.roles(fold_record(game, game.blank(), log.records[0]))


def role_of(log: Log, seat: str | None, roles: Sequence[Role]) -> Role | None:
    """Return the role that is meant, None for a spectator.

    Args:
        log: The record.
        seat: A role, ``-`` for a spectator, None for the copy's own role.
        roles: All roles of the game.

    Raises:
        SeatError: The role does not exist, or is not the one of this copy.
    """
    own = audience_role(log.header)
    if seat is None:
        return own
    role = None if seat == SPECTATOR else Role(seat)
    if role not in (None, *roles):
        raise SeatError(f"there is no role '{seat}'; this game has {', '.join(roles)}")
    if log.header.audience != FULL and role != own:
        raise SeatError(f"this is a redacted copy; it does not hold what '{seat}' may see")
    return role


def own_data(header: Header) -> dict[str, str]:
    """Return what to tell of the players' own data; nothing when the game has none."""
    return {} if header.own_data is msgspec.UNSET else {"own data": header.own_data}


def seen_by(game: "AnyGame", log: Log, seat: str | None) -> tuple[Header, Sequence[Record]]:
    """Return header and records as a role may have them; all of the copy when no role is named.

    Raises:
        BrokenChainError: The rules cannot read a record.
    """
    if seat is None:
        return log.header, log.records
    role = role_of(log, seat, roles_of(game, log))
    if log.header.audience not in {FULL, BLIND}:
        return log.header, log.records
    return redact_header(log.header, role), [
        seen_record(game, log, one, role) for one in log.records
    ]


def seen_record(game: "AnyGame", log: Log, record: Record, role: Role | None) -> Record:
    """Return a record as a role may have it; a redacted copy's records are that already.

    Raises:
        BrokenChainError: The rules cannot read it.
    """
    if log.header.audience not in {FULL, BLIND}:
        return record
    with blamed(record.seq):
        return redact_record(game, record, role)


def full_copy_of(log: Log) -> tuple[Header, Sequence[Record]]:
    """Return the full copy of a finished match whose seats dealt the cards.

    Raises:
        RedactedCopyError: This copy does not hold what the full one needs.
        FairPlayError: A card seed is missing or is not the one that was promised.
        FalseRecordError: A record is not what its messages make, or a box holds something else.
    """
    if log.header.audience == FULL:
        raise RedactedCopyError("this is a full copy already")
    if log.header.fair is not msgspec.UNSET:
        from saves.fair.full_copy import full_copy  # most commands need no ciphers

        return full_copy(game_of(log), log.header, log.records)
    if log.header.audience != BLIND:
        raise RedactedCopyError("only the host's copy of this match can be completed")
    from saves.protocol6.completing import full_copy as older_full_copy  # likewise

    return older_full_copy(log.header, log.records)
