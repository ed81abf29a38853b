"""Runs the host: creates and serves matches, reports the host's status, and provides the lobbies."""
