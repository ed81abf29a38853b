"""Reads and writes invite files. Anyone who has a valid invite can connect as its seat.

An invite is a JSON object. It contains the host's addresses, the match, the seat, the host's authority, and the seat's
certificate and private key. A person who plays several roles receives one file with a list of invites, one per role.
Only the owner can read the file (mode 0600). Every invite is decoded by :func:`decode_invites`.
"""

import datetime as dt
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.text_bytes import EncodingError, strip_bom
from netplay.invites.identity import (
    OWN_CLOCK,
    SPECTATOR,
    Authority,
    check_dates,
    is_issued_by,
    issue_seat,
    load_certificate,
    load_key,
    read_seat,
)
from netplay.wire.errors import AddressError, InviteError
from netplay.wire.sanitising import sanitise
from play.seating import ROLE_SEPARATOR
from saves.files import FILES, replace_file

FORMAT: Final = 1
"""Version of the invite format."""
SUFFIX: Final = ".invite"
MAX_BYTES: Final = 32 * 1024
"""Maximum length of an invite file in bytes."""
_MAX_INVITES: Final = 8
MATCH_PATTERN: Final = r"^[a-z0-9][a-z0-9-]{2,63}$"
TLS_SCHEME: Final = "tls+tcp"
PLAIN_SCHEME: Final = "tcp"
_ADDRESS_PATTERN: Final = r"^(tls\+tcp|tcp)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$"

