"""Text for units, places, cards and commands: names, values and labels."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, cast

from engine.eots import commands as c
from engine.eots.board import board
from engine.eots.ch06_supply.network import BurmaRoad
from engine.eots.ch07_offensive.intelligence import ALWAYS_FAILS
from engine.eots.ch11_pools import pool_name
from engine.eots.counters import Counter, counters
from engine.eots.deck import cards
from engine.eots.frames import (
    DeclarationFrame,
    Frame,
    MovementFrame,
    OffensiveFrame,
    Purpose,
    StackFrame,
)
from engine.eots.ids import CHINA_BOX, CardId, HexId, Side, UnitId
from engine.eots.view import EotsView, OffensiveView, UnitView
from engine.kernel.docstrings import first_line
from engine.kernel.sentences import count_noun
from tui.eots.index import Index

SIDE_LETTERS: Final = {Side.ALLIED: "A", Side.JAPAN: "J"}
SIDE_NAMES: Final = {Side.ALLIED: "Allied", Side.JAPAN: "Japan"}
ADJECTIVES: Final = {Side.ALLIED: "Allied", Side.JAPAN: "Japanese"}
SEASONS: Final = ("Jan-Apr", "May-Aug", "Sep-Dec")
_FIRST_YEAR: Final = 1942
ROADS: Final = {
    BurmaRoad.OPEN: "open",
    BurmaRoad.CLOSED: "closed",
    BurmaRoad.CLOSED_HUMP: "closed, flown over the Hump",
}
"""States of the Burma Road (13.78)."""


_BRACKETED_PART: Final = re.compile(r" \([^)]*\)")


def box_text(name: str) -> str:
    """Return a track box's name in words."""
    return name.replace("_", " ").lower().replace("chungking", "Chungking")


def turn_name(turn: int) -> str:
    """Return the months and the year of a turn (4.0). Turn 1 is December 1941."""
    if turn <= 1:
        return "Dec 41"
    year = _FIRST_YEAR + (turn - 2) // len(SEASONS)
    return f"{SEASONS[(turn - 2) % len(SEASONS)]} {year % 100}"


def short_name(unit: UnitId) -> str:
    """Return a counter's name without any part in brackets; for an unknown id, the id itself."""
    row = counters().get(unit)
    return str(unit) if row is None else _BRACKETED_PART.sub("", row.name)


def place_name(place: str) -> str:
    """Return a hex number with its name, or the name of an off-map place."""
    row = board().hexes.get(HexId(place))
    if row is None:
        return "China box" if place == CHINA_BOX else place.replace("-", " ")
    return f"{place} {row.name}" if row.name else place


def card_name(card: CardId) -> str:
    """Return the number and title of a card."""
    row = cards().get(card)
    return f"{card} {row.title}" if row is not None else "a card"


def printed_values(row: Counter, steps: int) -> str:
    """Return the values printed on a counter's current side; empty for a unit without steps.

    For an HQ, the values are its command range and efficiency.
    """
    if row.hq is not None:
        return f"r{row.hq.command_range} eff {row.hq.efficiency}"
    if steps < 1:
        return ""
    face = row.strength(steps)
    text = f"{face.attack}-{face.defense}"
    if face.range:
        text += f" r{face.range}"
        if face.extended_range is not None:
            extended_range = str(face.extended_range)
            text += f"/({extended_range})" if face.extended_in_parentheses else f"/{extended_range}"
    return text


def unit_line(unit: UnitView) -> str:
    """Return a unit's name, values and condition."""
    row = counters()[unit.id]
    notes = [printed_values(row, unit.steps)]
    if row.max_steps > 1 and unit.steps == 1:
        notes.append("reduced")
    if not unit.supplied:
        notes.append("unsupplied")
    if unit.moved is not None:
        notes.append("moved")  # only activated units move
    elif unit.activated:
        notes.append("activated")
    return f"{short_name(unit.id)}  {' '.join(note for note in notes if note)}"


