"""Empire of the Sun: the Pacific War of 1941-45 for two players."""
