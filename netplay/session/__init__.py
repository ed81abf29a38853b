"""A person's session in a match on a network host."""
