"""Limits the requests from one seat or from all spectators at one address, and penalises peers that exceed the limits.

The limits apply across connections, so a peer that reconnects has only what remains of its allowance.
"""

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

MESSAGES_PER_SECOND: Final = 600
MESSAGES_BURST: Final = 1200
CHAT_PER_SECOND: Final = 2
CHAT_BURST: Final = 10
RESUMES_PER_SECOND: Final = 1
RESUMES_BURST: Final = 10
"""Number of resume requests from one seat that the other seats receive at once.

A seat's program sends one each time it starts, and the same one again on each new connection. Further requests are
delayed, and only the latest is kept.
"""
ILLEGAL_PER_SECOND: Final = 10
ILLEGAL_BURST: Final = 60
COMPARISONS_PER_SECOND: Final = 20
COMPARISONS_BURST: Final = 40
"""Maximum number of digests computed in one burst.

Computing a digest may take many milliseconds, and honest peers need few digests.
"""
MAX_OFFENCES: Final = 200
"""Maximum number of messages beyond the limits. A connection that sends more of them is closed."""
FORGIVEN_PER_SECOND: Final = 1
"""Number of messages beyond the limits that are forgiven per second."""
COOL_DOWN_SECONDS: Final = 10.0
"""Time in seconds for which a seat that has flooded the host is locked out."""
MAX_SPECTATORS: Final = 64
"""Maximum number of spectators per match."""
REPAIR_SECONDS: Final = 1.0
"""Interval in seconds between attempts to repeat a failed write."""
MAX_RESULTS: Final = 4
"""Number of cached results of each kind that a copy of a match keeps after each record."""
IDLE_SECONDS: Final = 60.0
"""Time in seconds that a match must be idle before its cached results are dropped."""
ABSENT_AFTER_SECONDS: Final = 5.0
"""A seat is considered absent if it has sent no message for this many seconds."""
_MAX_ALLOWANCES: Final = 1_000
"""Maximum number of allowances per match, so that a large number of addresses cannot fill the memory."""
_NETWORK_BITS: Final = 64


class Bucket:
    """A token bucket that refills at a constant rate."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with a full bucket.

        Args:
            rate: Tokens added per second.
            burst: Maximum number of tokens.
            clock: Monotonic clock, in seconds.
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = burst
        self._refilled_at = clock()

    def take(self) -> bool:
        """Take a token and return True, or return False if the bucket is empty."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._refilled_at) * self._rate)
        self._refilled_at = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


REFUSED_SECONDS: Final = 60.0
REFUSALS_PER_MINUTE: Final = 20
"""Number of invalid messages allowed per seat per minute. A seat that sends more is disconnected and locked out."""


STALE_PER_SECOND: Final = 5
STALE_BURST: Final = 300
"""Maximum number of late transcript messages in one burst.

An honest seat sends some late messages after each lost connection, and whenever two seats act at the same time. The
host must check the signature on each late message.
"""


class Allowance:
    """The remaining allowance of one seat, or of all spectators at one address together."""

    def __init__(self) -> None:
        """Start with full buckets."""
        self.messages = Bucket(MESSAGES_PER_SECOND, MESSAGES_BURST)
        self.chat = Bucket(CHAT_PER_SECOND, CHAT_BURST)
        self.illegal = Bucket(ILLEGAL_PER_SECOND, ILLEGAL_BURST)
        self.comparisons = Bucket(COMPARISONS_PER_SECOND, COMPARISONS_BURST)
        self._offences = Bucket(FORGIVEN_PER_SECOND, MAX_OFFENCES)
        self._refusals = Bucket(REFUSALS_PER_MINUTE / 60, REFUSALS_PER_MINUTE)
        self._stale = Bucket(STALE_PER_SECOND, STALE_BURST)
        self.is_spent = False
        """True if the connection must be closed now."""
        self.rest_seconds = COOL_DOWN_SECONDS
        """Time in seconds for which the owner is locked out once the connection has been closed."""

    def count_invalid(self) -> None:
        """Count a transcript message that was refused as invalid."""
        if not self._refusals.take():
            self.is_spent, self.rest_seconds = True, REFUSED_SECONDS

    def count_stale(self) -> None:
        """Count a transcript message that arrived too late or was a repeat."""
        if not self._stale.take():
            self.is_spent, self.rest_seconds = True, REFUSED_SECONDS

    def count_offence(self) -> None:
        """Count a message that exceeds a limit."""
        self.is_spent, self.rest_seconds = not self._offences.take(), COOL_DOWN_SECONDS


class Allowances:
    """The allowances in one match: one for each seat, and one for the spectators at each address."""

    def __init__(self) -> None:
        """Create an empty collection."""
        self._allowances: OrderedDict[str, Allowance] = OrderedDict()

    def get(self, owner: str) -> Allowance:
        """Return an owner's allowance, creating it if there is none.

        If there are too many allowances, the least recently used allowance is dropped.
        """
        allowance = self._allowances.setdefault(owner, Allowance())
        self._allowances.move_to_end(owner)
        if len(self._allowances) > _MAX_ALLOWANCES:
            self._allowances.popitem(last=False)
        return allowance


def origin(remote: str) -> str:
    """Return the origin of a connection: the IPv4 address without the port, or the /64 network of the IPv6 address."""
    host = remote.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return remote
    if isinstance(ip, ipaddress.IPv4Address):
        return host
    # A dual-stack socket reports the addresses of IPv4 peers as IPv4-mapped IPv6 addresses.
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    # A subscriber usually has a whole /64 network, and could otherwise avoid the limits by changing
    # addresses.
    return str(ipaddress.ip_network((ip, _NETWORK_BITS), strict=False))


def allowance_owner(role: str | None, remote: str) -> str:
    """Return the owner of a connection's allowance: the role or, for a spectator, the connection's origin."""
    return origin(remote) if role is None else role


def most_common_origin(origins: Iterable[str]) -> tuple[str, int]:
    """Return the most frequent origin and its count. In a tie, the first origin is returned."""
    return Counter(origins).most_common(1)[0]
