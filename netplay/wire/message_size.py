"""The maximum size of a message on the wire."""

from typing import Final

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""Maximum length of a message. A longer message ends the connection before any of it is stored."""
MAX_PAYLOAD_BYTES: Final = MAX_MESSAGE_BYTES - 64
"""Maximum length of a message's payload. The transport adds a few bytes of its own."""
