"""National status: surrenders, recaptures, China, India and the areas that change hands as one (13)."""
