"""Comparison with the best open-source engine of this kind, in JavaScript, from a checkout that the user provides."""
