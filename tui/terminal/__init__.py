"""The terminal around the screens: size, settings, alerts, and what may be written to it."""
