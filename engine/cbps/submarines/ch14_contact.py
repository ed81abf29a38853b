"""Actions of US submarines: movement, contact and shadowing. They do not affect raids (14.12-14.15, 14.18)."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Final, TypeVar

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.clock import current_light
from engine.cbps.commands import BreakOff, CbpsCommand, Contact, Done, Hunt, Shadow, Stop, Torpedo
from engine.cbps.damage.ch12_hulls import lone_hulls
from engine.cbps.directions import approach_angle
from engine.cbps.events.boats import BoatPlaced, BoatShadows
from engine.cbps.events.chance import Modifier
from engine.cbps.force_ids import counter_of, force_with_counter
from engine.cbps.forces.ch08_detection import set_detection
from engine.cbps.frames import BoatsFrame
from engine.cbps.intelligence.ch07_levels import promote
from engine.cbps.prose import names
from engine.cbps.rulings import BOAT_CONTACT
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run, chart_modifier
from engine.cbps.seats import US
from engine.cbps.state import State
from engine.cbps.submarines.ch14_attack import resolve_torpedo_attack
from engine.kernel.ids import Refusal, Rule

K = TypeVar("K", Hunt, Contact, Torpedo, BreakOff)

_APPROACH: Final = {"oblique": "oblique", "stern chase": "stern_chase"}
_TIMING: Final = Refusal(Rule("14.12"), "submarines act when the US Subs chit is drawn")


# -- possible actions of a submarine


def boats_to_act(state: State, frame: BoatsFrame) -> tuple[str, ...]:
    """Return the submarines that have not acted yet."""
    return tuple(name for name, boat in state.boats.items() if boat.hex and name not in frame.done)


def contact_targets(state: State, boat: str) -> tuple[str, ...]:
    """Return the forces and lone crippled ships in a submarine's hex (14.12)."""
    hex = state.boats[boat].hex
    forces = tuple(name for name, force in state.forces.items() if force.hex == hex)
    return forces + lone_hulls(state, hex)


def is_lone(state: State, target: str) -> bool:
    """Return whether a target is a lone crippled ship and not a force."""
    return target not in state.forces


def mark_acted(run: Run, frame: BoatsFrame, boat: str) -> None:
    """Record that a submarine has acted."""
    run.replace_top(BoatsFrame(done=(*frame.done, boat)))


def _boat_refusals(state: State, frame: BoatsFrame, name: str) -> Iterator[Refusal]:
    """Yield the reasons why a submarine cannot act now (14.12)."""
    boat = state.boats.get(name)
    if boat is None or not boat.hex:
        yield Refusal(Rule("14.11"), f"there is no submarine {name}")
    elif frame.boat not in {"", name}:
        yield Refusal(Rule("14.12"), f"{names.display_name(frame.boat)} acts first")
    elif name in frame.done:
        rule, text = ("14.171", "is pinned") if boat.pin else ("14.12", "has acted")
        yield Refusal(Rule(rule), f"{names.display_name(name)} {text}")


class _BoatAction(Action[BoatsFrame, K]):
    """Base class of actions whose command names a submarine."""

    timing = _TIMING

    @override
    def refusals(self, state: State, frame: BoatsFrame, role: str, command: K) -> Iterator[Refusal]:
        """Yield the reasons why the submarine cannot act or, if it can, why it cannot take this action."""
        refusals = tuple(_boat_refusals(state, frame, command.boat))
        if refusals:
            yield from refusals
        else:
            yield from self.action_refusals(state, frame, command)

    @abstractmethod
    def action_refusals(self, state: State, frame: BoatsFrame, command: K) -> Iterator[Refusal]:
        """Yield the reasons why a submarine that may act cannot take this action."""


class HuntAction(_BoatAction[Hunt]):
    """Moves a submarine one hex (14.12)."""

    kind = Hunt

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Hunt]:
        """For each submarine that has not acted and is not shadowing, yield a move to each adjacent hex."""
        if frame.boat:
            return
        for name in boats_to_act(state, frame):
            if not state.boats[name].shadowing:
                for hex in state.game_data.map.grid.neighbours(state.boats[name].hex):
                    yield Hunt(boat=name, hex=hex)

    @override
    def action_refusals(self, state: State, frame: BoatsFrame, command: Hunt) -> Iterator[Refusal]:
        """Yield the reasons why the submarine cannot move to the hex."""
        boat = state.boats[command.boat]
        grid = state.game_data.map.grid
        if boat.shadowing:
            yield Refusal(
                Rule("14.151"),
                f"{names.display_name(command.boat)} is shadowing a force and moves with it",
            )
        if frame.boat:
            yield Refusal(
                Rule("14.12"), "a submarine can move only once, and only before it makes contact"
            )
        if command.hex not in grid or not grid.is_adjacent(boat.hex, command.hex):
            yield Refusal(Rule("14.12"), "a submarine can only move into an adjacent hex")

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Hunt) -> None:
        """Move the submarine. It may then attempt contact."""
        old_hex = run.state.boats[command.boat].hex
        heading = run.state.game_data.map.grid.direction_between(old_hex, command.hex)
        run.add(BoatPlaced(boat=command.boat, hex=command.hex, why="move"))
        run.replace_top(replace(frame, boat=command.boat, has_moved=True, heading=heading))


