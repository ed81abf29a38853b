"""What the text of a card would bring on a board: lists of steps, one step after the other."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from engine.bots.greedy_qmg_moves import after
from engine.bots.greedy_qmg_worth import Judge, turns_left
from engine.qmg import legal
from engine.qmg.atlas import EVERYWHERE
from engine.qmg.board import Board
from engine.qmg.commands import Battle, Build, QmgCommand
from engine.qmg.deck import CARD, REACTIONS, Ability
from engine.qmg.deck_steps import Step, Steps
from engine.qmg.deck_terms import Condition
from engine.qmg.frames import Binds, Trigger
from engine.qmg.ids import BOLSTER, HIDDEN, RESPONSE, STATUS, TEAM_OF, instance_name
from engine.qmg.terms import Scene, holds, is_match
from engine.qmg.view import QmgView

SPARE_CARD: Final = 0.12
NEEDED_CARD: Final = 0.8
"""What a deck card is worth while there are enough to the end, and when there are not."""
CARDS_PER_TURN: Final = {False: 1.35, True: 2.1}
"""Cards that a country needs per turn, without and with Total War."""
BATTLE_LUCK: Final = 0.88
"""Part of a battle's gain that answers of the other side leave on average."""
SPENT: Final = {RESPONSE: 0.8, BOLSTER: 0.5, STATUS: 0.0}
"""What is given up with a card that is used, beyond its cost."""
FOLLOWED: Final = 4
"""Choices for which it is looked up what own cards would make of them."""


class Result(NamedTuple):
    """What steps have brought so far."""

    board: Board
    gain: float = 0.0
    """Beyond the board, for the team of the card's owner."""
    space: str = ""
    """Space used by the last step (A.1.5)."""


