"""The table: a map with its panels around it, the parent of the screens for playing, replays and lessons."""
