"""A running game without network or screen: seats, standing orders, drafts, sessions."""
