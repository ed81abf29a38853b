"""``flagplot host invite``: write a new invite for a seat, whether or not the host is running."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from engine import registry
from engine.kernel.errors import DataError
from engine.registry import AnyRuleset
from netplay.host.host_command import own_invites, save_own_invites
from netplay.invites.host_keys import load_authority
from netplay.invites.invite import Invite
from netplay.invites.invite_files import (
    OWN_FOLDER,
    find_invites,
    seat_of_invites,
    write_short_named,
)
from netplay.invites.invite_rotation import find_seat, reissue, saved_addresses, seat_keys
from netplay.mail.mail_store import is_by_mail
from netplay.mail.mailboxes import SUFFIX as BOOK


def reissue_invites(
    folder: Path,
    invites: Path,
    word: str,
    match: str,
    names: tuple[str, ...],
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
) -> Path:
    """Issue a new key for a seat. Return the path of the file with the seat's new invites.

    A running host accepts the new key and rejects the old one immediately.

    Args:
        folder: Folder of the host's matches.
        invites: Folder for invites.
        word: The seat: a role, a player's name, or ``spectator``.
        match: Id of the match; empty if the seat alone identifies the match.
        names: Host names or addresses for the invite; empty to use the host's own addresses.
        rulesets: Function that finds a game's rules.

    Raises:
        DataError: No host has run in the folder, the seat belongs to a bot, or there is not exactly one match with
            such a seat.
        FlagplotError: A file could not be written.
    """
    addresses = _addresses(folder, names)
    seat = find_seat(folder, word, match, rulesets)
    if _is_by_mail((invites, folder / OWN_FOLDER), seat.header.match_id):
        addresses = ()

    def write(new_invites: tuple[Invite, ...]) -> Path:
        if seat_of_invites(new_invites) in own_invites(folder):
            save_own_invites(folder, new_invites)
        return write_short_named(invites, new_invites, seat.player)

    keys = seat_keys(folder, seat.header.match_id)
    return reissue(load_authority(folder), addresses, seat.header, seat.party, keys, write)


def _addresses(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the addresses of the folder's host; empty if all its matches are played by move files."""
    try:
        return saved_addresses(folder, names)
    except DataError:
        if not any(folder.glob(f"*{BOOK}")):
            raise
        return ()


def _is_by_mail(folders: tuple[Path, ...], match: str) -> bool:
    """Return whether a match is played by move files, so that its invites contain no host address."""
    invite_lists = (
        found_invite.invites
        for found_invite in find_invites(folders, dt.datetime.now(dt.UTC))
        if found_invite.invites
    )
    return any(
        is_by_mail(found_invite) for found_invite in invite_lists if found_invite[0].match == match
    )