Address = Annotated[str, msgspec.Meta(max_length=300, pattern=_ADDRESS_PATTERN)]
"""A URL to which a peer connects, such as ``tls+tcp://192.168.1.5:7480``."""
MatchId = Annotated[str, msgspec.Meta(pattern=MATCH_PATTERN)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
Pem = Annotated[str, msgspec.Meta(max_length=4096)]


class Invite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that a peer needs to take a seat."""

    flagplot_invite: int
    """Version of the invite format. This field also identifies the file as an invite."""
    addresses: Annotated[tuple[Address, ...], msgspec.Meta(max_length=16)]
    """The host's addresses, in the order in which to try them; empty if the match is played only through move files."""
    match: MatchId
    game: Name
    role: Name | None
    """Role of the seat; None for a spectator."""
    authority: Pem
    """The certificate of the host's certificate authority. No other host is trusted."""
    certificate: Pem
    key: Pem
    """The private key for the seat. Anyone who has the key can connect as the seat."""
    expires: int
    """Time in Unix seconds when the invite expires. This is only informative: the certificate is authoritative."""


Invites = Annotated[tuple[Invite, ...], msgspec.Meta(min_length=1, max_length=_MAX_INVITES)]
"""The invites for one person."""


def new_invite(
    authority: Authority,
    addresses: tuple[str, ...],
    match: str,
    game: str,
    role: str | None,
    validity: tuple[dt.datetime, dt.datetime],
) -> Invite:
    """Create an invite with a new key for one seat. If the role is None, the invite is for a spectator."""
    pair = issue_seat(authority, match, role, validity[0], validity[1])
    return Invite(
        flagplot_invite=FORMAT,
        addresses=addresses,
        match=match,
        game=game,
        role=role,
        authority=authority.authority.certificate,
        certificate=pair.certificate,
        key=pair.key,
        expires=int(validity[1].timestamp()),
    )


def invite_name(match: str, role: str | None) -> str:
    """Return the default file name for a seat's invite."""
    return f"{match}.{role or SPECTATOR}{SUFFIX}"


def write_invite(folder: Path, invite: Invite) -> Path:
    """Write an invite to a file in a folder, and return the file's path.

    Raises:
        InviteError: The folder cannot be written to.
    """
    return _write(folder / invite_name(invite.match, invite.role), msgspec.json.encode(invite))


def write_invites(folder: Path, invites: Sequence[Invite], name: str = "") -> Path:
    """Write all invites for one person to a single file, and return the file's path.

    Args:
        folder: Folder for the file.
        invites: One invite per role, all for the same match. The file for a single invite contains the invite itself,
            not a list.
        name: File name; empty to derive it from the match and the roles.

    Raises:
        InviteError: The folder cannot be written to.
    """
    first, *other_invites = invites
    roles = (
        ROLE_SEPARATOR.join(str(invite.role) for invite in invites) if other_invites else first.role
    )
    content = msgspec.json.encode(tuple(invites) if other_invites else first)
    return _write(folder / (name or invite_name(first.match, roles)), content)


def _write(path: Path, content: bytes) -> Path:
    text = msgspec.json.format(content, indent=1)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(FILES, path, text + b"\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise InviteError(str(path), f"cannot be written: {reason}") from error
    return path


def decode_invites(data: bytes, source: str) -> tuple[Invite, ...]:
    """Decode and check the invites for one person, one per role. All other code calls this to decode invites.

    Args:
        data: The contents of a file, or pasted text.
        source: Name of the file, for error messages.

    Raises:
        InviteError: The data is not an invite, has another format version, or contains parts that do not match each
            other.
    """
    if len(data) > MAX_BYTES:
        raise InviteError(source, "this is too long for an invite file")
    try:
        content = msgspec.json.decode(strip_bom(data), type=Invite | Invites)
    except EncodingError as error:
        raise InviteError(source, str(error)) from error
    except msgspec.ValidationError as error:
        raise InviteError(
            source, f"this is not a flagplot invite: {sanitise(str(error), 160)}"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise InviteError(source, "this is not a flagplot invite file") from error
    invites = (content,) if isinstance(content, Invite) else content
    for invite in invites:
        if invite.flagplot_invite != FORMAT:
            raise InviteError(
                source,
                f"this invite has format {invite.flagplot_invite}; this program reads format {FORMAT}",
            )
        _check_consistent(invite, source)
    _check_one_match(invites, source)
    return invites


def decode_invite(data: bytes, source: str) -> Invite:
    """Decode a single invite.

    Raises:
        InviteError: The data contains several invites, or cannot be decoded by :func:`decode_invites`.
    """
    invite, *other_invites = decode_invites(data, source)
    if other_invites:
        raise InviteError(source, "this file contains invites for several roles")
    return invite


def _check_one_match(invites: tuple[Invite, ...], source: str) -> None:
    """Check that several invites are for different roles in the same match.

    Raises:
        InviteError: Two invites are for the same role or for different matches.
    """
    roles = [invite.role for invite in invites]
    if len(roles) == 1:
        return
    if None in roles or len(set(roles)) < len(roles):
        raise InviteError(source, "the invites in this file are not for different roles")
    if len({(invite.match, invite.game) for invite in invites}) > 1:
        raise InviteError(source, "the invites in this file are for different matches")


def _check_consistent(invite: Invite, source: str) -> None:
    """Check that the key, certificate, authority and seat in an invite match each other.

    Raises:
        InviteError: The parts do not match, or one of them is damaged.
    """
    try:
        certificate = load_certificate(invite.certificate)
        load_certificate(invite.authority)
        key = load_key(invite.key)
    except ValueError as error:
        raise InviteError(source, "a certificate or key in this invite is damaged") from error
    seat = read_seat(certificate)
    if key.public_key() != certificate.public_key():
        raise InviteError(source, "the key in this invite does not belong to its certificate")
    if not is_issued_by(certificate, invite.authority):
        raise InviteError(source, "the certificate in this invite was not issued by its host")
    if seat.match != invite.match:
        raise InviteError(source, "the certificate in this invite is for another match")
    if seat.role != invite.role:
        raise InviteError(
            source,
            f"the certificate in this invite is for {seat.role or SPECTATOR}, not for {invite.role or SPECTATOR}",
        )


def check_valid_now(invite: Invite, now: dt.datetime, source: str) -> None:
    """Check that the certificate in an invite is valid now.

    Raises:
        InviteError: The certificate has expired or is not valid yet.
    """
    problem = validity_problem(invite, now)
    if problem:
        raise InviteError(source, f"this invite cannot be used: {problem}")


def validity_problem(invite: Invite, now: dt.datetime) -> str:
    """Return why an invite is not valid by this machine's clock, and what to do; empty if it is valid."""
    problem = check_dates(load_certificate(invite.certificate), now, OWN_CLOCK)
    return (
        f"{problem}; if the clock is wrong, set it; otherwise ask the host for a new invite"
        if problem
        else ""
    )


def expand_path(text: str) -> Path:
    """Convert text that the player typed into a path, and expand ``~``.

    Raises:
        InviteError: ``~`` names an account that does not exist.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InviteError(
            text, "cannot be read: there is no home directory for this user name"
        ) from error


def load_invites(path: Path) -> tuple[Invite, ...]:
    """Load the invites for one person from a file, one per role.

    Raises:
        InviteError: The file cannot be read or does not contain an invite.
    """
    return decode_invites(_read(path), str(path))


def load_invite(path: Path) -> Invite:
    """Load the single invite from a file.

    Raises:
        InviteError: The file cannot be read, contains no invite, or contains several.
    """
    return decode_invite(_read(path), str(path))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            # One byte more than the limit is read, to detect a file that is too long.
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InviteError(str(path), f"cannot be read: {reason}") from error


def parse_listen(text: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``, ``[V6]:PORT`` or ``:PORT`` (all interfaces) into host and port.

    Raises:
        AddressError: The text does not have this form.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:  # noqa: PLR2004  # highest port
        raise AddressError(f"'{text}' is not an address; write HOST:PORT, such as 192.168.1.5:7480")
    if host:
        try:
            check_name(host)
        except AddressError as error:
            raise AddressError(
                f"'{host}' is not a host name; write HOST:PORT, such as 192.168.1.5:7480 or [::1]:7480"
            ) from error
    return host or "0.0.0.0", int(port)  # noqa: S104  # an empty host requests this


def check_name(name: str) -> str:
    """Check that a host name or address may appear in an invite, and return it.

    Raises:
        AddressError: The name or address may not appear in an invite.
    """
    if re.match(_ADDRESS_PATTERN, url(name, 1, plain=True)) is None:
        raise AddressError(
            f"'{name}' is not a host name; write a name, an IPv4 address, or an IPv6 address in brackets"
        )
    return name


def url(host: str, port: int, *, plain: bool) -> str:
    """Build the URL to which a peer connects."""
    return f"{PLAIN_SCHEME if plain else TLS_SCHEME}://{host}:{port}"
