"""Text of the log entries about strikes, CAP, damage to Japanese ships and surface combat."""

from collections.abc import Callable, Mapping
from typing import Final

from engine.cbps.events import combat, japan
from engine.cbps.events.base import CbpsEvent
from engine.cbps.prose.names import display_name
from engine.kernel.sentences import count_noun

_SIDES: Final = {"us": "The US ships", "japan": "The Japanese"}


def _describe_hull_hit(event: japan.HullHit) -> str:
    if not event.hits:
        return ""
    kind = " permanent" if event.is_permanent else ""
    return f"{display_name(event.ship)} takes {event.hits}{kind} {'hit' if event.hits == 1 else 'hits'}."


def _describe_combat_chosen(event: combat.CombatChosen) -> str:
    decision_text = "accept the combat" if event.is_accepted else "try to avoid the combat"
    rule = "21.12" if event.side == "us" else "21.11"
    return f"{_SIDES[event.side]} {decision_text} ({rule})."


def _describe_avoidance_rolled(event: combat.AvoidanceRolled) -> str:
    drm = f" {event.drm:+d} for carriers" if event.drm else ""
    result_text = "get away" if event.is_avoided else "do not get away"
    return f"{_SIDES[event.side]} {result_text}: {event.die}{drm} against {event.against} (21.14)."


def _describe_surface_combat_began(event: combat.SurfaceCombatBegan) -> str:
    side = _SIDES[event.mover]
    return f"Surface combat in {event.hex}. {side} came in."


def _describe_cap_generated(event: japan.CapGenerated) -> str:
    points = count_noun(event.points, "CAP point") if event.points else "no CAP"
    return f"{display_name(event.force)} has {points} in this phase."


SENTENCES: Final[Mapping[type[CbpsEvent], str]] = {
    japan.CapLost: (
        "{force} loses {points:CAP point|CAP points}{is_deckless:, which have no deck to land on"
        " (12.29)|}."
    ),
    japan.HullSunk: "{ship} sinks.",
    combat.RoundBegan: "Round {round} of the combat in {hex}.",
    combat.ShipFired: "{ship} fires its {weapon} at {target}.",
}
"""Sentence templates by event type, filled in from the event's fields."""
WRITERS: Final[Mapping[type[CbpsEvent], Callable[..., str]]] = {
    japan.CapGenerated: _describe_cap_generated,
    japan.HullHit: _describe_hull_hit,
    combat.SurfaceCombatBegan: _describe_surface_combat_began,
    combat.CombatChosen: _describe_combat_chosen,
    combat.AvoidanceRolled: _describe_avoidance_rolled,
}
"""Functions by event type, for events whose sentences cannot be written as a template."""
