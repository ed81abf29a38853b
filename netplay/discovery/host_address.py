"""Chooses a restarted host's listening address, so that the invites in its folder keep working."""

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
from netplay.invites.invite_files import OWN_FOLDER, find_invites
from netplay.invites.invite_rotation import running_matches, saved_addresses
from netplay.invites.pending_match_file import SUFFIX as WAITING
from netplay.wire.errors import AddressError
from saves.errors import StorageError
from saves.files import FILES, read_file, replace_file
from saves.logfile import SUFFIX as RECORD

log = structlog.get_logger()

LISTEN_FILE: Final = "host.listen"
ALL_INTERFACES: Final = frozenset({"0.0.0.0", "[::]"})  # noqa: S104  # compared, not listened on
_PROBE_ADDRESS: Final = ("192.0.2.1", 9)
"""An address reserved for documentation. Connecting a UDP socket to it selects a local address but sends no packet."""
_MAX_BYTES: Final = 1_024
_FROM_INVITES: Final = "the address in this folder's invites"
_FROM_LAST_HOST: Final = "the address of this folder's last host"
_FROM_DEFAULT: Final = "the default address, because this folder has no invites"


class HostAddress(msgspec.Struct, frozen=True, kw_only=True):
    """A listening address, and the names that invites use for this address."""

    host: str
    """Host name or IP address, with an IPv6 address in brackets."""
    port: int
    is_plain: bool = False
    """True if the invites are for unencrypted connections."""
    names: tuple[str, ...] = ()
    """The host names or IP addresses of this machine in the invites; empty if there are no invites."""
    source: str = ""
    """A phrase that says where the address was found, for messages to the user."""
    other: str = ""
    """An address in other invites in this folder that does not lead to this host; empty if there is none."""

    @property
    def advertised_names(self) -> tuple[str, ...]:
        """Return the names to write in new invites; empty if the host should detect its address again."""
        is_detected = self.names[1:] == ("127.0.0.1",) and _parse_ip(self.names[0]) is not None
        return () if is_detected else self.names

    def unreachable_address(self, host: str, port: int, *, is_plain: bool) -> str:
        """Return the address in the invites if a host that listens here cannot be reached there; otherwise empty.

        Args:
            host: The host's listening address.
            port: The host's listening port.
            is_plain: True if the connections are not encrypted.
        """
        is_same = port == self.port and is_plain == self.is_plain
        if not self.names or (is_same and any(_can_serve(host, name) for name in self.names)):
            return ""
        return f"{self.names[0]}:{self.port}" + (" without encryption" if self.is_plain else "")


DEFAULT: Final = HostAddress(host="0.0.0.0", port=7480)  # noqa: S104  # must be reachable from other machines
"""The default listening address of a host."""


