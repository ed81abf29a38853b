"""Air-to-ship attack: damage dice, their targets, and the hits (5.6)."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec.structs import replace
from typing_extensions import override

from engine.cbps.commands import Aim, Done
from engine.cbps.damage.ch12_hulls import ships_in_force
from engine.cbps.events.chance import Modifier
from engine.cbps.forces.ch12_hits import hit_hull
from engine.cbps.frames import AimFrame
from engine.cbps.run import Action, DecisionHandler, PlainAction, Run
from engine.cbps.state import State
from engine.kernel.ids import Refusal, Rule

_TYPE_PRIORITY: Final = {"CV": 3, "CVL": 2, "BB": 1}
"""Priority of ship types when targets are chosen by default (D-5.61)."""


def damage_dice(run: Run, total: int, subject: str, *, is_shifted: bool = False) -> tuple[int, ...]:
    """Look up and record the damage dice for a total attack value. Return one modifier per die (5.61).

    Args:
        run: The command being carried out.
        total: The attack value, already doubled if applicable.
        subject: The target, for the record.
        is_shifted: True if the fuel for the attack could not be paid, so that the column is shifted one to the left.
    """
    chart = run.state.game_data.charts.air_attack_die_rolls
    entry = chart.look_up(total)
    if is_shifted:
        entry = chart.columns[max(chart.columns.index(entry) - 1, 0)]
    run.record_result(chart, subject, entry.result, column=entry.key, is_assumed=entry.is_assumed)
    return entry.result


def roll_damage(run: Run, modifiers: Iterable[Modifier], subject: str) -> int:
    """Roll one damage die. Return the number of hits on the ship (5.61)."""
    return run.roll_on_chart(run.state.game_data.charts.air_attack_damage, subject, modifiers)


def die_modifier(drm: int) -> Modifier:
    """Return the modifier for one damage die (5.61)."""
    return Modifier(id="die_modifier", drm=drm)


def damage_targets(state: State, target: str) -> tuple[str, ...]:
    """Return the possible targets for the damage dice: a force's ships, or one lone crippled ship (5.61)."""
    return (target,) if target in state.hulls else ships_in_force(state, target)


def best_target(state: State, target: str) -> str:
    """Return the default target: a CV, CVL, BB or other ship, in that order, with the most capacity left (D-5.61)."""

    def hit_value(ship: str) -> tuple[int, int]:
        row = state.game_data.japanese_ships[ship]
        capacity_left = row.damage_capacity - state.hulls[ship].hits.total
        return _TYPE_PRIORITY.get(row.type, 0), capacity_left

    return max(damage_targets(state, target), key=hit_value)


def aim_or_roll(run: Run, frame: AimFrame) -> None:
    """Ask how to assign the dice, or roll them at once if there is only one ship (5.61)."""
    ships = damage_targets(run.state, frame.target)
    if not frame.dice or not ships:
        return
    if len(ships) > 1:
        run.push(frame)
    else:
        _roll_dice(run, replace(frame, ships=ships * len(frame.dice)))


def _roll_dice(run: Run, frame: AimFrame) -> None:
    """Roll the damage dice, then apply the hits to each ship."""
    effect = run.state.game_data.charts.surprise.effects[frame.surprise]
    surprise = Modifier(
        id=f"surprise_{frame.surprise}", drm=effect.damage_drm, is_assumed=effect.is_assumed
    )
    hits: dict[str, int] = {}
    for ship, drm in zip(frame.ships, frame.dice, strict=True):
        is_carrier = run.state.game_data.japanese_ships[ship].is_carrier
        modifiers = (die_modifier(drm), *((surprise,) if is_carrier else ()))
        hits[ship] = hits.get(ship, 0) + roll_damage(run, modifiers, ship)
    for ship, number in hits.items():
        hit_hull(run, ship, number)


class AimAction(Action[AimFrame, Aim]):
    """Assigns the next damage die to a ship (D-5.61)."""

    kind = Aim
    timing = Refusal(Rule("5.61"), "damage dice are aimed when a strike attacks ships")

    @override
    def candidates(self, state: State, frame: AimFrame, role: str) -> Iterable[Aim]:
        """Return one command for each ship of the target."""
        return [Aim(ship=ship) for ship in damage_targets(state, frame.target)]

    @override
    def refusals(self, state: State, frame: AimFrame, role: str, command: Aim) -> Iterator[Refusal]:
        """Yield the reasons why a die cannot be assigned to the ship."""
        if command.ship not in damage_targets(state, frame.target):
            yield Refusal(Rule("5.61"), "this is not a ship of the force under attack")

    @override
    def apply(self, run: Run, frame: AimFrame, role: str, command: Aim) -> None:
        """Assign the die, and roll all dice once the last one is assigned."""
        aimed = replace(frame, ships=(*frame.ships, command.ship))
        if len(aimed.ships) < len(aimed.dice):
            run.replace_top(aimed)
            return
        run.pop()
        _roll_dice(run, aimed)


class AimAtBest(PlainAction[AimFrame, Done]):
    """Assigns all remaining dice to the default target (D-5.61)."""

    @override
    def apply(self, run: Run, frame: AimFrame, role: str, command: Done) -> None:
        """Aim the remaining dice at the best target and roll them all."""
        dice_left = len(frame.dice) - len(frame.ships)
        aim_target = best_target(run.state, frame.target)
        run.pop()
        _roll_dice(run, replace(frame, ships=frame.ships + (aim_target,) * dice_left))


class AimQuestion(DecisionHandler[AimFrame]):
    """The decision on where to aim each of a strike's damage dice (5.61)."""

    frame = AimFrame
    actions = (AimAction(), AimAtBest(Done))
    rule = Rule("5.61")
    question = "Aim the damage dice (Air-to-Ship Attack)"

    @override
    def active_roles(self, state: State, frame: AimFrame) -> tuple[str, ...]:
        return (state.missions[frame.mission].commander,)

    @override
    def prompt(self, state: State, frame: AimFrame, role: str) -> str:
        """Return the prompt with the number and modifier of the die."""
        place = len(frame.ships)
        return (
            f"Damage die {place + 1} of {len(frame.dice)}, {frame.dice[place]:+}: aim at which ship?"
            " (Air-to-Ship Attack)"
        )


HANDLERS: Final[tuple[DecisionHandler[Any], ...]] = (AimQuestion(),)
