"""A game being played, without network and screen: seats, standing orders, drafts, sessions."""
