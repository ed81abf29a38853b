"""Creates and checks the keys and certificates that identify the host and the seats.

Each hosting folder has one private authority, which signs the host's certificate and one certificate per seat. The
certificate for a seat names the match and the role, so it is not valid for any other seat or match.
"""

import datetime as dt
import hashlib
from functools import lru_cache
from typing import Final

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from netplay.wire.errors import ProtocolError, SeatRefusedError

HOST_NAME: Final = "flagplot-host"
"""The common name in the host's certificate. The name stays the same if the host's address changes."""
SPECTATOR: Final = "spectator"
"""The common name in a spectator's certificate. No role may have this name."""
PROOF_CONTEXT: Final = b"flagplot seat proof 1\x00"
HOST_CONTEXT: Final = b"flagplot host proof 1\x00"
OWN_CLOCK: Final = "this machine"
"""How error messages refer to this machine when they mention its clock."""
NONCE_BYTES: Final = 32
_CURVE: Final = ec.SECP256R1
_PARSE_ERRORS: Final = (
    ValueError,
    TypeError,
    OverflowError,
    UnsupportedAlgorithm,
    InvalidSignature,
    x509.InvalidVersion,
)
"""Exceptions that the ``cryptography`` package raises for invalid certificates and keys."""
_BACKDATED: Final = dt.timedelta(days=1)
"""Time by which the validity of a new certificate is backdated, in case another machine's clock is slow."""
_AUTHORITY_VALID_DAYS: Final = 3650
SEAT_DAYS: Final = 730
"""Default number of days for which an invite is valid."""


class KeyPair(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate and its private key, both as PEM text."""

    certificate: str
    key: str


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """The keys in a hosting folder: those of its certificate authority and those of the host."""

    version: int = 1
    authority: KeyPair
    host: KeyPair


class SeatName(msgspec.Struct, frozen=True, kw_only=True):
    """The information that a seat's certificate contains."""

    match: str
    role: str | None
    """Role of the seat; None for a spectator."""
    fingerprint: str
    """Hex digest of the public key for the seat."""


def _pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    ).decode()


@lru_cache(maxsize=64)
def load_key(pem: str) -> ec.EllipticCurvePrivateKey:
    """Load a private key from PEM text.

    Raises:
        ValueError: The text is not an unencrypted P-256 key.
    """
    try:
        key = serialization.load_pem_private_key(pem.encode(), password=None)
    except _PARSE_ERRORS as error:
        raise ValueError("not an unencrypted private key") from error
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, _CURVE):
        raise ValueError("not a P-256 key")  # noqa: TRY004  # the value is wrong, not its type
    return key


def load_certificate(pem: str) -> x509.Certificate:
    """Load a certificate from PEM text.

    Raises:
        ValueError: The certificate cannot be read, or is not for a P-256 key.
    """
    try:
        certificate = x509.load_pem_x509_certificate(pem.encode())
        key = certificate.public_key()
        # The ``cryptography`` package parses these fields only when they are read, so damage may go
        # unnoticed until now.
        _ = certificate.subject, certificate.issuer, certificate.not_valid_after_utc
    except _PARSE_ERRORS as error:
        raise ValueError("not a certificate") from error
    if not isinstance(key, ec.EllipticCurvePublicKey) or not isinstance(key.curve, _CURVE):
        raise ValueError("not a certificate with a P-256 key")  # noqa: TRY004  # the value is wrong
    return certificate


def fingerprint(certificate: x509.Certificate) -> str:
    """Return the SHA-256 hex digest of the public key in a certificate."""
    spki = certificate.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return hashlib.sha256(spki).hexdigest()


def _x509_name(subject_name: str, organization: str | None) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.COMMON_NAME, subject_name)]
    if organization is not None:
        parts.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
    return x509.Name(parts)


