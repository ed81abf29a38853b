"""Automatic answers for a player who chooses to wait, and the events that end the wait (3.1)."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from engine.cbps.air.ch04_fuel import is_fighter
from engine.cbps.commands import (
    Cap,
    CbpsCommand,
    Divide,
    Done,
    Fly,
    Hold,
    Intercept,
    Land,
    Launch,
    Raise,
)
from engine.cbps.events import boats, combat, fleet, japan, search, turns
from engine.cbps.events import raids as raid
from engine.cbps.events.air import UnitLost
from engine.cbps.events.base import CbpsEvent
from engine.cbps.frames import (
    AirMovementFrame,
    InterceptFrame,
    OperationsFrame,
    OverflightFrame,
    SearchChoiceFrame,
    SearchLandingFrame,
)
from engine.cbps.locations import carrier_groups
from engine.cbps.planner.moments import PHASES
from engine.cbps.prose.log import describe
from tui.cbps.index import Index

_INTERRUPTING_EVENTS: Final = (
    turns.TurnBegan,
    turns.GameEnded,
    japan.ForceRemoved,
    japan.LevelChanged,
    japan.DoubleFormed,
    japan.ForceFound,
    japan.LimitReached,
    japan.HullSunk,
    japan.GuamChanged,
    raid.RaidPlaced,
    raid.RaidTurned,
    boats.BoatPinned,
    boats.BoatSunk,
    search.SearchEnded,
    search.SearchTurned,
    fleet.ShipHit,
    fleet.ShipSunk,
    fleet.FiresChanged,
    combat.SurfaceCombatBegan,
    fleet.DeckCrashed,
    UnitLost,
)
"""Events that end the wait."""
_IGNORED_UNDER_ORDERS: Final = (
    turns.TurnBegan,
    japan.ForceRemoved,
    japan.LevelChanged,
    japan.DoubleFormed,
    japan.LimitReached,
    japan.HullSunk,
    japan.GuamChanged,
)
"""Exceptions to the list above while missions fly under course orders. These events appear only in the report."""


def automatic_answer(index: Index, options: Sequence[Any]) -> CbpsCommand | None:
    """Return the automatic answer: end the step or land a search on its carrier; None if the player has a choice."""
    frame = index.view.frames[-1] if index.view.frames else None
    match frame:
        case SearchLandingFrame():
            return _landing_answer(index, options)
        # The segment can still be held in a later phase, so declining costs nothing before the last
        # phase (8.22).
        case SearchChoiceFrame(is_morning=False) if index.view.phase < PHASES:
            return _done_option(options)
        case OverflightFrame():
            return _done_option(options)  # all ships fire
        case InterceptFrame() if _is_order_only_choice(options):
            first_command: CbpsCommand = options[0]
            return first_command
        case AirMovementFrame() if index.view.raids:
            return None  # the player may need fighters
        case OperationsFrame() if index.view.raids and _is_raid_near(index, options):
            return None
        # CAP uses no fuel in its box and does not have to leave the box (4.33). Missions that have
        # finished moving leave nothing to decide.
        case AirMovementFrame() if not any(isinstance(option, Fly | Hold) for option in options):
            return _done_option(options)
        case OperationsFrame() if not any(_is_for_strike(index, option) for option in options):
            return _done_option(options)
        case _:
            return None


def _is_order_only_choice(options: Sequence[Any]) -> bool:
    """Return whether the only choice left is the order in which missions attack one raid (4.51)."""
    raids = {option.raid if isinstance(option, Intercept) else "" for option in options}
    return len(raids) == 1 and "" not in raids


def repeated_answer(
    command: CbpsCommand, offered_commands: Sequence[Any], options: Sequence[Any]
) -> CbpsCommand | None:
    """Return the answer for the next mission against a raid that the player has just attacked; None if there is none.

    The missions attack in the order in which they were committed. If the player's mission sent the fewest or the most
    units allowed against the escorts, so does the next mission. Otherwise, it sends the same number (4.51, 4.52).
    """
    if _is_order_only_choice(options):
        next_fight: CbpsCommand = options[0]
        return next_fight
    divisions = sorted(option.escorts for option in options if isinstance(option, Divide))
    if not (isinstance(command, Divide) and divisions):
        return None
    chosen_from = [option.escorts for option in offered_commands if isinstance(option, Divide)]
    if command.escorts == min(chosen_from):
        return Divide(escorts=divisions[0])
    if command.escorts == max(chosen_from):
        return Divide(escorts=divisions[-1])
    return Divide(escorts=min(max(command.escorts, divisions[0]), divisions[-1]))


REPEAT_MESSAGE: Final = (
    "The other missions attacked in the same way. With auto off (j), each is asked."
)


def _done_option(options: Iterable[Any]) -> CbpsCommand | None:
    return next((option for option in options if isinstance(option, Done)), None)


def _is_raid_near(index: Index, options: Iterable[Any]) -> bool:
    """Return whether a raid requires a decision: it is overhead (12.14), or a fighter can be launched or raised."""
    table = index.table
    decks = {table.groups[group].hex for group in carrier_groups(table)}
    return any(raid.hex in decks for raid in table.raids.values()) or any(
        isinstance(option, Cap)
        or (isinstance(option, Launch | Raise) and is_fighter(table, option.unit))
        for option in options
    )


def _is_for_strike(index: Index, order: object) -> bool:
    """Return whether an order is for an airborne mission other than CAP (4.42, 6.28)."""
    if isinstance(order, Land):
        mission = index.view.missions.get(index.view.units[order.unit].at)
        return mission is not None and not mission.cap
    return isinstance(order, Fly)


def _landing_answer(index: Index, options: Iterable[Any]) -> CbpsCommand | None:
    """Return the command that lands the first unit on its home carrier; None if the unit cannot land there."""
    landings = [landing for landing in options if isinstance(landing, Land)]
    if not landings:
        return None
    unit = landings[0].unit
    # Landing on any other carrier is the player's choice.
    home = index.game_data.air_units[unit].carrier
    return next(
        (landing for landing in landings if landing.unit == unit and landing.carrier == home), None
    )


def interruption(events: Iterable[CbpsEvent], *, has_courses: bool = False) -> str:
    """Return the first event that ends the wait, as a sentence; empty if no event ends the wait.

    While missions fly under course orders, a new turn or news of other forces does not end it.
    """
    return next(
        (
            text
            for event in events
            if isinstance(event, _INTERRUPTING_EVENTS)
            and not (has_courses and isinstance(event, _IGNORED_UNDER_ORDERS))
            and (text := describe(event))
        ),
        "",
    )
