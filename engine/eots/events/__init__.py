"""The facts of a game, one module per subject; :mod:`engine.eots.evolve` joins them."""
