"""The events of a game, one module per subject."""
