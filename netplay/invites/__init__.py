"""Controls access to seats through invites, identities and keys, and stores matches that are waiting for players."""
