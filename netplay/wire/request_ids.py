"""Creates ids for requests."""

import secrets


def new_id() -> str:
    """Return a unique request id."""
    return secrets.token_hex(12)
