"""Chapter 8: movement, disengagement, emergency moves and stacking; post-battle movement (9.6)."""
