"""Comparison with the best open-source engine of this kind, in JavaScript, in a checkout that the user provides."""
