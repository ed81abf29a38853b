"""The Japanese Air Attack Segment (5.7)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.charts.results import AbortElim
from engine.cbps.commands import CbpsCommand, Done, HoldFire
from engine.cbps.damage.ch12_fires import roll_fire_outbreaks
from engine.cbps.damage.ch12_us_damage import hit_us_ship
from engine.cbps.events.chance import Modifier
from engine.cbps.events.fleet import ShipsFired
from engine.cbps.events.raids import PointsDestroyed, RaidAborted, RaidEnded
from engine.cbps.frames import JapaneseAttackFrame, OverflightFrame
from engine.cbps.ids import BATTLE_LINE, GUAM
from engine.cbps.locations import carriers_in_group, groups_in, ship_hex, ships_in_group
from engine.cbps.raids.ch10_flight import is_at_goal, reduce_raid, send_raid_home, split_raid
from engine.cbps.raids.ch11_guam import land_returning_raid
from engine.cbps.raids.ch16_reinforcements import land_reinforcement
from engine.cbps.raids.ch23_shuttle import land_shuttle, roll_shuttle
from engine.cbps.rulings import FLAK_ON_RAIDS, NEW_AIRCRAFT, is_on
from engine.cbps.run import Action, DecisionHandler, Handler, PlainAction, Run, chart_modifier
from engine.cbps.scenario_rules import GHOST_SCENARIO, scenario_rules
from engine.cbps.state import State
from engine.cbps.strikes.ch05_attack import damage_dice, die_modifier, roll_damage
from engine.cbps.strikes.ch05_flak import roll_flak, us_aa
from engine.kernel.ids import Refusal, Rule

FLAK: Final = "flak"
_UNINTERCEPTED_FACTOR: Final = 2
"""The attack multiplier of a raid that fought no air-to-air combat (5.61, OP-16)."""


class JapaneseAttackHandler(Handler[JapaneseAttackFrame]):
    """Resolves the raids that have reached their goals. One by one, they attack or land on Guam (5.71, 11.29)."""

    frame = JapaneseAttackFrame

    @override
    def step(self, run: Run, frame: JapaneseAttackFrame) -> None:
        """Resolve the next raid, or roll for fires after the last one (12.31)."""
        arriving_raids = [
            waiting_raid
            for waiting_raid in frame.left
            if waiting_raid in run.state.raids and is_at_goal(run.state, waiting_raid)
        ]
        if not arriving_raids:
            run.pop()
            roll_fire_outbreaks(run)
            return
        raid = self._next(run, arriving_raids)
        run.replace_top(
            replace(
                frame,
                left=tuple(waiting_raid for waiting_raid in arriving_raids if waiting_raid != raid),
            )
        )
        if run.state.raids[raid].target == GUAM:
            land_raid(run, raid)
        elif not scenario_rules(run.state).has_raid_attack:
            _count_as_through(run, raid)
        else:
            resolve_raid_attack(run, raid)

    def _next(self, run: Run, arrived_raids: list[str]) -> str:
        """Return the next raid to resolve, chosen at random if several are in its hex (5.71)."""
        hex = run.state.raids[arrived_raids[0]].hex
        return run.pick(
            [raid for raid in arrived_raids if run.state.raids[raid].hex == hex], "5.71", hex
        )


def land_raid(run: Run, raid: str) -> None:
    """Land a returning raid, reinforcements or a shuttle raid on Guam (11.29, 16.2, 23.3)."""
    raid_state = run.state.raids[raid]
    if raid_state.kind == "reinforcement":
        land_reinforcement(run, raid)
    elif raid_state.kind == "shuttle":
        land_shuttle(run, raid)
    else:
        land_returning_raid(run, raid)


def _count_as_through(run: Run, raid: str) -> None:
    """Remove a raid that has reached TF 58 in Scenario 1, and count its points as having got through."""
    run.add(PointsDestroyed(through=run.state.raids[raid].points))
    run.add(RaidEnded(raid=raid, why="over"))


# -- the attack of one raid


def resolve_raid_attack(run: Run, raid: str) -> None:
    """Carry out a raid's attack in the hex that it has reached, without contact or surprise rolls (5.71, 5.74)."""
    split_raid(run, raid)
    raid_state = run.state.raids[raid]
    if not raid_state.attackers:
        send_raid_home(run, raid)  # OP-17
        return
    if raid_state.target in run.state.ships:
        _attack_ships(
            run, raid, (raid_state.target,), _protecting_ships(run.state, raid_state.target)
        )
        return
    groups = groups_in(run.state, raid_state.hex)
    action = "avoid"
    if BATTLE_LINE in groups:
        action = run.roll_on_chart(run.state.game_data.charts.japanese_action_vs_battle_line, raid)
    target = BATTLE_LINE if action == "divert" else _target_group(run, raid, groups)
    if not target:
        send_raid_home(run, raid)
    elif action == "overfly":
        run.push(OverflightFrame(raid=raid, target=target))
    else:
        attack_group(run, raid, target)


