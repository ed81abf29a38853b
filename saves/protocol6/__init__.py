"""Joint randomness and masked decks for protocols up to 6, kept so that their records can be loaded and verified."""
