"""Chapter 8: movement, disengagement, emergency moves and stacking, with post-battle movement (9.6)."""
