"""Ways to find the host: announced and remembered addresses, and matches on the local network."""
