"""Chapter 7: offensives, step by step (7.2)."""
