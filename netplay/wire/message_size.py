"""Defines the maximum size of a network message."""

from typing import Final

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""Maximum length of a message. A longer one closes the connection before any of it is stored."""
MAX_PAYLOAD_BYTES: Final = MAX_MESSAGE_BYTES - 64
"""Maximum length of the payload of a message. The transport adds a few bytes."""
