"""How often the interpreter looks for garbage in processes that hold games."""

import gc
from typing import Final

YOUNG_OBJECTS: Final = 100_000
"""Objects made between two searches for garbage; the usual 700 costs a tenth of all time and finds nothing, since
positions are made of parts that live long and never point in circles."""


def search_seldom() -> None:
    """Let this process search for garbage as seldom as suits games."""
    gc.set_threshold(YOUNG_OBJECTS)
