"""Course orders, which make missions fly to a target and home without further commands (4.4, 5, 6.28)."""
