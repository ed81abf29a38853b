"""A match on the host, from waiting for its players to the end."""
