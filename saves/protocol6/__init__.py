"""Supports joint randomness and masked decks in protocols up to 6, so that old records can be loaded and verified."""