class ContactAction(_BoatAction[Contact]):
    """Makes a submarine attempt contact (14.13)."""

    kind = Contact

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Contact]:
        """For each submarine that may still attempt contact, yield a command for each target in its hex."""
        if frame.contact:
            return
        for name in (frame.boat,) if frame.boat else boats_to_act(state, frame):
            if not state.boats[name].shadowing:
                for target in contact_targets(state, name):
                    yield Contact(boat=name, target=counter_of(state, target))

    @override
    def action_refusals(
        self, state: State, frame: BoatsFrame, command: Contact
    ) -> Iterator[Refusal]:
        """Yield the reasons why the submarine cannot attempt contact with the target."""
        if frame.contact:
            yield Refusal(Rule("14.12"), f"{names.display_name(command.boat)} has contact")
        if state.boats[command.boat].shadowing:
            yield Refusal(
                Rule("14.151"), f"{names.display_name(command.boat)} is shadowing a force"
            )
        if force_with_counter(state, command.target) not in contact_targets(state, command.boat):
            text = "it can only attempt contact with a force or lone crippled ship in its own hex"
            yield Refusal(Rule("14.12"), text)

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Contact) -> None:
        """Roll for contact. A level-0 force draws its chit (14.14)."""
        target = force_with_counter(run.state, command.target)
        attempt_contact(run, frame, command.boat, target)


def contact_modifiers(
    state: State, frame: BoatsFrame, boat: str, target: str
) -> tuple[Modifier, ...]:
    """Return the modifiers for a submarine's contact attempt (14.131)."""
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
            bearing = approach_angle(frame.heading, force.heading)  # type: ignore[arg-type]  # stored as a plain string
            if bearing is not None:
                ids.append(_APPROACH[bearing])
    if current_light(state) != "day":
        ids.append("dusk_or_night")
    chart = state.game_data.charts.submarine_contact
    return tuple(chart_modifier(chart, modifier_id) for modifier_id in ids)


def attempt_contact(run: Run, frame: BoatsFrame, boat: str, target: str) -> None:
    """Have a submarine attempt contact. A level-0 force draws its level-1 chit (14.13-14.141).

    By default, contact does not detect the force (OP-28).
    """
    chart = run.state.game_data.charts.submarine_contact
    modifiers = contact_modifiers(run.state, frame, boat, target)
    if run.roll_on_chart(chart, target, modifiers) == "fail":
        mark_acted(run, frame, boat)
        return
    if is_lone(run.state, target):
        run.replace_top(replace(frame, boat=boat, contact=target))
    elif run.state.forces[target].level > 0 or promote(run, target, 1, "sub"):
        if BOAT_CONTACT.uses_alternative(run.state.options):
            set_detection(run, target, "S", "submarine")
        run.replace_top(replace(frame, boat=boat, contact=target))
    # The force was a false contact, so another target in the hex may be tried (14.141).
    elif contact_targets(run.state, boat):
        run.replace_top(replace(frame, boat=boat, tried=(*frame.tried, target)))
    else:
        mark_acted(run, frame, boat)


class TorpedoAction(_BoatAction[Torpedo]):
    """Attacks a target that the submarine shadows or has contacted (14.151, 14.16)."""

    kind = Torpedo

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[Torpedo]:
        """Yield a command for the submarine in contact or, if none is acting, for each submarine that is shadowing."""
        if frame.contact:
            yield Torpedo(boat=frame.boat)
        elif not frame.boat:
            for name in boats_to_act(state, frame):
                if state.boats[name].shadowing:
                    yield Torpedo(boat=name)

    @override
    def action_refusals(
        self, state: State, frame: BoatsFrame, command: Torpedo
    ) -> Iterator[Refusal]:
        """Yield a refusal if the submarine has no contact and is not shadowing."""
        if not frame.contact and not state.boats[command.boat].shadowing:
            yield Refusal(Rule("14.16"), f"{names.display_name(command.boat)} has no contact")

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Torpedo) -> None:
        """Carry out the attack and end the submarine's action."""
        # Record the action first, because the attack may push another frame on top of this one.
        target = frame.contact or run.state.boats[command.boat].shadowing
        mark_acted(run, frame, command.boat)
        resolve_torpedo_attack(run, command.boat, target)


