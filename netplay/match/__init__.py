"""A match on the host, from the wait for players to the end."""
