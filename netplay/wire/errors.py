"""Defines the errors in communication between machines. They extend the hierarchy in ``engine.kernel.errors``."""

from typing import ClassVar

from engine.kernel.errors import FlagplotError


class NetworkError(FlagplotError):
    """Base class for problems with the network or with the other program."""

    exit_code: ClassVar[int] = 4


class ForeignError(NetworkError):
    """A problem with the other program. The error message may contain text from that program."""

    def __init__(self, text: str, logged: str = "") -> None:
        """Store the message for the player, and a version for the log that contains no text from the other program."""
        self.logged = logged or text
        super().__init__(text)


class ProtocolError(ForeignError):
    """The other program sent a message that a correct program of this version would never send."""


class ConnectionLostError(NetworkError):
    """The other machine cannot be reached or does not respond in time."""


class UnavailableError(NetworkError):
    """The host cannot do this now. Nothing has changed, and the request can be retried later."""


class InviteError(NetworkError):
    """An invite file cannot be used. The message names the file and the problem."""

    exit_code: ClassVar[int] = 3

    def __init__(self, source: str, problem: str) -> None:
        """Store the invite's file name and the problem with it."""
        self.source = source
        self.problem = problem
        super().__init__(f"{source}: {problem}")


class SeatRefusedError(ForeignError):
    """The host or this program refuses the seat permanently. Retrying would not help."""


class FoulPlayError(NetworkError):
    """The host did something that an honest host would never do. The message describes what."""


class AddressError(NetworkError):
    """The text is not an address, or the host cannot listen on it."""


class FolderInUseError(NetworkError):
    """Another host is already serving this folder's matches."""

    def __init__(self, address: str = "", process: int = 0) -> None:
        """Store the other host's address and process id. If they are unknown, they are empty and 0."""
        self.address = address
        self.process = process
        address_text = f" at {address}" if address else ""
        process_text = f" (process {process})" if process else ""
        super().__init__(
            f"a host is already running in this folder{address_text}{process_text}; 'flagplot host status' shows it."
            " Stop it first, or choose another folder with --folder"
        )
