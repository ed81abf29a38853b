"""Invite files: their content, and the reasons for refusing them."""

import datetime as dt
import random
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from netplay.invites.identity import (
    check_dates,
    check_seat,
    issue_seat,
    new_authority,
    sign_proof,
    verify_proof,
)
from netplay.invites.identity import load_certificate as certificate_of
from netplay.invites.invite import (
    Invite,
    check_valid_now,
    decode_invite,
    expand_path,
    load_invite,
    new_invite,
    parse_listen,
    write_invite,
)
from netplay.wire.errors import AddressError, InviteError, ProtocolError, SeatRefusedError

NOW = dt.datetime(2026, 3, 1, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
OURS = new_authority(NOW)
OTHER = new_authority(NOW)
ADDRESS = "tls+tcp://127.0.0.1:7480"


def invite(role: str | None = "red", match: str = "match-1") -> Invite:
    return new_invite(OURS, (ADDRESS,), match, "toy", role, (NOW, NOW + 30 * DAY))


RED = invite("red")
BLUE = invite("blue")
CHANGE = msgspec.structs.replace


def test_an_invite_file_is_private_and_round_trips(tmp_path: Path) -> None:
    path = write_invite(tmp_path / "invites", RED)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_invite(path) == RED
    assert path.name == "match-1.red.invite"


def test_a_spectator_invite_round_trips(tmp_path: Path) -> None:
    path = write_invite(tmp_path, invite(None))
    assert load_invite(path).role is None


def _json(change: Callable[[dict[str, object]], object]) -> bytes:
    plain: dict[str, object] = msgspec.to_builtins(RED)
    change(plain)
    return msgspec.json.encode(plain)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(b"", "not a flagplot invite file", id="empty"),
        pytest.param(b"\xff\xff", "not a flagplot invite file", id="no-text"),
        pytest.param(b"\xff\xfe", "this is UTF-16 text; save it as UTF-8", id="utf-16"),
        pytest.param(b"[" * 20_000, "not a flagplot invite", id="deep"),
        pytest.param(b" " * 40_000, "too long", id="too-long"),
        pytest.param(b"{}", "missing required field", id="nothing-in-it"),
        pytest.param(
            _json(lambda plain: plain.update(flagplot_invite=2)), "format 2", id="newer-format"
        ),
        pytest.param(_json(lambda plain: plain.update(extra=1)), "unknown field", id="extra"),
        pytest.param(
            _json(lambda plain: plain.update(match="../../etc")), "$.match", id="match-is-a-path"
        ),
        pytest.param(
            _json(lambda plain: plain.update(addresses=["file:///etc/passwd"])),
            "$.addresses",
            id="address-of-another-kind",
        ),
        pytest.param(
            _json(lambda plain: plain.update(addresses=None)), "$.addresses", id="nowhere"
        ),
        pytest.param(
            _json(lambda plain: plain.update(key="-----BEGIN")), "damaged", id="key-damaged"
        ),
        pytest.param(
            msgspec.json.encode(CHANGE(RED, key=BLUE.key)), "does not belong", id="key-of-another"
        ),
        pytest.param(
            msgspec.json.encode(CHANGE(RED, role="blue")),
            "is for red, not for blue",
            id="N4-swapped-seat",
        ),
        pytest.param(
            msgspec.json.encode(CHANGE(RED, match="match-2")), "another match", id="other-match"
        ),
        pytest.param(
            msgspec.json.encode(CHANGE(RED, authority=OTHER.authority.certificate)),
            "not issued by its host",
            id="N4-other-authority",
        ),
    ],
)
def test_an_invalid_invite_is_refused_with_a_one_line_error(data: bytes, words: str) -> None:
    with pytest.raises(InviteError) as caught:
        decode_invite(data, "x.invite")
    assert words in str(caught.value)
    assert str(caught.value).startswith("x.invite: ")
    assert "\n" not in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InviteError, match="cannot be read"):
        load_invite(tmp_path / "none.invite")


