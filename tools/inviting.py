"""``flagplot host --invite-again``: a new invite for a seat, whether or not its host runs."""

from collections.abc import Callable
from pathlib import Path

from engine import registry
from engine.registry import AnyRuleset
from netplay.handout import hand_out, seat_in
from netplay.hosting import keep_own, kept_own
from netplay.hostkeys import load_authority
from netplay.invites import Invite
from netplay.reissue import issue_again, kept_addresses, keys_of, seat_in_folder


def invite_again(
    folder: Path,
    invites: Path,
    word: str,
    match: str,
    names: tuple[str, ...],
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
) -> Path:
    """Give a seat of a hosting folder a new key and return the file with its new invites.

    A host that runs lets the new key in at once and the old one no more.

    Args:
        folder: Where the host keeps its matches.
        invites: Where invites go.
        word: The seat: a role, a player's name, or ``spectator``.
        match: Id of the match; empty when only one can be meant.
        names: Names or addresses that the invite shall hold; empty for those of the host.
        rulesets: Finds the rules of a game.

    Raises:
        DataError: No host has run in the folder, no match or several have this seat, or a bot has it.
        FlagplotError: The disk refused.
    """
    addresses = kept_addresses(folder, names)
    seat = seat_in_folder(folder, word, match, rulesets)

    def write(made: tuple[Invite, ...]) -> Path:
        if seat_in(made) in kept_own(folder):
            keep_own(folder, made)
        return hand_out(invites, made, seat.player)

    keys = keys_of(folder, seat.header.match_id)
    return issue_again(load_authority(folder), addresses, seat.header, seat.party, keys, write)
