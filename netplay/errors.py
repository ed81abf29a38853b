"""What can go wrong between machines; leaves of the tree in ``engine.kernel.errors``."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError


class NetworkError(FlagplotError):
    """Base of every failure of the network or of the other side."""

    exit_code: ClassVar[int] = 4


class ForeignError(NetworkError):
    """What the other side said or is; its sentence may hold words of that side."""

    def __init__(self, text: str, logged: str = "") -> None:
        """Keep the sentence, and what a log says instead when there are foreign words in it."""
        self.logged = logged or text
        super().__init__(text)


class ProtocolError(ForeignError):
    """A message that no honest program of this version sends."""


class ConnectionLostError(NetworkError):
    """The other machine cannot be reached, or does not answer in time."""


class UnavailableError(NetworkError):
    """The host cannot do this now; nothing happened, and trying again later makes sense."""


class InviteError(NetworkError):
    """An invite file that cannot be used; the sentence names the file and what is wrong with it."""

    exit_code: ClassVar[int] = 3

    def __init__(self, source: str, problem: str) -> None:
        """Keep where the invite came from and what is wrong with it."""
        self.source = source
        self.problem = problem
        super().__init__(f"{source}: {problem}")


class SeatRefusedError(ForeignError):
    """The host does not let this key take this seat; trying again does not help."""


class FoulPlayError(NetworkError):
    """The host did what no honest host does; the sentence says what."""


class AddressError(NetworkError):
    """An address that cannot be listened on or that is not an address."""


class FolderInUseError(NetworkError):
    """Another host serves the matches of this folder."""

    def __init__(self, address: str = "", process: int = 0) -> None:
        """Keep where the other host listens and its process; empty and 0 when it does not answer."""
        self.address = address
        self.process = process
        where = f" at {address}" if address else ""
        who = f" (process {process})" if process else ""
        super().__init__(
            f"a host of this folder runs already{where}{who}; 'flagplot host --status' shows it."
            " Stop it first, or choose another folder with --folder"
        )
