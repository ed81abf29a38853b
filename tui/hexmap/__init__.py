"""The hex map: a neutral scene, its drawing, and the widget that shows it."""
