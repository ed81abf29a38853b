"""Carries out orders for CAP: keeps a group's CAP box filled until a given turn, then lands the CAP (4.33, 6.28)."""

from collections.abc import Iterator
from typing import Final

from engine.cbps.air.ch04_fuel import is_fighter, mission_units
from engine.cbps.clock import current_light
from engine.cbps.commands import Cap, CbpsCommand, Land, Lower, Raise, Service
from engine.cbps.courses.order import CapOrder, is_live
from engine.cbps.decks.ch06_decks import deck_limits, units_on_deck
from engine.cbps.decks.ch06_landing import is_safe_return_needed, landing_fuel
from engine.cbps.decks.ch06_launch import CAP_UNITS, launchable_units
from engine.cbps.frames import AirMovementFrame, OperationsFrame
from engine.cbps.ids import Box
from engine.cbps.locations import carriers_in_group, mission_hex, sea_map, units_at
from engine.cbps.prose.names import display_name
from engine.cbps.rulings import CAP_LANDING
from engine.cbps.scenario_rules import scenario_rules
from engine.cbps.state import State

Options = tuple[CbpsCommand, ...]
_DECK_WORK: Final[tuple[tuple[type[Raise | Service | Lower], Box], ...]] = (
    (Raise, "servicing"),
    (Service, "hangar"),
    (Lower, "landed"),
)
"""The commands that bring up a relief, in the order that 6.23 requires, each with the box that the unit leaves."""


def cap_missions(state: State, group: str) -> tuple[str, ...]:
    """Return the CAP missions in a group's box."""
    return tuple(name for name, mission in state.missions.items() if mission.cap == group)


def cap_units(state: State, group: str) -> tuple[str, ...]:
    """Return the units in a group's CAP box."""
    return tuple(unit for name in cap_missions(state, group) for unit in mission_units(state, name))


def ready_fighters(state: State, role: str, group: str) -> tuple[str, ...]:
    """Return the fighters that a group could launch into its CAP box now, limited to the free space (6.24)."""
    units = (
        unit
        for carrier, ready_units in launchable_units(state, role)
        if state.ships[carrier].group == group
        for unit in ready_units
        if is_fighter(state, unit)
    )
    return tuple(units)[: CAP_UNITS - len(cap_units(state, group))]


def own_live_orders(state: State, role: str, orders: tuple[CapOrder, ...]) -> Iterator[CapOrder]:
    """Yield the live orders for groups that the seat commands."""
    for order in orders:
        if is_live(state, order) and state.groups[order.group].commander == role:
            yield order


def fought_missions(state: State, role: str, orders: tuple[CapOrder, ...]) -> Iterator[str]:
    """Yield former CAP missions of groups under orders that have fought and must fly home to be replaced (4.34)."""
    groups = {order.group for order in own_live_orders(state, role, orders)}
    for name, mission in state.missions.items():
        is_cap = mission.kind == "intercept" and not mission.cap and set(mission.groups) <= groups
        if is_cap and mission.has_met_aircraft and mission.commander == role:
            yield name


def closing(
    state: State, role: str, orders: tuple[CapOrder, ...], options: Options
) -> CbpsCommand | None:
    """Return the next command to land CAP whose time is over or to launch a relief. None if neither is needed."""
    for order in own_live_orders(state, role, orders):
        if state.turn >= order.until:
            if not landing_stop(state, order) and (landing := _landing(state, order, options)):
                return landing
        elif relief := launch(state, order, options):
            return relief
    return None


def launch(state: State, order: CapOrder, options: Options) -> CbpsCommand | None:
    """Return the command to launch a ready fighter into the group's CAP box.

    None if the box is full or no fighter is ready.
    """
    if state.turn >= order.until or len(cap_units(state, order.group)) >= order.size:
        return None
    launches = [
        option
        for option in options
        if isinstance(option, Cap) and state.ships[state.units[option.unit].at].group == order.group
    ]
    # All units in the box join one mission, because displays are few (4.13).
    return min(launches, key=lambda launch: launch.mission not in state.missions, default=None)


def deck_work(
    state: State, role: str, orders: tuple[CapOrder, ...], options: Options, landing: str = ""
) -> CbpsCommand | None:
    """Return the next command that prepares a group's fighters as reliefs, or None if there is none (6.25-6.27).

    A landed fighter goes to the hangar, to servicing and back to the flight deck. This continues until the ready
    reliefs are as many as the units that the order keeps in the air. If other units want the same room, the player
    decides. The player also decides while a raid is on the map, because units on the flight deck burn.

    Args:
        state: The position.
        role: The seat whose decision is open.
        orders: Its orders for CAP.
        options: The options of the decision.
        landing: The carrier on which a unit is about to land. Only its boxes are then considered, and none of its
            fighters is raised. Empty if no unit is about to land.
    """
    if state.raids:
        return None
    work = [option for option in options if isinstance(option, Raise | Service | Lower)]
    for order in own_live_orders(state, role, orders):
        carriers = carriers_in_group(state, order.group)
        for carrier in carriers if not landing else {landing}.intersection(carriers):
            for kind, box in _DECK_WORK:
                units = units_at(state, box, carrier)
                if (kind is Raise and landing) or not _has_room(state, order, carrier, box):
                    continue
                fighters = {unit for unit in units if is_fighter(state, unit)}
                for option in work:
                    if isinstance(option, kind) and option.unit in fighters:
                        return option
    return None


