"""The charts as data: their layouts, and the types of their results."""
