"""The contents of panels and pages as plain data, for any game, with functions that lay them out as lines."""