@pytest.mark.parametrize(
    ("when", "words"),
    [
        pytest.param(NOW - 2 * DAY, "not valid before", id="N4-not-yet"),
        pytest.param(NOW + 31 * DAY, "expired on", id="N4-expired"),
    ],
)
def test_expired_and_future_certificates_are_refused(when: dt.datetime, words: str) -> None:
    clock = f"{words} .*the clock of {{}} says {when:%Y-%m-%d %H:%M} UTC"
    with pytest.raises(InviteError, match=clock.format("this machine")):
        check_valid_now(RED, when, "x.invite")
    with pytest.raises(SeatRefusedError, match=clock.format("the host")):
        check_seat(OURS.authority.certificate, RED.certificate, "match-1", "red", when)


@pytest.mark.parametrize("hours", [0, 23])
def test_a_guest_clock_may_be_a_day_behind(hours: int) -> None:
    behind = NOW - dt.timedelta(hours=hours)
    fresh = new_invite(OURS, RED.addresses, "match-1", "toy", "red", (NOW, NOW + DAY))
    check_valid_now(fresh, behind, "x.invite")
    for pair in (OURS.authority, OURS.host):
        assert not check_dates(certificate_of(pair.certificate), behind, "this machine")


@pytest.mark.parametrize(
    ("certificate", "match", "role", "words"),
    [
        pytest.param(RED.certificate, "match-2", "red", "another match", id="N4-other-match"),
        pytest.param(RED.certificate, "match-1", "blue", "not for blue", id="N4-other-seat"),
        pytest.param(RED.certificate, "match-1", None, "not for spectator", id="N4-watch"),
        pytest.param(
            issue_seat(OTHER, "match-1", "red", NOW, NOW + DAY).certificate,
            "match-1",
            "red",
            "not issued by this host",
            id="N4-other-authority",
        ),
        pytest.param(
            OURS.host.certificate, "match-1", "red", "another match", id="the-host-is-no-seat"
        ),
    ],
)
def test_a_certificate_is_accepted_only_for_its_own_seat(
    certificate: str, match: str, role: str | None, words: str
) -> None:
    with pytest.raises(SeatRefusedError, match=words):
        check_seat(OURS.authority.certificate, certificate, match, role, NOW)


def test_a_malformed_certificate_is_a_protocol_error() -> None:
    with pytest.raises(ProtocolError):
        check_seat(OURS.authority.certificate, "no", "match-1", "red", NOW)


def test_a_proof_is_valid_only_for_the_signed_parts() -> None:
    certificate = certificate_of(RED.certificate)
    proof = sign_proof(RED.key, b"seat", b"ab", b"c")
    assert verify_proof(certificate, proof, b"seat", b"ab", b"c")
    assert not verify_proof(certificate, proof, b"seat", b"a", b"bc")
    assert not verify_proof(certificate, proof, b"host", b"ab", b"c")
    assert not verify_proof(certificate_of(BLUE.certificate), proof, b"seat", b"ab", b"c")
    assert not verify_proof(certificate, b"no signature", b"seat", b"ab", b"c")


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        pytest.param("127.0.0.1:7480", ("127.0.0.1", 7480), id="v4"),
        pytest.param(":0", ("0.0.0.0", 0), id="all-interfaces"),
        pytest.param("[::1]:7480", ("[::1]", 7480), id="v6"),
    ],
)
def test_listen_addresses_are_parsed(text: str, parsed: tuple[str, int]) -> None:
    assert parse_listen(text) == parsed


@pytest.mark.parametrize("text", ["", "7480", "host:", "host:70000", "host:-1", "host:²"])
def test_malformed_listen_addresses_are_refused(text: str) -> None:
    with pytest.raises(AddressError, match="is not an address"):
        parse_listen(text)


def test_5000_mutated_invites_raise_only_invite_error() -> None:
    source = random.Random(7)
    good = msgspec.json.encode(RED)
    accepted = 0
    for _ in range(5000):
        data = bytearray(good)
        for _ in range(source.randint(1, 3)):
            where = source.randrange(len(data))
            data[where : where + source.randint(0, 3)] = source.randbytes(source.randint(0, 3))
        try:
            decode_invite(bytes(data), "x.invite")
            accepted += 1
        except InviteError:
            continue
    assert accepted < 1000


@pytest.mark.parametrize("text", ["~nobody-here/x", "~nobody-here"])
def test_an_unknown_home_directory_is_refused(text: str) -> None:
    with pytest.raises(
        InviteError, match=r"^~nobody-here.*: cannot be read: there is no home directory"
    ):
        expand_path(text)
    assert expand_path("~/x.invite") == Path.home() / "x.invite"
