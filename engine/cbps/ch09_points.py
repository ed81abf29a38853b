"""Air points of a Butai display, where they stay when they are lost, too (9.2, 9.22)."""

from engine.cbps.state import Force


def known_strength(force: Force) -> int | None:
    """Return the Known Air Strength: all points on the display, wherever they are (9.24).

    Returns:
        None when it is Unknown, which is not 0.
    """
    return sum(force.boxes.values()) or None
