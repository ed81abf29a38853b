"""The programs of protocol 6, whose records can still be verified: host, seats and their decks."""
