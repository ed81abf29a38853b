"""The air points on a Butai display, which keeps even lost points (9.2, 9.22)."""

from engine.cbps.state import Force


def known_strength(force: Force) -> int | None:
    """Return the Known Air Strength: the total number of points in all boxes of the display (9.24).

    Returns:
        The number of points, or None if the strength is unknown.
    """
    return sum(force.boxes.values()) or None
