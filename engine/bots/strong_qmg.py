"""The strong player of Quartermaster General: plays what looks good out on hidden cards as they might be."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from engine.bots.greedy_qmg import GreedyQmg, values_of
from engine.bots.greedy_qmg_cards import cards_worth
from engine.bots.greedy_qmg_reasons import Speaker
from engine.bots.greedy_qmg_worth import Judge
from engine.bots.lookahead import Candidate, Foresight, LookAhead
from engine.bots.player import Player, Thought
from engine.bots.sample_qmg import completed_position
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ids import Role, Rule
from engine.kernel.ruleset import Command, View
from engine.qmg import commands as orders
from engine.qmg.ids import AXIS, COUNTRIES, TEAM_OF
from engine.qmg.position import Position
from engine.qmg.ruleset import QMG
from engine.qmg.view import QmgView, project_table

WIDTH: Final = 4
"""Candidates at most."""
MARGINS: Final[Mapping[type[Command], float]] = {
    **dict.fromkeys((orders.Play, orders.Use, orders.Drop, orders.Reallocate), 4.0),
    **dict.fromkeys((orders.Build, orders.Recruit, orders.Battle, orders.Eliminate), 2.0),
    **dict.fromkeys((orders.Choose, orders.Name), 3.0),
}
"""By how much a candidate may look worse than the best one, by what that one does; others are not looked at."""
AHEAD: Final = 3
"""Turns that a playout lasts after the present one."""
WON: Final = 40.0
"""What a won game is worth beyond its points."""
DISCARD_STEP: Final = Rule("8.4")
NO_DICE: Final = DerivedDice(bytes(32), 0)


class QuickQmg(GreedyQmg):
    """The greedy player in playouts: it keeps its hand in the Discard step as far as it may, which costs no thought."""

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options."""
        return decision.default if decision.rule == DISCARD_STEP else super().choose(view, decision)


class QmgForesight(Foresight):
    """What looking ahead needs to know of Quartermaster General."""

    rules = QMG

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.speaker = Speaker()

    def wonders(self, view: QmgView, decision: Decision[Command]) -> bool:
        """Return whether options of a question are compared; a window is answered at once, which tells nothing."""
        return (
            bool(view.active)
            and len(decision.options) > 1
            and not decision.is_window
            and any(type(option) in MARGINS for option in decision.options)
        )

    def candidates(self, view: View, decision: Decision[Command]) -> Sequence[Candidate]:
        """Return the options that look best."""
        assert isinstance(view, QmgView), "this plays Quartermaster General"
        options, values = decision.options, values_of(view, decision)
        order = sorted(range(len(options)), key=lambda at: (-values[at], at))
        margin = MARGINS.get(type(options[order[0]]), 0.0)
        least = values[order[0]] - margin
        good = [at for at in order[:WIDTH] if values[at] >= least and margin] or order[:1]
        return [Candidate(options[at], values[at], self._reason(view, options[at])) for at in good]

    def _reason(self, view: QmgView, command: Command) -> str:
        return self.speaker.of(view, cast("orders.QmgCommand", command))

    def completed(self, position: Any, role: Role, dice: DerivedDice) -> Position:  # noqa: ANN401
        """Return a position with a face for every hidden card."""
        assert isinstance(position, Position), "this plays Quartermaster General"
        return completed_position(position, role, dice)

    def policy(self, role: Role) -> Player:
        """Return a greedy player, who needs no dice."""
        return QuickQmg(NO_DICE, speaks=False)

    def seen(self, state: Any, role: Role) -> QmgView:  # noqa: ANN401
        """Return what a role sees, without what follows from the pieces."""
        return project_table(state, role)

    def is_far(self, began: Any, now: Any) -> bool:  # noqa: ANN401
        """Return whether every country has had its next turn."""
        return _turn(now) - _turn(began) > AHEAD

    def worth(self, state: Any, role: Role) -> float:  # noqa: ANN401
        """Return the points so far and to come by which the team of a role is ahead."""
        view = project_table(state, None)
        judge = Judge(view)
        value = view.axis_vp - view.allies_vp + judge.worth(judge.board)
        for country in COUNTRIES:
            cards = cards_worth(view, country)
            value += cards if TEAM_OF[country] == AXIS else -cards
        if state.outcome is not None and state.outcome.winner is not None:
            value += WON if state.outcome.winner == AXIS else -WON
        return value if TEAM_OF[role] == AXIS else -value


def _turn(state: Any) -> int:  # noqa: ANN401
    """Return how many turns have begun."""
    at = COUNTRIES.index(state.active) if state.active else 0
    return int(state.round) * len(COUNTRIES) + at


class StrongQmg(LookAhead):
    """Looks ahead where it plays a card; where no time is left it is the greedy player."""

    any_time = True
    steps = 32

    def __init__(self, dice: DerivedDice) -> None:
        """Take the own source of chance."""
        self._qmg = QmgForesight()
        super().__init__(self._qmg, dice)
        self._greedy = GreedyQmg(dice)

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the greedy player's choice."""
        command = self._greedy.choose(view, decision)
        self.reason = self._greedy.reason
        return command

    def wonders(self, view: View, decision: Decision[Command]) -> bool:
        """Return whether options of a question are compared."""
        return isinstance(view, QmgView) and self._qmg.wonders(view, decision)

    def settle(self, thought: Thought) -> None:
        """Keep why the command was given, and that it was said."""
        super().settle(thought)
        self._qmg.speaker.say(thought.reason)