def _target_group(run: Run, raid: str, groups: tuple[str, ...]) -> str:
    """Return a random carrier group, or an empty string if there is no group to attack (5.71).

    If there are no carrier groups, any other group except the Battle Line may be picked.
    """
    other_groups = [group for group in groups if group != BATTLE_LINE]
    carriers = [group for group in other_groups if carriers_in_group(run.state, group)]
    candidates = carriers or other_groups
    return run.pick(candidates, "5.71", raid) if candidates else ""


def _protecting_ships(state: State, ship: str) -> tuple[str, ...]:
    """Return the ships that fire to protect a lone crippled ship (12.44).

    These are its escorts and the ships of its task group in the hex or, if there are none, the ship itself.
    """
    hex = ship_hex(state, ship)
    group = state.game_data.us_ships[ship].tg
    group_ships = tuple(
        name
        for name, one in state.ships.items()
        if one.escorts == ship or (one.group == group and ship_hex(state, name) == hex)
    )
    return group_ships or (ship,)


def attack_group(run: Run, raid: str, group: str) -> None:
    """Attack a task group with a raid. Only ships in this group fire at the raid (5.73)."""
    ships = ships_in_group(run.state, group)
    _attack_ships(run, raid, _possible_targets(run.state, raid, ships), ships)


def _possible_targets(state: State, raid: str, ships: tuple[str, ...]) -> tuple[str, ...]:
    """Return the possible targets for each damage die (5.61).

    These are the carriers or, if there are none, the battleships. If there are neither, all ships are possible targets.
    In Scenario 9, naval points choose CVs before CVLs.
    """
    types = {ship: state.game_data.us_ships[ship].type for ship in ships}
    orders = [("CV", "CVL"), ("BB",)]
    if state.scenario == GHOST_SCENARIO and not state.raids[raid].is_land:
        orders = [("CV",), ("CVL",), ("BB",)]
    for order in orders:
        if targets := tuple(ship for ship in ships if types[ship] in order):
            return targets
    return ships


def _attack_ships(run: Run, raid: str, targets: tuple[str, ...], firing: tuple[str, ...]) -> None:
    """Resolve flak against a raid, have its remaining points attack, and send the raid home (5.51, 5.61)."""
    hits_all = FLAK_ON_RAIDS.uses_alternative(run.state.options)
    result = roll_flak(run, us_aa(run.state, firing), raid)
    apply_flak(run, raid, result, hits_fighters=hits_all)
    if raid not in run.state.raids:
        return
    total = attack_total(run.state, raid)
    if total:
        _roll_damage(run, raid, targets, total)
    # 23.2: only a raid that has attacked rolls for a flight on to Guam
    if not (total and roll_shuttle(run, raid)):
        send_raid_home(run, raid)


def _roll_damage(run: Run, raid: str, targets: tuple[str, ...], total: int) -> None:
    """Assign all damage dice to random targets, then roll them (5.61)."""
    dice = damage_dice(run, total, raid)
    aimed = [(run.pick(targets, "5.61", raid), die) for die in dice]
    for ship, die in aimed:
        hits = roll_damage(run, _damage_modifiers(run.state, die), ship)
        hit_us_ship(run, ship, hits, "raid")


def _damage_modifiers(state: State, die: int) -> Iterator[Modifier]:
    chart = state.game_data.charts.air_attack_damage
    yield die_modifier(die)
    if is_on(state, NEW_AIRCRAFT):
        yield chart_modifier(chart, "variant_24_4")


def attack_total(state: State, raid: str) -> int:
    """Return the attack value of a raid's remaining attackers, doubled if no interceptors fought them (5.61, 5.75)."""
    raid_state = state.raids[raid]
    points = state.game_data.air_points
    if raid_state.is_land:
        value = points.land.attack
    elif state.scenario == GHOST_SCENARIO:
        value = points.naval.attack_scenario_9
    else:
        value = points.naval.attack
    total = (raid_state.attackers - raid_state.aborted) * value
    return total if raid_state.was_intercepted else total * _UNINTERCEPTED_FACTOR


# -- flak


