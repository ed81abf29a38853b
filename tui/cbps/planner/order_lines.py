"""Planner lines about single orders: the possible results of the next die roll (4.451, 4.52, 5.22, 5.61, 14)."""

from collections.abc import Iterator

from engine.cbps import commands
from engine.cbps.commands import CbpsCommand
from engine.cbps.frames import AimFrame, BoatsFrame, ContactFrame, InterceptionFrame
from engine.cbps.planner.contact import contact_chances
from engine.cbps.planner.fighters import interception
from engine.cbps.planner.moments import state_from_view
from engine.cbps.planner.orders import boat_contact, landing_loss, next_shot, submarine_hit_chance
from engine.cbps.prose.names import display_name
from engine.cbps.view import CbpsView
from engine.kernel.chances import format_tenths, percent
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.planner.phrases import Lines, force_text
from tui.cbps.planner.raid_lines import interception_text
from tui.cbps.planner.strike_lines import forecast_text
from tui.cbps.wrapping import wrap_lines


def order_lines(view: CbpsView, command: CbpsCommand, width: int) -> Lines:
    """Return lines with the possible results of an order's die roll; empty for orders without a die roll."""
    return wrap_lines(_order_plan(view, command), width)


def _order_plan(view: CbpsView, command: CbpsCommand) -> Iterator[str]:
    frame = view.frames[-1] if view.frames else None
    match command, frame:
        case commands.Land(unit=unit), _ if view.units[unit].place in ("mission", "search"):
            loss = landing_loss(state_from_view(view), unit)
            yield f"{display_name(unit)} lands: lost {percent(loss)}%"
        case commands.Divide(escorts=escorts), InterceptionFrame(mission=mission, raid=raid):
            yield f"{count_noun(escorts, 'unit')} of {display_name(mission)} against escorts"
            yield from interception_text(
                interception(state_from_view(view), mission, raid, escorts)
            )
        case commands.Retry(target=target), ContactFrame(mission=mission):
            yield from _retry_plan(view, mission, target)
        case commands.Aim(ship=ship), AimFrame():
            yield from _aim_plan(view, frame, ship)
        case commands.Contact(boat=boat, target=target), BoatsFrame():
            contact = boat_contact(state_from_view(view), frame, boat, target)
            drms = "".join(
                f" {modifier.drm:+d} {modifier.id.replace('_', ' ')}"
                for modifier in contact.modifiers
            )
            yield f"{display_name(boat)} finds {force_text(view, target)}: {percent(contact.chance)}%{drms}"
        case commands.Torpedo(boat=boat), _:
            target = _submarine_target(view, boat)
            if target:
                chance = submarine_hit_chance(state_from_view(view), target).chance
                yield f"{display_name(boat)} hits {force_text(view, target)}: {percent(chance)}%"
        case _:
            return


def _retry_plan(view: CbpsView, mission: str, target: str) -> Iterator[str]:
    second = contact_chances(state_from_view(view), target).second
    yield f"{display_name(mission)} again for 1 fuel on {force_text(view, target)}"
    yield f"Contact {percent(second.contact)}%"
    if second.wrong_force:
        yield f"Wrong force {percent(second.wrong_force)}%"
    yield from forecast_text(view, mission, target)


def _aim_plan(view: CbpsView, frame: AimFrame, ship: str) -> Iterator[str]:
    shot_action = next_shot(state_from_view(view), frame, ship)
    level = f", {shot_action.level}" if shot_action.level else ""
    yield f"{display_name(ship)}: {shot_action.hits} of {shot_action.capacity} hits{level}"
    if shot_action.crippled_at < shot_action.capacity:
        yield f"Crippled at {shot_action.crippled_at}"
    if shot_action.aimed:
        yield f"{pluralise(shot_action.aimed, 'die', 'dice')} aimed at it already"
    yield f"This die hits {percent(shot_action.hit_chance)}%, {format_tenths(shot_action.expected)} hits expected"


def _submarine_target(view: CbpsView, boat: str) -> str:
    """Return the target that a submarine is shadowing or has contacted; empty if it has no such target."""
    for frame in view.frames:
        if isinstance(frame, BoatsFrame) and frame.boat == boat and frame.contact:
            return frame.contact
    return view.boats[boat].shadowing if boat in view.boats else ""
