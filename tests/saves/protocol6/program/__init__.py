"""The programs of protocol 6, which made the records that are still verified: host, seats and their decks."""
