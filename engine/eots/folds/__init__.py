"""How each fact changes the state, one module per subject; :mod:`engine.eots.evolve` joins them."""
