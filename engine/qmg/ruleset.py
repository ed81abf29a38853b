"""Quartermaster General as a kernel ruleset. This module only connects the other modules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace
from typing_extensions import override

from engine.kernel.cards import PileContents
from engine.kernel.dice import Dice
from engine.kernel.framed import FramedRuleset
from engine.kernel.ids import Refusal, Role, Rule
from engine.kernel.ledger import Ledger
from engine.kernel.notation import Notation
from engine.kernel.ruleset import ScenarioInfo
from engine.kernel.rulings import Ruling
from engine.qmg import hidden_cards
from engine.qmg.any_time import AnyTimeCommands
from engine.qmg.card_piles import card_piles, with_card_face
from engine.qmg.ch03_setup import deal_first_hands, is_before_setup, shuffled_decks
from engine.qmg.ch09_cards import held_copy
from engine.qmg.ch13_decks import begin_deck_construction
from engine.qmg.commands import COMMANDS, OfCard, QmgCommand
from engine.qmg.data.reading import data_digest
from engine.qmg.deck import INSTANCES
from engine.qmg.events import EVENT_UNION, GameStarted, QmgEvent
from engine.qmg.evolve import evolve
from engine.qmg.frames import TurnFrame
from engine.qmg.handlers import MACHINE
from engine.qmg.invariants import violations
from engine.qmg.options import ROLES, TOTAL_WAR, scenario_infos, starting_position
from engine.qmg.phrases import FORCE_NAMES
from engine.qmg.position import Position, position_from_state
from engine.qmg.position_checks import check_position
from engine.qmg.prose import describe, heading, turn_name
from engine.qmg.redaction import redact_event, redact_order
from engine.qmg.rulings import RULINGS
from engine.qmg.run import Run
from engine.qmg.scoring import SCORING, QmgScoring
from engine.qmg.state import State
from engine.qmg.view import QmgView, project_state


class QuartermasterGeneral(FramedRuleset[State, QmgCommand, QmgEvent, QmgView, Position, Run, str]):
    """Quartermaster General WW2, second edition, base game and Total War."""

    game = "qmg"
    title = "Quartermaster General WW2"
    role_titles = {force: name.removeprefix("the ") for force, name in FORCE_NAMES.items()}  # noqa: RUF012 # read only
    edition = "second edition with Total War"
    version = 3
    notation: Notation[QmgCommand] = Notation(COMMANDS)
    command_type = QmgCommand
    event_type = EVENT_UNION
    position_type = Position

    machine = MACHINE
    free_action = AnyTimeCommands()
    sequence_rule = Rule("8.1")
    end_rule = Rule("12.5")
    hidden_entry_bytes = 1_984

    @property
    @override
    def data_digest(self) -> str:  # type: ignore[override]  # computed on first use, since few commands need it
        return data_digest()

    @override
    def scenarios(self) -> tuple[ScenarioInfo, ...]:
        """Return the base game and Total War (3)."""
        return scenario_infos()

    @override
    def options(self) -> tuple[Ruling, ...]:
        return RULINGS

    @override
    def position(self, scenario: str, options: Mapping[str, str]) -> Position:
        return starting_position(scenario, options)

    @override
    def check_position(self, position: Position) -> None:
        check_position(position)

    @override
    def open_game(self, position: Position, dice: Dice) -> tuple[QmgEvent, ...]:
        """Set up the position and run the game up to the first decision."""
        if is_before_setup(position) and not position.cards:
            decks = shuffled_decks(is_total_war=position.scenario == TOTAL_WAR)
            position = replace(position, cards=decks)
        run = self.run(self.initial_state(), dice)
        run.begin(GameStarted(position=position))
        if is_before_setup(position):
            (begin_deck_construction if position.limits else deal_first_hands)(run)
        elif not position.frames and position.outcome is None:
            run.push(TurnFrame(country=position.active, stage="begin"))
        if position.outcome is None:
            MACHINE.advance(run)
        return run.events

    @override
    def run(self, state: State, dice: Dice) -> Run:
        return Run(state, evolve, dice)

    @override
    def resolve(self, ledger: Ledger[State, QmgEvent], role: Role, command: QmgCommand) -> None:
        """Carry out a legal command and run the game up to the next decision."""
        assert isinstance(ledger, Run), "the ledger must be created by self.ledger"
        ledger.giver = role
        super().resolve(ledger, role, command)

    @override
    def initial_state(self) -> State:
        return State()

    @override
    def to_position(self, state: State) -> Position:
        return position_from_state(state)

    @override
    def why_not(self, state: State, role: Role, command: QmgCommand) -> tuple[Refusal, ...]:
        """Return the reasons why a command is refused. A card without a copy number means the copy in the hand.

        If the hand contains no copy, a copy on the table is used.
        """
        if not isinstance(command, OfCard) or command.card not in INSTANCES:
            return super().why_not(state, role, command)
        copy = held_copy(state, command.card)
        reasons = super().why_not(state, role, replace(command, card=copy))
        return reasons or (Refusal(Rule("9.1"), f"name the copy of the card: {copy}"),)

    @override
    def roles(self, state: State) -> tuple[Role, ...]:
        del state
        return ROLES

    @override
    def evolve(self, state: State, event: QmgEvent) -> State:
        return evolve(state, event)

    @override
    def project(self, state: State, role: Role | None) -> QmgView:
        return project_state(state, role)

    @override
    def redact(self, event: QmgEvent, role: Role | None) -> QmgEvent:
        """Return the event as seen by a country."""
        return redact_event(event, role)

    @override
    def redact_command(self, command: QmgCommand, giver: Role, role: Role | None) -> QmgCommand:
        return redact_order(command, giver, role)

    @override
    def decks(self) -> Mapping[Role, tuple[str, ...]]:
        return {Role(country): cards for country, cards in hidden_cards.all_decks().items()}

    @override
    def card_piles(self, state: State, role: Role) -> Mapping[str, PileContents]:
        return card_piles(state, role)

    @override
    def with_hidden_card(self, state: State, role: Role, pile: str, card: str) -> State:
        return with_card_face(state, role, pile, card)

    @override
    def secret_owner(self, event: QmgEvent) -> Role | None:
        country = hidden_cards.secret_owner(event)
        return None if country is None else Role(country)

    @override
    def revealed_cards(self, event: QmgEvent) -> tuple[str, ...]:
        return hidden_cards.revealed_cards(event)

    @override
    def hidden_pile(
        self,
        state: State,
        role: Role,
        place: str,
        event: QmgEvent | None = None,
        picked_cards: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return a country's pile. The event is not used, because each random pick is a separate event."""
        del event, picked_cards
        return hidden_cards.hidden_pile(state, role, place)

    @override
    def complete_event(
        self, state: State, event: QmgEvent, picked_cards: Sequence[str]
    ) -> tuple[QmgEvent, int]:
        return hidden_cards.complete_event(state, event, picked_cards)

    @override
    def log_sentence(self, event: QmgEvent) -> str:
        return describe(event)

    @override
    def heading(self, state: State) -> str:
        """Return the current round, country, step and points."""
        return heading(state)

    @override
    def turn_name(self, state: State) -> str:
        return turn_name(state)

    @property
    @override
    def scoring(self) -> QmgScoring:
        return SCORING

    @override
    def violations(self, state: State) -> Iterator[str]:
        return violations(state)


QMG: Final = QuartermasterGeneral()
"""The only instance of the ruleset. The registry provides it."""
