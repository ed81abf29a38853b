"""Empire of the Sun playback steps: cards, activations, moves, battles and markers.

The wording follows the log, but adds the nation or side if the log omits it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.eots.combined_sentences import NationWillMerger, sentence
from engine.eots.events import battle, cards, flow, offensive, tracks, units
from engine.eots.ids import Side, UnitId
from engine.eots.prose import describe
from engine.eots.view import EotsView
from play.event_history import SeenEvent
from tui.eots.battle.battle_board import BattleBoardBuilder
from tui.eots.map.counters import SIDE_OWNERS
from tui.eots.map.scene import blank_cells
from tui.eots.panels.page_texts import card_lines
from tui.eots.playback.captions import event_caption
from tui.panels.overlay_pages import BattleBoard, CardPage
from tui.panels.playback_step import PlaybackStep

_PLAYER_CAUSED_EVENTS: Final = (
    cards.CardPlayed,
    cards.CardDiscarded,
    cards.PassUsed,
    cards.FuturePlaced,
    offensive.OffensiveBegan,
    offensive.HqChosen,
    offensive.UnitActivated,
    offensive.UnitMoved,
    offensive.ZoiTouched,
    offensive.BattleDeclared,
    offensive.UnitJoined,
    offensive.UnitCovers,
    units.UnitPlaced,
    units.StepGained,
)
"""Events caused by a player's own commands, which the player has already seen while drafting."""
_OMITTED_EVENTS: Final = (offensive.AspSpent, cards.CardSettled, cards.CardDrawn)
"""Events that are in the log but not played back."""
_BATTLE_ROLL_PURPOSES: Final = ("air-naval", "ground")
"""Purposes of the die rolls that the battle board shows."""
_SEEN_KEY: Final = ("seen",)
_MAX_SENTENCES: Final = 3
"""Maximum number of similar sentences in one step. Further sentences are only counted."""


