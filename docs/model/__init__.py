"""An explicit-state model of the core of fair-play protocol 7, with a search of all reachable states."""
