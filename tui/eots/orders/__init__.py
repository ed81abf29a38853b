"""Option lists with groups, and stacking warnings."""
