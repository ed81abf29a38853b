"""How orders are offered: as a tree, on the map, with warnings, and with automatic answers."""
