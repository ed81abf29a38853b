"""All peers of one person: one per role, each with its own connection and its own copy."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine import registry
from engine.registry import AnyRuleset
from netplay.announced_addresses import FindAddresses
from netplay.invites import Invite
from netplay.peer import Peer
from saves.fair.terms import Place


def open_party(
    invites: tuple[Invite, ...],
    folder: Path,
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    place: Place = "own machine",
    find_addresses: FindAddresses | None = None,
) -> tuple[Peer, ...]:
    """Return a peer for every invite of a person; none is started yet.

    Args:
        invites: Of one person in one match.
        folder: Where the files of the seats are kept.
        rulesets: Finds the rules of a game.
        place: Whose machine that is.
        find_addresses: Finds the host if no address of an invite leads to it; None for nowhere else.

    Raises:
        DataError: The game is unknown here.
        LogInUseError: Another program has one of the seats open; all are let go again.
        SeatInUseError: Likewise.
        StorageError: The disk refused.
    """
    peers: list[Peer] = []
    try:
        for invite in invites:
            peers.append(Peer(invite, folder, rulesets, place=place))
            seat = peers[-1].seat
            if seat is not None:
                seat.lock()
    except BaseException:
        for peer in peers:
            peer.copy.close()
        raise
    for peer in peers:
        peer.find_addresses = find_addresses
    return tuple(peers)


def is_ready(peers: tuple[Peer, ...]) -> bool:
    """Return whether there is a game to show for every role."""
    return all(peer.is_ready for peer in peers)


async def wait_ready(peers: tuple[Peer, ...]) -> None:
    """Wait until there is a game to show for every role, or one of them cannot come in."""
    for peer in peers:
        await peer.wait_for(partial(_is_settled, peer))


def _is_settled(peer: Peer) -> bool:
    return peer.is_ready or peer.is_over
