"""The terminal below the screens: its size, settings, alerts, and filters for the output."""
