"""Surface combat: the choices of the US side (21.12, 21.24)."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.commands import Accept, Avoid, CbpsCommand, Done, FireAt, HoldFire
from engine.cbps.frames import SurfaceCombatFrame
from engine.cbps.locations import groups_in
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run
from engine.cbps.seats import US
from engine.cbps.state import State
from engine.cbps.surface.ch21_combat import fight_round, open_combat, resolve_choices
from engine.cbps.surface.ch21_gunfire import firing_ships, unmatched_ships
from engine.cbps.surface.ch21_sides import Side, has_carrier, ships_in, target_rank
from engine.kernel.ids import Refusal, Rule


def begin_surface_combat(run: Run, hex: str, mover: Side, origin: Mapping[str, str]) -> None:
    """Start a surface combat between the ships of both sides in a hex (21).

    Args:
        run: The command being carried out.
        hex: The hex in which a side has ended its move.
        mover: The side that moved.
        origin: The hex that each moving group or force left.
    """
    run.push(SurfaceCombatFrame(hex=hex, mover=mover, origin=origin))


# -- the decisions


class _Choice(PlainAction[SurfaceCombatFrame, Any]):
    """Accepts or avoids the combat (D-21.12)."""

    timing = Refusal(Rule("21.12"), "this is chosen when ships of both sides meet")

    @override
    def candidates(self, state: State, frame: SurfaceCombatFrame, role: str) -> Iterable[Any]:
        """Return the command if the US side must accept or avoid combat, otherwise an empty tuple."""
        return (self.kind(),) if frame.stage == "accept" else ()

    @override
    def refusals(
        self, state: State, frame: SurfaceCombatFrame, role: str, command: Accept | Avoid
    ) -> Iterator[Refusal]:
        """Yield a refusal if the US side need not accept or avoid combat now."""
        if frame.stage != "accept":
            yield Refusal(Rule("21.12"), "the ships are already in combat")

    @override
    def apply(
        self, run: Run, frame: SurfaceCombatFrame, role: str, command: Accept | Avoid
    ) -> None:
        resolve_choices(run, frame, us_accepts=isinstance(command, Accept))


class FireAtAction(Action[SurfaceCombatFrame, FireAt]):
    """Assigns a target to a firing ship (21.24)."""

    kind = FireAt
    timing = Refusal(Rule("21.24"), "targets are chosen in each round of a surface combat")

    @override
    def candidates(self, state: State, frame: SurfaceCombatFrame, role: str) -> Iterable[FireAt]:
        """For each ship without a target, return a command to fire at each enemy ship."""
        if frame.stage != "match":
            return []
        targets = ships_in(state, "japan", frame.hex)
        return [
            FireAt(ship=ship, target=target)
            for ship in unmatched_ships(state, frame)
            for target in targets
        ]

    @override
    def refusals(
        self, state: State, frame: SurfaceCombatFrame, role: str, command: FireAt
    ) -> Iterator[Refusal]:
        """Yield the reasons why the ship cannot fire at the target."""
        yield from _firing_refusals(state, frame, command.ship)
        targets = ships_in(state, "japan", frame.hex)
        if command.target not in targets:
            yield Refusal(Rule("21.16"), "this is not an enemy ship in the combat")
            return
        targets_taken = list(frame.targets.values())
        rank = target_rank(state, command.target)
        fewest_refusals = min(
            targets_taken.count(ship) for ship in targets if target_rank(state, ship) == rank
        )
        if targets_taken.count(command.target) > fewest_refusals:
            yield Refusal(Rule("21.24"), "another enemy of this class has fewer ships firing at it")

    @override
    def apply(self, run: Run, frame: SurfaceCombatFrame, role: str, command: FireAt) -> None:
        """Record the target, and resolve the round once every ship has one."""
        _assign_target(run, frame, command.ship, command.target)


class HoldFireAction(Action[SurfaceCombatFrame, HoldFire]):
    """Holds a ship's fire in this round (21.24)."""

    kind = HoldFire

    @override
    def candidates(self, state: State, frame: SurfaceCombatFrame, role: str) -> Iterable[HoldFire]:
        """Return one command for each ship without a target."""
        if frame.stage != "match":
            return []
        return [HoldFire(ship=ship) for ship in unmatched_ships(state, frame)]

    @override
    def refusals(
        self, state: State, frame: SurfaceCombatFrame, role: str, command: HoldFire
    ) -> Iterator[Refusal]:
        """Yield the reasons why the ship cannot hold its fire."""
        yield from _firing_refusals(state, frame, command.ship)

    @override
    def apply(self, run: Run, frame: SurfaceCombatFrame, role: str, command: HoldFire) -> None:
        _assign_target(run, frame, command.ship, "")


