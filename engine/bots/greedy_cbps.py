"""The greedy bot for Carrier Battle, which finds the enemy, flies CAP, strikes within range, and recovers its aircraft.

It sees only a commander's view, and answers one decision at a time with the best option.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.bots.greedy_cbps_aim import aim
from engine.bots.greedy_cbps_decks import Decks
from engine.bots.greedy_cbps_fleet import Fleet
from engine.bots.greedy_cbps_flights import Flights
from engine.bots.greedy_cbps_orders import Answer, Options
from engine.bots.greedy_cbps_reasons import reason
from engine.bots.greedy_cbps_searches import Searches
from engine.bots.greedy_cbps_setup import SetupSituation
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_stance import USUAL
from engine.bots.greedy_cbps_targets import Targets
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View


class GreedyCbps:
    """Answers every decision with the best option, or with the default if it has no preference."""

    reason = ""
    """Reason for the latest command; empty if it needs none."""

    stance = USUAL
    """The bot's style of play."""

    def __init__(self, dice: DerivedDice) -> None:
        """Ignore the dice given to every bot, because this bot uses no randomness."""
        del dice
        self._turn = -1
        self._said: set[str] = set()

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return one of the options."""
        self.reason = ""
        options = cast("Options", decision.options)
        if not isinstance(view, CbpsView) or len(options) == 1:
            return options[0] if len(options) == 1 else decision.default
        answer = _ANSWERS.get(str(decision.rule))
        if answer is None:
            return decision.default
        now = CbpsSituation(view, self.stance)
        targets = Targets(now)
        chosen = answer(now, targets, options)
        if chosen is None:
            return decision.default
        self._explain(view.turn, reason(now, targets, chosen))
        return chosen

    def _explain(self, turn: int, sentence: str) -> None:
        """Store the reason, unless it has already been given this turn."""
        if turn != self._turn:
            self._turn = turn
            self._said.clear()
        if sentence not in self._said:
            self._said.add(sentence)
            self.reason = sentence


def _hold_search(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    decks = Decks(now, targets)
    return Searches(now, targets).hold(options, decks.room, decks.searches_home)


def _launch_search(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Searches(now, targets).launch(options)


def _fly(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Flights(now, targets).next(options)


def _operate(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Decks(now, targets).next(options) or options[-1]


def _intercept(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Flights(now, targets).intercept(options)


def _attack(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Flights(now, targets).attack(options)


def _retry(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Flights(now, targets).retry(options)


def _aim(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    del targets
    return aim(now, options)


def _sail(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Fleet(now, targets).sail(options)


def _boats(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return Fleet(now, targets).boats(options)


def _set_up(now: CbpsSituation, targets: Targets, options: Options) -> Answer:
    return SetupSituation(now, targets).next(options)


_ANSWERS: Final[Mapping[str, Callable[[CbpsSituation, Targets, Options], Answer]]] = {
    "6.22": _set_up,
    "8.22": _hold_search,
    "8.27": _launch_search,
    "4.4": _fly,
    "6.23": _operate,
    "4.51": _intercept,
    "5.1": _attack,
    "5.22": _retry,
    "5.61": _aim,
    "6.32": _sail,
    "14.12": _boats,
}
"""Functions that answer decisions, by rule. All other decisions get their default."""