class Text(ABC):
    """Reads texts for one view; what single steps bring is added by :class:`Reader`."""

    def __init__(self, view: QmgView, judge: Judge) -> None:
        """Read with what the seat of a view knows."""
        self.view = view
        self.judge = judge
        self._held = self._reactions()
        self._is_following = False

    def _reactions(self) -> Mapping[str, tuple[tuple[str, Ability], ...]]:
        """Return its cards that answer something now, by event."""
        role, own = self.view.role, self.view.own
        if own is None:
            return {}
        cards = (*self.view.countries[role].statuses, *own.responses, *own.hand)
        names = {
            instance_name(card): card
            for card in cards
            if card != HIDDEN and not (card in own.hand and CARD[card].type in {STATUS, RESPONSE})
        }
        return {
            event: tuple((names[each.card], each) for each in abilities if each.card in names)
            for event, abilities in REACTIONS[role].items()
        }

    # -- values

    def value(
        self,
        lists: Iterable[Steps],
        owner: str,
        trigger: Trigger | None = None,
        board: Board | None = None,
        binds: Binds | None = None,
    ) -> float:
        """Return what lists of steps bring the team of their owner."""
        start = self.judge.board if board is None else board
        at = Scene(
            field=self.judge.field(start),
            owner=owner,
            active=self.judge.active,
            trigger=trigger,
            binds=binds or Binds(),
        )
        result = Result(start)
        for steps in lists:
            result = self.run(steps, result, at)
        return self.total(start, result, TEAM_OF[owner])

    def holds(self, condition: Condition | None, owner: str) -> bool:
        """Return whether a condition of a card holds now."""
        judge = self.judge
        return holds(
            condition,
            Scene(field=judge.field(judge.board), owner=owner, active=judge.active),
        )

    def total(self, start: Board, result: Result, team: str) -> float:
        """Return what a result brings a team, the change of the board included."""
        judge = self.judge
        change = judge.worth(result.board, team) - judge.worth(start, team)
        return change + result.gain

    def ability(self, ability: Ability, card: str, trigger: Trigger | None) -> float:
        """Return what using an ability of its country brings, its costs and the card deducted."""
        owner = CARD[card].deck
        value = self.value((ability.cost, ability.steps), owner, trigger)
        return value - SPENT.get(CARD[card].type, 0.0)

    def moved(self, command: QmgCommand, team: str) -> float:
        """Return what a command on the board brings a team."""
        start = self.judge.board
        gain = self.judge.worth(after(start, command), team) - self.judge.worth(start, team)
        return gain * BATTLE_LUCK if isinstance(command, Battle) else gain

    def followed(self, board: Board, command: QmgCommand) -> float:
        """Return what own cards would add to a build or battle just made."""
        if self._is_following or not isinstance(command, Build | Battle):
            return 0.0
        kind = "built" if isinstance(command, Build) else "battle"
        found = self._held.get(kind, ())
        if not found:
            return 0.0
        role = self.view.role
        event = Trigger(
            kind=kind,
            cause=TEAM_OF[role],
            by=command.force,
            space=command.space,
            piece=command.piece if isinstance(command, Build) else "",
            owner=command.force,
        )
        at = Scene(
            field=self.judge.field(board), owner=role, active=self.judge.active, trigger=event
        )
        self._is_following = True
        best = 0.0
        for card, ability in found:
            if ability.trigger is not None and is_match(ability.trigger, event, at):
                value = self.value((ability.cost, ability.steps), role, event, board)
                best = max(best, value - SPENT.get(CARD[card].type, 0.0))
        self._is_following = False
        return best

    def followed_after(self, command: QmgCommand) -> float:
        """Return what own cards would add once a command is carried out."""
        return self.followed(after(self.judge.board, command), command)

    def rebuilt(self, command: QmgCommand, force: str, piece: str) -> float:
        """Return what taking a piece off to build it again brings (16.13)."""
        team, start = TEAM_OF[force], self.judge.board
        taken = after(start, command)
        now = self.judge.field(taken)
        options = legal.build_options(now, force, piece, EVERYWHERE, by_build_card=False)
        found = self.best(taken, team, options)
        return self.total(start, found, team)

    def deck_loss(self, country: str, cards: int) -> float:
        """Return what a country loses with so many cards off its deck, in points."""
        public = self.view.countries[country]
        need = turns_left(self.view, country) * CARDS_PER_TURN[self.view.total_war]
        spare = int(max(0.0, min(public.deck + public.hand - need, cards)))
        over = max(0, cards - public.deck)
        return SPARE_CARD * spare + NEEDED_CARD * (cards - spare) + (1 - NEEDED_CARD) * over

    # -- steps

    @abstractmethod
    def step(self, step: Step, board: Board, at: Scene) -> Result:
        """Return what one step brings, done as well as it can be."""

    def run(self, steps: Steps, start: Result, at: Scene) -> Result:
        """Carry a list out; its own spaces are remembered for the steps that name them."""
        result = start
        used: tuple[str, ...] = ()
        for step in steps:
            here = replace(
                at, field=self.judge.field(result.board), binds=replace(at.binds, spaces=used)
            )
            found = self.step(step, result.board, here)
            used = (*used, found.space)
            result = Result(found.board, result.gain + found.gain)
        return result

    def part(self, steps: Steps, board: Board, at: Scene, **binds: str) -> Result:
        """Carry out a list inside a step."""
        inner = replace(replace(at.binds, spaces=()), **binds)
        return self.run(steps, Result(board), replace(at, binds=inner))

    def best(self, board: Board, team: str, options: Iterable[QmgCommand]) -> Result:
        """Take the best of several commands, or none."""
        judge, base = self.judge, self.judge.worth(board, team)
        ranked = sorted(
            (
                (judge.worth(after(board, each), team) - base, at, each)
                for at, each in enumerate(options)
            ),
            key=lambda entry: (-entry[0], entry[1]),
        )
        best, found = 0.0, Result(board)
        for change, _, option in ranked[:FOLLOWED]:
            now = after(board, option)
            luck = (BATTLE_LUCK - 1) * change if isinstance(option, Battle) else 0.0
            extra = luck + self.followed(now, option)
            if change + extra > best:
                best = change + extra
                found = Result(now, extra, str(getattr(option, "space", "")))
        return found

    def repeated(
        self, board: Board, at: Scene, times: int, options: Callable[[Scene], list[QmgCommand]]
    ) -> Result:
        """Take the best command up to so many times (A.1.4)."""
        result = Result(board)
        for _ in range(times):
            here = replace(at, field=self.judge.field(result.board))
            found = self.best(result.board, TEAM_OF[at.owner], options(here))
            if not found.space:
                break
            result = Result(found.board, result.gain + found.gain, found.space)
        return result
