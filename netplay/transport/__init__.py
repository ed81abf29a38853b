"""Implements connections: sockets, the listener, the admission proxy, and the handshake."""
