"""Lists the die rolls that an event reports (2.41)."""

from engine.cbps.events.base import CbpsEvent
from engine.cbps.events.chance import ChartRead, DieRolled
from engine.cbps.events.combat import AvoidanceRolled
from engine.cbps.events.turns import MissionDieSet
from engine.kernel.die_rolls import DieRoll


def die_rolls(event: CbpsEvent) -> tuple[DieRoll, ...]:
    """Return an event's rolls. Charts that are read without a die have none."""
    match event:
        case ChartRead(die=die) if die:
            return (
                DieRoll(
                    face=die,
                    modifier=sum(modifier.drm for modifier in event.modifiers),
                    purpose=event.chart,
                    about=event.about,
                    result=event.result,
                ),
            )
        case DieRolled():
            return (DieRoll(face=event.die, rule=event.rule, purpose="rule", about=event.about),)
        case AvoidanceRolled():
            rule, purpose = "21.14", "avoidance"
            return (
                DieRoll(face=event.die, modifier=event.drm, rule=rule, purpose=purpose),
                DieRoll(face=event.against, rule=rule, purpose=purpose),
            )
        case MissionDieSet():
            return (DieRoll(face=event.die, rule="7.221", purpose="mission"),)
        case _:
            return ()
