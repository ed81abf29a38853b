"""Quartermaster General playback steps: cards, pieces, battles with their reactions, and points.

The wording follows the log.
"""

from collections.abc import Sequence
from typing import Any, Final

from engine.qmg import events as ev
from engine.qmg import phrases as say
from engine.qmg.atlas import SPACE
from engine.qmg.deck import CARD
from engine.qmg.ids import TEAM_BY_FORCE
from engine.qmg.prose import describe
from play.event_history import SeenEvent
from play.log_lines import count_repeats
from tui.maps.enums import Owner
from tui.panels.overlay_pages import BattleBoard, BattleSide, CardPage, Fighter, OverlayPage
from tui.panels.playback_step import PlaybackStep
from tui.qmg.map.scene import OWNERS
from tui.qmg.panels.page_texts import card_effect_lines
from tui.qmg.texts import card_text

_OMITTED_REASONS: Final = ("deal", "setup", "construction")
"""Reasons for card movements that are not played back."""
_REACTION_EVENTS: Final = (
    ev.UseDeclared,
    ev.UseCancelled,
    ev.PieceProtected,
    ev.PieceRemoved,
    ev.CardsMoved,
)
"""Events that react to a battle, and the result that each one causes."""
_MAX_SENTENCES: Final = 4
"""Maximum number of sentences in one step."""


class _BattleBoardBuilder:
    """Builds a battle board, reaction by reaction."""

    def __init__(self, event: ev.BattleFought) -> None:
        attacker = Fighter(name=say.capitalise_first(say.PIECES.get(event.piece, event.piece)))
        target = (
            say.piece_name(event.target, event.piece)
            if event.target
            else "none, because the space is empty"
        )
        self._battle = event
        self._attacker_side = BattleSide(
            name=f"{say.capitalise_first(say.force_name(event.force))} battles",
            owner=_owner(event.force),
            fighters=() if not event.target else (attacker,),
        )
        self._target_side = BattleSide(
            name=say.capitalise_first(say.space_with_article(event.space)),
            owner=_owner(event.target),
            fighters=(Fighter(name=target),),
        )
        self._reactions: list[str] = []
        self.is_over = False
        """True once the target has been destroyed."""

    @property
    def space(self) -> str:
        """The space where the battle takes place."""
        return self._battle.space

    def add(self, event: Any, text: str) -> bool:  # noqa: ANN401  (any event)
        """Add a reaction. Return False if the event does not belong to the battle."""
        if not isinstance(event, _REACTION_EVENTS) or not text:
            return False
        if isinstance(event, ev.PieceRemoved):
            battle = self._battle
            if event.space == battle.space and event.force == battle.target:
                self.is_over = True
        self._reactions.append(text)
        return True

    def board(self) -> BattleBoard:
        """Return the board in its current state."""
        target_side = self._target_side
        if self.is_over:
            lost_fighters = tuple(
                Fighter(
                    name=fighter.name,
                    loss="destroyed" if fighter is target_side.fighters[0] else "",
                )
                for fighter in target_side.fighters
            )
            target_side = BattleSide(
                name=target_side.name, owner=target_side.owner, fighters=lost_fighters
            )
        return BattleBoard(
            title=f"Battle of {say.space_with_article(self.space)}",
            sides=(self._attacker_side, target_side),
            summaries=tuple(self._reactions),
        )


