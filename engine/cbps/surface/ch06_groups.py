"""Detaching and rejoining task groups, escorting crippled ships, and towing (6.33, 12.411, 12.42)."""

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.air.ch04_courses import has_force
from engine.cbps.clock import is_half_past
from engine.cbps.commands import Detach, Escort, Rejoin, Tow
from engine.cbps.decks.ch06_decks import is_crippled
from engine.cbps.events.fleet import GroupDetached, LightsSwitched, ShipCrippled, ShipDetached
from engine.cbps.frames import SailFrame
from engine.cbps.ids import SURFACE_GROUPS
from engine.cbps.locations import groups_in, ship_hex, ships_in_group
from engine.cbps.rulings import SURFACE_COMBAT, is_on
from engine.cbps.run import Action, Run
from engine.cbps.seats import US, commands_group
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

_TIMING: Final = Refusal(Rule("6.32"), "ships move when the US Move chit is drawn")


def task_force_groups(state: State) -> tuple[str, ...]:
    """Return the groups with ships afloat under the TF 58 counter (6.31)."""
    return tuple(
        name
        for name, group in state.groups.items()
        if not group.is_detached and ships_in_group(state, name)
    )


def share_lights(run: Run, hex: str) -> None:
    """Light all groups in a hex that a group has entered, if any of them is lit (6.431).

    A lit group keeps its lights on when it moves (OP-19).
    """
    groups = groups_in(run.state, hex)
    unlit_groups = [name for name in groups if not run.state.groups[name].is_lit]
    if len(unlit_groups) < len(groups):
        for name in unlit_groups:
            run.add(LightsSwitched(group=name, is_lit=True))


class DetachAction(Action[SailFrame, Detach]):
    """Detaches a task group from TF 58 (6.33)."""

    kind = Detach
    timing = _TIMING

    @override
    def candidates(self, state: State, frame: SailFrame, role: str) -> Iterable[Detach]:
        """Return one command for each group in TF 58."""
        return [Detach(group=name) for name in task_force_groups(state)]

    @override
    def refusals(
        self, state: State, frame: SailFrame, role: str, command: Detach
    ) -> Iterator[Refusal]:
        """Yield the reasons why the group cannot be detached."""
        group, joined_groups = state.groups.get(command.group), task_force_groups(state)
        if group is None or command.group not in joined_groups:
            yield Refusal(Rule("6.33"), "this group is not under the TF 58 counter")
            return
        if not commands_group(state, role, command.group):
            yield Refusal(Rule("6.1"), "this group is under another commander")
        if command.group in frame.origins:
            yield Refusal(Rule("6.33"), "TF 58 has moved; groups are detached before they move")
        if len(joined_groups) == 1:
            yield Refusal(Rule("6.33"), "this is the only group in TF 58")

    @override
    def apply(self, run: Run, frame: SailFrame, role: str, command: Detach) -> None:
        run.add(GroupDetached(group=command.group))


class RejoinAction(Action[SailFrame, Rejoin]):
    """Puts a detached task group back under the TF 58 counter in its hex (6.33)."""

    kind = Rejoin
    timing = _TIMING

    @override
    def candidates(self, state: State, frame: SailFrame, role: str) -> Iterable[Rejoin]:
        return [Rejoin(group=name) for name, group in state.groups.items() if group.is_detached]

    @override
    def refusals(
        self, state: State, frame: SailFrame, role: str, command: Rejoin
    ) -> Iterator[Refusal]:
        """Yield the reasons why the group cannot rejoin."""
        yield from rejoin_refusals(state, frame.origins, role, command)

    @override
    def apply(self, run: Run, frame: SailFrame, role: str, command: Rejoin) -> None:
        rejoin_task_force(run, command)


def rejoin_refusals(
    state: State, moved_groups: Collection[str], role: str, command: Rejoin
) -> Iterator[Refusal]:
    """Yield the reasons why a group cannot rejoin TF 58 (6.33).

    Args:
        state: The state.
        moved_groups: Groups that have moved in the current US Move activation.
        role: The commander giving the command.
        command: The command to check.
    """
    group = state.groups.get(command.group)
    if group is None or not group.is_detached or not ships_in_group(state, command.group):
        yield Refusal(Rule("6.33"), "this is not a group that sails on its own")
        return
    if not commands_group(state, role, command.group):
        yield Refusal(Rule("6.1"), "this group is under another commander")
    if command.group in SURFACE_GROUPS:
        yield Refusal(Rule("6.15"), "surface groups cannot rejoin")
    joined_groups = task_force_groups(state)
    if not joined_groups or state.groups[joined_groups[0]].hex != group.hex:
        yield Refusal(Rule("6.33"), "TF 58 is not in its hex")
    elif (joined_groups[0] in moved_groups) != (command.group in moved_groups):
        text = "one of them has moved; the group can rejoin only if both or neither have"
        yield Refusal(Rule("6.34"), text)


def rejoin_task_force(run: Run, command: Rejoin) -> None:
    """Put a group under the TF 58 counter (6.33)."""
    run.add(GroupDetached(group=command.group, is_detached=False))


