"""The panels of Empire of the Sun: hand, tracks, goals, rosters, status bar and text pages."""
