"""Who may take which seat: invites, identities and keys, and the file of a match that waits for its players."""
