"""US movement, crippled ships left behind, and the resulting wind markers and combats (6.3, 12.4, 17.0, 21.0)."""

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_courses import has_force, has_lone_hull
from engine.cbps.commands import Done, Sail
from engine.cbps.decks.ch06_decks import is_crippled
from engine.cbps.decks.ch17_wind import mark_groups
from engine.cbps.events.fleet import GroupMoved, ShipCrippled
from engine.cbps.forces.ch12_cripples import sink_lone_cripples
from engine.cbps.frames import SailFrame
from engine.cbps.ids import TASK_FORCE, Direction
from engine.cbps.locations import carriers_in_group, ships_in_group
from engine.cbps.rulings import SURFACE_COMBAT, is_on
from engine.cbps.run import Action, Run
from engine.cbps.seats import US, commands_group
from engine.cbps.segment import SegmentDoneAction, SegmentQuestion
from engine.cbps.state import State
from engine.cbps.surface.ch06_groups import (
    DetachAction,
    EscortAction,
    RejoinAction,
    TowAction,
    share_lights,
    task_force_groups,
)
from engine.cbps.surface.ch21_surface_combat import begin_surface_combat
from engine.kernel.ids import Refusal, Rule


def begin_us_move(run: Run) -> None:
    """Begin US ship movement for the US Move chit (6.32)."""
    run.push(SailFrame())


def moving_groups(state: State, name: str) -> tuple[str, ...]:
    """Return the groups that move together under a name: all of TF 58, or one detached group."""
    return task_force_groups(state) if name == TASK_FORCE else (name,)


class SailAction(Action[SailFrame, Sail]):
    """Moves a task group or TF 58 to an adjacent hex. CAP moves too, but missions stay behind (6.34, 6.35, 6.36)."""

    kind = Sail
    is_exact = True
    timing = Refusal(Rule("6.32"), "ships move when the US Move chit is drawn")

    @override
    def candidates(self, state: State, frame: SailFrame, role: str) -> Iterable[Sail]:
        """Yield a command for TF 58 and for each detached group to enter each legal hex."""
        names = [name for name, group in state.groups.items() if group.is_detached]
        for name in (TASK_FORCE, *names):
            if next(_group_refusals(state, frame, role, name), None) is None:
                groups = moving_groups(state, name)
                start_hex = state.groups[groups[0]].hex
                has_carrier = _has_carrier(state, groups)
                for hex in state.game_data.map.grid.neighbours(start_hex):
                    hex_refusals = _hex_refusals(state, start_hex, hex, has_carrier=has_carrier)
                    if next(hex_refusals, None) is None:
                        yield Sail(group=name, hex=hex)

    @override
    def refusals(
        self, state: State, frame: SailFrame, role: str, command: Sail
    ) -> Iterator[Refusal]:
        """Yield the reasons why the group cannot move to the hex."""
        refusal_list = tuple(_group_refusals(state, frame, role, command.group))
        yield from refusal_list
        groups = tuple(
            group for group in moving_groups(state, command.group) if group in state.groups
        )
        if groups:
            start_hex = state.groups[groups[0]].hex
            has_carrier = _has_carrier(state, groups)
            yield from _hex_refusals(state, start_hex, command.hex, has_carrier=has_carrier)

    @override
    def apply(self, run: Run, frame: SailFrame, role: str, command: Sail) -> None:
        """Leave crippled ships behind and move. Lone crippled Japanese ships in the new hex sink (12.41, 12.46)."""
        origins = dict(frame.origins)
        for name in moving_groups(run.state, command.group):
            old_hex = run.state.groups[name].hex
            for ship in ships_in_group(run.state, name):
                if is_crippled(run.state, ship):
                    run.add(ShipCrippled(ship=ship, hex=old_hex))
            heading = run.state.game_data.map.grid.direction_between(old_hex, command.hex)
            run.add(GroupMoved(group=name, hex=command.hex, heading=heading))
            origins[name] = old_hex
        share_lights(run, command.hex)
        if has_lone_hull(run.state, command.hex) and not has_force(run.state, command.hex):
            sink_lone_cripples(run, command.hex)
        run.replace_top(replace(frame, origins=origins))


