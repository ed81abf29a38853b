"""National status: surrenders, recaptures, China, India, and areas that change control as a whole (13)."""