class _StepBuilder:
    """Converts events into playback steps, one by one."""

    def __init__(self, view_before: EotsView) -> None:
        self._places = blank_cells(view_before)
        self.unit_states = {unit.id: (unit.at, unit.steps) for unit in view_before.units}
        """Each unit's place and remaining steps, by unit id."""
        self._attacker = (
            view_before.offensive.side if view_before.offensive is not None else Side.ALLIED
        )
        self.battle_board: BattleBoardBuilder | None = None
        self.playback_steps: list[PlaybackStep] = []
        self._key: tuple[str, ...] = ()
        """Key of the current step; empty if no step is open."""
        self._will_merger = NationWillMerger()
        self._sentences: list[str] = []
        self._highlighted: dict[str, None] = {}
        self._paths: list[tuple[str, ...]] = []
        self._targets: dict[str, None] = {}
        self._page: CardPage | BattleBoard | None = None
        self._duration = 1
        self._event_count = 0

    def close(self) -> None:
        """Finish the current step."""
        lines = [sentence for sentence in self._sentences if not sentence.endswith(":")]
        if lines:
            self.playback_steps.append(
                PlaybackStep(
                    text="\n".join(_first_sentences(self._sentences)),
                    event_count=self._event_count,
                    places=tuple(self._highlighted),
                    paths=tuple(self._paths),
                    targets=tuple(self._targets),
                    page=self._page,
                    duration=self._duration,
                )
            )
        self._key, self._sentences, self._paths = (), [], []
        self._highlighted, self._targets, self._page, self._duration = {}, {}, None, 1

    def add(self, seen_event: SeenEvent, event_count: int) -> None:
        """Add an event."""
        event: Any = seen_event.event
        cause = self._will_merger.cause(event)
        if not (seen_event.is_own and isinstance(event, _PLAYER_CAUSED_EVENTS)):
            text = sentence(event, cause) if cause else event_caption(event, self._attacker)
            self._add_to_step(event, text, event_count)
        self._track(event)

    def _add_to_step(self, event: Any, text: str, event_count: int) -> None:  # noqa: ANN401  (any event)
        is_battle_start = isinstance(event, battle.BattleBegan)
        if is_battle_start:
            self.close()
            self.battle_board = BattleBoardBuilder(event, self.unit_states, self._attacker)
        elif self.battle_board is not None and self.battle_board.add(event):
            self._add_to_battle(event, text, event_count)
            return
        if isinstance(event, _OMITTED_EVENTS) or not text or _is_board_roll(event):
            return
        key = _step_key(event)
        if key != self._key and not self._continues_step(key):
            self.close()
        if (
            not self._key or self._key == _SEEN_KEY
        ):  # zones entered during a move belong to the move's step
            self._key = key
        self._sentences.append(text)
        self._event_count = event_count
        self._highlight(event)
        if is_battle_start:
            self._show_board(event.at, 2)

    def _continues_step(self, key: tuple[str, ...]) -> bool:
        """Return whether an event of a different kind continues the current step."""
        return (self._key[:1], key[:1]) in _CONTINUATIONS

    def _add_to_battle(self, event: Any, text: str, event_count: int) -> None:  # noqa: ANN401  (any event)
        """Add an event of the current battle. Each roll starts a new step."""
        key = ("melee", type(event).__name__ if isinstance(event, battle.CombatRoll) else "")
        if isinstance(event, battle.CombatRoll) or key != self._key:
            self.close()
        self._key = key
        self._sentences += [text] if text else []
        self._event_count = event_count
        assert self.battle_board is not None, "a battle must be in progress"
        self._show_board(self.battle_board.hex_id, 1 + isinstance(event, battle.CombatRoll))

    def _show_board(self, place: str, duration: int) -> None:
        assert self.battle_board is not None, "a battle must be in progress"
        self._page, self._duration = self.battle_board.board(), duration
        self._add_target(place)

    def _highlight(self, event: Any) -> None:  # noqa: ANN401  (any event)
        """Highlight the places of an event."""
        match event:
            case cards.CardPlayed(card=card, side=side):
                title, *text = card_lines(card)
                self._page = CardPage(
                    title=title, text=tuple(line.strip() for line in text), owner=SIDE_OWNERS[side]
                )
                self._duration = 2
            case offensive.HqChosen(hq=unit) | offensive.UnitActivated(unit=unit):
                self._highlight_place(self._unit_place(unit))
            case offensive.UnitMoved(unit=unit, entered=hexes_entered):
                self._extend_path(unit, hexes_entered)
            case offensive.BattleDeclared(at=hex_id):
                self._add_target(hex_id)
            case (
                offensive.UnitJoined(unit=unit, at=hex_id)
                | offensive.UnitCovers(unit=unit, at=hex_id)
            ):
                self._highlight_place(self._unit_place(unit))
                self._add_target(hex_id)
            case units.ControlChanged(hexes=hexes):
                for hex_id in hexes:
                    self._add_target(hex_id)
            case units.StepLost(unit=unit) | units.UnitEliminated(unit=unit):
                self._add_target(self._unit_place(unit))
            case _:
                self._highlight_place(str(getattr(event, "at", "") or ""))

    def _extend_path(self, unit: UnitId, entered_hexes: tuple[str, ...]) -> None:
        """Draw a unit's path through the hexes that are on this map."""
        path = tuple(
            hex_id for hex_id in (self._unit_place(unit), *entered_hexes) if hex_id in self._places
        )
        if len(path) > 1:
            self._paths.append(path)
        self._highlight_place(entered_hexes[-1])

    def _highlight_place(self, place: str) -> None:
        if place in self._places:
            self._highlighted[place] = None

    def _add_target(self, place: str) -> None:
        if place in self._places:
            self._targets[place] = None

    def _unit_place(self, unit: UnitId) -> str:
        return self.unit_states.get(unit, ("", 0))[0]

    def _track(self, event: Any) -> None:  # noqa: ANN401  (any event)
        """Keep track of unit positions and steps, the attacker and the current battle."""
        match event:
            case offensive.UnitMoved(unit=unit, entered=(*_, last_hex)):
                self.unit_states[unit] = (last_hex, self.unit_states[unit][1])
            case units.UnitPlaced(unit=unit, at=at, steps=steps):
                self.unit_states[unit] = (at, steps)
            case offensive.ActivationTakenBack(unit=unit, at=at):
                self.unit_states[unit] = (str(at), self.unit_states[unit][1])
            case units.StepLost(unit=unit):
                place, steps = self.unit_states[unit]
                self.unit_states[unit] = (place, max(steps - 1, 0))
            case units.StepGained(unit=unit):
                place, steps = self.unit_states[unit]
                self.unit_states[unit] = (place, steps + 1)
            case offensive.OffensiveBegan(side=side):
                self._attacker = side
            case offensive.BattleResolved():
                self.battle_board = None
            case _:
                pass


