"""Joint chance and masked decks of protocols up to 6, kept so that their records can still be loaded and verified."""
