"""The hex map: a scene that any game can build, its drawing, and the widget that shows it."""
