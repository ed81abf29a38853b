"""The hex map: its scene, which any game can build, its drawing, and the widget that shows it."""
