"""The game's events, with one module per subject. :mod:`engine.eots.evolve` combines the modules."""
