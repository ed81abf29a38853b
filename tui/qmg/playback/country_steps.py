"""Playback of whole turns: one step per country, beginning with the sentences that matter most to the viewer."""

from collections.abc import Sequence
from typing import Any, Final

from engine.qmg import events as ev
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from engine.qmg.deck import CARD
from engine.qmg.ids import BASIC_TYPES, TEAM_BY_FORCE
from engine.qmg.prose import describe
from engine.qmg.view import QmgView
from play.event_history import SeenEvent
from play.log_lines import count_repeats
from tui.panels.playback_step import PlaybackStep

_MAX_SENTENCES: Final = 6
"""Maximum number of sentences in one step. The page of details contains all of them."""
_PILES_ON_TABLE: Final = ("statuses", "responses")
_OWN_LOSS, _OWN_CARD_LOSS, _CHANGE, _CARD, _OTHER = range(5)
"""Ranks of sentences. The most important sentences for the viewer have the lowest rank."""


def country_steps(
    seen_events: Sequence[SeenEvent], view_before: QmgView
) -> tuple[PlaybackStep, ...]:
    """Return one playback step for each country's turn in these events.

    The viewer's own commands are omitted, except for losses in an enemy's turn. The record that removes a piece is that
    of the last pass, which may be an automatic pass by the viewer.

    Args:
        seen_events: The events, as the viewer knows them.
        view_before: The view before the events.
    """
    steps = []
    turn = _CountryTurn(view_before.role or "", view_before.active)
    for number, seen_event in enumerate(seen_events, start=1):
        event: Any = seen_event.event
        if isinstance(event, ev.TurnBegan):
            steps.append(turn.step())
            turn = _CountryTurn(view_before.role or "", event.country)
        elif not seen_event.is_own or turn.is_loss(event):
            turn.add(event, number)
    steps.append(turn.step())
    return tuple(step for step in steps if step is not None)


class _CountryTurn:
    """Collects the events of one country's turn."""

    def __init__(self, viewer: str, country: str) -> None:
        self._viewer = viewer
        self._country = country
        self._sentences: list[tuple[int, str]] = []
        self._targets: dict[str, None] = {}
        self._places: dict[str, None] = {}
        self._paths: list[tuple[str, ...]] = []
        self._points = dict.fromkeys(say.TEAM_NAMES, 0)
        self._battle: ev.BattleFought | None = None
        """The last battle, if its target has not been destroyed."""
        self._basic_card = ""
        """The sentence for a basic card. It is omitted if the piece or the battle is reported."""
        self._event_count = 0

    def add(self, event: Any, number: int) -> None:  # noqa: ANN401  (any event)
        """Add an event that another player caused."""
        match event:
            case ev.VpChanged(team=team, amount=amount):
                self._points[team] += amount
            case ev.BattleFought():
                self._end_battle()
                self._battle = event
                self._targets[event.space] = None
            case ev.PieceRemoved(space=space, force=force):
                if self._battle is not None and (self._battle.space, self._battle.target) == (
                    space,
                    force,
                ):
                    self._battle = None
                rank = _OWN_LOSS if self._is_own(force) else _CHANGE
                self._sentences.append((rank, describe(event)))
                self._targets[space] = None
            case ev.AirMoved(origin=origin, space=space):
                self._sentences.append((_CHANGE, describe(event)))
                self._places[space] = None
                self._paths.append(tuple(place for place in (origin, space) if place in SPACE))
            case ev.PiecePlaced(space=space, how=how) if how != "setup":
                self._sentences.append((_CHANGE, describe(event)))
                self._places[space] = None
            case ev.PieceProtected() | ev.AirSuperiorityGained() | ev.UseCancelled():
                self._sentences.append((_CHANGE, describe(event)))
            case ev.TargetDiscards(country=country):
                rank = _OWN_CARD_LOSS if self._is_own(country) else _CARD
                self._sentences.append((rank, describe(event)))
            case ev.CardPlayed(card=card) if card in CARD and CARD[card].type in BASIC_TYPES:
                self._basic_card = describe(event)
            case ev.CardPlayed() | ev.UseDeclared() | ev.ResourcesReallocated():
                self._sentences.append((_CARD, describe(event)))
            case ev.CardsMoved(to=destination) if destination in _PILES_ON_TABLE:
                self._sentences.append((_OTHER, describe(event)))
            case ev.GameEnded():
                self._sentences.append((_OWN_LOSS, describe(event)))
            case _:
                return
        self._event_count = number

    def is_loss(self, event: Any) -> bool:  # noqa: ANN401  (any event)
        """Return whether the viewer's team loses a piece in an enemy's turn."""
        is_removal = isinstance(event, ev.PieceRemoved) and self._is_own(event.force)
        return is_removal and not self._is_own(self._country)

    def _is_own(self, force: str) -> bool:
        team = TEAM_BY_FORCE.get(self._viewer, self._viewer)
        return bool(team) and TEAM_BY_FORCE.get(force) == team

    def _end_battle(self) -> None:
        """Report a battle in which nothing was destroyed."""
        if self._battle is not None:
            self._sentences.append((_CHANGE, describe(self._battle)))
            self._battle = None

    def step(self) -> PlaybackStep | None:
        """Return the country's turn as one step; None if nothing in it is worth showing."""
        self._end_battle()
        if not self._event_count:
            return None
        lines = self._lines(len(self._sentences) + 1)
        if len(lines) > _MAX_SENTENCES:
            shown_lines = self._lines(_MAX_SENTENCES - 1)
            lines = (*shown_lines, f"and {len(lines) - len(shown_lines)} more (B lists everything)")
        heading = say.capitalise_first(say.force_name(self._country)) if self._country else "Set-up"
        return PlaybackStep(
            text="\n".join((f"{heading}{self._points_text()}", *lines)),
            event_count=self._event_count,
            places=tuple(self._places),
            paths=tuple(self._paths),
            targets=tuple(self._targets),
            duration=2,
        )

    def _lines(self, max_lines: int) -> tuple[str, ...]:
        """Return the `max_lines` most important sentences: the viewer's losses first, then the others in order."""
        ranked_sentences = list(enumerate(self._sentences))
        if not any(rank <= _CHANGE for rank, _ in self._sentences):
            ranked_sentences.insert(0, (-1, (_CARD, self._basic_card)))
        kept_entries = sorted(ranked_sentences, key=lambda entry: entry[1][0])[: max(max_lines, 1)]
        # Apart from losses, a card comes before its effects, as it did in the game.
        kept_entries.sort(key=lambda entry: (min(entry[1][0], _CHANGE), entry[0]))
        return tuple(count_repeats([text for _, (_, text) in kept_entries if text]))

    def _points_text(self) -> str:
        scored_points = [
            f"{say.capitalise_first(name.removeprefix('the '))} {self._points[team]:+d} VP"
            for team, name in say.TEAM_NAMES.items()
            if self._points[team]
        ]
        return f": {', '.join(scored_points)}" if scored_points else ""
