"""National status: surrenders, recaptures, China, India, and areas that change hands as a whole (13)."""