def unit_text(index: Index, unit: UnitId) -> str:
    """Return a unit's name, place and values, as shown in a list of options."""
    unit_view, row = index.units.get(unit), counters().get(unit)
    if unit_view is None or row is None:
        return short_name(unit)
    is_on_map = HexId(unit_view.at) in board().hexes
    hex_id = (
        f" {unit_view.at}"
        if is_on_map
        else " in the China box"
        if unit_view.at == CHINA_BOX
        else ""
    )
    return f"{short_name(unit)}{hex_id} {printed_values(row, unit_view.steps)}".rstrip()


def arrival_text(index: Index, unit: UnitId) -> str:
    """Return an arriving unit's name with the values it will have on arrival."""
    row, unit_view = counters()[unit], index.units.get(unit)
    steps = unit_view.steps if unit_view is not None and unit_view.steps else row.max_steps
    return f"{short_name(unit)} {printed_values(row, steps)}"


LabelFormatter = Callable[[Index, Any], str]


def _with_unit(verb: str) -> LabelFormatter:
    return lambda index, order: f"{verb} {unit_text(index, order.unit)}"


def _with_destination(verb: str) -> LabelFormatter:
    return lambda _, order: f"{verb} {place_name(order.to)}"


def _with_place(verb: str) -> LabelFormatter:
    return lambda _, order: f"{verb} {place_name(order.at)}"


def card_text(card: CardId) -> str:
    """Return a card's number, title and operations value, as shown in a list of options."""
    row = cards().get(card)
    return card_name(card) if row is None else f"{card_name(card)} (OV {row.ov})"


def _with_card(verb: str) -> LabelFormatter:
    return lambda _index, order: f"{verb}: {card_text(order.card)}"


def _constant(text: str) -> LabelFormatter:
    return lambda _index, _order: text


def _halt_label(index: Index, _: c.Halt) -> str:
    frame = index.view.frames[-1] if index.view.frames else None
    is_flying = isinstance(frame, StackFrame) and frame.mode == "air"
    return "Land here" if is_flying else "Stop here"


def required_rolls(target: int, modifier: int) -> tuple[str, str]:
    """Return the unmodified die rolls that make an intelligence roll succeed, and the reason (7.25D, E)."""
    highest = min(target - modifier, ALWAYS_FAILS - 1)
    rolls = "no roll" if highest < 0 else f"a roll of 0 to {highest}" if highest else "a roll of 0"
    after = f"{target} after {modifier:+d}; " if modifier else ""
    return rolls, f"{after}a {ALWAYS_FAILS} always fails"


def _with_unit_and_place(verb: str, preposition: str) -> LabelFormatter:
    return lambda index, order: (
        f"{verb} {unit_text(index, order.unit)} {preposition} {place_name(order.at)}"
    )


def _with_unit_and_destination(verb: str) -> LabelFormatter:
    return lambda index, order: f"{verb} {unit_text(index, order.unit)} to {place_name(order.to)}"


