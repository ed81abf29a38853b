"""The application: start, logins by SSH, and matches hosted from the menu."""
