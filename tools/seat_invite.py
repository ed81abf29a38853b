"""``flagplot host --invite-again``: write a new invite for a seat, whether or not the host is running."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

from engine import registry
from engine.kernel.errors import DataError
from engine.registry import AnyRuleset
from netplay.host.host_command import keep_own, kept_own
from netplay.invites.host_keys import load_authority
from netplay.invites.invite import Invite
from netplay.invites.invite_files import OWN_FOLDER, found_in, hand_out, seat_in
from netplay.invites.invite_rotation import issue_again, kept_addresses, keys_of, seat_in_folder
from netplay.mail.mail_store import is_by_mail
from netplay.mail.mailboxes import SUFFIX as BOOK


def invite_again(
    folder: Path,
    invites: Path,
    word: str,
    match: str,
    names: tuple[str, ...],
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
) -> Path:
    """Give a seat a new key and return the file with its new invites.

    A running host accepts the new key and rejects the old one immediately.

    Args:
        folder: Folder of the host's matches.
        invites: Folder for invites.
        word: The seat: a role, a player's name, or ``spectator``.
        match: Id of the match; empty if the seat alone identifies it.
        names: Host names or addresses for the invite; empty for those of the host.
        rulesets: Finds the rules of a game.

    Raises:
        DataError: No host has run in the folder, the seat belongs to a bot, or not exactly one match has such a seat.
        FlagplotError: A file could not be written.
    """
    addresses = _addresses(folder, names)
    seat = seat_in_folder(folder, word, match, rulesets)
    if _is_by_mail((invites, folder / OWN_FOLDER), seat.header.match_id):
        addresses = ()

    def write(made: tuple[Invite, ...]) -> Path:
        if seat_in(made) in kept_own(folder):
            keep_own(folder, made)
        return hand_out(invites, made, seat.player)

    keys = keys_of(folder, seat.header.match_id)
    return issue_again(load_authority(folder), addresses, seat.header, seat.party, keys, write)


def _addresses(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the addresses of the folder's host; empty if its matches are played only by move files."""
    try:
        return kept_addresses(folder, names)
    except DataError:
        if not any(folder.glob(f"*{BOOK}")):
            raise
        return ()


def _is_by_mail(folders: tuple[Path, ...], match: str) -> bool:
    """Return whether the invites of a match contain no host address."""
    found = (one.invites for one in found_in(folders, dt.datetime.now(dt.UTC)) if one.invites)
    return any(is_by_mail(one) for one in found if one[0].match == match)
