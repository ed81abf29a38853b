"""Scoring and the end of the game (12)."""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.decision import Outcome
from engine.kernel.ids import Refusal, Role, Rule
from engine.qmg.board_analysis import BoardAnalysis, board_analysis
from engine.qmg.ch10_answers import Usable, may_have_card, response_abilities, usable_statuses
from engine.qmg.ch10_windows import use_refusals
from engine.qmg.commands import Pass, Use
from engine.qmg.deck_steps import GainVp, If, Steps
from engine.qmg.deck_terms import as_tuple
from engine.qmg.events import GameEnded, RoundEnded, VpChanged
from engine.qmg.frames import BonusFrame, UseFrame
from engine.qmg.ids import ALLIES, AXIS, FORCE_INDEX, MEMBERS, ROUNDS, TEAM_BY_FORCE, other_team
from engine.qmg.run import CountryQuestion, ListedAction, PlainAction, Run
from engine.qmg.state import State
from engine.qmg.terms import Context, full_context, is_condition_met, resolve_amount

WINNING_LEAD: Final = 30
"""VP lead that wins the game at the end of a round (12.4)."""
SOLE, SHARED = 2, 1
"""VP for an unshared supply space, and for a shared supply space (12.1)."""


def has_victory_step(state: State, force: str) -> bool:
    """Return whether a force has a Victory step. It has none while an enemy Army is in its Home (12.2)."""
    analysis = board_analysis(state)
    return not analysis.home_spaces(force) & analysis.team_army[other_team(TEAM_BY_FORCE[force])]


def space_points(analysis: BoardAnalysis, force: str) -> int:
    """Return a force's VP for its supply spaces (12.1, 17.11)."""
    own_armies = analysis.board.army[FORCE_INDEX[force]]
    friends = 0
    for friend in MEMBERS[TEAM_BY_FORCE[force]]:
        if friend != force:
            friends |= analysis.board.army[FORCE_INDEX[friend]]
    supplied_spaces = own_armies & analysis.supply_spaces(force)
    shared_spaces = supplied_spaces & friends & ~analysis.exclusive_supply_spaces(force)
    return (
        SOLE * (supplied_spaces & ~shared_spaces).bit_count() + SHARED * shared_spaces.bit_count()
    )


def score_spaces(run: Run, force: str) -> None:
    """Add a force's VP for its supply spaces (12.1)."""
    points = space_points(board_analysis(run.state), force)
    if points:
        run.add(VpChanged(team=TEAM_BY_FORCE[force], amount=points, why=force))


def scoring_statuses(state: State, country: str, used_cards: tuple[str, ...]) -> Iterator[Usable]:
    """Yield a country's Statuses that score points now (12.1)."""
    context = full_context(state, country)
    for usable_card in usable_statuses(state, country, "victory_bonus", used_cards):
        if _step_points(usable_card.ability.steps, context):
            yield usable_card


def _step_points(steps: Steps, context: Context) -> int:
    """Return the VP gained by a list of steps.

    The list may contain only steps that gain VP, possibly with conditions.
    """
    points = 0
    for step in steps:
        if isinstance(step, If):
            points += (
                _step_points(step.inner()[""], context)
                if is_condition_met(step.condition, context)
                else 0
            )
        else:
            assert isinstance(step, GainVp), step
            points += resolve_amount(step.amount, context)
    return points


def _use_bonus(run: Run, frame: BonusFrame, usable_card: Usable) -> None:
    run.replace_top(replace(frame, done=(*frame.done, usable_card.card)))
    run.push(
        UseFrame(country=frame.country, card=usable_card.card, ability=usable_card.ability.number)
    )


class UseBonus(ListedAction[BonusFrame, Use]):
    """Use a Status that scores VP (12.1)."""

    kind = Use

    @override
    def candidates(self, state: State, frame: BonusFrame, role: str) -> Iterator[Use]:
        for usable_card in scoring_statuses(state, role, frame.done):
            yield Use(card=usable_card.card)

    @override
    def refusals_if_unlisted(
        self, state: State, frame: BonusFrame, role: str, command: Use
    ) -> Iterator[Refusal]:
        """Yield the reasons why a card cannot score now."""
        yield Refusal(Rule("12.1"), "this is not one of the choices in this step")
        yield from use_refusals(state, role, command.card, None)

    @override
    def apply(self, run: Run, frame: BonusFrame, role: str, command: Use) -> None:
        bonuses = scoring_statuses(run.state, role, frame.done)
        _use_bonus(run, frame, next(bonus for bonus in bonuses if bonus.card == command.card))


class LeaveUnused(PlainAction[BonusFrame, Pass]):
    """Leave the remaining Statuses unused."""

    @override
    def apply(self, run: Run, frame: BonusFrame, role: str, command: Pass) -> None:
        unused_cards = tuple(bonus.card for bonus in scoring_statuses(run.state, role, frame.done))
        run.replace_top(replace(frame, done=(*frame.done, *unused_cards)))


class BonusHandler(CountryQuestion[BonusFrame]):
    """Runs the scoring of Statuses, each of which is used once.

    The owner is asked only if an enemy card could respond.
    """

    frame = BonusFrame
    rule = Rule("12.1")
    question = "Which Status scores next?"
    default_index = 0
    actions = (UseBonus(), LeaveUnused(Pass))

    @override
    def try_step(self, run: Run, frame: BonusFrame) -> bool:
        """Use the next Status. If an enemy could respond to its use, ask the owner instead."""
        usable_card = next(scoring_statuses(run.state, frame.country, frame.done), None)
        if usable_card is None:
            run.pop()
        elif self._is_risky(run.state, frame.country):
            return False
        else:
            _use_bonus(run, frame, usable_card)
        return True

    def _is_risky(self, state: State, country: str) -> bool:
        """Return whether an enemy may respond to the use of a Status, based only on public information."""
        for kind in ("status_use_declared", "status_used"):
            for answer in response_abilities(kind, is_total_war=state.total_war):
                trigger = answer.ability.trigger
                if (
                    trigger is not None
                    and TEAM_BY_FORCE[answer.country] != TEAM_BY_FORCE[country]
                    and {country, TEAM_BY_FORCE[country]} & set(as_tuple(trigger.by))
                    and may_have_card(state, answer)
                ):
                    return True
        return False


def end_round(run: Run) -> None:
    """End the round, and end the game if a team has won. Only teams can win, not countries (12.4, 12.5, 12.6)."""
    state = run.state
    run.add(RoundEnded(round=state.round))
    axis, allies = state.vp
    if abs(axis - allies) >= WINNING_LEAD:
        winner = AXIS if axis > allies else ALLIES
        _end_game(run, winner, "sudden victory", f"a lead of {abs(axis - allies)} points (12.4)")
    elif state.round >= ROUNDS:
        winner = ALLIES if allies > axis else AXIS
        reason = "more points after round 20 (12.5)"
        if axis == allies:
            reason = "equal points after round 20 go to the Axis (12.5)"
        _end_game(run, winner, "", reason)


def _end_game(run: Run, winner: str, level: str, reason: str) -> None:
    axis, allies = run.state.vp
    run.add(
        GameEnded(
            outcome=Outcome(
                winner=Role(winner),
                level=level,
                score=axis - allies,
                reason=f"{'Axis' if winner == AXIS else 'Allies'} win: {reason}; "
                f"Axis {axis}, Allies {allies}.",
            )
        )
    )
