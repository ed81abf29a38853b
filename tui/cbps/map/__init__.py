"""The operations map: counters, the scene, and a preview of the highlighted order."""
