"""Defines the maximum size of a network message."""

from typing import Final

MAX_MESSAGE_BYTES: Final = 64 * 1024
"""Maximum length of a message in bytes. If a longer message is announced, the connection is closed at once."""
MAX_PAYLOAD_BYTES: Final = MAX_MESSAGE_BYTES - 64
"""Maximum length of a message payload in bytes. The transport adds a few bytes."""
