"""US submarines act: they move, make contact, shadow; raids and boats ignore each other (14.12-14.15, 14.18)."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Final, TypeVar

from msgspec.structs import replace

from engine.cbps.ch07_levels import promote
from engine.cbps.ch08_detection import detect
from engine.cbps.ch12_hulls import lone_hulls
from engine.cbps.ch14_attack import torpedo
from engine.cbps.clock import light
from engine.cbps.commands import (
    BreakOff,
    CbpsCommand,
    Contact,
    Done,
    Hunt,
    Shadow,
    Stop,
    Torpedo,
)
from engine.cbps.directions import approach
from engine.cbps.events.boats import BoatPlaced, BoatShadows
from engine.cbps.events.chance import Modifier
from engine.cbps.frames import BoatsFrame
from engine.cbps.prose import names
from engine.cbps.rulings import BOAT_CONTACT
from engine.cbps.run import Action, PlainAction, Question, Run, drm
from engine.cbps.seats import US
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", Hunt, Contact, Torpedo, BreakOff)

_APPROACH: Final = {"oblique": "oblique", "stern chase": "stern_chase"}
_TIMING: Final = Refusal(Rule("14.12"), "submarines act when the US Subs chit is drawn")


# -- what a boat may do


def open_boats(state: State, frame: BoatsFrame) -> tuple[str, ...]:
    """Return the boats that have not acted."""
    return tuple(name for name, boat in state.boats.items() if boat.hex and name not in frame.done)


def contact_targets(state: State, boat: str) -> tuple[str, ...]:
    """Return the forces and lone crippled ships in the hex of a boat (14.12)."""
    hex = state.boats[boat].hex
    forces = tuple(name for name, force in state.forces.items() if force.hex == hex)
    return forces + lone_hulls(state, hex)


def is_lone(state: State, target: str) -> bool:
    """Return whether a target is a lone crippled ship, not a force."""
    return target not in state.forces


def acted(run: Run, frame: BoatsFrame, boat: str) -> None:
    """Go on to the next boat."""
    run.replace(BoatsFrame(done=(*frame.done, boat)))


def _boat_refusals(state: State, frame: BoatsFrame, name: str) -> Iterator[Refusal]:
    """Yield why a boat does not act now, whatever it would do (14.12)."""
    boat = state.boats.get(name)
    if boat is None or not boat.hex:
        yield Refusal(Rule("14.11"), f"there is no submarine {name}")
    elif frame.boat not in {"", name}:
        yield Refusal(Rule("14.12"), f"{names.name(frame.boat)} acts first")
    elif name in frame.done:
        rule, text = ("14.171", "is pinned") if boat.pin else ("14.12", "has acted")
        yield Refusal(Rule(rule), f"{names.name(name)} {text}")


class _BoatAction(Action[BoatsFrame, K]):
    """What a boat does by name."""

    timing = _TIMING

    def refusals(self, state: State, frame: BoatsFrame, role: str, command: K) -> Iterator[Refusal]:
        """Yield why the boat cannot act, else why it cannot do this."""
        found = tuple(_boat_refusals(state, frame, command.boat))
        if found:
            yield from found
        else:
            yield from self.against(state, frame, command)

    @abstractmethod
    def against(self, state: State, frame: BoatsFrame, command: K) -> Iterator[Refusal]:
        """Yield why a boat that acts cannot do this."""


class HuntAction(_BoatAction[Hunt]):
    """Move a boat one hex (14.12)."""

    kind = Hunt

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Hunt]:
        """Yield the adjacent hexes of every boat that has done nothing."""
        if frame.boat:
            return
        for name in open_boats(state, frame):
            if not state.boats[name].shadowing:
                for hex in state.book.sea.grid.neighbours(state.boats[name].hex):
                    yield Hunt(boat=name, hex=hex)

    def against(self, state: State, frame: BoatsFrame, command: Hunt) -> Iterator[Refusal]:
        """Yield that it shadows, has moved or tried contact, or goes too far."""
        boat = state.boats[command.boat]
        grid = state.book.sea.grid
        if boat.shadowing:
            yield Refusal(
                Rule("14.151"), f"{names.name(command.boat)} shadows a force, and moves with it"
            )
        if frame.boat:
            yield Refusal(Rule("14.12"), "a submarine moves once, and before it makes contact")
        if command.hex not in grid or not grid.is_adjacent(boat.hex, command.hex):
            yield Refusal(Rule("14.12"), "a submarine moves into an adjacent hex")

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Hunt) -> None:
        """Move it; contact comes next."""
        old = run.state.boats[command.boat].hex
        heading = run.state.book.sea.grid.direction_between(old, command.hex)
        run.add(BoatPlaced(boat=command.boat, hex=command.hex, why="move"))
        run.replace(replace(frame, boat=command.boat, has_moved=True, heading=heading))


class ContactAction(_BoatAction[Contact]):
    """Attempt contact (14.13)."""

    kind = Contact

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Contact]:
        """Yield what lies in the hexes of boats that may still try."""
        if frame.contact:
            return
        for name in (frame.boat,) if frame.boat else open_boats(state, frame):
            if not state.boats[name].shadowing:
                for target in contact_targets(state, name):
                    yield Contact(boat=name, target=target)

    def against(self, state: State, frame: BoatsFrame, command: Contact) -> Iterator[Refusal]:
        """Yield that it has contact, shadows, or that the target is elsewhere."""
        if frame.contact:
            yield Refusal(Rule("14.12"), f"{names.name(command.boat)} has contact")
        if state.boats[command.boat].shadowing:
            yield Refusal(Rule("14.151"), f"{names.name(command.boat)} shadows a force")
        if command.target not in contact_targets(state, command.boat):
            text = "it attempts contact with a force or lone crippled ship in its own hex"
            yield Refusal(Rule("14.12"), text)

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Contact) -> None:
        """Roll; a level-0 force draws its chit (14.14)."""
        attempt_contact(run, frame, command.boat, command.target)


def contact_modifiers(
    state: State, frame: BoatsFrame, boat: str, target: str
) -> tuple[Modifier, ...]:
    """Return what modifies an attempt at contact (14.131)."""
    ids = []
    if is_lone(state, target):
        ids.append("crippled")
    else:
        force = state.forces[target]
        if force.has_stayed:
            ids.append("force_did_not_move")
        elif boat in force.entered:
            ids.append("force_moved_into_sub")
        if frame.has_moved and force.heading is not None:
            # OP-48: other angles have no modifier
            found = approach(frame.heading, force.heading)  # type: ignore[arg-type]  # a direction by its word
            if found is not None:
                ids.append(_APPROACH[found])
    if light(state) != "day":
        ids.append("dusk_or_night")
    chart = state.book.charts.submarine_contact
    return tuple(drm(chart, one) for one in ids)


def attempt_contact(run: Run, frame: BoatsFrame, boat: str, target: str) -> None:
    """Let a boat attempt contact, and a level-0 force draw its chit (14.13-14.141).

    OP-28: contact is not detection.
    """
    chart = run.state.book.charts.submarine_contact
    found = contact_modifiers(run.state, frame, boat, target)
    if run.read(chart, target, found) == "fail":
        acted(run, frame, boat)
        return
    name = target
    if not is_lone(run.state, target) and run.state.forces[target].level == 0:
        name = promote(run, target, 1, "sub")
    if name:
        if not is_lone(run.state, name) and BOAT_CONTACT.is_other(run.state.options):
            detect(run, name, "S", "submarine")
        run.replace(replace(frame, boat=boat, contact=name))
    elif contact_targets(run.state, boat):
        run.replace(replace(frame, boat=boat, tried=(*frame.tried, target)))
    else:
        acted(run, frame, boat)


class TorpedoAction(_BoatAction[Torpedo]):
    """Attack what is shadowed, or in contact (14.151, 14.16)."""

    kind = Torpedo

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Torpedo]:
        """Yield the boat in contact, or those that shadow."""
        if frame.contact:
            yield Torpedo(boat=frame.boat)
        elif not frame.boat:
            for name in open_boats(state, frame):
                if state.boats[name].shadowing:
                    yield Torpedo(boat=name)

    def against(self, state: State, frame: BoatsFrame, command: Torpedo) -> Iterator[Refusal]:
        """Yield that it has neither contact nor a force that it shadows."""
        if not frame.contact and not state.boats[command.boat].shadowing:
            yield Refusal(Rule("14.16"), f"{names.name(command.boat)} has no contact")

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Torpedo) -> None:
        """Attack; the boat has then acted."""
        target = frame.contact or run.state.boats[command.boat].shadowing
        acted(run, frame, command.boat)
        torpedo(run, command.boat, target)


class ShadowAction(Action[BoatsFrame, Shadow]):
    """Shadow the force in contact (14.14)."""

    kind = Shadow

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Shadow, ...]:
        """Return the boat in contact."""
        return (Shadow(name=frame.boat),) if frame.contact else ()

    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Shadow
    ) -> Iterator[Refusal]:
        """Yield that the boat has no contact, or that nothing moves there to shadow."""
        if not frame.contact:
            yield Refusal(Rule("14.14"), f"{names.name(command.name)} has no contact")
        elif command.name != frame.boat:
            yield Refusal(Rule("14.12"), f"{names.name(frame.boat)} acts first")
        elif is_lone(state, frame.contact):
            yield Refusal(Rule("14.15"), "a lone crippled ship is not shadowed")

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Shadow) -> None:
        """Put the boat on the force."""
        run.add(BoatShadows(boat=frame.boat, force=frame.contact))
        acted(run, frame, frame.boat)


class BreakOffAction(_BoatAction[BreakOff]):
    """Stop shadowing, and stay where it is (14.151)."""

    kind = BreakOff

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[BreakOff]:
        """Yield the boats that shadow."""
        if not frame.boat:
            for name in open_boats(state, frame):
                if state.boats[name].shadowing:
                    yield BreakOff(boat=name)

    def against(self, state: State, frame: BoatsFrame, command: BreakOff) -> Iterator[Refusal]:
        """Yield that it shadows nothing."""
        if not state.boats[command.boat].shadowing:
            yield Refusal(Rule("14.151"), f"{names.name(command.boat)} shadows nothing")

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: BreakOff) -> None:
        """Let the force go."""
        run.add(BoatShadows(boat=command.boat))
        acted(run, frame, command.boat)


class StopAction(PlainAction[BoatsFrame, Stop]):
    """Try no further contact, or leave a lone crippled ship alone (14.12)."""

    timing = _TIMING

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Stop, ...]:
        """Return the order in the middle of the action of a boat."""
        return (Stop(),) if frame.boat else ()

    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Stop
    ) -> Iterator[Refusal]:
        """Yield that no boat is acting, or that it must shadow or attack."""
        if not frame.boat:
            yield Refusal(Rule("14.12"), "no submarine is in the middle of its action")
        elif frame.contact and not is_lone(state, frame.contact):
            yield Refusal(Rule("14.14"), "a submarine in contact shadows or attacks")

    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Stop) -> None:
        """Go on to the next boat."""
        acted(run, frame, frame.boat)


class DoneAction(PlainAction[BoatsFrame, Done]):
    """Let the other boats stay as they are; those that shadow go on (14.12, 14.151)."""

    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Done, ...]:
        """Return the order between the actions of two boats."""
        return () if frame.boat else (Done(),)

    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Done
    ) -> Iterator[Refusal]:
        """Yield that a boat is in the middle of its action."""
        if frame.boat:
            yield Refusal(Rule("14.12"), f"{names.name(frame.boat)} acts first")


class Boats(Question[BoatsFrame]):
    """Each submarine acts once, in the order that the player likes (14.12)."""

    frame = BoatsFrame
    rule = Rule("14.12")
    actions = (
        ContactAction(),
        HuntAction(),
        TorpedoAction(),
        ShadowAction(),
        BreakOffAction(),
        StopAction(Stop),
        DoneAction(Done),
    )

    def prompt(self, state: State, frame: BoatsFrame, role: str) -> str:
        """Return the question."""
        if frame.contact:
            return f"{names.name(frame.boat)} has contact: shadow or attack?"
        if frame.boat:
            return f"{names.name(frame.boat)}: attempt contact?"
        return "Submarines: move, make contact, attack"

    def asked(self, state: State, frame: BoatsFrame) -> tuple[str, ...]:
        """Return the first commander while a boat can act."""
        if frame.boat:
            is_asked = bool(frame.contact) or bool(contact_targets(state, frame.boat))
        else:
            is_asked = bool(open_boats(state, frame))
        return (US,) if is_asked else ()

    def step(self, run: Run, frame: BoatsFrame) -> None:
        """End the action of a boat that finds nothing in its hex, or the activation."""
        if frame.boat:
            acted(run, frame, frame.boat)
        else:
            run.leave()

    def default(
        self, state: State, frame: BoatsFrame, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand:
        """Return to stay, attempt contact, attack carriers and shadow others (14.12)."""
        if frame.contact:
            is_worth = is_lone(state, frame.contact) or state.forces[frame.contact].is_carrier
            wanted: type[CbpsCommand] = Torpedo if is_worth else Shadow
        else:
            wanted = Contact
        return next((one for one in options if isinstance(one, wanted)), options[-1])


HANDLERS: Final = (Boats(),)
