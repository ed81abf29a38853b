"""One proven connection: whose it is, what it was told, and how much it asks."""

import time
from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from cryptography import x509

from engine.kernel.ids import Role
from netplay import limits
from netplay.limits import Allowance
from netplay.messages import DISK, Accepted, OutOfStep, Refused
from saves.disk import Trouble

_REMEMBERED: Final = 256

Verdict = Accepted | Refused


class HostSession:
    """A seat's or a spectator's connection from its proof to its end."""

    def __init__(
        self,
        line: int,
        role: Role | None,
        capabilities: tuple[str, ...],
        whose: str = "",
        allowance: Allowance | None = None,
        certificate: x509.Certificate | None = None,
    ) -> None:
        """Open a session on a connection.

        Args:
            line: Number of the connection.
            role: The seat; None watches.
            capabilities: What the other end can do.
            whose: The seat again, or the address of who watches.
            allowance: What it may still do; None for a fresh one.
            certificate: With which it was proved.
        """
        self.line = line
        self.role = role
        self.capabilities = capabilities
        self.seen = time.monotonic()
        self.is_asking = False
        """Whether a question for news is held now."""
        self.turn = 0
        """Counts the questions for news; an older one gives way to a newer one."""
        self.is_welcome = False
        """Whether it has heard that its match has begun."""
        self.told = -1
        """Version of the table that it knows."""
        self.in_step = True
        """False from a difference of views until the next agreement."""
        self.difference: OutOfStep | None = None
        """The difference of which this end has not told its side yet."""
        self.closing = ""
        """Why the connection is about to end; empty while it goes on."""
        self.whose = whose
        self.allowance = allowance or Allowance()
        self.certificate = certificate

    def disk_told(self, trouble: Trouble) -> Trouble:
        """Return what the other end is told of the host's disk; nothing where its program does not know of it."""
        return trouble if DISK in self.capabilities else ""

    def is_present(self, now: float) -> bool:
        """Return whether the other end shows signs of life."""
        return self.is_asking or now - self.seen < limits.WAITING_AFTER_SECONDS


class Memory:
    """The answers to a seat's last requests, so that a repeat changes nothing."""

    def __init__(self) -> None:
        """Remember nothing yet."""
        self._answers: OrderedDict[str, tuple[bytes, Verdict]] = OrderedDict()

    def recall(self, request_id: str, content: bytes) -> Verdict | None:
        """Return the first answer to a request; None when it is new.

        The same id with other content is refused: it is a mistake of the peer, or worse.
        """
        known = self._answers.get(request_id)
        if known is None:
            return None
        print_, verdict = known
        if print_ == _print(content):
            return verdict
        return Refused(
            request_id=request_id,
            code="reused",
            text="this request id was used for something else",
        )

    def keep(self, request_id: str, content: bytes, verdict: Verdict) -> Verdict:
        """Remember an answer and return it."""
        self._answers[request_id] = (_print(content), verdict)
        while len(self._answers) > _REMEMBERED:
            self._answers.popitem(last=False)
        return verdict


def refuse(request_id: str, code: str, text: str) -> Refused:
    """Return the refusal of a request, with a sentence for whoever made it."""
    return Refused(request_id=request_id, code=code, text=text[:900])


def _print(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
