"""Implements the connections between peers and hosts: sockets, listener, admission proxy and handshake."""
