"""Defines the greedy Carrier Battle bot, which finds the enemy, flies CAP, strikes, and recovers its aircraft.

The bot sees only a commander's view. It answers each decision separately with the best option.
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
    """Answers every decision with the best option. If it has no preference, it chooses the default."""

    reason = ""
    """Reason for the latest command. Empty if the bot has no reason or has already given it this turn."""

    stance = USUAL_STANCE
    """The bot's style of play."""

    def __init__(self, dice: DerivedDice) -> None:
        """Create the bot. It uses no randomness and ignores the dice."""
        del dice
        self._turn = -1
        self._reasons_given: set[str] = set()

    def choose(self, view: View, decision: Decision[Command]) -> Command:
        """Return the chosen option."""
        self.reason = ""
        options = cast("Options", decision.options)
        if not isinstance(view, CbpsView) or len(options) == 1:
            return options[0] if len(options) == 1 else decision.default
        answer = _CHOOSERS.get(str(decision.rule))
        if answer is None:
            return decision.default
        situation = CbpsSituation(view, self.stance)
        targets = TargetAnalysis(situation)
        command = answer(situation, targets, options)
        if command is None:
            return decision.default
        self._record_reason(view.turn, reason(situation, targets, command))
        return command

    def _record_reason(self, turn: int, sentence: str) -> None:
        """Store the reason, unless it has already been given this turn."""
        if turn != self._turn:
            self._turn = turn
            self._reasons_given.clear()
        if sentence not in self._reasons_given:
            self._reasons_given.add(sentence)
            self.reason = sentence


def _choose_hold_search(
    situation: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    decks = DeckPlanner(situation, targets)
    return SearchPlanner(situation, targets).choose_segment(
        options, decks.landing_capacity, decks.returning_searches
    )


def _choose_search_launch(
    situation: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    return SearchPlanner(situation, targets).launch(options)


def _choose_flight(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(situation, targets).next_move(options)


def _choose_operation(
    situation: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    return DeckPlanner(situation, targets).next_operation(options) or options[-1]


def _choose_interception(
    situation: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    return FlightPlanner(situation, targets).intercept(options)


def _choose_attack(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(situation, targets).attack(options)


def _choose_retry(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FlightPlanner(situation, targets).retry(options)


def _choose_aim(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    del targets
    return choose_target(situation, options)


def _choose_sailing(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return FleetPlanner(situation, targets).sail(options)


def _choose_submarine_order(
    situation: CbpsSituation, targets: TargetAnalysis, options: Options
) -> Answer:
    return FleetPlanner(situation, targets).order_submarines(options)


def _choose_set_up(situation: CbpsSituation, targets: TargetAnalysis, options: Options) -> Answer:
    return SetupSituation(situation, targets).next_placement(options)


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
"""The function that answers each kind of decision, by rule number. All other decisions get their default answer."""
