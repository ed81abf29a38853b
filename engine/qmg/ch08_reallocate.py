"""Reallocate Resources (8.3)."""

from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.ids import Refusal, Rule
from engine.qmg.board_analysis import rule_changes
from engine.qmg.ch09_cards import discard_hand, shuffle_deck
from engine.qmg.events import ResourcesReallocated
from engine.qmg.frames import ReallocateFrame, SearchFrame
from engine.qmg.rulings import REALLOCATE
from engine.qmg.run import Handler, Run
from engine.qmg.state import State

BASE_COST: Final = 4
TOTAL_WAR_COST: Final = 3
CONSTRUCTED_COST: Final = 4
"""Costs of Reallocate Resources in cards, for the base game, Total War and constructed decks (8.3, 13.9)."""
TIMING_REFUSAL: Final = Refusal(
    Rule("8.3"),
    "resources are reallocated at the beginning of your Play step, before a card is played",
)
"""Refusal that states when resources may be reallocated."""


def reallocate_cost(state: State, country: str) -> int:
    """Return the number of cards that Reallocate Resources costs a country, or 0 if the action is not in use (8.3)."""
    if not state.total_war and not REALLOCATE.uses_alternative(state.options):
        return 0
    for modifier in rule_changes(state).get("reallocate_cost", ()):
        if modifier.owner == country:
            return modifier.cards
    if state.limits:
        return CONSTRUCTED_COST
    return TOTAL_WAR_COST if state.total_war else BASE_COST


def reallocate_zones(state: State, country: str) -> tuple[str, ...]:
    """Return the zones that a country may search for a basic card (8.3, A.3)."""
    for modifier in rule_changes(state).get("reallocate_source", ()):
        if modifier.owner == country:
            return modifier.zones
    return ("deck",)


def reallocation_problem(state: State, country: str) -> str:
    """Return the reason why a country cannot reallocate resources in its Play step, or an empty string if it can (8.3).

    A country may reallocate even if its deck is empty or contains no suitable card. The discarded cards stay discarded.
    """
    if state.turn.reallocated:
        return "resources have already been reallocated this turn"
    if not reallocate_cost(state, country):
        return "Reallocate Resources is not in use in this game"
    cards = state.cards_of(country)
    if cards.hand or cards.deck_size:
        return ""
    return "there is no card left to discard"


def begin_reallocation(run: Run, country: str) -> None:
    """Start reallocating resources. A country can do so only once per turn."""
    run.add(ResourcesReallocated(country=country))
    run.push(ReallocateFrame(country=country))


class ReallocateHandler(Handler[ReallocateFrame]):
    """The country discards cards and searches for a basic card. The discards stay out of the deck (8.3, 16.8)."""

    frame = ReallocateFrame

    @override
    def try_step(self, run: Run, frame: ReallocateFrame) -> bool:
        country = frame.country
        if frame.stage == "":
            run.replace_top(replace(frame, stage="search"))
            discard_hand(run, country, reallocate_cost(run.state, country), reason="reallocate")
        elif frame.stage == "search":
            zones = reallocate_zones(run.state, country)
            # If the discard pile is searched too, the deck is shuffled only when the search ends,
            # and not if the card comes from the discard pile (A.3).
            if zones == ("deck",):
                shuffle_deck(run, country)
            run.replace_top(replace(frame, stage="end"))
            run.push(
                SearchFrame(
                    country=country,
                    zone="+".join(zones),
                    type="basic",
                    left=1,
                    to="hand",
                    shown=True,
                )
            )
        else:
            run.pop()
        return True
