"""A match on the host, from waiting for players to the end."""
