"""Controls access to seats through invites, certificates and keys, and stores matches that have not begun."""
