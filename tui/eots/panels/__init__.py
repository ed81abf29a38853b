"""The Empire of the Sun panels: hand, tracks, goals, rosters, status bar and text pages."""
