"""A game's events, one module per subject; :mod:`engine.eots.evolve` combines them."""