class EscortAction(Action[SailFrame, Escort]):
    """Leaves a surface unit with a crippled ship for the rest of the game (12.411)."""

    kind = Escort
    timing = _TIMING

    @override
    def candidates(self, state: State, frame: SailFrame, role: str) -> Iterable[Escort]:
        """Yield a command for each surface unit to stay behind with each crippled ship in its hex."""
        if not is_on(state, SURFACE_COMBAT):
            return
        for cripple in state.ships:
            if is_crippled(state, cripple):
                hex = ship_hex(state, cripple)
                for ship, ship_state in state.ships.items():
                    if ship_state.group and state.groups[ship_state.group].hex == hex:
                        yield Escort(ship=ship, cripple=cripple)

    @override
    def refusals(
        self, state: State, frame: SailFrame, role: str, command: Escort
    ) -> Iterator[Refusal]:
        """Yield the reasons why the unit cannot stay behind."""
        if not is_on(state, SURFACE_COMBAT):
            yield Refusal(
                Rule("12.411"), "escorts can stay behind only if surface combat (21) is in use"
            )
        ship, cripple = state.ships.get(command.ship), state.ships.get(command.cripple)
        if ship is None or not ship.group:
            yield Refusal(Rule("12.411"), "the escort must be with a task group")
            return
        if not commands_group(state, role, ship.group):
            yield Refusal(Rule("6.1"), "this ship is under another commander")
        if state.game_data.us_ships[command.ship].is_carrier or is_crippled(state, command.ship):
            yield Refusal(
                Rule("12.411"), "only uncrippled surface units can stay with a crippled ship"
            )
        if len(ships_in_group(state, ship.group)) == 1:
            yield Refusal(Rule("12.411"), "the last ship of a group cannot stay behind")
        if ship.group in frame.origins:
            yield Refusal(Rule("12.411"), "its group has moved; escorts must be left when it moves")
        if cripple is None or not is_crippled(state, command.cripple):
            yield Refusal(Rule("12.411"), "escorts can only stay with a crippled ship")
        elif ship_hex(state, command.cripple) != state.groups[ship.group].hex:
            yield Refusal(Rule("12.411"), "the crippled ship is in another hex")
        elif cripple.group and not commands_group(state, role, cripple.group):
            yield Refusal(Rule("6.1"), "the crippled ship is under another commander")

    @override
    def apply(self, run: Run, frame: SailFrame, role: str, command: Escort) -> None:
        """Leave the escort with the crippled ship, which is first detached from its group if necessary."""
        hex = ship_hex(run.state, command.cripple)
        if run.state.ships[command.cripple].group:
            run.add(ShipCrippled(ship=command.cripple, hex=hex))
        run.add(ShipDetached(ship=command.ship, escorts=command.cripple, hex=hex))


class TowAction(Action[SailFrame, Tow]):
    """Moves a lone crippled ship one hex together with its escorts (12.42)."""

    kind = Tow
    timing = _TIMING

    @override
    def candidates(self, state: State, frame: SailFrame, role: str) -> Iterable[Tow]:
        """Yield a command to tow each lone crippled ship to each adjacent hex."""
        if role != US or not is_half_past(state):
            return
        for name, ship in state.ships.items():
            if ship.hex and not ship.escorts and name not in frame.origins:
                for hex in state.game_data.map.grid.neighbours(ship.hex):
                    yield Tow(ship=name, hex=hex)

    @override
    def refusals(
        self, state: State, frame: SailFrame, role: str, command: Tow
    ) -> Iterator[Refusal]:
        """Yield the reasons why the ship cannot be towed to the hex."""
        ship = state.ships.get(command.ship)
        if role != US:
            yield Refusal(Rule("12.42"), "only the first commander tows crippled ships")
        if not is_half_past(state):
            yield Refusal(
                Rule("12.42"), "crippled ships are towed only in turns whose time ends in 30"
            )
        if ship is None or not ship.hex or ship.escorts:
            yield Refusal(Rule("12.42"), "only a crippled ship alone on the map can be towed")
            return
        if command.ship in frame.origins:
            yield Refusal(Rule("12.42"), "a crippled ship can move only one hex")
        grid = state.game_data.map.grid
        if command.hex not in grid or not grid.is_adjacent(ship.hex, command.hex):
            yield Refusal(Rule("12.42"), "it can only be towed into an adjacent hex on the map")
            return
        if (
            state.game_data.us_ships[command.ship].is_carrier
            and command.hex in state.game_data.map.islands
        ):
            yield Refusal(Rule("2.12"), "carriers cannot enter an island hex")
        if has_force(state, command.hex):
            yield Refusal(Rule("6.35"), "a Japanese force is in that hex")

    @override
    def apply(self, run: Run, frame: SailFrame, role: str, command: Tow) -> None:
        old_hex = run.state.ships[command.ship].hex
        run.add(ShipCrippled(ship=command.ship, hex=command.hex))
        run.replace_top(replace(frame, origins={**frame.origins, command.ship: old_hex}))
