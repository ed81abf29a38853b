"""Explains a Quartermaster General player's commands. Each reason is one sentence based on public information.

The sentence is about the command itself and the table: pieces, points, supply and deck sizes. It is computed from a
spectator's knowledge, so it does not reveal cards in hand. It follows the country's name, so it starts with a
lower-case letter.
"""

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from engine.bots.greedy_qmg_moves import board_after
from engine.bots.greedy_qmg_steps import CardEvaluator
from engine.bots.greedy_qmg_text import StepsResult
from engine.bots.greedy_qmg_worth import PositionEvaluator, reachable_spaces, turns_left
from engine.kernel.sentences import pluralise
from engine.qmg import commands as orders
from engine.qmg import deck_steps as ds
from engine.qmg import phrases
from engine.qmg.atlas import HOMES, SPACE_IDS, bits
from engine.qmg.board import Board
from engine.qmg.board_analysis import BoardAnalysis
from engine.qmg.ch12_victory import space_points
from engine.qmg.deck import CARD, Ability, Card
from engine.qmg.frames import Trigger
from engine.qmg.ids import (
    COUNTRIES,
    ECONOMIC_WARFARE,
    EVENT,
    FORCE_INDEX,
    HIDDEN,
    MEMBERS,
    RESPONSE,
    STATUS,
    TEAM_BY_FORCE,
    other_team,
)
from engine.qmg.terms import PublicContext, resolve_amount, resolve_force
from engine.qmg.view import QmgView

MAX_PURPOSES: Final = 2
"""Maximum number of purposes that a sentence names."""
SAVING_EVENTS: Final = {"about_to_be_removed", "battled"}
"""Events in response to which a card can save a piece."""


class ReasonGiver:
    """Gives reasons throughout a game. No reason is repeated in the same turn."""

    def __init__(self) -> None:
        """Start without any reasons."""
        self._turn: tuple[int, str] = (0, "")
        self._reasons_given: set[str] = set()

    def reason(self, view: QmgView, command: orders.QmgCommand) -> str:
        """Return the reason for a command; empty if there is no reason or if it was already given this turn."""
        sentence = Reasons(view, PositionEvaluator(view)).reason(command)
        turn = view.round, view.active
        if turn != self._turn:
            self._turn, self._reasons_given = turn, set()
        return "" if _purpose_in(sentence) in self._reasons_given else sentence

    def mark_used(self, sentence: str) -> None:
        """Record that a sentence has been given this turn."""
        if sentence:
            self._reasons_given.add(_purpose_in(sentence))