class _StepBuilder:
    """Converts events into playback steps, one by one."""

    def __init__(self) -> None:
        self.playback_steps: list[PlaybackStep] = []
        self.battle: _BattleBoardBuilder | None = None
        self._is_own_battle = False
        self._sentences: list[str] = []
        self._kind = ""
        self._highlighted: dict[str, None] = {}
        self._targets: dict[str, None] = {}
        self._paths: list[tuple[str, ...]] = []
        self._page: OverlayPage | None = None
        self._event_count = 0

    def close(self) -> None:
        """Finish the current step."""
        if self._sentences:
            lines = list(count_repeats(self._sentences))
            if len(lines) > _MAX_SENTENCES:
                lines = [
                    *lines[: _MAX_SENTENCES - 1],
                    f"and {len(lines) - _MAX_SENTENCES + 1} more",
                ]
            self.playback_steps.append(
                PlaybackStep(
                    text="\n".join(lines),
                    event_count=self._event_count,
                    places=tuple(self._highlighted),
                    paths=tuple(self._paths),
                    targets=tuple(self._targets),
                    page=self._page,
                    duration=1 if self._page is None else 2,
                )
            )
        self._sentences, self._kind, self._paths = [], "", []
        self._highlighted, self._targets, self._page = {}, {}, None

    def add(self, seen_event: SeenEvent, event_count: int) -> None:
        """Add an event. Events caused by the viewer's own commands are tracked but add no text.

        The exception is the result of another player's battle, which may be in the record of the viewer's own pass.
        """
        event: Any = seen_event.event
        text = describe(event)
        if isinstance(event, ev.BattleFought):
            self.battle, self._is_own_battle = _BattleBoardBuilder(event), seen_event.is_own
            is_reaction = True
        else:
            is_reaction = self.battle is not None and self.battle.add(event, text)
            if not is_reaction and isinstance(event, ev.CardPlayed | ev.TurnBegan | ev.StepBegan):
                self.battle = None
        is_result = is_reaction and isinstance(event, ev.PieceRemoved) and not self._is_own_battle
        if (seen_event.is_own and not is_result) or not text or _is_omitted(event):
            return
        self._add_sentence(event, text, event_count, is_reaction=is_reaction)
        if self.battle is not None and self.battle.is_over:
            self.battle = None

    def _add_sentence(self, event: Any, text: str, event_count: int, *, is_reaction: bool) -> None:  # noqa: ANN401
        kind = "answer" if is_reaction and self.battle is not None else _step_kind(event)
        if (
            kind != self._kind and (self._kind, kind) not in _CONTINUATIONS
        ) or kind in _SEPARATE_KINDS:
            self.close()
        self._kind = kind
        self._sentences.append(text)
        self._event_count = event_count
        self._highlight(event)
        if kind == "answer" and self.battle is not None:
            self._page = self.battle.board()
            self._targets[self.battle.space] = None

    def _highlight(self, event: Any) -> None:  # noqa: ANN401  (any event)
        match event:
            case (
                ev.CardPlayed(country=country, card=card)
                | ev.UseDeclared(country=country, card=card)
            ):
                self._page = CardPage(
                    title=card_text(card) if card in CARD else say.card_title(card),
                    text=card_effect_lines(card),
                    owner=_owner(country),
                )
            case ev.AirMoved(origin=origin, space=space):
                self._highlighted[space] = None
                self._paths.append(tuple(space for space in (origin, space) if space in SPACE))
            case ev.PieceRemoved(space=space) | ev.BattleFought(space=space):
                self._targets[space] = None
            case _:
                space = getattr(event, "space", "")
                if space in SPACE:
                    self._highlighted[space] = None


_CONTINUATIONS: Final = {
    ("turn", "card"),
    ("turn", "cards"),
    ("turn", "use"),
    ("card", "use"),
    ("use", "points"),
}
"""Pairs of step kinds: an event of the second kind continues a step of the first kind."""
_SEPARATE_KINDS: Final = frozenset({"answer"})
"""Step kinds that always begin a new step."""
_STEP_KINDS: Final[dict[type, str]] = {
    ev.TurnBegan: "turn",
    ev.CardPlayed: "card",
    ev.UseDeclared: "use",
    ev.PiecePlaced: "piece",
    ev.PieceRemoved: "loss",
    ev.AirMoved: "air",
    ev.VpChanged: "points",
    ev.RoundEnded: "points",
    ev.CardsMoved: "cards",
}


def _step_kind(event: Any) -> str:  # noqa: ANN401  (any event)
    return _STEP_KINDS.get(type(event), "words")


def _is_omitted(event: Any) -> bool:  # noqa: ANN401  (any event)
    """Return whether playback omits an event, such as a draw or a voluntary discard."""
    match event:
        case ev.CardsMoved(why=move_cause) if move_cause in _OMITTED_REASONS:
            return True
        case ev.CardsMoved(source="deck", to="hand"):
            return True
        case ev.CardsMoved(source="hand", to="discard-bottom"):
            return True
        case _:
            return False


def _owner(force: str) -> Owner:
    return OWNERS[TEAM_BY_FORCE.get(force, "")]


def playback_steps(seen_events: Sequence[SeenEvent]) -> tuple[PlaybackStep, ...]:
    """Return the playback steps for the events, without the viewer's own commands."""
    return build_steps(seen_events)[0]


def build_steps(
    seen_events: Sequence[SeenEvent],
) -> tuple[tuple[PlaybackStep, ...], BattleBoard | None]:
    """Return the playback steps, and the board of any battle in progress after the last step."""
    builder = _StepBuilder()
    for number, seen_event in enumerate(seen_events, start=1):
        builder.add(seen_event, number)
    builder.close()
    return tuple(builder.playback_steps), None if builder.battle is None else builder.battle.board()
