"""A single battle, from the first roll to its conclusion (9.0)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.assignment import HitsHandler
from engine.eots.ch09_battle.battles import BattlesHandler
from engine.eots.ch09_battle.conclusion import conclude_battle
from engine.eots.ch09_battle.opening import open_battle
from engine.eots.ch09_battle.retreat import RetreatHandler
from engine.eots.ch09_battle.shift import ShiftLoss, close_air_naval
from engine.eots.commands import EotsCommand, Pass
from engine.eots.events.tracks import DieRolled
from engine.eots.flow import DecisionHandler, EotsRun, PlainAction
from engine.eots.frames import BattleFrame, HitsFrame, Stage
from engine.eots.ids import D10, Side
from engine.eots.state import State, current_offensive
from engine.kernel.ids import Refusal, Rule


def roll_air_naval(run: EotsRun, frame: BattleFrame) -> None:
    """Let the next group roll, or end the combat. A group's totals are computed before it takes losses (9.2)."""
    group = next(
        (sides for sides in air_naval.roll_order(run.state) if sides[0] not in frame.rolled),
        None,
    )
    if group is None:
        run.replace_top(replace(frame, stage=Stage.SHIFT))
        return
    before = run.state
    hits: list[HitsFrame] = []
    critical = list(frame.critical)
    for side in group:
        if not air_naval.is_rolling(before, frame, side):
            continue
        volley = air_naval.air_naval_volley(before, frame, side, run.dice.roll(D10))
        rolled = volley.rolled
        _record_die(run, air_naval.RULE, side, rolled.face, rolled.modified, "air-naval", frame)
        run.add(rolled)
        if rolled.critical:
            critical.append(side)
        if rolled.hits or rolled.critical:
            hits.append(volley.hits)
    rolled_sides = (*frame.rolled, *group)
    run.replace_top(replace(frame, rolled=rolled_sides, hits=tuple(hits), critical=tuple(critical)))


def _record_die(
    run: EotsRun,
    rule: Rule,
    side: Side,
    face: int,
    modified: int,
    purpose: str,
    frame: BattleFrame,
) -> None:
    modifier = modified - face
    run.add(
        DieRolled(
            rule=rule, side=side, face=face, modifier=modifier, purpose=purpose, about=frame.hex
        )
    )


def roll_ground(run: EotsRun, frame: BattleFrame) -> None:
    """Let both sides roll simultaneously, or continue with the conclusion (9.33, 9.4A)."""
    if frame.rolled or not ground.is_fought(run.state, frame):
        run.replace_top(replace(frame, stage=Stage.CONCLUSION))
        return
    before = run.state
    attacker = current_offensive(before).side
    hits: list[HitsFrame] = []
    for side in (attacker, attacker.enemy):
        volley = ground.ground_volley(before, frame, side, run.dice.roll(D10))
        rolled = volley.rolled
        _record_die(run, ground.RULE, side, rolled.face, rolled.modified, "ground", frame)
        run.add(rolled)
        if rolled.hits:
            hits.append(volley.hits)
    run.replace_top(
        replace(frame, rolled=(attacker, attacker.enemy), hits=tuple(hits), ground_fought=True),
    )


class BattleHandler(DecisionHandler[BattleFrame]):
    """Runs the parts of a battle. The only decision is Japan's: whether to shift a carrier's step loss (9-f)."""

    frame = BattleFrame
    rule = Rule("9.2")
    actions = (ShiftLoss(), PlainAction(Pass, lambda run, frame, _: close_air_naval(run, frame)))
    question = "Shift one step loss between the carriers that fought at {frame.hex}?"

    @override
    def active_roles(self, state: State, frame: BattleFrame) -> tuple[Side, ...]:
        """Return Japan once all hits from the air-naval combat have been applied."""
        if frame.stage is not Stage.SHIFT or frame.hits:
            return ()
        return (Side.JAPAN,) if self.actions[0].is_open(state, frame, Side.JAPAN) else ()

    @override
    def step(self, run: EotsRun, frame: BattleFrame) -> None:
        if not frame.begun:
            open_battle(run, frame)
        elif frame.hits:
            run.replace_top(replace(frame, hits=frame.hits[1:]))
            run.push(frame.hits[0])
        elif frame.stage is Stage.AIR_NAVAL:
            roll_air_naval(run, frame)
        elif frame.stage is Stage.SHIFT:
            close_air_naval(run, frame)
        elif frame.stage is Stage.GROUND:
            roll_ground(run, frame)
        else:
            conclude_battle(run, frame)

    @override
    def wrong_kind(
        self, state: State, frame: BattleFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Refuse all other commands while the battle is in progress."""
        yield Refusal(Rule("9.0"), f"finish the battle at {frame.hex} first")


HANDLERS: Final = (BattlesHandler(), BattleHandler(), HitsHandler(), RetreatHandler())
"""One handler for each frame type of a battle, in the order in which the frames open."""
