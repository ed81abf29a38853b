"""Implements network play: the messages, the host, and the peers that connect to it."""