def own_address() -> str:
    """Return this machine's IPv4 address on the network, or the loopback address if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_PROBE_ADDRESS)
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def save_listen_address(folder: Path, host: str, port: int) -> None:
    """Save this host's listening address for the next host in this folder.

    Raises:
        StorageError: The write failed.
    """
    path = folder / LISTEN_FILE
    try:
        replace_file(FILES, path, msgspec.json.encode(f"{host}:{port}"))
    except OSError as error:
        raise StorageError(f"cannot save {path}: {error.strerror or error}") from error


def default_address(folder: Path, invites: Path) -> HostAddress:
    """Return the default listening address of a folder's host.

    Args:
        folder: The folder that contains the host's matches.
        invites: The folder that contains the invites to those matches.
    """
    url_lists, source = _invite_addresses(folder, invites), _FROM_INVITES
    if not url_lists:
        source = _FROM_LAST_HOST
        try:
            url_lists = [saved_addresses(folder)]
        except DataError:
            return msgspec.structs.replace(DEFAULT, source=_FROM_DEFAULT)
    names, port, is_plain = _parse_urls(url_lists[0])
    other_addresses = (_parse_urls(urls) for urls in url_lists[1:])
    other_text = next(
        (
            f"{other_address[0][0]}:{other_address[1]}"
            for other_address in other_addresses
            if other_address[1:] != (port, is_plain)
        ),
        "",
    )
    host = _saved_host(folder, port) or _listen_host(names)
    return HostAddress(
        host=host, port=port, is_plain=is_plain, names=names, source=source, other=other_text
    )


def _invite_addresses(folder: Path, invites: Path) -> list[tuple[str, ...]]:
    """Return the distinct address lists in the invites to a folder's matches, newest first.

    If there are several lists and a match is still running, the lists of finished matches are ignored.
    """
    addresses_by_match: dict[str, tuple[str, ...]] = {}
    for invite_file in find_invites((invites, folder / OWN_FOLDER), dt.datetime.now(dt.UTC)):
        if (
            invite_file.invites
            and invite_file.invites[0].addresses
            and _has_match_file(folder, invite_file.invites[0].match)
        ):
            addresses_by_match.setdefault(
                invite_file.invites[0].match, invite_file.invites[0].addresses
            )
    address_lists = list(dict.fromkeys(addresses_by_match.values()))
    if len(address_lists) > 1:
        running = {header.match_id for header in running_matches(folder)}
        running_addresses = (
            addresses for match, addresses in addresses_by_match.items() if match in running
        )
        address_lists = list(dict.fromkeys(running_addresses)) or address_lists
    return address_lists


def _has_match_file(folder: Path, match_id: str) -> bool:
    return any((folder / f"{match_id}{suffix}").exists() for suffix in (RECORD, WAITING))


def _parse_urls(addresses: Sequence[str]) -> tuple[tuple[str, ...], int, bool]:
    """Split an invite's URLs into the host names, the port, and True if the connections are unencrypted."""
    scheme, _, host_port = addresses[0].partition("://")
    names = tuple(url.partition("://")[2].rpartition(":")[0] for url in addresses)
    return names, int(host_port.rpartition(":")[2]), scheme == PLAIN_SCHEME


def saved_listen_address(folder: Path) -> tuple[str, int] | None:
    """Return the listening address and port of the last host in this folder; None if they are unknown."""
    try:
        text: str = msgspec.json.decode(read_file(folder / LISTEN_FILE, _MAX_BYTES), type=str)
        host, port = parse_listen(text)
        return check_name(host), port
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, AddressError) as error:
        log.warning("listen_address_read_failed", file=LISTEN_FILE, error=type(error).__name__)
        return None


def _saved_host(folder: Path, port: int) -> str:
    """Return the last host's listening address; empty if it is unknown or that host used another port."""
    saved_address = saved_listen_address(folder)
    return saved_address[0] if saved_address is not None and saved_address[1] == port else ""


def _listen_host(names: Sequence[str]) -> str:
    """Return the address to listen on: the only name if it is an address of this machine, otherwise all interfaces."""
    literals = [_parse_ip(name) for name in names]
    if len(literals) == 1 and literals[0] is not None and _is_local_ip(literals[0]):
        return names[0]
    has_ipv6 = any(isinstance(literal, ipaddress.IPv6Address) for literal in literals)
    return "[::]" if has_ipv6 else "0.0.0.0"  # noqa: S104  # the names may belong to any interface


def _parse_ip(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return None


def _is_local_ip(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Return whether an address belongs to this machine."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6  # noqa: PLR2004  # the IP version
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True


def _can_serve(host: str, name: str) -> bool:
    """Return whether a host that listens on ``host`` might be reachable at ``name``. No DNS query is made."""
    if host in ALL_INTERFACES or host == name:
        return True
    listen_ip, name_ip = _parse_ip(host), _parse_ip(name)
    if listen_ip is not None and listen_ip.is_loopback:
        return name == "localhost" or (name_ip is not None and name_ip.is_loopback)
    return listen_ip is None or name_ip is None


def with_advice(error: AddressError, address: HostAddress | None) -> AddressError:
    """Add advice to the error raised when a host cannot listen on the address in its invites.

    Args:
        error: The original error.
        address: The address in the invites; None if the caller chose another address.
    """
    if address is None or not address.names:
        return error
    listen_address = f"{address.host}:{address.port}"
    cause = error.__cause__
    is_used = isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE
    problem = f"port {address.port} is in use by another program" if is_used else str(error)
    return AddressError(
        f"cannot listen on {listen_address} ({address.source}): {problem};"
        f" free it, or choose another with --listen {address.host}:PORT and write the invites again"
        " (flagplot host invite SEAT)"
    )
