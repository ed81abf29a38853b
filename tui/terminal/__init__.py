"""The terminal underneath the screens: size, settings, alerts and output filters."""
