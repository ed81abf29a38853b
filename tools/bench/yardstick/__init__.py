"""The best open engine of this kind, in JavaScript, beside ours; it is taken from a checkout that the user names."""