_LABELS: Final = cast(
    "Mapping[type[Any], LabelFormatter]",
    {
        c.OperationsOffensive: _with_card("Play as OC"),
        c.PlayEvent: _with_card("Play as EC"),
        c.ChinaOffensive: _with_card("China offensive"),
        c.WithdrawHq: lambda _, order: (
            f"Withdraw {short_name(order.hq)} with {card_name(order.card)}"
        ),
        c.ReturnHq: lambda _, order: (
            f"Return {short_name(order.hq)} at {place_name(order.at)} with {card_name(order.card)}"
        ),
        c.BuildRoute: lambda _, order: (
            f"Build a route in {place_name(order.at)} with {card_name(order.card)}"
        ),
        c.EndRivalry: _with_card("End rivalry"),
        c.PlaceFuture: _with_card("Place as future offensive"),
        c.DiscardCard: _with_card("Discard"),
        c.Pass: _constant("Pass"),
        c.Done: _constant("Done"),
        c.ChooseHq: lambda index, order: f"Choose {unit_text(index, order.hq)}",
        c.Activate: _with_unit("Activate"),
        c.Ferry: lambda _, order: f"Send {short_name(order.unit)} to another theatre",
        c.Join: lambda index, order: (
            f"Join the battle of {place_name(order.at)} with {unit_text(index, order.unit)}"
        ),
        c.Cover: lambda index, order: (
            f"Cover the landing in {place_name(order.at)} with {unit_text(index, order.unit)}"
        ),
        c.TakeCard: _with_card("Keep in hand"),
        c.TakeBack: _constant("Take back the card"),
        c.ChooseHex: _with_place("Choose"),
        c.AirDrop: _with_destination("Drop the airborne division in"),
        c.Redeploy: _with_unit("Redeploy"),
        c.React: _with_card("React"),
        c.RollIntelligence: _constant("Roll for intelligence"),
        c.Deactivate: _with_unit("Cancel the activation of"),
        c.SpecialReaction: _with_place("Roll for special reaction in"),
        c.Pick: _with_unit("Move"),
        c.Enlist: _with_unit("Take along"),
        c.Drop: _constant("Leave the stack in place"),
        c.Sail: _with_destination("Sail to"),
        c.SailVia: _with_destination("Sail via"),
        c.SailStrategic: _with_destination("Sail strategically to"),
        c.Fly: _with_destination("Fly to"),
        c.FlyVia: _with_destination("Fly via"),
        c.FlyStrategic: _with_destination("Fly strategically to"),
        c.March: _with_destination("March to"),
        c.Assault: _with_destination("Assault"),
        c.AssaultVia: _with_destination("Assault via"),
        c.OrganicAssault: _with_destination("Assault from ships"),
        c.BargeAssault: _with_destination("Assault by barges"),
        c.Transport: _with_destination("Transport to"),
        c.Halt: _halt_label,
        c.Disengage: _with_unit_and_destination("Disengage"),
        c.Emergency: _with_unit_and_destination("Move"),
        c.RemoveExcess: _with_unit("Remove"),
        c.Resolve: _with_place("Fight the battle of"),
        c.Hit: _with_unit("Hit"),
        c.SaveStep: _with_unit("Keep the last step of"),
        c.WeakCritical: _with_unit("Critical hit on"),
        c.ShiftStep: lambda index, order: (
            f"{short_name(order.gainer)} takes the loss of {unit_text(index, order.loser)}"
        ),
        c.Retreat: _with_unit_and_destination("Retreat"),
        c.Place: _with_unit_and_place("Place", "at"),
        c.Repair: lambda index, order: (
            f"Repair {unit_text(index, order.unit)} ({pool_name(order.pool)})"
        ),
        c.Rebuild: lambda _, order: (
            f"Rebuild {short_name(order.unit)} at {place_name(order.at)}, "
            f"{count_noun(order.steps, 'step')} ({pool_name(order.pool)})"
        ),
        c.Divisions: lambda _, order: f"Take {count_noun(order.count, 'division')} from China",
        c.Bomb: _with_unit("Bomb Japan with"),
        c.Stay: _with_unit("Leave in place:"),
        c.Evacuate: _with_unit_and_destination("Evacuate"),
    },
)


def label(index: Index, command: c.EotsCommand) -> str:
    """Describe a command."""
    format_label = _LABELS.get(type(command))
    return kind(command) if format_label is None else format_label(index, command)


