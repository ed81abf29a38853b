"""What always holds in a full state; used by fuzzing (1, 4, 9)."""

from collections import Counter
from collections.abc import Iterator

from engine.qmg.deck import deck_list
from engine.qmg.ids import COUNTRIES, ROUNDS
from engine.qmg.position import in_play, piles, position_of
from engine.qmg.position_checks import table_problems
from engine.qmg.state import State


def violations(state: State) -> Iterator[str]:
    """Yield every broken invariant."""
    position = position_of(state)
    for path, problem in table_problems(position):
        yield f"{path}: {problem}"
    for country in COUNTRIES if state.active and not state.limits else ():
        found = Counter(card for _, pile in piles(position.cards[country]) for card in pile)
        found.update(in_play(state.frames, country))
        wanted = Counter(deck_list(country, total_war=state.total_war))
        if found != wanted:
            odd = sorted((found - wanted) + (wanted - found))
            yield f"9.1: cards of {country} are not all there once: {', '.join(odd[:5])}"
    if state.outcome is None and state.frames and state.round > ROUNDS:
        yield "12.5: a round after the last one"
