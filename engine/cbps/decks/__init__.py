"""Flight decks of US carriers: operations, launches, landings, wind and night (chapters 6, 17 and 22)."""