class FireByDefault(PlainAction[SurfaceCombatFrame, Done]):
    """Assigns targets to the remaining ships by the Japanese daytime procedure (D-21.24)."""

    @override
    def candidates(self, state: State, frame: SurfaceCombatFrame, role: str) -> Iterable[Done]:
        """Return the command if targets are being assigned, otherwise an empty tuple."""
        return (Done(),) if frame.stage == "match" else ()

    @override
    def refusals(
        self, state: State, frame: SurfaceCombatFrame, role: str, command: Done
    ) -> Iterator[Refusal]:
        """Yield a refusal if combat has not been accepted or avoided yet."""
        if frame.stage != "match":
            yield Refusal(Rule("21.12"), "first accept the combat or try to avoid it")

    @override
    def apply(self, run: Run, frame: SurfaceCombatFrame, role: str, command: Done) -> None:
        fight_round(run, frame)


def _firing_refusals(state: State, frame: SurfaceCombatFrame, ship: str) -> Iterator[Refusal]:
    if frame.stage != "match":
        yield Refusal(Rule("21.12"), "first accept the combat or try to avoid it")
    elif ship in frame.targets:
        yield Refusal(Rule("21.24"), "this ship already has its orders for the round")
    elif ship not in firing_ships(state, frame, "us"):
        yield Refusal(Rule("21.22"), "this ship cannot fire in this round")


def _assign_target(run: Run, frame: SurfaceCombatFrame, ship: str, target: str) -> None:
    assigned_frame = replace(frame, targets={**frame.targets, ship: target})
    if unmatched_ships(run.state, assigned_frame):
        run.replace_top(assigned_frame)
    else:
        fight_round(run, assigned_frame)


class CombatQuestion(DecisionHandler[SurfaceCombatFrame]):
    """Runs a surface combat, including the decisions of the US side (21)."""

    frame = SurfaceCombatFrame
    actions = (
        _Choice(Accept),
        _Choice(Avoid),
        FireAtAction(),
        HoldFireAction(),
        FireByDefault(Done),
    )
    rule = Rule("21.0")
    question = "Fight the surface combat"
    wrong_kind_text = "a surface combat is being fought"

    @override
    def active_roles(self, state: State, frame: SurfaceCombatFrame) -> tuple[str, ...]:
        """Return the commander of the first group in the hex, if there is a choice."""
        has_choice = frame.stage == "accept" or (
            frame.stage == "match" and bool(unmatched_ships(state, frame))
        )
        return (_commander(state, frame.hex),) if has_choice else ()

    @override
    def step(self, run: Run, frame: SurfaceCombatFrame) -> None:
        """Carry out a stage in which the US has no choice: the opening, or a round in which no US ship fires."""
        if frame.stage == "open":
            open_combat(run, frame)
        else:
            fight_round(run, frame)

    @override
    def decision_rule(self, state: State, frame: SurfaceCombatFrame) -> Rule:
        return Rule("21.12" if frame.stage == "accept" else "21.24")

    @override
    def prompt(self, state: State, frame: SurfaceCombatFrame, role: str) -> str:
        if frame.stage == "accept":
            word = "accept" if frame.japan_accepts else "avoid"
            return f"The Japanese {word} the combat: accept or avoid it (Surface Combat)"
        return f"Choose targets for round {frame.round} (Surface Combat)"

    @override
    def default(
        self,
        state: State,
        frame: SurfaceCombatFrame,
        role: str,
        options: tuple[CbpsCommand, ...],
    ) -> CbpsCommand:
        """Return the default: avoid with carriers, otherwise accept, and fire by procedure (D-21.12, D-21.24)."""
        if frame.stage == "accept":
            return Avoid() if has_carrier(state, ships_in(state, "us", frame.hex)) else Accept()
        return options[-1]


def _commander(state: State, hex: str) -> str:
    return next((state.groups[name].commander for name in groups_in(state, hex)), US)


HANDLERS: Final[tuple[DecisionHandler[Any], ...]] = (CombatQuestion(),)