_CONTINUATIONS: Final = {
    (_SEEN_KEY, ("moved",)),
    (("card",), ("opened",)),
    (("card",), ("words",)),
    (("hq",), ("activated",)),
    (("declared",), ("joined",)),
    (("joined",), ("declared",)),
    (("dice",), ("condition",)),
    (("dice",), ("words",)),
    (("segment",), ("words",)),
    (("segment",), ("placed",)),
    (("segment",), ("lost",)),
    (("segment",), ("control",)),
}
"""Pairs of step kinds: an event of the second kind continues a step of the first kind."""


_STEP_KINDS: Final[Mapping[type, tuple[str, str]]] = {
    cards.CardPlayed: ("card", "card"),
    offensive.OffensiveBegan: ("opened", ""),
    offensive.HqChosen: ("hq", ""),
    offensive.UnitActivated: ("activated", ""),
    offensive.ZoiTouched: ("seen", ""),
    offensive.BattleDeclared: ("declared", ""),
    offensive.UnitJoined: ("joined", ""),
    offensive.UnitCovers: ("joined", ""),
    offensive.IntelligenceRolled: ("condition", ""),
    offensive.ConditionSet: ("condition", ""),
    offensive.SpecialReactionTried: ("condition", ""),
    tracks.DieRolled: ("dice", "about"),
    battle.BattleBegan: ("melee", "at"),
    units.UnitPlaced: ("placed", ""),
    units.UnitScheduled: ("placed", ""),
    units.UnitBoxed: ("placed", ""),
    units.StepGained: ("placed", ""),
    units.StepLost: ("lost", ""),
    units.UnitEliminated: ("lost", ""),
    units.UnitRemoved: ("lost", ""),
    units.ControlChanged: ("control", ""),
}
"""For each event type, its step kind and the field that must be equal for events to share a step."""


def _step_key(event: Any) -> tuple[str, ...]:  # noqa: ANN401  (any event)
    """Return an event's key. Consecutive events with the same key share a step."""
    if isinstance(event, flow.FrameReplaced | flow.TurnBegan):
        return "segment", describe(event)
    if isinstance(event, offensive.UnitMoved):
        return "moved", event.entered[-1]
    kind, field = _STEP_KINDS.get(type(event), ("words", ""))
    return (kind, str(getattr(event, field))) if field else (kind,)


def _is_board_roll(event: Any) -> bool:  # noqa: ANN401  (any event)
    return isinstance(event, tracks.DieRolled) and event.purpose in _BATTLE_ROLL_PURPOSES


def _first_sentences(lines: Sequence[str]) -> list[str]:
    """Return the first few sentences of a step, then the number of sentences left out."""
    if len(lines) <= _MAX_SENTENCES + 1:
        return list(lines)
    return [*lines[:_MAX_SENTENCES], f"and {len(lines) - _MAX_SENTENCES} more"]


def playback_steps(
    seen_events: Sequence[SeenEvent], view_before: EotsView
) -> tuple[PlaybackStep, ...]:
    """Return the playback steps for the events, without the viewer's own commands.

    Args:
        seen_events: The events as the viewer saw them.
        view_before: The view before the first event.
    """
    return build_steps(seen_events, view_before)[0]


def build_steps(
    seen_events: Sequence[SeenEvent], view_before: EotsView
) -> tuple[tuple[PlaybackStep, ...], BattleBoardBuilder | None]:
    """Return the playback steps, and the battle in progress after the last step, if any."""
    builder = _StepBuilder(view_before)
    for number, seen_event in enumerate(seen_events, start=1):
        builder.add(seen_event, number)
    builder.close()
    return tuple(builder.playback_steps), builder.battle_board
