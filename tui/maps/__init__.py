"""Maps with a cursor, for any game: code shared by hex maps and area maps, highlights, and a package for each kind."""
