"""A game in progress at one seat, without network or screen: sessions, drafts, standing orders, lessons."""