def _issue_certificate(
    subject: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    issuer: tuple[x509.Name, ec.EllipticCurvePrivateKey],
    validity: tuple[dt.datetime, dt.datetime],
    usage: x509.ObjectIdentifier | None,
) -> x509.Certificate:
    """Create a signed certificate. If no usage is given, it is an authority's certificate."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(validity[0])
        .not_valid_after(validity[1])
    )
    # With a path length of 0, this authority cannot create other authorities.
    depth = 0 if usage is None else None
    constraints = x509.BasicConstraints(ca=usage is None, path_length=depth)
    builder = builder.add_extension(constraints, critical=True)
    if usage is not None:
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
    if usage == ExtendedKeyUsageOID.SERVER_AUTH:
        # Peers check the certificate for this name instead of the host's address.
        names = x509.SubjectAlternativeName([x509.DNSName(HOST_NAME)])
        builder = builder.add_extension(names, critical=False)
    return builder.sign(issuer[1], hashes.SHA256())


def _encode_key_pair(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> KeyPair:
    pem = certificate.public_bytes(serialization.Encoding.PEM).decode()
    return KeyPair(certificate=pem, key=_pem(key))


def new_authority(now: dt.datetime) -> Authority:
    """Create an authority with a host certificate, both valid for ten years."""
    validity = (now - _BACKDATED, now + dt.timedelta(days=_AUTHORITY_VALID_DAYS))
    root_key = ec.generate_private_key(_CURVE())
    root_name = _x509_name("flagplot authority", None)
    root = _issue_certificate(root_name, root_key, (root_name, root_key), validity, None)
    host_key = ec.generate_private_key(_CURVE())
    host = _issue_certificate(
        _x509_name(HOST_NAME, None),
        host_key,
        (root_name, root_key),
        validity,
        ExtendedKeyUsageOID.SERVER_AUTH,
    )
    return Authority(
        authority=_encode_key_pair(root, root_key), host=_encode_key_pair(host, host_key)
    )


def issue_seat(
    authority: Authority,
    match: str,
    role: str | None,
    not_before: dt.datetime,
    not_after: dt.datetime,
) -> KeyPair:
    """Create a key and certificate for a seat in a match or, if the role is None, for a spectator."""
    root = load_certificate(authority.authority.certificate)
    key = ec.generate_private_key(_CURVE())
    certificate = _issue_certificate(
        _x509_name(SPECTATOR if role is None else role, match),
        key,
        (root.subject, load_key(authority.authority.key)),
        (not_before - _BACKDATED, not_after),
        ExtendedKeyUsageOID.CLIENT_AUTH,
    )
    return _encode_key_pair(certificate, key)


def check_dates(certificate: x509.Certificate, now: dt.datetime, machine: str) -> str:
    """Return the reason why a certificate is not valid now; empty if it is valid.

    Args:
        certificate: The certificate to check.
        now: The current time.
        machine: How to refer to the machine whose clock was used: ``this machine`` or ``the host``.
    """
    clock = f"and the clock of {machine} says {now:%Y-%m-%d %H:%M} UTC"
    if now < certificate.not_valid_before_utc:
        return (
            f"it is not valid before {certificate.not_valid_before_utc:%Y-%m-%d %H:%M} UTC, {clock}"
        )
    if now > certificate.not_valid_after_utc:
        return f"it expired on {certificate.not_valid_after_utc:%Y-%m-%d %H:%M} UTC, {clock}"
    return ""


def check_authority(authority: Authority, now: dt.datetime) -> str:
    """Return why a host's certificates are not valid now, and what to do about it; empty if they are valid.

    Raises:
        ValueError: The keys or certificates are damaged.
    """
    for pair in (authority.authority, authority.host):
        load_key(pair.key)
        problem = check_dates(load_certificate(pair.certificate), now, OWN_CLOCK)
        if problem:
            return (
                f"no invite from this host works now, because its certificate is not valid: {problem};"
                " set the clock, or delete this file and issue every invite again (flagplot host invite)"
            )
    return ""


def _attribute(certificate: x509.Certificate, oid: x509.ObjectIdentifier) -> str:
    attributes = certificate.subject.get_attributes_for_oid(oid)
    return str(attributes[0].value) if attributes else ""


def common_name(certificate: x509.Certificate) -> str:
    """Return the common name in a certificate; empty if the certificate has none."""
    return _attribute(certificate, NameOID.COMMON_NAME)


def read_seat(certificate: x509.Certificate) -> SeatName:
    """Read the information in the certificate for a seat."""
    subject_name = common_name(certificate)
    return SeatName(
        match=_attribute(certificate, NameOID.ORGANIZATION_NAME),
        role=None if subject_name == SPECTATOR else subject_name,
        fingerprint=fingerprint(certificate),
    )


def is_issued_by(certificate: x509.Certificate, authority_pem: str) -> bool:
    """Return whether the authority signed the certificate."""
    try:
        certificate.verify_directly_issued_by(load_certificate(authority_pem))
    except _PARSE_ERRORS:
        return False
    return True


def sign_proof(key_pem: str, context: bytes, *parts: bytes) -> bytes:
    """Sign the context followed by the parts, each prefixed with its length."""
    return load_key(key_pem).sign(_join_framed(context, parts), ec.ECDSA(hashes.SHA256()))


def _join_framed(context: bytes, parts: tuple[bytes, ...]) -> bytes:
    return context + b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def verify_proof(
    certificate: x509.Certificate, signature: bytes, context: bytes, *parts: bytes
) -> bool:
    """Return whether this signature matches the data and the key in the certificate."""
    key = certificate.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey):
        return False
    try:
        key.verify(signature, _join_framed(context, parts), ec.ECDSA(hashes.SHA256()))
    except _PARSE_ERRORS:
        return False
    return True


def check_seat(
    authority_pem: str, certificate_pem: str, match: str, role: str | None, now: dt.datetime
) -> x509.Certificate:
    """Load a certificate and check that it is valid now for this seat.

    Raises:
        ProtocolError: The certificate cannot be read.
        SeatRefusedError: The certificate is from another authority, is for another match or seat, or is not valid now.
    """
    try:
        certificate = load_certificate(certificate_pem)
    except ValueError as error:
        raise ProtocolError("the certificate cannot be read") from error
    seat = read_seat(certificate)
    if not is_issued_by(certificate, authority_pem):
        raise SeatRefusedError("this invite was not issued by this host")
    problem = check_dates(certificate, now, "the host")
    if problem:
        raise SeatRefusedError(f"this invite cannot be used: {problem}")
    if seat.match != match:
        raise SeatRefusedError("this invite is for another match")
    if seat.role != role:
        raise SeatRefusedError(
            f"this invite is for {seat.role or SPECTATOR}, not for {role or SPECTATOR}"
        )
    return certificate
