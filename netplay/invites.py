"""Invite files: whoever holds one is that seat, today and tomorrow.

An invite is a JSON text with the host's addresses, the match, the seat, the host's authority and the seat's
certificate and private key. A person who plays several roles gets one file with a list of invites, one per role.
It is written for its owner only (mode 0600) and read by one function.
"""

import datetime as dt
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec

from engine.kernel.text_bytes import EncodingError, utf_8
from netplay.cleaning import clean
from netplay.errors import AddressError, InviteError
from netplay.identity import (
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
from play.seating import ROLES_JOIN
from saves.files import FILES, replace_file

FORMAT: Final = 1
"""Number of the invite format."""
SUFFIX: Final = ".invite"
MOST_BYTES: Final = 32 * 1024
"""No invite file is longer; a longer file is something else."""
_MOST_INVITES: Final = 8
MATCH_PATTERN: Final = r"^[a-z0-9][a-z0-9-]{2,63}$"
TLS_SCHEME: Final = "tls+tcp"
PLAIN_SCHEME: Final = "tcp"
_ADDRESS_PATTERN: Final = r"^(tls\+tcp|tcp)://(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):[0-9]{1,5}$"

Address = Annotated[str, msgspec.Meta(max_length=300, pattern=_ADDRESS_PATTERN)]
"""Where to dial, such as ``tls+tcp://192.168.1.5:7480``."""
MatchId = Annotated[str, msgspec.Meta(pattern=MATCH_PATTERN)]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_.-]+$")]
Pem = Annotated[str, msgspec.Meta(max_length=4096)]


class Invite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that a seat needs to take its place."""

    flagplot_invite: int
    """Number of the format; also tells what the file is."""
    addresses: Annotated[tuple[Address, ...], msgspec.Meta(max_length=16)]
    """Tried in this order; none for a match that is played by move files alone."""
    match: MatchId
    game: Name
    role: Name | None
    """None watches."""
    authority: Pem
    """Certificate of the host's authority; nobody else is believed."""
    certificate: Pem
    key: Pem
    """Private key of the seat. Whoever knows it is the seat."""
    expires: int
    """Seconds since 1970, for the reader; the certificate decides."""


Invites = Annotated[tuple[Invite, ...], msgspec.Meta(min_length=1, max_length=_MOST_INVITES)]
"""Several invites of one person."""


def new_invite(
    authority: Authority,
    addresses: tuple[str, ...],
    match: str,
    game: str,
    role: str | None,
    valid: tuple[dt.datetime, dt.datetime],
) -> Invite:
    """Return an invite with a fresh key for one seat; role None watches."""
    pair = issue_seat(authority, match, role, valid[0], valid[1])
    return Invite(
        flagplot_invite=FORMAT,
        addresses=addresses,
        match=match,
        game=game,
        role=role,
        authority=authority.authority.certificate,
        certificate=pair.certificate,
        key=pair.key,
        expires=int(valid[1].timestamp()),
    )


def invite_name(match: str, role: str | None) -> str:
    """Return the file name of an invite."""
    return f"{match}.{role or SPECTATOR}{SUFFIX}"


def write_invite(folder: Path, invite: Invite) -> Path:
    """Write an invite file into a folder and return its path.

    Raises:
        InviteError: The folder cannot be written to.
    """
    return _write(folder / invite_name(invite.match, invite.role), msgspec.json.encode(invite))


