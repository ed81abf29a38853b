"""Widgets that fill whole rows of the screen: status bar, key line, sequence of play, replay slider and hand."""
