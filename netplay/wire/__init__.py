"""Communication between peers and the host: messages, their size, padding, limits and errors."""
