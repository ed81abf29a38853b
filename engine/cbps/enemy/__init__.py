"""Automatic Japanese play: arrival of forces, the activation cup, activation and movement (chapter 7)."""
