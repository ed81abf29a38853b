"""Air points of a Butai display, which stay on it when lost (9.2, 9.22)."""

from engine.cbps.state import Force


def known_strength(force: Force) -> int | None:
    """Return the Known Air Strength, which is the total of points in all boxes of the display (9.24).

    Returns:
        The number of points, or None if unknown, which differs from 0.
    """
    return sum(force.boxes.values()) or None
