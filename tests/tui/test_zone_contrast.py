"""Zones of influence can be told from water by their luminance, in every theme that has background colours."""

import pytest
from rich.color import Color

from tui.drawing.capabilities import Depth
from tui.drawing.colour_roles import GroundRole, OverlayRole, TextRole
from tui.drawing.palette import Palette
from tui.drawing.themes import SCHEMES

LEAST = 1.5
WATER = (GroundRole.DEEP, GroundRole.SEA, GroundRole.SHALLOW, GroundRole.COAST)
ZONES = (OverlayRole.OURS, OverlayRole.THEIRS, OverlayRole.BOTH)


def _luminance(colour: Color | None) -> float:
    """Return the relative luminance of WCAG 2."""
    assert colour is not None
    channels = (channel / 255 for channel in colour.get_truecolor())
    red, green, blue = (
        channel / 12.92 if channel <= 0.03928 else ((channel + 0.055) / 1.055) ** 2.4
        for channel in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(first: Color | None, second: Color | None) -> float:
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.MANY])
@pytest.mark.parametrize("theme", SCHEMES)
def test_zones_are_distinguishable_from_water(theme: str, depth: Depth) -> None:
    palette = Palette(SCHEMES[theme], depth)  # type: ignore[index]  # the keys are the themes' names
    for water in WATER:
        plain = palette.style_on(TextRole.PLAIN, water).bgcolor
        for zone in ZONES:
            tinted = palette.style_on(TextRole.PLAIN, water, zone).bgcolor
            assert _contrast(plain, tinted) >= LEAST, (water.name, zone.name)
