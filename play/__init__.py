"""A game in progress at one seat, without networking or a screen: sessions, drafts, standing orders and lessons."""
