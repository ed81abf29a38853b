"""One battle from the first roll to its conclusion (9.0)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.eots.ch09_battle import air_naval, ground
from engine.eots.ch09_battle.conclusion import conclude
from engine.eots.ch09_battle.opening import drown_carried, landed_units, open_battle, send_away
from engine.eots.ch09_battle.participants import offensive_of
from engine.eots.ch09_battle.shift import check_shift, shift, shift_options
from engine.eots.commands import EotsCommand, Pass, ShiftStep
from engine.eots.events.tracks import DieRolled
from engine.eots.flow import EotsDecision, EotsLedger, Handler, enter, replace_top
from engine.eots.frames import BattleFrame, HitsFrame, Stage
from engine.eots.ids import Side
from engine.eots.state import State
from engine.kernel.decision import Decision
from engine.kernel.dice import Dice
from engine.kernel.ids import Refusal, Role, Rule


def roll_air_naval(ledger: EotsLedger, frame: BattleFrame, dice: Dice) -> None:
    """Let the next side or sides roll, or close the part; totals of one group are taken before its losses (9.2)."""
    group = next(
        (sides for sides in air_naval.order_of_rolls(ledger.state) if sides[0] not in frame.rolled),
        None,
    )
    if group is None:
        replace_top(ledger, replace(frame, stage=Stage.SHIFT))
        return
    before = ledger.state
    hits: list[HitsFrame] = []
    critical = list(frame.critical)
    for side in group:
        if not air_naval.does_roll(before, frame, side):
            continue
        volley = air_naval.volley(before, frame, side, dice.d10())
        rolled = volley.rolled
        _show_die(ledger, air_naval.RULE, side, rolled.face, rolled.modified, "air-naval", frame)
        ledger.add(rolled)
        if rolled.critical:
            critical.append(side)
        if rolled.hits or rolled.critical:
            hits.append(volley.hits)
    rolled_sides = (*frame.rolled, *group)
    replace_top(
        ledger, replace(frame, rolled=rolled_sides, hits=tuple(hits), critical=tuple(critical))
    )


def _show_die(
    ledger: EotsLedger,
    rule: Rule,
    side: Side,
    face: int,
    modified: int,
    purpose: str,
    frame: BattleFrame,
) -> None:
    modifier = modified - face
    ledger.add(
        DieRolled(
            rule=rule, side=side, face=face, modifier=modifier, purpose=purpose, about=frame.hex
        )
    )


def close_air_naval(ledger: EotsLedger, frame: BattleFrame) -> None:
    """Name the winner; landed units of a beaten Offensive player fight no more (9.3, 9.32, 8.46)."""
    decided = air_naval.decide(ledger.state, frame)
    ledger.add(decided)
    drown_carried(ledger, frame.hex)
    excluded = frame.excluded
    if decided.winner is not offensive_of(ledger.state).side:
        landed = landed_units(ledger.state, frame.hex)
        send_away(ledger, frame.hex, landed, Rule("9.32"))
        excluded = tuple(sorted({*excluded, *landed}))
    replace_top(
        ledger,
        replace(
            frame,
            stage=Stage.GROUND,
            lost=(),
            lost_before=frame.lost,
            fallen=0,
            fallen_before=frame.fallen,
            rolled=(),
            excluded=excluded,
            air_naval_winner=decided.winner,
        ),
    )


def roll_ground(ledger: EotsLedger, frame: BattleFrame, dice: Dice) -> None:
    """Let both sides roll at once, or go on to the conclusion (9.33, 9.4A)."""
    if frame.rolled or not ground.is_fought(ledger.state, frame):
        replace_top(ledger, replace(frame, stage=Stage.CONCLUSION))
        return
    before = ledger.state
    attacker = offensive_of(before).side
    hits: list[HitsFrame] = []
    for side in (attacker, attacker.enemy):
        volley = ground.volley(before, frame, side, dice.d10())
        rolled = volley.rolled
        _show_die(ledger, ground.RULE, side, rolled.face, rolled.modified, "ground", frame)
        ledger.add(rolled)
        if rolled.hits:
            hits.append(volley.hits)
    replace_top(
        ledger,
        replace(frame, rolled=(attacker, attacker.enemy), hits=tuple(hits), ground_fought=True),
    )


class BattleHandler(Handler[BattleFrame]):
    """Go through the parts of a battle; only Japan is asked, for the shift of a carrier's loss (9-f)."""

    frame = BattleFrame

    def asked(self, state: State, frame: BattleFrame) -> tuple[Side, ...]:
        """Ask Japan once all hits of the air-naval part are applied."""
        if frame.stage is Stage.SHIFT and not frame.hits and shift_options(state, frame):
            return (Side.JAPAN,)
        return ()

    def decision(self, state: State, frame: BattleFrame, side: Side) -> EotsDecision:
        """Ask for the shift; to decline is the default."""
        return Decision(
            role=Role(side.value),
            rule=Rule("9.2"),
            prompt=f"Shift one step loss between the carriers that fought at {frame.hex}?",
            options=shift_options(state, frame),
            default=Pass(),
        )

    def resolve(
        self, ledger: EotsLedger, frame: BattleFrame, side: Side, command: EotsCommand, dice: Dice
    ) -> None:
        """Shift or decline, then name the winner."""
        del side, dice
        if isinstance(command, ShiftStep):
            shift(ledger, frame, command.loser, command.gainer)
        close_air_naval(ledger, frame)

    def step(self, ledger: EotsLedger, frame: BattleFrame, dice: Dice) -> None:
        """Do the next part."""
        if not frame.begun:
            open_battle(ledger, frame)
        elif frame.hits:
            replace_top(ledger, replace(frame, hits=frame.hits[1:]))
            enter(ledger, frame.hits[0])
        elif frame.stage is Stage.AIR_NAVAL:
            roll_air_naval(ledger, frame, dice)
        elif frame.stage is Stage.SHIFT:
            close_air_naval(ledger, frame)
        elif frame.stage is Stage.GROUND:
            roll_ground(ledger, frame, dice)
        else:
            conclude(ledger, frame)

    def why_not(
        self, state: State, frame: BattleFrame, side: Side, command: EotsCommand
    ) -> Iterator[Refusal]:
        """Yield the rules against a shift."""
        del side
        if isinstance(command, ShiftStep):
            yield from check_shift(state, frame, command.loser, command.gainer)
        else:
            yield Refusal(Rule("9.0"), f"the battle at {frame.hex} is being resolved now")


HANDLERS: Final = (BattleHandler(),)
