"""Computer players, which see only their seat's views and options."""
