"""Maps with a cursor, for any game: shared code, and one package each for hex maps and area maps."""
