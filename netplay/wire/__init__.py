"""Communication between peers and the host: messages with their sizes, padding, limits and errors."""
