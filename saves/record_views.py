"""Limits a record to what one role may see."""

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
from saves.timeline import attribute_errors, fold_record

if TYPE_CHECKING:
    from saves.codec import AnyGame

SPECTATOR = "-"
"""Word for a spectator in options and arguments."""


class SeatError(FlagplotError):
    """The role does not exist, or this copy does not contain the role's view."""

    exit_code = 2


def ruleset_of(log: Log) -> "AnyGame":
    """Return a record's ruleset. Raises DataError if the game is unknown."""
    return registry.ruleset(log.header.game)


def record_roles(game: "AnyGame", log: Log) -> tuple[Role, ...]:
    """Return the roles in this record's game.

    Raises:
        BrokenChainError: The rules cannot replay the opening.
    """
    with attribute_errors(0):
        return game.roles(fold_record(game, game.initial_state(), log.records[0]))


def parse_seat(log: Log, seat: str | None, roles: Sequence[Role]) -> Role | None:
    """Return the selected role; None for a spectator.

    Args:
        log: The record.
        seat: A role; ``-`` for a spectator; None for the role for which the copy was redacted.
        roles: All roles of the game.

    Raises:
        SeatError: The role does not exist, or differs from the role of a redacted copy.
    """
    own_role = audience_role(log.header)
    if seat is None:
        return own_role
    role = None if seat == SPECTATOR else Role(seat)
    if role not in (None, *roles):
        raise SeatError(f"there is no role '{seat}'; this game has {', '.join(roles)}")
    if log.header.audience != FULL and role != own_role:
        raise SeatError(f"this is a redacted copy; it does not contain the view of '{seat}'")
    return role


def own_data(header: Header) -> dict[str, str]:
    """Return the digest of the custom game data, with its heading as the key; empty if the match uses none."""
    return {} if header.own_data is msgspec.UNSET else {"own data": header.own_data}


def records_seen_by(game: "AnyGame", log: Log, seat: str | None) -> tuple[Header, Sequence[Record]]:
    """Return the header and the records, redacted for a role. If no role is given, return them unchanged.

    Raises:
        BrokenChainError: The rules cannot read a record.
    """
    if seat is None:
        return log.header, log.records
    role = parse_seat(log, seat, record_roles(game, log))
    if log.header.audience not in {FULL, BLIND}:
        return log.header, log.records
    return redact_header(log.header, role), [
        seen_record(game, log, record, role) for record in log.records
    ]


def seen_record(game: "AnyGame", log: Log, record: Record, role: Role | None) -> Record:
    """Return a record redacted for a role. Records from a redacted copy are returned unchanged.

    Raises:
        BrokenChainError: The rules cannot read the record.
    """
    if log.header.audience not in {FULL, BLIND}:
        return record
    with attribute_errors(record.seq):
        return redact_record(game, record, role)


def full_record(log: Log) -> tuple[Header, Sequence[Record]]:
    """Return the full record of a finished match whose players dealt the cards.

    Raises:
        RedactedCopyError: This copy lacks information that the full record needs.
        FairPlayError: A card seed is missing or does not match its commitment.
        FalseRecordError: A record does not follow from its messages, or a sealed box has the wrong contents.
    """
    if log.header.audience == FULL:
        raise RedactedCopyError("this is already a full record")
    if log.header.fair is not msgspec.UNSET:
        from saves.fair.full_copy import full_copy  # noqa: PLC0415  # most files need no ciphers

        return full_copy(ruleset_of(log), log.header, log.records)
    if log.header.audience != BLIND:
        raise RedactedCopyError("only the host's copy of this match can be completed")
    from saves.protocol6.unredaction import full_copy as older_full_copy  # noqa: PLC0415  # as above

    return older_full_copy(log.header, log.records)
