"""The charts as data: their layouts, and the values that each one can give."""