def apply_flak(run: Run, raid: str, result: AbortElim, *, hits_fighters: bool = False) -> None:
    """Eliminate some points of a raid hit by flak, and abort others (5.51, OP-15).

    Args:
        run: The command being carried out.
        raid: The raid, already split into fighters and attackers.
        result: The numbers of points eliminated and aborted. Any excess has no effect.
        hits_fighters: True to draw the hits from both fighters and attackers, as in an overflight (5.72).
    """
    raid_state = run.state.raids[raid]
    pool = ["attacker"] * (raid_state.attackers - raid_state.aborted)
    if hits_fighters:
        pool += ["fighter"] * raid_state.fighters
    points_lost = _draw_points(run, raid, pool, result.elim)
    turned_count = _draw_points(run, raid, pool, result.abort).count("attacker")
    if turned_count:
        run.add(RaidAborted(raid=raid, points=turned_count))
    reduce_raid(
        run,
        raid,
        fighters=points_lost.count("fighter"),
        attackers=points_lost.count("attacker"),
        cause=FLAK,
    )


def _draw_points(run: Run, raid: str, pool: list[str], count: int) -> list[str]:
    """Draw random points from a pool and remove them. No random pick is recorded if all points are alike."""
    drawn_points = []
    for _ in range(min(count, len(pool))):
        colour = pool[0] if len(set(pool)) == 1 else run.pick(pool, "5.72", raid)
        pool.remove(colour)
        drawn_points.append(colour)
    return drawn_points


# -- overflights


def firing_battleships(state: State, frame: OverflightFrame) -> tuple[str, ...]:
    """Return the Battle Line battleships that may fire at an overflying raid (5.721)."""
    return tuple(
        ship
        for ship in ships_in_group(state, BATTLE_LINE)
        if state.game_data.us_ships[ship].type == "BB"
        and not state.ships[ship].has_fired
        and us_aa(state, (ship,)) > 0
        and ship not in frame.held
    )


class OverflightHoldFireAction(Action[OverflightFrame, HoldFire]):
    """Holds a battleship's fire against this raid (5.721)."""

    kind = HoldFire
    timing = Refusal(Rule("5.721"), "battleships hold their fire when a raid overflies them")

    @override
    def candidates(self, state: State, frame: OverflightFrame, role: str) -> Iterable[HoldFire]:
        """Return one command for each battleship that can still fire."""
        return [HoldFire(ship=ship) for ship in firing_battleships(state, frame)]

    @override
    def refusals(
        self, state: State, frame: OverflightFrame, role: str, command: HoldFire
    ) -> Iterator[Refusal]:
        """Yield the reasons why the ship cannot hold its fire."""
        if command.ship not in firing_battleships(state, frame):
            yield Refusal(
                Rule("5.721"),
                "only a Battle Line battleship that could fire at this raid can hold its fire",
            )

    @override
    def apply(self, run: Run, frame: OverflightFrame, role: str, command: HoldFire) -> None:
        """Add the ship to the battleships that hold their fire."""
        run.replace_top(replace(frame, held=(*frame.held, command.ship)))


class FireAction(PlainAction[OverflightFrame, Done]):
    """Fires with all battleships that do not hold their fire."""

    @override
    def apply(self, run: Run, frame: OverflightFrame, role: str, command: Done) -> None:
        """Resolve the fire, then the raid's attack on its target."""
        fire_at_overflight(run, frame)


class OverflightQuestion(DecisionHandler[OverflightFrame]):
    """The decision about which battleships fire at a raid that passes over them (5.721)."""

    frame = OverflightFrame
    actions = (OverflightHoldFireAction(), FireAction(Done))
    rule = Rule("5.721")
    question = "Choose battleships that hold their fire at the raid overhead"

    @override
    def active_roles(self, state: State, frame: OverflightFrame) -> tuple[str, ...]:
        """Return the commander of the Battle Line, or an empty tuple if no ship can fire."""
        return (state.groups[BATTLE_LINE].commander,) if firing_battleships(state, frame) else ()

    @override
    def default(
        self, state: State, frame: OverflightFrame, role: str, options: tuple[CbpsCommand, ...]
    ) -> CbpsCommand:
        """Return ``Done``, so that all battleships fire."""
        return options[-1]

    @override
    def step(self, run: Run, frame: OverflightFrame) -> None:
        """Continue with the attack of the raid, because no ship can fire."""
        fire_at_overflight(run, frame)


def fire_at_overflight(run: Run, frame: OverflightFrame) -> None:
    """Fire with half the total value of the battleships. The remaining points then attack their target (5.72)."""
    run.pop()
    ships = firing_battleships(run.state, frame)
    if ships:
        run.add(ShipsFired(ships=ships))
        result = roll_flak(run, us_aa(run.state, ships) // 2, frame.raid)
        apply_flak(run, frame.raid, result, hits_fighters=True)
    if frame.raid not in run.state.raids:
        return
    if run.state.raids[frame.raid].attackers:
        attack_group(run, frame.raid, frame.target)
    else:
        send_raid_home(run, frame.raid)


HANDLERS: Final[tuple[Handler[Any] | DecisionHandler[Any], ...]] = (
    JapaneseAttackHandler(),
    OverflightQuestion(),
)
