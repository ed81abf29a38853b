"""Runs a match on the host, from the wait for players until the end."""
