"""Connections: sockets, the listener, the proxy that admits them, and the handshake."""
