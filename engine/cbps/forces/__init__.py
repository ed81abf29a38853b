"""A Japanese force on the map: its type, display, detection, losses and retirement (chapters 7-9, 12, 13, 19, 20)."""
