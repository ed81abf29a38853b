"""The board of a raid or a strike: participants, chart results and losses."""

from collections.abc import Sequence
from typing import Any, Final

from engine.cbps.events import air, chance, fleet, japan, raids
from engine.cbps.frames import InterceptionFrame
from engine.cbps.prose.chance import modifier_text
from engine.cbps.prose.headings import contacted_force, force_label
from engine.cbps.prose.names import display_name
from engine.cbps.view import CbpsView
from engine.kernel.sentences import count_noun, pluralise
from tui.maps.enums import Owner
from tui.panels.overlay_pages import BattleBoard, BattleSide, Fighter, Roll

_US, _JAPAN = 0, 1
_CHART_SIDES: Final = {
    "us_air_to_air": ("Air to air", _US),
    "japanese_air_to_air": ("Air to air", _JAPAN),
    "japanese_cap_strength": ("CAP", _JAPAN),
}
"""For each chart, the stage of the battle in which it is used, and the side that rolls."""
_ATTACKER_CHARTS: Final = {
    "surprise": "Surprise",
    "air_attack_die_rolls": "Attack",
    "air_attack_damage": "Damage",
}
_DEFENDER_CHARTS: Final = {"anti_aircraft_fire": "Anti-aircraft fire"}
COMBAT_CHARTS: Final = frozenset((*_CHART_SIDES, *_ATTACKER_CHARTS, *_DEFENDER_CHARTS))
"""Charts with rolls that are shown on the board."""
_FIRE_RESULTS: Final = {
    "-": "miss",
    "A": "1 turned away",
    "E": "1 shot down",
    "A+E": "1 turned away, 1 shot down",
    "2E": "2 shot down",
}
"""Result codes of Japanese fire, in words (4.56)."""
_NUMBER_RESULTS: Final = {
    "us_air_to_air": ("point shot down", "points shot down"),
    "japanese_cap_strength": ("CAP point", "CAP points"),
    "air_attack_damage": ("hit", "hits"),
}
"""The unit that a chart's result counts, for each chart whose result is a number."""
_ACTIONS: Final = {
    "us_air_to_air": "Fire at ",
    "japanese_air_to_air": "Fire at ",
    "anti_aircraft_fire": "Fire at ",
    "air_attack_die_rolls": "Attack on ",
    "air_attack_damage": "Bombs on ",
}
"""For each chart that is used once per target, a phrase for what the rolling side does."""


def _result_text(chart: str, result: str) -> str:
    """Return the result of a chart in words."""
    if chart == "air_attack_die_rolls":
        dice = result.split("/")
        return f"{pluralise(len(dice), 'damage die', 'damage dice')}, modifiers {', '.join(dice)}"
    if chart == "surprise":
        return {"none": "no surprise"}.get(result, f"{result} surprise")
    if chart == "anti_aircraft_fire":
        words = result.replace("aborted", "turned away").replace("eliminated", "shot down")
        parts = [part for part in words.split(", ") if not part.startswith("0 ")]
        return ", ".join(parts) or "miss"
    if chart in _NUMBER_RESULTS and result.isdecimal():
        return pluralise(int(result), *_NUMBER_RESULTS[chart]) if int(result) else "miss"
    return _FIRE_RESULTS.get(result, result.replace("_", " "))


