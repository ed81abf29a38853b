"""Manages a person's peers: one per role, each with its own connection and copy."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from engine import registry
from engine.registry import AnyRuleset
from netplay.discovery.announced_addresses import FindAddresses
from netplay.invites.invite import Invite
from netplay.peer.peer import Peer
from saves.fair.terms import Place


def create_peers(
    invites: tuple[Invite, ...],
    folder: Path,
    rulesets: Callable[[str], AnyRuleset] = registry.ruleset,
    place: Place = "own machine",
    find_addresses: FindAddresses | None = None,
) -> tuple[Peer, ...]:
    """Create a peer for each of a person's invites, without starting the peers.

    Args:
        invites: One person's invites to one match.
        folder: The folder for the seats' files.
        rulesets: Looks up a game's rules.
        place: Where the seats' secrets are stored, as stated in the header.
        find_addresses: Finds the host if no address in an invite works; None to try only those addresses.

    Raises:
        DataError: This program does not know the game.
        LogInUseError: A seat's copy is open in another program. All seats have been released.
        SeatInUseError: Another program is using a seat's secrets. All seats have been released.
        StorageError: A read or write failed.
    """
    peers: list[Peer] = []
    try:
        for first_invite in invites:
            peers.append(Peer(first_invite, folder, rulesets, place=place))
            seat = peers[-1].seat
            if seat is not None:
                seat.lock()
    except BaseException:
        for peer in peers:
            peer.copy.close()
        raise
    own_seats = tuple(peer.seat for peer in peers if peer.seat is not None)
    for seat in own_seats:
        seat.own_seats = own_seats
    for peer in peers:
        peer.replicator.connector.find_addresses = find_addresses
    return tuple(peers)


def is_ready(peers: tuple[Peer, ...]) -> bool:
    """Return whether every role has a game to show."""
    return all(peer.is_ready for peer in peers)


async def wait_ready(peers: tuple[Peer, ...]) -> None:
    """Wait until every role has a game to show or its connection has ended permanently."""
    for peer in peers:
        await peer.reporter.wait_for(partial(_is_settled, peer))


def _is_settled(peer: Peer) -> bool:
    return peer.is_ready or peer.reporter.is_over
