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
from tui.map_enums import Owner
from tui.playback.battle_board import BattleBoard, BattleSide, CardPage, Fighter, OverlayPage
from tui.playback.step import PlaybackStep
from tui.qmg.panels import card_effect_lines
from tui.qmg.scene import OWNERS
from tui.qmg.texts import card_text

_QUIET: Final = ("deal", "setup", "construction")
"""Reasons for card movements that are not played back."""
_AFTER_BATTLE: Final = (
    ev.UseDeclared,
    ev.UseCancelled,
    ev.PieceProtected,
    ev.PieceRemoved,
    ev.CardsMoved,
)
"""Reactions to a battle, and their results."""
_MAX_SENTENCES: Final = 4
"""Maximum number of sentences in one step."""


class _BattleBoardBuilder:
    """Builds a battle board, reaction by reaction."""

    def __init__(self, event: ev.BattleFought) -> None:
        attacker = Fighter(name=say.capitalise_first(say.PIECES.get(event.piece, event.piece)))
        target = (
            say.piece_name(event.target, event.piece) if event.target else "nobody: it is empty"
        )
        self._fought = event
        self._left = BattleSide(
            name=f"{say.capitalise_first(say.force_name(event.force))} battles",
            owner=_owner(event.force),
            fighters=() if not event.target else (attacker,),
        )
        self._right = BattleSide(
            name=say.capitalise_first(say.space_with_article(event.space)),
            owner=_owner(event.target),
            fighters=(Fighter(name=target),),
        )
        self._answers: list[str] = []
        self.is_over = False
        """True once the target has been destroyed."""

    @property
    def space(self) -> str:
        """The space where the battle takes place."""
        return self._fought.space

    def add(self, event: Any, text: str) -> bool:  # noqa: ANN401  (any fact)
        """Add a reaction; return False if the event does not belong to the battle."""
        if not isinstance(event, _AFTER_BATTLE) or not text:
            return False
        if isinstance(event, ev.PieceRemoved):
            fought = self._fought
            if event.space == fought.space and event.force == fought.target:
                self.is_over = True
        self._answers.append(text)
        return True

    def board(self) -> BattleBoard:
        """Return the board in its current state."""
        right = self._right
        if self.is_over:
            lost = tuple(
                Fighter(name=one.name, loss="destroyed" if one is right.fighters[0] else "")
                for one in right.fighters
            )
            right = BattleSide(name=right.name, owner=right.owner, fighters=lost)
        return BattleBoard(
            title=f"Battle of {say.space_with_article(self.space)}",
            parties=(self._left, right),
            verdicts=tuple(self._answers),
        )


class _StepBuilder:
    """Turns facts into playback steps, one by one."""

    def __init__(self) -> None:
        self.playback_steps: list[PlaybackStep] = []
        self.battle: _BattleBoardBuilder | None = None
        self._sentences: list[str] = []
        self._kind = ""
        self._highlighted: dict[str, None] = {}
        self._targets: dict[str, None] = {}
        self._paths: list[tuple[str, ...]] = []
        self._sheet: OverlayPage | None = None
        self._upto = 0

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
                    event_count=self._upto,
                    places=tuple(self._highlighted),
                    paths=tuple(self._paths),
                    targets=tuple(self._targets),
                    page=self._sheet,
                    duration=1 if self._sheet is None else 2,
                )
            )
        self._sentences, self._kind, self._paths = [], "", []
        self._highlighted, self._targets, self._sheet = {}, {}, None

    def add(self, fact: SeenEvent, event_count: int) -> None:
        """Add a fact. The viewer's own commands only provide context and have no text."""
        event: Any = fact.event
        text = describe(event)
        if isinstance(event, ev.BattleFought):
            self.battle = _BattleBoardBuilder(event)
            is_answer = True
        else:
            is_answer = self.battle is not None and self.battle.add(event, text)
            if not is_answer and isinstance(event, ev.CardPlayed | ev.TurnBegan | ev.StepBegan):
                self.battle = None
        if fact.is_own or not text or _is_quiet(event):
            return
        self._add_sentence(event, text, event_count, is_answer=is_answer)
        if self.battle is not None and self.battle.is_over:
            self.battle = None

    def _add_sentence(self, event: Any, text: str, event_count: int, *, is_answer: bool) -> None:  # noqa: ANN401
        kind = "answer" if is_answer and self.battle is not None else _kind(event)
        if (kind != self._kind and (self._kind, kind) not in _JOINED) or kind in _ALONE:
            self.close()
        self._kind = kind
        self._sentences.append(text)
        self._upto = event_count
        self._highlight(event)
        if kind == "answer" and self.battle is not None:
            self._sheet = self.battle.board()
            self._targets[self.battle.space] = None

    def _highlight(self, event: Any) -> None:  # noqa: ANN401  (any fact)
        match event:
            case (
                ev.CardPlayed(country=country, card=card)
                | ev.UseDeclared(country=country, card=card)
            ):
                self._sheet = CardPage(
                    title=card_text(card) if card in CARD else say.card_title(card),
                    text=card_effect_lines(card),
                    owner=_owner(country),
                )
            case ev.AirMoved(origin=origin, space=space):
                self._highlighted[space] = None
                self._paths.append(tuple(at for at in (origin, space) if at in SPACE))
            case ev.PieceRemoved(space=space) | ev.BattleFought(space=space):
                self._targets[space] = None
            case _:
                space = getattr(event, "space", "")
                if space in SPACE:
                    self._highlighted[space] = None


_JOINED: Final = {
    ("turn", "card"),
    ("turn", "cards"),
    ("turn", "use"),
    ("card", "use"),
    ("use", "points"),
}
"""Pairs of step kinds in which the second continues the first."""
_ALONE: Final = frozenset({"answer"})
"""Kinds of fact that always have a step of their own."""
_KINDS: Final[dict[type, str]] = {
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


def _kind(event: Any) -> str:  # noqa: ANN401  (any fact)
    return _KINDS.get(type(event), "words")


def _is_quiet(event: Any) -> bool:  # noqa: ANN401  (any fact)
    """Return whether playback omits a fact, such as a draw or a voluntary discard."""
    match event:
        case ev.CardsMoved(why=why) if why in _QUIET:
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
    """Return the events as playback steps, without the viewer's own commands."""
    return build_script(seen_events)[0]


def build_script(
    seen_events: Sequence[SeenEvent],
) -> tuple[tuple[PlaybackStep, ...], BattleBoard | None]:
    """Return the playback steps, and the board of the battle still in progress after the last step, if any."""
    made = _StepBuilder()
    for number, fact in enumerate(seen_events, start=1):
        made.add(fact, number)
    made.close()
    return tuple(made.playback_steps), None if made.battle is None else made.battle.board()
