"""Comparison with the best open engine of this kind, in JavaScript, from a checkout that the user provides."""
