"""The events of a game, one module per subject; :mod:`engine.eots.evolve` combines them."""
