"""The terminal underneath the screens: its size, settings, alerts, and filters for the output."""
