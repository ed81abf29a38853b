"""Implements play by mail for matches without a reachable host: network messages are sent as small text files."""
