"""Chapter 8: movement, disengagement, emergency moves and stacking, plus post-battle movement (9.6)."""
