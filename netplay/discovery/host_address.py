"""Chooses the listening address for a restarted host: the one in its folder's invites."""

import datetime as dt
import errno
import ipaddress
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import structlog

from engine.kernel.errors import DataError
from netplay.invites.invite import PLAIN_SCHEME, check_name, parse_listen
from netplay.invites.invite_files import OWN_FOLDER, found_in
from netplay.invites.invite_rotation import going_on, kept_addresses
from netplay.invites.pending_match_file import SUFFIX as WAITING
from netplay.wire.errors import AddressError
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file
from saves.logfile import SUFFIX as RECORD

log = structlog.get_logger()

LISTEN_FILE: Final = "host.listen"
EVERYWHERE: Final = frozenset({"0.0.0.0", "[::]"})  # noqa: S104  # compared, not listened on
_NOWHERE: Final = ("192.0.2.1", 9)
"""An address reserved for documentation. Connecting a UDP socket sends no packets."""
_MOST_BYTES: Final = 1_024
_INVITES: Final = "the address in this folder's invites"
_LAST_HOST: Final = "the address of this folder's last host"
_NO_INVITES: Final = "the default address, because this folder has no invites"


class HostAddress(msgspec.Struct, frozen=True, kw_only=True):
    """An address to listen on, and the names for it in invites."""

    host: str
    """Name or address; IPv6 addresses are in brackets."""
    port: int
    is_plain: bool = False
    """True if the invites are for unencrypted connections."""
    names: tuple[str, ...] = ()
    """This machine's names in the invites; empty if there are no invites."""
    source: str = ""
    """Phrase describing where the address was found."""
    other: str = ""
    """Another address from the folder's invites that this host will not serve; empty if there is none."""

    @property
    def advertise(self) -> tuple[str, ...]:
        """Return the names to put in new invites; empty if the old ones contain an automatically detected address."""
        is_found_out = self.names[1:] == ("127.0.0.1",) and _literal(self.names[0]) is not None
        return () if is_found_out else self.names

    def misfit(self, host: str, port: int, *, is_plain: bool) -> str:
        """Return the address in the invites, or an empty string if that address reaches a host listening here.

        Args:
            host: Address on which the host listens.
            port: Port on which it listens.
            is_plain: True if it listens without encryption.
        """
        is_same = port == self.port and is_plain == self.is_plain
        if not self.names or (is_same and any(_serves(host, name) for name in self.names)):
            return ""
        return f"{self.names[0]}:{self.port}" + (" without encryption" if self.is_plain else "")


DEFAULT: Final = HostAddress(host="0.0.0.0", port=7480)  # noqa: S104  # must be reachable from other machines
"""A host's default listening address."""


def own_address() -> str:
    """Return this machine's network address, or the loopback address if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_NOWHERE)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def keep_listen(folder: Path, host: str, port: int) -> None:
    """Save the listening address for the next host that runs in this folder.

    Raises:
        StorageError: The write failed.
    """
    path = folder / LISTEN_FILE
    try:
        replace_file(FILES, path, msgspec.json.encode(f"{host}:{port}"))
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error


def address_of(folder: Path, invites: Path) -> HostAddress:
    """Return the default listening address for a folder's host.

    Args:
        folder: Folder with the host's matches.
        invites: Folder with the invites to those matches.
    """
    found, source = _in_invites(folder, invites), _INVITES
    if not found:
        source = _LAST_HOST
        try:
            found = [kept_addresses(folder)]
        except DataError:
            return msgspec.structs.replace(DEFAULT, source=_NO_INVITES)
    names, port, is_plain = _parsed(found[0])
    others = (_parsed(each) for each in found[1:])
    other = next((f"{one[0][0]}:{one[1]}" for one in others if one[1:] != (port, is_plain)), "")
    host = _kept_listen(folder, port) or _listening(names)
    return HostAddress(
        host=host, port=port, is_plain=is_plain, names=names, source=source, other=other
    )


def _in_invites(folder: Path, invites: Path) -> list[tuple[str, ...]]:
    """Return the distinct address lists in the invites to a folder's matches, newest first.

    If there are several, finished matches are ignored while other matches are running.
    """
    by_match: dict[str, tuple[str, ...]] = {}
    for one in found_in((invites, folder / OWN_FOLDER), dt.datetime.now(dt.UTC)):
        if one.invites and one.invites[0].addresses and _is_held(folder, one.invites[0].match):
            by_match.setdefault(one.invites[0].match, one.invites[0].addresses)
    found = list(dict.fromkeys(by_match.values()))
    if len(found) > 1:
        alive = {header.match_id for header in going_on(folder)}
        kept = (addresses for match, addresses in by_match.items() if match in alive)
        found = list(dict.fromkeys(kept)) or found
    return found


def _is_held(folder: Path, match: str) -> bool:
    return any((folder / f"{match}{suffix}").exists() for suffix in (RECORD, WAITING))


def _parsed(addresses: Sequence[str]) -> tuple[tuple[str, ...], int, bool]:
    """Return the names, the port, and whether connections are unencrypted."""
    scheme, _, place = addresses[0].partition("://")
    names = tuple(each.partition("://")[2].rpartition(":")[0] for each in addresses)
    return names, int(place.rpartition(":")[2]), scheme == PLAIN_SCHEME


def kept_listen(folder: Path) -> tuple[str, int] | None:
    """Return the listening address and port of the folder's last host, or None if unknown."""
    try:
        text: str = msgspec.json.decode(read_file(folder / LISTEN_FILE, _MOST_BYTES), type=str)
        host, port = parse_listen(text)
        return check_name(host), port
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, AddressError) as error:
        log.warning("listen_not_read", file=LISTEN_FILE, error=type(error).__name__)
        return None


def _kept_listen(folder: Path, port: int) -> str:
    """Return the listening name or address of the last host that used this port; empty if unknown."""
    kept = kept_listen(folder)
    return kept[0] if kept is not None and kept[1] == port else ""


def _listening(names: Sequence[str]) -> str:
    """Return the listening address for these names: their only address on this machine, or all interfaces."""
    literals = [_literal(name) for name in names]
    if len(literals) == 1 and literals[0] is not None and _is_ours(literals[0]):
        return names[0]
    has_ipv6 = any(isinstance(literal, ipaddress.IPv6Address) for literal in literals)
    return "[::]" if has_ipv6 else "0.0.0.0"  # noqa: S104  # the names may belong to any interface


def _literal(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None


def _is_ours(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address belongs to this machine."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004  # the IP version
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _serves(host: str, name: str) -> bool:
    """Return whether a host listening on an address may be reachable under a name, without looking up the name."""
    if host in EVERYWHERE or host == name:
        return True
    here, there = _literal(host), _literal(name)
    if here is not None and here.is_loopback:
        return name == "localhost" or (there is not None and there.is_loopback)
    return here is None or there is None


def explained(error: AddressError, address: HostAddress | None) -> AddressError:
    """Add advice to the error raised when a host cannot listen on the address in its invites.

    Args:
        error: The reason why it cannot listen.
        address: The address from the invites; None if the caller chose another one.
    """
    if address is None or not address.names:
        return error
    place = f"{address.host}:{address.port}"
    cause = error.__cause__
    is_used = isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE
    why = f"port {address.port} is in use by another program" if is_used else str(error)
    return AddressError(
        f"cannot listen on {place} ({address.source}): {why};"
        f" free it, or choose another with --listen {address.host}:PORT and write the invites again (--invite-again)"
    )
