"""The application: startup, SSH logins, and matches hosted from the menu."""
