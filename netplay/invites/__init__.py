"""Access to seats: invites, identities and keys, and the file of a match that waits for its players."""
