"""The table screen: a map surrounded by panels. It is the base of the screens for play, replays and lessons."""
