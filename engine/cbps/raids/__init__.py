"""Japanese air raids: generation, flight, interception and attack (chapters 4, 5, 10, 11, 16 and 23)."""
