"""Runs the host, which creates and serves matches, reports its status, and provides the lobbies."""
