"""How a peer finds the host: announced and remembered addresses, and matches on the local network."""
