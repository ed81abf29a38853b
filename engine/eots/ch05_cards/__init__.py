"""Chapter 5: strategy cards and the Offensives Segment (4.22, 5.0, 7.29)."""
