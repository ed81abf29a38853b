"""Reissues invites with a new key for a seat whose invite was lost, leaked or never written."""

import contextlib
import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.errors import DataError, FlagplotError
from engine.kernel.ids import Role
from engine.registry import AnyRuleset
from netplay.invites import identity
from netplay.invites.invite import Address, Invite, check_name, new_invite, url
from netplay.invites.pending_match_file import pending_files, read_pending
from netplay.invites.seat_keys import SUFFIX as KEYS_SUFFIX
from netplay.invites.seat_keys import SeatKeys
from play.bots import bot_name
from play.seating import ROLE_SEPARATOR, group_into_seats
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file
from saves.headers import FULL, SPECTATOR, Header
from saves.logfile import SUFFIX, Log, read_log
from saves.teams import match_info

ADDRESSES_FILE: Final = "host.addresses"
_MAX_BYTES: Final = 16_384
_ADDRESSES_TYPE: Final = Annotated[tuple[Address, ...], msgspec.Meta(min_length=1, max_length=16)]

Party = tuple[Role | None, ...]
"""The roles for which one invite file is issued; a single None for spectators."""


def save_addresses(folder: Path, addresses: Sequence[str]) -> None:
    """Save the addresses to write in invites, so that invites can be reissued while no host is running.

    Raises:
        StorageError: The write failed.
    """
    try:
        replace_file(FILES, folder / ADDRESSES_FILE, msgspec.json.encode(addresses))
    except OSError as error:
        raise StorageError(
            f"cannot save {folder / ADDRESSES_FILE}: {error.strerror or error}"
        ) from error


def saved_addresses(folder: Path, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the addresses to write in a hosting folder's invites. If names are given, they replace the saved names.

    Raises:
        AddressError: A name may not appear in an invite.
        DataError: No host has used this folder, or its saved addresses are damaged.
    """
    path = folder / ADDRESSES_FILE
    try:
        addresses: tuple[str, ...] = msgspec.json.decode(
            read_file(path, _MAX_BYTES), type=_ADDRESSES_TYPE
        )
    except OSError as error:
        raise DataError(str(folder), "", "no host has opened a match in this folder") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise DataError(str(path), "", "this is not a list of addresses") from error
    if not names:
        return addresses
    scheme, _, host_port = addresses[0].partition("://")
    port = int(host_port.rpartition(":")[2])
    return tuple(url(check_name(name), port, plain=scheme == "tcp") for name in names)


def players_by_party(rules: AnyRuleset, header: Header) -> Mapping[Party, str]:
    """Return the player or bot in each seat of a match. The spectators come last, with an empty name."""
    players = {seat.role: seat.player for seat in header.seats}
    seats = group_into_seats(match_info(rules, header), players)
    return {**{seat: players[seat[0]] for seat in seats}, (None,): ""}


def find_parties(rules: AnyRuleset, header: Header, word: str) -> tuple[Party, ...]:
    """Return the seats for a role, a player's name, or ``spectator``.

    There are several if the word is the role of one seat and the name of the player in another.
    """
    if word == identity.SPECTATOR:
        return ((None,),)
    return tuple(
        party
        for party, player in players_by_party(rules, header).items()
        if word in party or (word and word.casefold() == player.casefold())
    )


def reissue(
    authority: identity.Authority,
    addresses: tuple[str, ...],
    header: Header,
    party: Party,
    keys: SeatKeys,
    write: Callable[[tuple[Invite, ...]], Path],
) -> Path:
    """Give a seat a new key, write the new invites, and return their file. The seat's older invites stop working.

    Args:
        authority: The host's keys.
        addresses: Addresses to write in the invites.
        header: The header of the match.
        party: The roles of the seat. If it is the spectators' seat, older invites remain valid.
        keys: The current keys for the seats.
        write: Writes the invites to a file. If this fails, no key is changed.

    Raises:
        DataError: A bot plays the seat.
        FlagplotError: The write failed.
    """
    players = {seat.role: seat.player for seat in header.seats}
    for role in party:
        if role is not None and bot_name(players[role]):
            raise DataError(
                "seat", str(role), f"this seat is played by the bot {bot_name(players[role])}"
            )
    now = dt.datetime.now(dt.UTC)
    validity = (now, now + dt.timedelta(days=identity.SEAT_DAYS))
    invites = tuple(
        new_invite(authority, addresses, header.match_id, header.game, role, validity)
        for role in party
    )
    # The file is written before the key changes, so that the old invite still works if the write
    # fails.
    path = write(invites)
    new_keys = {
        Role(invite.role): identity.fingerprint(identity.load_certificate(invite.certificate))
        for invite in invites
        if invite.role is not None
    }
    if new_keys:
        keys.replace(new_keys)
    return path


class HostedSeat(msgspec.Struct, frozen=True, kw_only=True):
    """A seat that was found in a hosting folder."""

    header: Header
    party: Party
    player: str


def find_seat(
    folder: Path, word: str, match: str, rulesets: Callable[[str], AnyRuleset]
) -> HostedSeat:
    """Find the seat that the given word names. The hosting folder must contain exactly one such seat.

    Args:
        folder: The folder that contains the host's matches.
        word: A role, a player's name, or ``spectator``.
        match: The match id; empty if only one match has such a seat.
        rulesets: Looks up a game's rules.

    Raises:
        DataError: No match has such a seat, several matches have one, or one match has several. The new invites could
            otherwise give one player the seat of another.
    """
    seats_by_match: dict[str, list[HostedSeat]] = {}
    for header in running_matches(folder):
        if match not in {"", header.match_id}:
            continue
        rules = rulesets(header.game)
        players = players_by_party(rules, header)
        for party in find_parties(rules, header, word):
            seat = HostedSeat(header=header, party=party, player=players[party])
            seats_by_match.setdefault(header.match_id, []).append(seat)
    if not seats_by_match:
        raise DataError(str(folder), "", f"no unfinished match here has a seat of '{word}'")
    if len(seats_by_match) > 1:
        ids = ", ".join(seats_by_match)
        problem = f"'{word}' is a seat in several matches; add --match with one of these ids: {ids}"
        raise DataError(str(folder), "", problem)
    (seats,) = seats_by_match.values()
    if len(seats) > 1:
        names = " or ".join(ROLE_SEPARATOR.join(map(str, seat.party)) for seat in seats)
        problem = (
            f"this names several seats ({names}); use a role or name that only one of them has"
        )
        raise DataError("seat", word, problem)
    return seats[0]


def running_matches(folder: Path) -> Iterator[Header]:
    """Yield the header of each unfinished match in a hosting folder."""
    for path in pending_files(folder):
        with contextlib.suppress(FlagplotError):
            yield read_pending(path)[1]
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        try:
            log: Log = read_log(path)
        except FlagplotError:
            continue
        if _is_hosted(path, log.header) and log.records[-1].kind != "reveal":
            yield log.header


def _is_hosted(path: Path, header: Header) -> bool:
    """Return whether a file is a host's copy.

    If the seats deal the cards, a host's copy differs from a spectator's copy only in its file name.
    """
    if header.fair is not msgspec.UNSET and header.fair.dealer_key is msgspec.UNSET:
        return header.audience == SPECTATOR and path.stem == header.match_id
    return header.audience == FULL


def seat_keys(folder: Path, match: str) -> SeatKeys:
    """Return the current keys for the seats in a match."""
    return SeatKeys(folder / f"{match}{KEYS_SUFFIX}")