_DETAILS: Final = cast(
    "Mapping[type[Any], LabelFormatter]",
    {
        c.WithdrawHq: lambda _, order: f"with {card_name(order.card)}",
        c.ReturnHq: lambda _, order: f"at {place_name(order.at)} with {card_name(order.card)}",
        c.BuildRoute: lambda _, order: f"with {card_name(order.card)}",
        c.Join: lambda _, order: f"to {place_name(order.at)}",
        c.Cover: lambda _, order: f"cover {place_name(order.at)}",
        c.Disengage: lambda _, order: f"to {place_name(order.to)}",
        c.Emergency: lambda _, order: f"to {place_name(order.to)}",
        c.Retreat: lambda _, order: f"to {place_name(order.to)}",
        c.Evacuate: lambda _, order: f"to {place_name(order.to)}",
        c.Place: lambda _, order: f"at {place_name(order.at)}",
        c.Rebuild: lambda _, order: (
            f"at {place_name(order.at)}, {count_noun(order.steps, 'step')} ({pool_name(order.pool)})"
        ),
    },
)
"""Short labels for commands listed below a heading that names their subject."""
_KIND_TEXTS: Final[Mapping[type[Any], str]] = {
    c.OperationsOffensive: "Open an offensive (OC)",
    c.PlayEvent: "Play an event (EC)",
    c.ChinaOffensive: "China offensive (OV 3)",
    c.WithdrawHq: "Withdraw an HQ",
    c.ReturnHq: "Return an HQ",
    c.BuildRoute: "Build a route (OV 3)",
    c.EndRivalry: "End rivalry (OV 3)",
    c.PlaceFuture: "Place a future offensive",
    c.DiscardCard: "Discard a card",
    c.ChooseHq: "Choose the headquarters",
    c.Activate: "Activate a unit",
    c.Ferry: "Send an air unit to another theatre",
    c.Join: "Join a battle",
    c.Cover: "Cover a landing",
    c.ChooseHex: "Choose a hex",
    c.AirDrop: "Drop the airborne division",
    c.Redeploy: "Redeploy",
    c.React: "Play a reaction card",
    c.Deactivate: "Cancel an activation",
    c.SpecialReaction: "Roll for special reaction",
    c.Pick: "Move a unit",
    c.Enlist: "Take a unit along",
    c.Sail: "Sail and end there",
    c.SailVia: "Sail via a waypoint",
    c.SailStrategic: "Sail strategically",
    c.Fly: "Fly",
    c.FlyVia: "Fly via a waypoint",
    c.FlyStrategic: "Fly strategically",
    c.March: "March",
    c.Assault: "Amphibious assault",
    c.AssaultVia: "Amphibious assault via a waypoint",
    c.OrganicAssault: "Assault from ships",
    c.BargeAssault: "Assault by barges",
    c.Transport: "Strategic ground transport",
    c.Disengage: "Disengage",
    c.Emergency: "Move a displaced unit",
    c.RemoveExcess: "Remove a unit over the limit",
    c.Resolve: "Fight a battle",
    c.Hit: "Assign a hit",
    c.Retreat: "Retreat",
    c.Place: "Place a reinforcement",
    c.Repair: "Repair a unit",
    c.Rebuild: "Rebuild a unit",
    c.Evacuate: "Evacuate a unit",
}


def detail(index: Index, command: c.EotsCommand) -> str:
    """Describe a command listed below a heading that names the command's subject."""
    format_detail = _DETAILS.get(type(command))
    return label(index, command) if format_detail is None else format_detail(index, command)


def short_label(index: Index, command: c.EotsCommand) -> str:
    """Describe a command listed below a heading that names its verb.

    If the command has a single field, return only that field.
    """
    match command.__struct_fields__:
        case ("card",):
            return card_text(CardId(getattr(command, "card", "")))
        case ("unit",) | ("hq",) as names:
            return unit_text(index, UnitId(getattr(command, names[0])))
        case ("to",) | ("at",) as names:
            place = str(getattr(command, names[0]))
            is_own = isinstance(command, c.Assault) and index.owner(place) is index.view.side
            return f"{place_name(place)} (your own)" if is_own else place_name(place)
        case _:
            return label(index, command)


def kind(command: c.EotsCommand) -> str:
    """Describe a type of command in a few words."""
    known_text = _KIND_TEXTS.get(type(command))
    return known_text or first_line(type(command)).rstrip(".")


def subject(command: c.EotsCommand) -> tuple[str, str] | None:
    """Return the id and name of a command's unit or, failing that, its card or place; None if it has none of them."""
    unit = next(
        (getattr(command, name) for name in ("unit", "hq", "loser") if hasattr(command, name)), None
    )
    if unit is not None:
        return str(unit), short_name(UnitId(unit))
    card = getattr(command, "card", None)
    if card is not None:
        return str(card), card_name(CardId(card))
    destination = getattr(command, "to", None) or getattr(command, "at", None)
    return None if destination is None else (str(destination), place_name(destination))


def places(index: Index, command: c.EotsCommand) -> tuple[str, ...]:
    """Return a command's target hex. If the command has no target, return its unit's hex."""
    for name in ("to", "at"):
        target = getattr(command, name, None)
        if target is not None:
            return _on_map(str(target))
    for name in ("unit", "hq", "loser"):
        unit = getattr(command, name, None)
        if unit is not None and unit in index.units:
            return _on_map(index.place_of(unit))
    return ()


