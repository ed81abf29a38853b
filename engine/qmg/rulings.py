"""The optional rules that a game may switch (8.3, 18.4)."""

from typing import Final

from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling, declared_in

REALLOCATE: Final = Ruling(
    id="reallocate",
    rule=Rule("8.3"),
    question="Reallocate Resources in the base game, at cost 4",
    words={"off": "no, only with Total War", "on": "yes"},
)
STRICT_NAVY_LINKS: Final = Ruling(
    id="strict-navy-links",
    rule=Rule("18.4"),
    question="Does a Navy without a port break a supply line?",
    words={"off": "no, it links", "on": "yes"},
)

RULINGS: Final = declared_in(globals())
"""What the menus list and the rules read from ``state.options``."""
