"""The table screen: a map surrounded by panels. The screens for playing, replays and lessons are based on it."""