def write_invites(folder: Path, invites: Sequence[Invite], name: str = "") -> Path:
    """Write the invites of one person into one file and return its path.

    Args:
        folder: Where the file goes.
        invites: One per role, all of one match; a single one is written as it always was.
        name: Name of the file; empty for one of match and roles.

    Raises:
        InviteError: The folder cannot be written to.
    """
    first, *more = invites
    roles = ROLES_JOIN.join(str(invite.role) for invite in invites) if more else first.role
    content = msgspec.json.encode(tuple(invites) if more else first)
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
    """Return the invites in some bytes, one per role of one person; the one way in for invites.

    Args:
        data: Contents of a file, or of a paste.
        source: Name of the file, for the sentence of an error.

    Raises:
        InviteError: It is not an invite, of another format, or its parts do not belong together.
    """
    if len(data) > MOST_BYTES:
        raise InviteError(source, "this is too long for an invite file")
    try:
        found = msgspec.json.decode(utf_8(data), type=Invite | Invites)
    except EncodingError as error:
        raise InviteError(source, str(error)) from error
    except msgspec.ValidationError as error:
        raise InviteError(
            source, f"this is not a flagplot invite: {clean(str(error), 160)}"
        ) from error
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, OverflowError) as error:
        raise InviteError(source, "this is not a flagplot invite file") from error
    invites = (found,) if isinstance(found, Invite) else found
    for invite in invites:
        if invite.flagplot_invite != FORMAT:
            raise InviteError(
                source,
                f"this invite has format {invite.flagplot_invite}; this program reads format {FORMAT}",
            )
        _check_parts(invite, source)
    _check_together(invites, source)
    return invites


def decode_invite(data: bytes, source: str) -> Invite:
    """Return the one invite in some bytes.

    Raises:
        InviteError: As :func:`decode_invites`, or there are several.
    """
    invite, *more = decode_invites(data, source)
    if more:
        raise InviteError(source, "this file holds the invites of several roles")
    return invite


def _check_together(invites: tuple[Invite, ...], source: str) -> None:
    """Raise when several invites are not those of one person at one table."""
    roles = [invite.role for invite in invites]
    if len(roles) == 1:
        return
    if None in roles or len(set(roles)) < len(roles):
        raise InviteError(source, "the invites in this file are not for different roles")
    if len({(invite.match, invite.game) for invite in invites}) > 1:
        raise InviteError(source, "the invites in this file are for different matches")


def _check_parts(invite: Invite, source: str) -> None:
    """Raise when key, certificate, authority and seat do not fit together."""
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


def check_current(invite: Invite, now: dt.datetime, source: str) -> None:
    """Accept an invite whose certificate is valid now.

    Raises:
        InviteError: It expired, or is not valid yet.
    """
    problem = dates_problem(invite, now)
    if problem:
        raise InviteError(source, f"this invite cannot be used: {problem}")


def dates_problem(invite: Invite, now: dt.datetime) -> str:
    """Return why the invite is not valid by the clock of this machine and what to do; empty when it is valid."""
    problem = check_dates(load_certificate(invite.certificate), now, OWN_CLOCK)
    return (
        f"{problem}; set the clock if it is wrong, else ask the host for a new invite"
        if problem
        else ""
    )


def typed_path(text: str) -> Path:
    """Return the file that a player names, ``~`` for the own home or that of another account.

    Raises:
        InviteError: There is no such account.
    """
    try:
        return Path(text).expanduser()
    except RuntimeError as error:
        raise InviteError(text, "cannot be read: nobody of this name has a home here") from error


def load_invites(path: Path) -> tuple[Invite, ...]:
    """Return the invites in a file, one per role of one person.

    Raises:
        InviteError: The file cannot be read, or holds no invite.
    """
    return decode_invites(_read(path), str(path))


def load_invite(path: Path) -> Invite:
    """Return the one invite in a file.

    Raises:
        InviteError: The file cannot be read, holds no invite, or those of several roles.
    """
    return decode_invite(_read(path), str(path))


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InviteError(str(path), f"cannot be read: {reason}") from error


def parse_listen(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``, ``[V6]:PORT`` or ``:PORT`` (all interfaces).

    Raises:
        AddressError: It is not of this form.
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
    return host or "0.0.0.0", int(port)  # noqa: S104  # asked for by an empty host


def check_name(name: str) -> str:
    """Return a name or address that peers can dial.

    Raises:
        AddressError: An invite cannot hold it.
    """
    if re.match(_ADDRESS_PATTERN, url(name, 1, plain=True)) is None:
        raise AddressError(
            f"'{name}' is not a host name; write a name, an IPv4 address, or an IPv6 address in brackets"
        )
    return name


def url(host: str, port: int, *, plain: bool) -> str:
    """Return the address that a peer dials."""
    return f"{PLAIN_SCHEME if plain else TLS_SCHEME}://{host}:{port}"
