"""Play by mail: network messages sent as small text files, for matches without a reachable host."""
