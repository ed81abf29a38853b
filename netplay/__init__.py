"""Implements network play: the messages, the host and the peer."""