def _on_map(place: str) -> tuple[str, ...]:
    return (place,) if HexId(place) in board().hexes else ()


_MAX_NAMED_UNITS: Final = 4
"""Maximum number of units to name in a question. Further units are only counted."""


def confirmation_question(
    view: EotsView, command: c.EotsCommand, options: Sequence[c.EotsCommand]
) -> str:
    """Return a question to ask before a command that is easily given by mistake; empty for other commands."""
    match command:
        case c.Ferry(unit=unit) if counters()[unit].prewar:
            return f"{short_name(unit)} is a pre-war unit and would leave the game permanently. Send it anyway?"
        case c.Ferry(unit=unit):
            return f"{short_name(unit)} leaves the map until next turn (8.33). Send it away?"
        case c.DiscardCard(card=card) if any(
            not isinstance(option, c.DiscardCard) for option in options
        ):
            return f"{card_name(card)} would have no effect. Discard it?"
        case c.WithdrawHq(hq=hq):
            return f"{short_name(hq)} leaves the map and returns by way of the turn track. Withdraw it?"
        case c.Done() if view.frames and view.offensive is not None:
            return _idle_units_question(view.offensive, view.frames[-1], options)
        case c.FlyVia(to=destination) | c.Fly(to=destination) if (
            view.frames and isinstance(view.frames[-1], StackFrame) and destination != CHINA_BOX
        ):
            return _detour_question(view, view.frames[-1], command, HexId(destination))
        case _:
            return ""


def _idle_units_question(
    offensive: OffensiveView, frame: Frame, options: Sequence[c.EotsCommand]
) -> str:
    """Return a question to ask before a step ends while activated units can still act; empty if none can (7.2)."""
    match frame:
        case OffensiveFrame(step=1) if not offensive.activated:
            return "No unit is activated. End the offensive?"
        case MovementFrame(purpose=Purpose.OFFENSIVE | Purpose.REACTION):
            units = [option.unit for option in options if isinstance(option, c.Pick)]
            if any(counters()[unit].side is frame.side for unit in offensive.paths):
                unmoved_units = [unit for unit in units if not counters()[unit].is_air_capable]
                return _units_question("Still to move", unmoved_units, "End movement anyway?")
            return _units_question("No unit has moved", units, "End movement anyway?")
        case DeclarationFrame():
            idle_units = [option.unit for option in options if isinstance(option, c.Join | c.Cover)]
            return _units_question(
                "Not in a battle or covering a landing", idle_units, "Continue anyway?"
            )
        case _:
            return ""


def _units_question(heading: str, units: Sequence[UnitId], question: str) -> str:
    """Return a question about units, with their names; empty if no units are given."""
    names = [short_name(unit) for unit in dict.fromkeys(units)]
    names_text = ", ".join(names[:_MAX_NAMED_UNITS])
    more_text = (
        f" and {len(names) - _MAX_NAMED_UNITS} more" if len(names) > _MAX_NAMED_UNITS else ""
    )
    return f"{heading}: {names_text}{more_text}. {question}" if names else ""


def _detour_question(
    view: EotsView, frame: StackFrame, command: c.EotsCommand, destination: HexId
) -> str:
    """Return a question about a detour so long that the units could not fight in this offensive; otherwise empty.

    Rules 1.3 and 8.31 apply.
    """
    is_own = isinstance(command, c.FlyVia) or frame.flown
    if not is_own or frame.parentheses or frame.purpose is not Purpose.OFFENSIVE:
        return ""
    hexes = frame.flown + board().distance(HexId(frame.at), destination)
    names = [
        short_name(unit.id)
        for unit in view.units
        if unit.id in frame.units and counters()[unit.id].uses_brackets(unit.steps, hexes)
    ]
    if not names:
        return ""
    return (
        f"At {hexes} hexes, {', '.join(names)} would use a bracketed extended range and could not fight in this"
        " offensive (1.3). Fly there anyway?"
    )