class Reasons:
    """Gives reasons for commands in one situation, using only what a spectator can see."""

    def __init__(self, view: QmgView, position_evaluator: PositionEvaluator) -> None:
        """Prepare the explanations.

        Args:
            view: The view of the country that gives the command.
            position_evaluator: Evaluates positions. It does not use hands.
        """
        self._view = replace(view, own=None)
        self._team = TEAM_BY_FORCE[view.role]
        self._position_evaluator = position_evaluator

    def reason(self, command: orders.QmgCommand) -> str:
        """Return the reason for a command, or an empty string if there is no reason to give."""
        match command:
            case orders.Build(space=space) | orders.Recruit(space=space):
                verb = "builds" if isinstance(command, orders.Build) else "recruits"
                return self._board_reason(f"{verb} in {phrases.space_with_article(space)}", command)
            case orders.Battle(space=space):
                return self._board_reason(f"attacks {phrases.space_with_article(space)}", command)
            case orders.Eliminate(force=force, piece=kind, space=space):
                piece = (
                    f"the {phrases.piece_name(force, kind)} in {phrases.space_with_article(space)}"
                )
                return self._board_reason(f"goes for {piece}", command)
            case orders.Deploy(space=space) | orders.Marshal(space=space):
                return f"covers {phrases.space_with_article(space)} from the air."
            case orders.Superiority(space=space):
                return f"fights for Air Superiority over {phrases.space_with_article(space)}."
            case orders.AirDefense():
                return self._saving_reason("gives up an Air Force to save")
            case orders.Reallocate():
                return "discards cards to find the one it needs."
            case orders.Play(card=card) if card != HIDDEN:
                return self._play_reason(CARD[card])
            case orders.Use(card=card) if card != HIDDEN:
                return self._use_reason(CARD[card])
            case _:
                return ""

    # -- the board

    def _board_reason(self, action_phrase: str, command: orders.QmgCommand) -> str:
        board = self._position_evaluator.board
        purpose_text = self._purpose_phrase(board, board_after(board, command))
        return f"{action_phrase} {purpose_text}." if purpose_text else ""

    def _purpose_phrase(self, start_board: Board, end_board: Board) -> str:
        """Return the main purposes of a change to the board as ``to ... and to ...``. Empty if there is no purpose."""
        purposes = [
            *self._purposes(
                self._position_evaluator.analysis(start_board),
                self._position_evaluator.analysis(end_board),
            )
        ]
        return " and ".join(purposes[:MAX_PURPOSES])

    def _purposes(self, analysis_before: BoardAnalysis, analysis: BoardAnalysis) -> Iterator[str]:
        """Yield each improvement as a phrase for its purpose, most important first."""
        own, enemy = MEMBERS[self._team], MEMBERS[other_team(self._team)]
        for force in enemy:
            captured = (
                analysis.home_spaces(force)
                & analysis.team_army[self._team]
                & ~analysis_before.team_army[self._team]
            )
            if captured and (force in COUNTRIES or analysis_before.board.army[FORCE_INDEX[force]]):
                yield f"to keep {phrases.force_name(force)} from its Home"
        points_gained = sum(
            space_points(analysis, space) - space_points(analysis_before, space) for space in own
        )
        if points_gained > 0:
            yield f"to score {pluralise(points_gained, 'more point', 'more points')} a turn"
        for force in enemy:
            points_lost = space_points(analysis_before, force) - space_points(analysis, force)
            if points_lost > 0:
                points = pluralise(points_lost, "point", "points")
                yield f"to take {points} a turn from {phrases.force_name(force)}"
        for force in enemy:
            newly_unsupplied = _unsupplied_count(analysis, force) - _unsupplied_count(
                analysis_before, force
            )
            if newly_unsupplied > 0:
                piece = f"{phrases.ADJECTIVES[force]} piece"
                yield f"to cut off {pluralise(newly_unsupplied, piece, f'{piece}s')}"
        newly_supplied = sum(
            _unsupplied_count(analysis_before, space) - _unsupplied_count(analysis, space)
            for space in own
        )
        if newly_supplied > 0:
            yield f"to bring {pluralise(newly_supplied, 'piece', 'pieces')} back into supply"
        yield from self._secured_homes(analysis_before, analysis)
        yield from self._opened_stars(analysis_before, analysis)

    def _secured_homes(
        self, analysis_before: BoardAnalysis, analysis: BoardAnalysis
    ) -> Iterator[str]:
        """Yield a phrase for the first friendly Home that has become safer."""
        enemy = other_team(self._team)
        for force in MEMBERS[self._team]:
            home = analysis.home_spaces(force)
            index = FORCE_INDEX[force]
            secured = home & analysis.board.army[index] & ~analysis_before.board.army[index]
            was_near = home & reachable_spaces(analysis_before, enemy)
            if was_near and (secured or not home & reachable_spaces(analysis, enemy)):
                yield f"to guard {phrases.space_with_article(_space_name(home))}"
                return

    def _opened_stars(
        self, analysis_before: BoardAnalysis, analysis: BoardAnalysis
    ) -> Iterator[str]:
        """Yield a phrase for one star that has come within the side's reach. Stars held by the enemy are preferred."""
        team = self._team
        newly_open = (
            reachable_spaces(analysis, team)
            & ~reachable_spaces(analysis_before, team)
            & ~analysis.team_army[team]
        )
        stars = newly_open & analysis.supply_spaces(MEMBERS[team][0])
        target_stars = stars & analysis.team_army[other_team(team)] or stars
        if target_stars:
            yield f"to open the way to {phrases.space_with_article(_space_name(target_stars))}"

    # -- cards

    def _play_reason(self, card: Card) -> str:
        """Return the reason for playing a card; empty if there is none to give.

        For a Response, the reason reveals nothing about the card.
        """
        if card.type == RESPONSE:
            return "keeps a Response ready."
        if card.type == STATUS:
            return self._status_reason(card)
        text = card.on_play()
        if text is None:
            return ""
        if card.type == ECONOMIC_WARFARE:
            return self._warfare_phrase(text)
        if card.type != EVENT:
            return ""
        return self._best_purpose(f"plays {card.name}", text, None)

    def _status_reason(self, card: Card) -> str:
        turns = turns_left(self._view, card.deck)
        if any(ability.kind == "victory_bonus" for ability in card.abilities):
            return (
                f"lays {card.name}, which scores for the {pluralise(turns, 'turn', 'turns')} left."
            )
        if turns <= 1:
            return ""
        return f"lays {card.name} for the {pluralise(turns, 'turn', 'turns')} left."

    def _warfare_phrase(self, text: Ability) -> str:
        """Return a phrase that names the country that loses cards.

        If the card leaves a choice of country, return an empty string.
        """
        analysis = self._position_evaluator.analysis(self._position_evaluator.board)
        owner = CARD[f"{text.card}#1"].deck
        context = PublicContext(
            analysis=analysis, owner=owner, active=self._position_evaluator.active_country
        )
        for step in text.steps:
            if isinstance(step, ds.EwDiscard) and not isinstance(step.target, ds.CountryChoice):
                target = resolve_force(step.target, context)
                if target in self._view.countries:
                    deck_size = self._view.countries[target].deck
                    verb = (
                        f"has {pluralise(deck_size, 'card', 'cards')} left"
                        if deck_size
                        else "is empty"
                    )
                    return f"wears down {phrases.force_name(target)}, whose deck {verb}."
        return ""

    def _best_purpose(self, action_phrase: str, text: Ability, trigger: Trigger | None) -> str:
        """Return the best purpose that a card's text can achieve, using only what a spectator can see."""
        reader = CardEvaluator(self._view, self._position_evaluator)
        board = self._position_evaluator.board
        owner = CARD[f"{text.card}#1"].deck
        context = PublicContext(
            analysis=self._position_evaluator.analysis(board),
            owner=owner,
            active=self._position_evaluator.active_country,
            trigger=trigger,
        )
        result = reader.evaluate_steps(
            text.steps, reader.evaluate_steps(text.cost, StepsResult(board), context), context
        )
        if purpose_text := self._purpose_phrase(board, result.board):
            return f"{action_phrase} {purpose_text}."
        gains = (step.amount for step in text.steps if isinstance(step, ds.GainVp))
        points = sum(resolve_amount(amount, context) for amount in gains)
        return f"{action_phrase} for {pluralise(points, 'point', 'points')}." if points > 0 else ""

    def _use_reason(self, card: Card) -> str:
        """Return the reason for using a card on the table or in hand; empty if there is none to give."""
        trigger = self._view.trigger
        for ability in card.abilities:
            trigger_filter = ability.trigger
            if trigger_filter is None or trigger is None or trigger_filter.event != trigger.kind:
                continue
            if any(isinstance(step, ds.PreventRemoval) for step in ability.steps):
                return self._saving_reason(f"uses {card.name} to save")
            if any(isinstance(step, ds.CancelCard) for step in ability.steps):
                return f"uses {card.name} to stop {phrases.card_title(trigger.card)}."
            return self._best_purpose(f"uses {card.name}", ability, trigger)
        return ""

    def _saving_reason(self, action_phrase: str) -> str:
        event = self._view.trigger
        if (
            event is None
            or event.kind not in SAVING_EVENTS
            or TEAM_BY_FORCE.get(event.owner) != self._team
        ):
            return ""
        piece = phrases.piece_name(event.owner, event.piece)
        return f"{action_phrase} the {piece} in {phrases.space_with_article(event.space)}."


def _purpose_in(sentence: str) -> str:
    return sentence.partition(" to ")[2] or sentence


def _unsupplied_count(analysis: BoardAnalysis, force: str) -> int:
    """Return the number of Armies and Navies of a force that are out of supply."""
    index = FORCE_INDEX[force]
    army, navy = analysis.supplied_spaces(force)
    board = analysis.board
    return (board.army[index] & ~army).bit_count() + (board.navy[index] & ~navy).bit_count()


def _space_name(spaces: int) -> str:
    """Return the name of the first Home among the spaces or, if there is none, of the first space."""
    names = [SPACE_IDS[index] for index in bits(spaces)]
    homes = set(HOMES.values())
    return min(names, key=lambda space: (space not in homes, names.index(space)))
