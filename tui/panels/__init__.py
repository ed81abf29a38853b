"""The contents of panels and pages for any game: plain data types, and functions that lay the data out as lines."""