def _has_room(state: State, order: CapOrder, carrier: str, box: Box) -> bool:
    """Return whether a fighter can leave a box of a carrier without taking the room of another kind of unit."""
    limits, ship = deck_limits(state, carrier), state.ships[carrier]
    waiting_units = units_at(state, box, carrier)
    if box == "landed":
        room = limits.lower - ship.lowered
    elif box == "hangar":
        if _reliefs(state, order, "ready", "servicing") >= order.size:
            return False
        room = limits.servicing - max(ship.serviced, len(units_at(state, "servicing", carrier)))
    else:
        if _reliefs(state, order, "ready") >= order.size:
            return False
        # Units in the air need the flight deck to land.
        homes = state.game_data.air_units
        flying = [
            name
            for name, unit in state.units.items()
            if unit.place in ("mission", "search") and homes[name].carrier == carrier
        ]
        room = limits.flight_deck - units_on_deck(state, carrier) - len(flying)
    is_alike = all(is_fighter(state, unit) for unit in waiting_units)
    return room > 0 and (is_alike or len(waiting_units) <= room)


def _reliefs(state: State, order: CapOrder, *boxes: Box) -> int:
    """Return the number of fighters in some boxes of a group's carriers."""
    return sum(
        is_fighter(state, unit)
        for carrier in carriers_in_group(state, order.group)
        for box in boxes
        for unit in units_at(state, box, carrier)
    )


def _landing(state: State, order: CapOrder, options: Options) -> CbpsCommand | None:
    units = cap_units(state, order.group)
    landings = [option for option in options if isinstance(option, Land) and option.unit in units]
    carriers = state.game_data.air_units
    return min(
        landings,
        key=lambda landing: landing.carrier != carriers[landing.unit].carrier,
        default=None,
    )


def landing_stop(state: State, order: CapOrder) -> str:
    """Return the reason why CAP whose time is over does not land, as a sentence. Empty if it lands.

    At dusk or at night, the player first decides whether to show lights (6.42, 6.43).
    """
    missions = cap_missions(state, order.group)
    if missions and CAP_LANDING.uses_alternative(state.options):
        return "It must go on the map before it lands (4.33)."
    for name in missions:
        hex, fuel = mission_hex(state, name), landing_fuel(state, name)
        if any(
            is_safe_return_needed(state, unit, hex, fuel) for unit in mission_units(state, name)
        ):
            return f"It is {current_light(state)}: show lights, or land in the dark (6.43)."
    return ""


def stops(state: State, role: str, orders: tuple[CapOrder, ...]) -> Iterator[tuple[CapOrder, str]]:
    """Yield the CAP orders that need a decision by the player now, each with the reason."""
    frame = state.frames[-1] if state.frames else None
    for order in own_live_orders(state, role, orders):
        reason = ""
        if isinstance(frame, AirMovementFrame | OperationsFrame) and state.raids:
            reason = raid_stop(state, order)
        if not reason and isinstance(frame, OperationsFrame) and state.turn >= order.until:
            reason = landing_stop(state, order)
        if reason:
            yield order, reason


def raid_stop(state: State, order: CapOrder) -> str:
    """Return a sentence that states how far away the nearest raid is. At least one raid must be on the map."""
    sea, home = sea_map(state), state.groups[order.group].hex
    distance, name = min((sea.distance(raid.hex, home), name) for name, raid in state.raids.items())
    place_text = "overhead" if not distance else f"{distance} hex{'es' * (distance > 1)} away"
    return f"{display_name(name)} is {place_text}."


# -- words


def cap_title(order: CapOrder, state: State | None = None) -> str:
    """Return an order's name, such as ``CAP over TG 58.1 until 1210``."""
    time_text = f" until {until_words(state, order.until)}" if state is not None else ""
    return f"CAP over {display_name(order.group)}{time_text}"


def until_words(state: State, turn: int) -> str:
    """Return the label of a turn, with its day unless it is today, or ``the end`` after the last turn."""
    turns = state.game_data.scenarios[state.scenario].turns
    if turn >= len(turns):
        return "the end"
    day, time = turns[turn]
    return time if day == turns[state.turn][0] else f"{day} {time}"


def cap_words(state: State, order: CapOrder) -> str:
    """Return an order's name and the number of its units in the CAP box, on one line."""
    flying = len(cap_units(state, order.group))
    return f"{cap_title(order, state)}: {flying} of {order.size} units in the box"


def until_choices(state: State) -> tuple[int, ...]:
    """Return the landing turns to offer for CAP: the second, fourth and last of the day's remaining daylight turns.

    If no daylight turn remains, return only the end of the scenario.
    """
    turns = state.game_data.scenarios[state.scenario].turns
    track = state.game_data.charts.turn_track
    day = turns[state.turn][0]
    by_day = [
        turn
        for turn, (turn_number, time) in enumerate(turns)
        if turn_number == day and turn > state.turn and set(track.turn(time).light) == {"day"}
    ]
    choices = [*by_day[1:4:2], *by_day[-1:]] or [len(turns)]
    return tuple(dict.fromkeys(choices))


def turn_named(state: State, word: str) -> int | None:
    """Return the next turn with a label such as ``1210``, or None. The label ``end`` means the end of the scenario."""
    turns = state.game_data.scenarios[state.scenario].turns
    if word == "end" and scenario_rules(state).has_intercepts:
        return len(turns)
    return next(
        (turn for turn, (_, time) in enumerate(turns) if turn > state.turn and time == word), None
    )
