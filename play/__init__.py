"""A game in progress as seen from one seat, without networking or a screen: sessions, drafts, orders and lessons."""
