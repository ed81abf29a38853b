"""Access to seats: invites, identities and keys, and the file of a match that is waiting for its players."""
