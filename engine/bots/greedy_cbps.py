"""The greedy bot for Carrier Battle, which finds the enemy, flies CAP, strikes within range, and recovers its aircraft.

It sees only a commander's view, and answers each decision on its own with the best option.
"""

from collections.abc import Callable, Mapping
from typing import Final, cast

from engine.bots.greedy_cbps_aim import choose_target
from engine.bots.greedy_cbps_decks import DeckPlanner
from engine.bots.greedy_cbps_fleet import FleetPlanner
from engine.bots.greedy_cbps_flights import FlightPlanner
from engine.bots.greedy_cbps_orders import Answer, Options
from engine.bots.greedy_cbps_reasons import reason
from engine.bots.greedy_cbps_searches import SearchPlanner
from engine.bots.greedy_cbps_setup import SetupSituation
from engine.bots.greedy_cbps_situation import CbpsSituation
from engine.bots.greedy_cbps_stance import USUAL_STANCE
from engine.bots.greedy_cbps_targets import TargetAnalysis
from engine.cbps.view import CbpsView
from engine.kernel.decision import Decision
from engine.kernel.dice import DerivedDice
from engine.kernel.ruleset import Command, View


class GreedyCbps:
    """Answers every decision with the best option or, if it has no preference, with the default."""

    reason = ""
    """Reason for the latest command; empty if there is none."""

    stance = USUAL_STANCE
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
        answer = _CHOOSERS.get(str(decision.rule))
        if answer is None:
            return decision.default
        now = CbpsSituation(view, self.stance)
        targets = TargetAnalysis(now)
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


def _choose_hold_search(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    decks = DeckPlanner(now, targets)
    return SearchPlanner(now, targets).choose_segment(
        options, decks.landing_capacity, decks.returning_searches
    )


def _choose_search_launch(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return SearchPlanner(now, targets).launch(options)


def _choose_flight(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(now, targets).next_move(options)


def _choose_operation(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return DeckPlanner(now, targets).next_operation(options) or options[-1]


def _choose_interception(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(now, targets).intercept(options)


def _choose_attack(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(now, targets).attack(options)


def _choose_retry(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(now, targets).retry(options)


def _choose_aim(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    del targets
    return choose_target(now, options)


def _choose_sailing(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FleetPlanner(now, targets).sail(options)


def _choose_submarine_order(
    now: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    return FleetPlanner(now, targets).order_submarines(options)


def _choose_set_up(now: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return SetupSituation(now, targets).next_placement(options)


_CHOOSERS: Final[Mapping[str, Callable[[CbpsSituation, TargetAnalysis, Options], Answer]]] = {
    "6.22": _choose_set_up,
    "8.22": _choose_hold_search,
    "8.27": _choose_search_launch,
    "4.4": _choose_flight,
    "6.23": _choose_operation,
    "4.51": _choose_interception,
    "5.1": _choose_attack,
    "5.22": _choose_retry,
    "5.61": _choose_aim,
    "6.32": _choose_sailing,
    "14.12": _choose_submarine_order,
}
"""The functions that answer decisions, by rule. All other decisions are answered with their default."""
