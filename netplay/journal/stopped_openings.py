"""Searches this player's files for earlier matches with the same host that stopped after the deal.

A match counts as stopped if the cards were dealt, this player gave no command, and the match was not ended, adjourned
or closed. A host is recognised by its authority's key. The key is stored in a seat's private file when the seat agrees
to a match.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path
from typing import Final

import msgspec

from engine.kernel.errors import FlagplotError
from engine.kernel.ids import Role
from netplay.journal.journal import opening_messages
from netplay.journal.private_file import JOURNAL_SUFFIX, SUFFIX, AgreedSeat, read_agreement
from saves.fair.messages import Kind, Message, Reveal
from saves.logfile import SUFFIX as RECORD
from saves.logfile import read_leading
from saves.records import Record

_MAX_RECORDS: Final = 400
"""Maximum number of records with signed messages to read from a match.

Remarks do not count, because a host could add any number of them.
"""
_FINAL_KINDS: Final = frozenset({"ending", "adjournment", "reveal"})


class StoppedOpening(msgspec.Struct, frozen=True, kw_only=True):
    """A match that stopped after the deal."""

    match: str
    time: int
    """Time at which the seat agreed to the match, in seconds since 1970."""
    game: str
    scenario: str
    """Scenario id; empty for a custom position."""


class _Progress(Enum):
    UNKNOWN = auto()
    """Raised if no cards were dealt or the files cannot be read."""
    DEALT = auto()
    CONTINUED = auto()


def find_stopped_openings(
    folder: Path, host: str, excluded_match: str, latest_time: int | None = None
) -> tuple[StoppedOpening, ...]:
    """Return the matches with a host that stopped after the deal, most recent first. Damaged files are skipped.

    For a match that continued, only the header and the records up to the player's first command are decoded.

    Args:
        folder: The folder that contains the seats' files.
        host: Fingerprint of the host's authority.
        excluded_match: Id of the match that is just beginning, which is left out.
        latest_time: Latest agreement time to include, in seconds since 1970; None to include all matches.
    """
    seats_by_match: dict[str, list[AgreedSeat]] = {}
    for seat in _read_agreements(folder):
        is_early = latest_time is None or seat.agreement.time <= latest_time
        if seat.agreement.host == host and seat.match != excluded_match and is_early:
            seats_by_match.setdefault(seat.match, []).append(seat)
    openings = [
        _stopped_opening(match_seats)
        for match_seats in seats_by_match.values()
        if _is_stopped(folder, match_seats)
    ]
    return tuple(sorted(openings, key=lambda opening: (-opening.time, opening.match)))


def _read_agreements(folder: Path) -> Iterator[AgreedSeat]:
    try:
        paths = sorted(folder.glob(f"*{SUFFIX}"))
    except OSError:
        return
    yield from filter(None, map(read_agreement, paths))


def _stopped_opening(seats: list[AgreedSeat]) -> StoppedOpening:
    earliest = min((seat.agreement for seat in seats), key=lambda agreement: agreement.time)
    match, game, scenario = seats[0].match, earliest.game, earliest.scenario
    return StoppedOpening(match=match, time=earliest.time, game=game, scenario=scenario)


def _is_stopped(folder: Path, seats: list[AgreedSeat]) -> bool:
    """Return whether the cards were dealt but the match stopped before any of the player's roles gave a command."""
    roles = frozenset(seat.role for seat in seats)
    progress = {_progress(folder, seat, roles) for seat in seats}
    return _Progress.DEALT in progress and _Progress.CONTINUED not in progress


def _progress(folder: Path, seat: AgreedSeat, own_roles: frozenset[Role]) -> _Progress:
    stem = f"{seat.match}.{seat.role}"
    copy_path = folder / f"{stem}{RECORD}"
    try:
        if copy_path.exists():
            header, records = read_leading(copy_path)
            is_own = (header.match_id, header.audience) == (seat.match, seat.role)
            return _progress_of_records(records, own_roles) if is_own else _Progress.UNKNOWN
        journal_path = folder / f"{stem}{JOURNAL_SUFFIX}"
        return _progress_of_messages(
            opening_messages(journal_path, seat.match, seat.role), seat.role
        )
    except (FlagplotError, OSError):
        return _Progress.UNKNOWN


def _progress_of_records(records: Iterator[Record], own_roles: frozenset[Role]) -> _Progress:
    signed_count = 0
    for record in records:
        if record.kind in _FINAL_KINDS or (record.kind == "command" and record.role in own_roles):
            return _Progress.CONTINUED
        signed_count += record.transcript is not msgspec.UNSET
        if signed_count == _MAX_RECORDS:
            break
    return _Progress.DEALT if signed_count else _Progress.UNKNOWN


def _progress_of_messages(messages: Iterable[Message], role: Role) -> _Progress:
    """Return how far an opening without records has progressed.

    The cards count as dealt after the seat's first reveal.
    """
    is_dealt = False
    for message in messages:
        is_own = message.author == role
        if message.kind is Kind.END or (is_own and message.kind is Kind.REQUEST):
            return _Progress.CONTINUED
        is_dealt |= is_own and isinstance(message.body, Reveal) and message.body.number == 0
    return _Progress.DEALT if is_dealt else _Progress.UNKNOWN
