"""Describes what is being resolved: interceptions, contacts, damage and surface combat (4.5, 5, 21)."""

from collections.abc import Iterator

from engine.cbps import frames as f
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun, pluralise
from tui.cbps.enemy import force_lines
from tui.cbps.flights import mission_lines, raid_line
from tui.cbps.index import Index
from tui.cbps.texts import hex_text, target_text


def progress_lines(index: Index) -> tuple[str, ...]:
    """Return lines about the procedures in progress, outermost first; empty if no frame needs a description."""
    return tuple(line for frame in index.view.frames for line in _frame_lines(index, frame))


def focus_hex(index: Index) -> str:
    """Return the hex where the innermost procedure takes place; empty if no procedure has a hex."""
    for frame in reversed(index.view.frames):
        hex = _frame_hex(index, frame)
        if hex:
            return hex
    return ""


def _frame_lines(index: Index, frame: object) -> Iterator[str]:  # noqa: C901, PLR0912  (a case per frame)
    view = index.view
    match frame:
        # Hexes are handled one at a time, and the first one in the list is being resolved (4.51).
        case f.InterceptFrame(hexes=hexes, committed=committed_missions) if hexes:
            yield f"Interception in {hex_text(index, hexes[0])}"
            yield from (
                f"  {raid_line(index, raid)}"
                for raid in view.raids
                if view.raids[raid].hex == hexes[0]
            )
            if committed_missions:
                yield f"  committed: {', '.join(map(display_name, committed_missions))}"
        case f.InterceptionFrame(mission=mission, raid=raid):
            yield f"{display_name(mission)} fights {display_name(raid)}"
            if mission in view.missions:
                yield from (f"  {line}" for line in mission_lines(index, mission))
            if raid in view.raids:
                yield f"  {raid_line(index, raid)}"
        case f.OverflightFrame(raid=raid, held=held_units):
            yield f"{display_name(raid)} flies over the Battle Line"
            if held_units:
                yield f"  holding fire: {', '.join(map(display_name, held_units))}"
        case f.ContactFrame(mission=mission, targets=targets):
            yield f"{display_name(mission)} has made no contact; it may try once more for 1 fuel"
            yield from (f"  {target_text(index, target)}" for target in targets)
        case f.AimFrame(mission=mission, target=target, dice=dice, ships=ships):
            yield f"{display_name(mission)} attacks {target_text(index, target)}"
            yield f"  {pluralise(len(dice), 'damage die', 'damage dice')}"
            if dice:
                yield f"  modifiers {', '.join(f'{modifier:+}' for modifier in dice)}"
            if ships:
                yield f"  aimed so far: {', '.join(map(display_name, ships))}"
            if target in view.forces:
                yield from (f"  {line}" for line in force_lines(index, target))
        case f.SearchAttemptFrame(shadow=search, force=force) if search:
            yield f"{display_name(search)} has found {target_text(index, force)} and may shadow it"
        case f.SearchFlightFrame(left=moves_left, choices=choices) if choices:
            yield f"{display_name(moves_left[0])} flies along a hexside: {', '.join(choices)}"
        case f.SearchLandingFrame(left=moves_left) if moves_left:
            yield f"Searches are back: {', '.join(map(display_name, moves_left))}"
        case f.SafeReturnFrame(diverted=diverted_units) if diverted_units:
            yield f"The deck has crashed; in the air: {', '.join(map(display_name, diverted_units))}"
        case f.BoatsFrame(boat=boat, contact=contact) if boat:
            yield f"{display_name(boat)} acts" + (
                f", in contact with {target_text(index, contact)}" if contact else ""
            )
        case f.BoatHitsFrame(boat=boat, force=force, hits=hits):
            yield f"{display_name(boat)} has hit {target_text(index, force)}: {count_noun(hits, 'hit')}"
        case f.SurfaceCombatFrame():
            yield from _surface_combat_lines(index, frame)
        case _:
            return


def _surface_combat_lines(index: Index, frame: f.SurfaceCombatFrame) -> Iterator[str]:
    # The round is 0 before the first round begins.
    yield f"Surface combat in {hex_text(index, frame.hex)}, round {frame.round or 1}"
    if frame.surprised:
        yield f"  surprised: {'the US side' if frame.surprised == 'us' else 'the Japanese'}"
    for group, task_group in index.view.groups.items():
        if task_group.hex == frame.hex:
            yield f"  {display_name(group)}"
    for force, known_force in index.view.forces.items():
        if known_force.hex == frame.hex:
            yield from (f"  {line}" for line in force_lines(index, force))
    for ship, target in frame.targets.items():
        yield f"  {display_name(ship)} fires at {display_name(target)}"
    if frame.us_lost or frame.japan_lost:
        yield f"  sunk: US {frame.us_lost}, Japanese {frame.japan_lost}"


def _frame_hex(index: Index, frame: object) -> str:
    view = index.view
    match frame:
        case f.SetupFrame() if view.missions:
            return _middle_hex(index)
        case f.InterceptFrame(hexes=hexes):
            return hexes[0] if hexes else ""
        case f.InterceptionFrame(raid=raid) | f.OverflightFrame(raid=raid):
            return view.raids[raid].hex if raid in view.raids else ""
        case f.ContactFrame(mission=mission) | f.AimFrame(mission=mission):
            return view.missions[mission].hex if mission in view.missions else ""
        case f.SearchFlightFrame(left=moves_left) if moves_left:
            return view.searches[moves_left[0]].hex if moves_left[0] in view.searches else ""
        case f.SearchAttemptFrame(force=force) if force:
            return view.forces[force].hex if force in view.forces else ""
        case f.BoatsFrame(boat=boat) | f.BoatHitsFrame(boat=boat) if boat:
            return view.boats[boat].hex
        case f.SurfaceCombatFrame(hex=hex):
            return hex
        case _:
            return ""


def _middle_hex(index: Index) -> str:
    """Return the hex of the most central detected force; empty if no force is detected."""
    hexes = [force.hex for force in index.view.forces.values() if force.detection]
    return min(
        hexes,
        key=lambda hex: max(index.distance(hex, other_hex) for other_hex in hexes),
        default="",
    )
