"""Defines how peers and the host communicate: the messages, their size limits and padding, and the errors."""