class BattleBoardBuilder:
    """Builds a battle board from a battle's events, one at a time."""

    def __init__(self, kind: str, subject: str, view_before: CbpsView) -> None:
        """Create the board of a ``raid`` or ``strike``. For a strike, `subject` is ``mission>target``."""
        self._kind = kind
        self._view_before = view_before
        mission, _, target = subject.partition(">")
        self._raid = subject if kind == "raid" else ""
        self._target = target
        self._missed_target = ""
        """The intended target, if the strike has met a different force; otherwise empty."""
        self._missions: dict[str, None] = {mission: None} if kind == "strike" else {}
        frame = view_before.frames[-1] if view_before.frames else None
        if kind == "raid" and isinstance(frame, InterceptionFrame) and frame.raid == subject:
            self._missions[frame.mission] = None
        self._rolls: tuple[list[Roll], list[Roll]] = ([], [])
        self._losses: tuple[dict[str, str], dict[str, str]] = ({}, {})
        self._points: dict[str, int] = {}
        self._parts: dict[str, None] = {}

    def add(self, event: Any) -> None:  # noqa: ANN401  (any fact)
        """Add an event to the board."""
        if self._kind == "strike" and (force := contacted_force(event, self._view_before.forces)):
            self._record_contact(force)
        match event:
            case chance.ChartRead() if event.chart in COMBAT_CHARTS:
                self._add_roll(event)
            case air.MissionFought(mission=mission):
                self._missions[mission] = None
            case air.UnitLost(unit=unit):
                self._losses[_US][display_name(unit)] = "lost"
            case air.UnitAborted(unit=unit):
                self._losses[_US][display_name(unit)] = "breaks off"
            case raids.RaidReduced(raid=raid, fighters=fighters, attackers=attackers):
                self._add_loss(_JAPAN, display_name(raid), fighters + attackers, "point")
            case japan.CapLost(points=points):
                self._add_loss(_JAPAN, "CAP", points, "point")
            case japan.HullHit(ship=ship, hits=hits):
                self._add_loss(_JAPAN, display_name(ship), hits, "hit")
            case japan.HullSunk(ship=ship):
                self._losses[_JAPAN][display_name(ship)] = "sunk"
            case fleet.ShipHit(ship=ship, hits=hits):
                self._add_loss(_US, display_name(ship), hits, "hit")
            case fleet.ShipSunk(ship=ship):
                self._losses[_US][display_name(ship)] = "sunk"
            case _:
                pass

    def _record_contact(self, force: str) -> None:
        """Record the force that the strike has met, which may not be its intended target (5.24)."""
        # If the strike meets a further force, keep the first target as the target that it missed.
        if self._target != force:
            self._missed_target, self._target = self._missed_target or self._target, force

    def next_exchange(self) -> None:
        """Remove the previous exchange's dice but keep the losses on the board."""
        self._rolls = ([], [])
        self._parts = {}

    def _add_loss(self, side: int, item: str, amount: int, noun: str) -> None:
        self._points[item] = self._points.get(item, 0) + amount
        # Lost points are shown with a minus sign, hits without one.
        sign = "-" if noun == "point" else ""
        self._losses[side][item] = f"{sign}{count_noun(self._points[item], noun)}"

    def _add_roll(self, event: chance.ChartRead) -> None:
        attacker = _JAPAN if self._kind == "raid" else _US
        chart = event.chart
        if chart in _CHART_SIDES:
            part, side = _CHART_SIDES[chart]
        elif chart in _ATTACKER_CHARTS:
            part, side = _ATTACKER_CHARTS[chart], attacker
        else:
            part, side = _DEFENDER_CHARTS[chart], 1 - attacker
        self._parts[part] = None
        drm = sum(modifier.drm for modifier in event.modifiers)
        drm_text = f" {drm:+d} = {event.die + drm}" if event.modifiers else ""
        about_text = f"{_ACTIONS.get(chart, '')}{display_name(event.about)}" if event.about else ""
        self._rolls[side].append(
            Roll(
                part=part,
                total=", ".join(
                    word
                    for word in (about_text, f"column {event.column}" if event.column else "")
                    if word
                ).replace("_", " "),
                die=f"Die {event.die}{drm_text}" if event.die else "",
                reasons=tuple(
                    f"{modifier.drm:+d} {modifier_text(chart, modifier)}"
                    for modifier in event.modifiers
                ),
                result=f"Result: {_result_text(chart, event.result)}",
            )
        )

    def board(self, closing_sentence: str = "") -> BattleBoard:
        """Return the board as it is after the events added so far.

        Args:
            closing_sentence: The outcome of the battle; empty while it continues.
        """
        target = force_label(self._target, self._view_before) if self._target else ""
        title = (
            f"{display_name(self._raid)} against TF 58"
            if self._kind == "raid"
            else f"{', '.join(map(display_name, self._missions))} on {target}"
            + (
                f", the wrong force: not {display_name(self._missed_target)}"
                if self._missed_target
                else ""
            )
        )
        return BattleBoard(
            title=title,
            sides=(self._us_side(), self._japanese_side(target)),
            summaries=(closing_sentence,) if closing_sentence else (),
            parts=tuple(self._parts),
        )

    def _us_side(self) -> BattleSide:
        fighters = [Fighter(name=display_name(mission)) for mission in self._missions]
        losses = self._losses[_US]
        fighters += [Fighter(name=name, loss=loss) for name, loss in losses.items()]
        rolls = tuple(self._rolls[_US])
        return BattleSide(name="US", owner=Owner.ONE, fighters=tuple(fighters), rolls=rolls)

    def _japanese_side(self, target: str) -> BattleSide:
        losses = dict(self._losses[_JAPAN])
        main_name = display_name(self._raid) if self._raid else target
        fighters = [
            Fighter(name=main_name, strength=self._raid_strength(), loss=losses.pop(main_name, ""))
        ]
        fighters += [Fighter(name=name, loss=loss) for name, loss in losses.items()]
        rolls = tuple(self._rolls[_JAPAN])
        return BattleSide(name="Japan", owner=Owner.TWO, fighters=tuple(fighters), rolls=rolls)

    def _raid_strength(self) -> str:
        raid = self._view_before.raids.get(self._raid)
        if raid is None:
            return ""
        return (
            f"{raid.fighters}+{raid.attackers}"
            if raid.is_split
            else count_noun(raid.points, "point")
        )


def has_combat(events: Sequence[Any]) -> bool:
    """Return whether a board would show any of these events."""
    return any(
        isinstance(event, chance.ChartRead) and event.chart in COMBAT_CHARTS for event in events
    )
