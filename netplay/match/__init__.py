"""Runs a match on the host, from waiting for players until the match is over."""
