"""Optional rules and rulings that can be chosen for a game (8.3, 18.4, 18.5)."""

from typing import Final

from engine.kernel.ids import Rule
from engine.kernel.rulings import Ruling, collect_rulings

REALLOCATE: Final = Ruling(
    id="reallocate",
    rule=Rule("8.3"),
    question="Reallocate Resources in the base game, at cost 4",
    answers={"off": "no, only with Total War", "on": "yes"},
)
STRICT_NAVY_LINKS: Final = Ruling(
    id="strict-navy-links",
    rule=Rule("18.4"),
    question="Does a Navy without a port break a supply line?",
    answers={"off": "no, it links", "on": "yes"},
)
IMMEDIATELY_AFTER_BUILT: Final = Ruling(
    id="immediately-after-built",
    rule=Rule("18.5"),
    question="Do Rasputitsa, Loyal to the Crown and Kamikaze also respond to recruits?",
    answers={"built-or-recruited": "yes", "built-only": "no, only to builds"},
)

RULINGS: Final = collect_rulings(globals())
"""All rulings, as listed in menus. The rules read the chosen values from ``state.options``."""
