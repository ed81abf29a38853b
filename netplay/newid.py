"""Names of requests."""

import secrets


def new_id() -> str:
    """Return a name for a request that no other has."""
    return secrets.token_hex(12)
