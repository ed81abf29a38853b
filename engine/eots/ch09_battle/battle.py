"""A single battle, from the first roll to its conclusion (9.0)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.assignment import HitsHandler
from engine.eots.ch09_battle.battle_view import current_battle
from engine.eots.ch09_battle.battles import BattlesHandler
from engine.eots.ch09_battle.conclusion import conclude_battle
from engine.eots.ch09_battle.opening import open_battle
from engine.eots.ch09_battle.retreat import RetreatHandler
from engine.eots.ch09_battle.shift import ShiftLoss, close_air_naval
from engine.eots.ch09_battle.strength import Volley
from engine.eots.commands import EotsCommand, Pass
from engine.eots.events.tracks import DieRolled
from engine.eots.flow import DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import BattleFrame, HitsFrame, Stage
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.ids import Refusal, Rule


def roll_air_naval(run: EotsRun) -> None:
    """Roll for the next group of sides. If no group is left, end the combat.

    Losses within a group do not affect the group's own rolls (9.2).
    """
    frame = current_battle(run.state).frame
    group = air_naval.next_group(current_battle(run.state))
    if not group:
        run.replace_top(replace(frame, stage=Stage.SHIFT))
        return
    volleys = air_naval.air_naval_volleys(current_battle(run.state), run.dice)
    hits = _record_rolls(run, volleys, air_naval.RULE, "air-naval")
    critical = (*frame.critical, *(hit_event.side for hit_event in hits if hit_event.critical))
    run.replace_top(replace(frame, rolled=(*frame.rolled, *group), hits=hits, critical=critical))


def _record_rolls(
    run: EotsRun, volleys: Iterator[Volley], rule: Rule, purpose: str
) -> tuple[HitsFrame, ...]:
    """Record the rolls and return the hits to assign.

    Record each roll before rolling the next die: in fair matches, a die is identified by the events before it.
    """
    hits: list[HitsFrame] = []
    for volley in volleys:
        roll_event = volley.rolled
        modifier = roll_event.modified - roll_event.face
        run.add(
            DieRolled(
                rule=rule,
                side=roll_event.side,
                face=roll_event.face,
                modifier=modifier,
                purpose=purpose,
                about=roll_event.at,
            )
        )
        run.add(roll_event)
        if volley.hits.hits or volley.hits.critical:
            hits.append(volley.hits)
    return tuple(hits)


def roll_ground(run: EotsRun) -> None:
    """Roll for both sides simultaneously.

    If they have rolled or there is no ground combat, begin the conclusion (9.33, 9.4A).
    """
    frame = current_battle(run.state).frame
    if frame.rolled or not ground.is_fought(current_battle(run.state)):
        run.replace_top(replace(frame, stage=Stage.CONCLUSION))
        return
    sides = current_battle(run.state).sides
    volleys = ground.ground_volleys(current_battle(run.state), run.dice)
    hits = _record_rolls(run, volleys, ground.RULE, "ground")
    run.replace_top(replace(frame, rolled=sides, hits=hits, ground_fought=True))


class BattleHandler(DecisionHandler[BattleFrame]):
    """Runs a battle from stage to stage.

    The only decision is whether Japan shifts a step loss from one carrier to another (9-f).
    """

    frame = BattleFrame
    rule = Rule("9.2")
    actions = (ShiftLoss(), PlainAction(Pass, lambda run, _frame, _side: close_air_naval(run)))
    question = "Shift one step loss between the carriers that fought at {frame.hex}?"

    @override
    def active_roles(self, state: State, frame: BattleFrame) -> tuple[Side, ...]:
        """Return Japan if it can shift a step loss after all hits from the air-naval combat have been applied."""
        if frame.stage is not Stage.SHIFT or frame.hits:
            return ()
        return (Side.JAPAN,) if self.actions[0].is_open(state, frame, Side.JAPAN) else ()

    @override
    def step(self, run: EotsRun, frame: BattleFrame) -> None:
        if not frame.begun:
            open_battle(run, frame.hex)
        elif frame.hits:
            run.replace_top(replace(frame, hits=frame.hits[1:]))
            run.push(frame.hits[0])
        elif frame.stage is Stage.AIR_NAVAL:
            roll_air_naval(run)
        elif frame.stage is Stage.SHIFT:
            close_air_naval(run)
        elif frame.stage is Stage.GROUND:
            roll_ground(run)
        else:
            conclude_battle(run)

    @override
    def wrong_kind(
        self, state: State, frame: BattleFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Refuse all other commands while the battle is in progress."""
        yield Refusal(Rule("9.0"), f"finish the battle at {frame.hex} first")


HANDLERS: Final = (BattlesHandler(), BattleHandler(), HitsHandler(), RetreatHandler())
"""One handler for each frame type in a battle, in the order in which the frames open."""
