"""The terminal interface: screens, panels, maps, console mode, and a presenter package for each game."""
