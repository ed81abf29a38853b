"""The union of all facts of Empire of the Sun, collected from the modules of facts."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Final

from engine.eots.events import battle, cards, flow, movement, offensive, strategic, tracks, units
from engine.eots.events.base import EotsEvent

_MODULES: Final = (flow, units, cards, tracks, offensive, movement, battle, strategic)


def _facts() -> Iterator[type[EotsEvent]]:
    for module in _MODULES:
        for name in sorted(vars(module)):
            kind = vars(module)[name]
            if (
                isinstance(kind, type)
                and issubclass(kind, EotsEvent)
                and kind.__struct_config__.tag is not None
                and kind.__module__ == module.__name__
            ):
                yield kind


EVENTS: Final = tuple(_facts())
"""Every fact, by module, then by name."""

EVENT_UNION: Final[object] = reduce(or_, EVENTS[1:], EVENTS[0])
"""Tagged union for decoding."""