def _has_carrier(state: State, groups: Iterable[str]) -> bool:
    """Return whether any of the groups has an uncrippled carrier (2.12)."""
    return any(
        not is_crippled(state, ship) for group in groups for ship in carriers_in_group(state, group)
    )


def _group_refusals(state: State, frame: SailFrame, role: str, name: str) -> Iterator[Refusal]:
    """Yield the reasons why a group or TF 58 cannot move now (6.31-6.34, 12.41)."""
    if name == TASK_FORCE:
        if not task_force_groups(state):
            yield Refusal(Rule("6.31"), "no group is under the TF 58 counter")
            return
        if role != US:
            yield Refusal(Rule("6.31"), "the first commander moves TF 58; detach your group first")
    else:
        group = state.groups.get(name)
        if group is None or not ships_in_group(state, name):
            yield Refusal(Rule("6.31"), "this group is not on the map")
            return
        if not commands_group(state, role, name):
            yield Refusal(Rule("6.1"), "this group is under another commander")
        if not group.is_detached:
            yield Refusal(Rule("6.33"), "this group sails with TF 58; detach it first")
    groups = moving_groups(state, name)
    if any(group in frame.origins for group in groups):
        yield Refusal(Rule("6.34"), "each group can move only one hex")
    if all(is_crippled(state, ship) for group in groups for ship in ships_in_group(state, group)):
        yield Refusal(Rule("12.41"), "a group of crippled ships cannot move")


def _hex_refusals(
    state: State, start_hex: str, hex: str, *, has_carrier: bool
) -> Iterator[Refusal]:
    """Yield the reasons why ships cannot enter a hex (2.12, 6.34, 6.35)."""
    grid = state.game_data.map.grid
    if hex not in grid or not grid.is_adjacent(start_hex, hex):
        yield Refusal(Rule("6.34"), "ships can only move into an adjacent hex on the map")
        return
    if has_carrier and hex in state.game_data.map.islands:
        yield Refusal(Rule("2.12"), "carriers cannot enter an island hex")
    if has_force(state, hex) and not is_on(state, SURFACE_COMBAT):
        yield Refusal(Rule("6.35"), "a Japanese force is in that hex")


class SailHandler(SegmentQuestion[SailFrame]):
    """The decisions in a US Move activation (6.3, 12.42)."""

    frame = SailFrame
    rule = Rule("6.32")
    question = "Move task groups and TF 58 (US Move)"
    actions = (
        SailAction(),
        DetachAction(),
        RejoinAction(),
        EscortAction(),
        TowAction(),
        SegmentDoneAction(Done),
    )

    @override
    def active_roles(self, state: State, frame: SailFrame) -> tuple[str, ...]:
        """Return the commanders who can still act. Empty once movement is over."""
        return () if frame.is_over else super().active_roles(state, frame)

    @override
    def is_open(self, state: State, frame: SailFrame, role: str) -> bool:
        """Return whether a commander can do anything other than ``Done``."""
        return any(action.is_open(state, frame, role) for action in self.actions[:-1])

    @override
    def step(self, run: Run, frame: SailFrame) -> None:
        """End the movement, then start the surface combats hex by hex."""
        if not frame.is_over:
            self.close(run, frame)
        elif frame.fights:
            hex, *other_hexes = frame.fights
            run.replace_top(replace(frame, fights=tuple(other_hexes)))
            state = run.state
            origins = {
                name: start_hex
                for name, start_hex in frame.origins.items()
                if name in state.groups and state.groups[name].hex == hex
            }
            # After an earlier combat, there may be no forces left in this hex.
            if has_force(state, hex):
                begin_surface_combat(run, hex, "us", origins)
        else:
            run.pop()

    @override
    def close(self, run: Run, frame: SailFrame) -> None:
        """Set the groups' wind markers, and collect the hexes that now contain both sides (17.0, 21.0)."""
        state = run.state
        headings: dict[str, Direction | None] = {
            name: group.heading for name, group in state.groups.items() if name in frame.origins
        }
        mark_groups(run, headings)
        entered_hexes = dict.fromkeys(state.groups[name].hex for name in headings)
        contested_hexes = tuple(hex for hex in entered_hexes if has_force(run.state, hex))
        run.replace_top(replace(frame, is_over=True, fights=contested_hexes))


HANDLERS: Final = (SailHandler(),)
