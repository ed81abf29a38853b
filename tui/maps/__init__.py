"""Maps with a cursor, for any game: what hex maps and area maps share, highlights, and a package for each kind."""
