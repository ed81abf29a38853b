"""Course orders: missions fly to a target and home, searches out and back, and CAP stays over its group (4.4, 5, 8)."""
