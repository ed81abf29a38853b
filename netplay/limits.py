"""How much a seat may ask for, or the spectators of one address, and what happens beyond.

Nothing here belongs to a connection: whoever comes back with another one goes on where the last one ended.
"""

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable
from typing import Final

MESSAGES_PER_SECOND: Final = 600
MESSAGES_AT_ONCE: Final = 1200
CHAT_PER_SECOND: Final = 2
CHAT_AT_ONCE: Final = 10
ILLEGAL_PER_SECOND: Final = 10
ILLEGAL_AT_ONCE: Final = 60
COMPARISONS_PER_SECOND: Final = 20
COMPARISONS_AT_ONCE: Final = 40
"""Digests that the host works out for somebody; each may cost it many milliseconds, and honest peers ask for few."""
MOST_OFFENCES: Final = 200
"""Messages beyond a limit after which the connection is closed ..."""
FORGIVEN_PER_SECOND: Final = 1
"""... if they came faster than this."""
COOL_DOWN_SECONDS: Final = 10.0
"""How long a seat that was thrown out for flooding must wait."""
MOST_SPECTATORS: Final = 64
"""Spectators of one match."""
MEND_SECONDS: Final = 1.0
"""From one try to go on with a record that the disk refused to the next."""
RESULTS_KEPT: Final = 4
"""Results that each copy of a match keeps of a kind, after each record: a table moves on, and tries nothing."""
IDLE_SECONDS: Final = 60.0
"""A match in which nothing was done for so long keeps nothing that can be worked out again."""
WAITING_AFTER_SECONDS: Final = 5.0
"""A seat that neither asks nor answers for so long counts as absent."""
_REMEMBERED: Final = 1_000
"""Allowances of one match; nobody fills the memory with addresses."""
_CUSTOMER_BITS: Final = 64


class Bucket:
    """Tokens that come back at a steady rate."""

    def __init__(
        self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start full.

        Args:
            rate: Tokens per second.
            burst: Most tokens at a time.
            clock: Seconds that never go back.
        """
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._tokens = burst
        self._filled = clock()

    def take(self) -> bool:
        """Take a token; False when there is none."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._rate)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


REFUSED_SECONDS: Final = 60.0
REFUSALS_PER_MINUTE: Final = 20
"""False messages of a seat that are answered; after one more its connection ends, and it has to wait."""


STALE_PER_SECOND: Final = 5
STALE_AT_ONCE: Final = 300
"""Messages of a transcript that came too late. An honest seat sends some after each lost connection, and where two
seats act at the same time; each costs the host a check of a signature."""


class Allowance:
    """What a seat may still do, or the spectators of one address together."""

    def __init__(self) -> None:
        """Allow everything that is allowed at once."""
        self.messages = Bucket(MESSAGES_PER_SECOND, MESSAGES_AT_ONCE)
        self.chat = Bucket(CHAT_PER_SECOND, CHAT_AT_ONCE)
        self.illegal = Bucket(ILLEGAL_PER_SECOND, ILLEGAL_AT_ONCE)
        self.comparisons = Bucket(COMPARISONS_PER_SECOND, COMPARISONS_AT_ONCE)
        self._offences = Bucket(FORGIVEN_PER_SECOND, MOST_OFFENCES)
        self._refusals = Bucket(REFUSALS_PER_MINUTE / 60, REFUSALS_PER_MINUTE)
        self._stale = Bucket(STALE_PER_SECOND, STALE_AT_ONCE)
        self.is_spent = False
        """Whether the connection must end now."""
        self.rest_seconds = COOL_DOWN_SECONDS
        """How long the seat cannot connect after that."""

    def refuse(self) -> None:
        """Count a message of a transcript that was refused as false."""
        if not self._refusals.take():
            self.is_spent, self.rest_seconds = True, REFUSED_SECONDS

    def refuse_stale(self) -> None:
        """Count a message of a transcript that was not due any more, or a repeat of one."""
        if not self._stale.take():
            self.is_spent, self.rest_seconds = True, REFUSED_SECONDS

    def offend(self) -> None:
        """Count one message too many."""
        self.is_spent, self.rest_seconds = not self._offences.take(), COOL_DOWN_SECONDS


class Allowances:
    """One allowance for each seat, and for the spectators of each address."""

    def __init__(self) -> None:
        """Know nobody yet."""
        self._known: OrderedDict[str, Allowance] = OrderedDict()

    def of(self, who: str) -> Allowance:
        """Return what somebody may still do; who was not here for longest is forgotten."""
        found = self._known.setdefault(who, Allowance())
        self._known.move_to_end(who)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return found


def origin(remote: str) -> str:
    """Return whose an address is: an IPv4 address without its port, of IPv6 the network that one customer has."""
    host = remote.rpartition(":")[0].strip("[]").partition("%")[0]
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return remote
    if isinstance(found, ipaddress.IPv4Address):
        return host
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, _CUSTOMER_BITS), strict=False))


def whose(role: str | None, remote: str) -> str:
    """Return whose allowance a connection uses: that of its seat, or of all who watch from its address."""
    return origin(remote) if role is None else role


def most_crowded(origins: Iterable[str]) -> tuple[str, int]:
    """Return the origin that is there most often, and how often; of several the one that came first."""
    return Counter(origins).most_common(1)[0]
