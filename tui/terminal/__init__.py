"""Terminal support for the screens: driver, size, settings, alerts and output filters."""
