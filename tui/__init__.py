"""The terminal interface: screens, panels, maps, line-by-line play, and a presenter package for each game."""
