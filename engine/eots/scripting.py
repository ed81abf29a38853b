"""Script words for Empire of the Sun: set-up lines and ``expect`` lines about units, control, tracks and cards."""

from typing import Final

from engine.eots.frames import OffensiveFrame
from engine.eots.position import Position
from engine.eots.scripting_checks import FORMS as EXPECTATIONS
from engine.eots.scripting_checks import check_expectation, count_cards
from engine.eots.scripting_names import lexicon
from engine.eots.scripting_setup import FORMS as SETUPS
from engine.eots.scripting_setup import apply_setup
from engine.eots.scripting_verbs import DECISION_RULES, EXAMPLES
from engine.eots.state import State
from engine.scripts.words import ScriptWords


def _offensive(state: State) -> object:
    """Return a key that identifies the current offensive, or None if there is no offensive."""
    return state.offensive and (state.turn, state.offensive.side, state.offensive.card)


def _is_over(state: State, before: str, verb: str) -> bool:
    """Return whether a script can skip `done` because the last activation has ended the step (7.21, 7.26)."""
    frame = state.frames[-1] if state.frames else None
    is_open = isinstance(frame, OffensiveFrame) and frame.step in (1, 8)
    return (before, verb) == ("activate", "done") and not is_open


EOTS_WORDS: Final = ScriptWords[Position](
    lexicon=lexicon,
    setup=apply_setup,
    check=check_expectation,
    count=count_cards,
    forms=(*SETUPS, *EXPECTATIONS),
    examples=EXAMPLES,
    decision_rules=DECISION_RULES,
    limits={"offensive": _offensive},
    has_ended=_is_over,
)
"""The set-up lines and ``expect`` lines for Empire of the Sun."""
