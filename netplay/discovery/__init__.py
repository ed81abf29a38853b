"""Finds the host through announced and saved addresses, and finds matches on the local network."""
