"""The contents of panels and pages as plain data, for any game, and functions that lay this data out as lines."""