class BoatShadowAction(Action[BoatsFrame, Shadow]):
    """Shadows the force that the submarine has contacted (14.14)."""

    kind = Shadow

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Shadow, ...]:
        """Return the command for the submarine in contact, or an empty tuple if there is none."""
        return (Shadow(name=frame.boat),) if frame.contact else ()

    @override
    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Shadow
    ) -> Iterator[Refusal]:
        """Yield a refusal if the submarine has no contact, or if its target is a lone crippled ship."""
        if not frame.contact:
            yield Refusal(Rule("14.14"), f"{names.display_name(command.name)} has no contact")
        elif command.name != frame.boat:
            yield Refusal(Rule("14.12"), f"{names.display_name(frame.boat)} acts first")
        elif is_lone(state, frame.contact):
            yield Refusal(Rule("14.15"), "a lone crippled ship cannot be shadowed")

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Shadow) -> None:
        run.add(BoatShadows(boat=frame.boat, force=frame.contact))
        mark_acted(run, frame, frame.boat)


class BreakOffAction(_BoatAction[BreakOff]):
    """Stops shadowing. The submarine stays in its hex (14.151)."""

    kind = BreakOff

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> Iterator[BreakOff]:
        if not frame.boat:
            for name in boats_to_act(state, frame):
                if state.boats[name].shadowing:
                    yield BreakOff(boat=name)

    @override
    def action_refusals(
        self, state: State, frame: BoatsFrame, command: BreakOff
    ) -> Iterator[Refusal]:
        """Yield a refusal if the submarine is not shadowing."""
        if not state.boats[command.boat].shadowing:
            yield Refusal(Rule("14.151"), f"{names.display_name(command.boat)} shadows nothing")

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: BreakOff) -> None:
        run.add(BoatShadows(boat=command.boat))
        mark_acted(run, frame, command.boat)


class BoatStopAction(PlainAction[BoatsFrame, Stop]):
    """Gives up further contact attempts, or leaves a lone crippled ship alone (14.12)."""

    timing = _TIMING

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Stop, ...]:
        """Return the command if a submarine's action is in progress, otherwise an empty tuple."""
        return (Stop(),) if frame.boat else ()

    @override
    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Stop
    ) -> Iterator[Refusal]:
        """Yield a refusal if no submarine is acting, or if the acting submarine must shadow or attack."""
        if not frame.boat:
            yield Refusal(Rule("14.12"), "no submarine is in the middle of its action")
        elif frame.contact and not is_lone(state, frame.contact):
            yield Refusal(Rule("14.14"), "a submarine in contact must shadow or attack")

    @override
    def apply(self, run: Run, frame: BoatsFrame, role: str, command: Stop) -> None:
        mark_acted(run, frame, frame.boat)


class BoatDoneAction(PlainAction[BoatsFrame, Done]):
    """Leaves the remaining submarines where they are. Submarines that are shadowing continue (14.12, 14.151)."""

    @override
    def candidates(self, state: State, frame: BoatsFrame, role: str) -> tuple[Done, ...]:
        """Return the command, or an empty tuple while a submarine's action is in progress."""
        return () if frame.boat else (Done(),)

    @override
    def refusals(
        self, state: State, frame: BoatsFrame, role: str, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal while a submarine's action is in progress."""
        if frame.boat:
            yield Refusal(Rule("14.12"), f"{names.display_name(frame.boat)} acts first")


class Boats(DecisionHandler[BoatsFrame]):
    """The decision on submarine actions. Each submarine acts once, in any order (14.12)."""

    frame = BoatsFrame
    rule = Rule("14.12")
    actions = (
        ContactAction(),
        HuntAction(),
        TorpedoAction(),
        BoatShadowAction(),
        BreakOffAction(),
        BoatStopAction(Stop),
        BoatDoneAction(Done),
    )

    @override
    def prompt(self, state: State, frame: BoatsFrame, role: str) -> str:
        if frame.contact:
            return f"{names.display_name(frame.boat)} has contact: shadow or attack?"
        if frame.boat:
            return f"{names.display_name(frame.boat)}: attempt contact?"
        return "Submarines: move, make contact, attack"

    @override
    def active_roles(self, state: State, frame: BoatsFrame) -> tuple[str, ...]:
        """Return the first commander if a submarine can act, otherwise an empty tuple."""
        if frame.boat:
            is_asked = bool(frame.contact) or bool(contact_targets(state, frame.boat))
        else:
            is_asked = bool(boats_to_act(state, frame))
        return (US,) if is_asked else ()

    @override
    def step(self, run: Run, frame: BoatsFrame) -> None:
        """End the action of a submarine with no targets in its hex or, if no submarine is acting, the activation."""
        if frame.boat:
            mark_acted(run, frame, frame.boat)
        else:
            run.pop()

    @override
    def default(
        self, state: State, frame: BoatsFrame, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand:
        """Return the default: attempt contact or stay.

        In contact, attack carriers and cripples, shadow others (14.12).
        """
        if frame.contact:
            is_worth = is_lone(state, frame.contact) or state.forces[frame.contact].is_carrier
            command_type: type[CbpsCommand] = Torpedo if is_worth else Shadow
        else:
            command_type = Contact
        return next((option for option in options if isinstance(option, command_type)), options[-1])


HANDLERS: Final = (Boats(),)
