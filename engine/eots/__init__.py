"""Empire of the Sun: the Pacific War, 1941-45, for two players."""
