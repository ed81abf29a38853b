"""US air searches, from launch to landing (chapters 8 and 18)."""
